"""Puts what was logged into words, the same for `memproc logs`, the terminal and the system's journal."""

from collections.abc import Mapping

from daemon.seeing import logged
from daemon.seeing.logged import Logged
from daemon.seeing.moments import in_full

_NO_NAMES: Mapping[str, str] = {}
_STATES = {
    "seen": "{} was found in the inbox.",
    "settling": "{} is waited for",
    "copied": "{} stands still and is complete: memproc has made a copy to work on.",
    "planned": "It is decided what to do with {}.",
    "working": "{} is being worked on.",
    "written": "{} is done.",
    "done": "Nothing was to do for {}",
    "waiting": "{} waits",
    "paused": "{} waits",
    "set aside": "{} was set aside",
    "gone": "{} is no longer looked at",
}


_BECAME = {
    "written": "{0}, of {1}: the updated export is ready",
    "left alone": "{0}, of {1}, was left alone",
    "set aside": "{0}, of {1}, was set aside",
}
_WATCHING = {
    "native": "The inbox is watched by the system's events",
    "poll": "The inbox is watched by looking into it again and again",
    "none": "The inbox cannot be watched, and is looked through from time to time",
}


def sentence(event: Logged, titles: Mapping[str, str] = _NO_NAMES) -> str:
    """What happened, in one or two sentences. `titles` are those of chats, by id, where they may be shown."""
    match event:
        case (
            logged.FileIs()
            | logged.ChatIs()
            | logged.Planned()
            | logged.UserEdits()
            | logged.Answered()
            | logged.Remembered()
        ):
            return _about_work(event, titles)
        case logged.Started() | logged.Stopped() | logged.Paused() | logged.Resumed():
            return _about_daemon(event)
        case logged.Watching(mode, why):
            return _with(_WATCHING.get(mode, f"The inbox is watched by {mode}"), why)
        case logged.JobEnded(name, error):
            return _with(f"The timed job {name} failed", error) if error else f"The timed job {name} is done."
        case logged.SettingsRead() | logged.SettingsRefused():
            return _about_settings(event)
        case logged.Trouble(what, reason, next_step):
            return _with(f"Trouble with {what}", reason, next_step)
        case logged.Said(text):
            return text


def is_problem(event: Logged) -> bool:
    """Whether the person may have to do something."""
    match event:
        case logged.FileIs(state=state, next_step=next_step):
            return state == "set aside" or bool(next_step)
        case logged.ChatIs(kind=kind):
            return kind == "set aside"
        case logged.JobEnded(error=error):
            return bool(error)
        case logged.Watching(mode=mode):
            return mode == "none"
        case _:
            return isinstance(event, logged.SettingsRefused | logged.Trouble)


def _about_work(
    event: logged.FileIs | logged.ChatIs | logged.Planned | logged.UserEdits | logged.Answered | logged.Remembered,
    titles: Mapping[str, str],
) -> str:
    match event:
        case logged.FileIs(_, file, state, reason, next_step):
            return _with(_STATES.get(state, f"{{}} is {state}").format(file), reason, next_step)
        case logged.ChatIs(_, file, chat_id, kind, detail, next_step):
            return _with(
                _BECAME.get(kind, f"{{}} of {{}} is {kind}").format(_chat(chat_id, titles), file), detail, next_step
            )
        case logged.Planned(_, chat_id, chunks, calls):
            return f"{_chat(chat_id, titles)}: {_counted(chunks, 'chunk')} to remember, with {_counted(calls, 'call')}."
        case logged.UserEdits(_, chat_id, text):
            return f"{_chat(chat_id, titles)}, by your hand in TypingMind: {text}"
        case logged.Answered(_, chat_id, step, model, tokens_in, tokens_cached, tokens_out, usd):
            cached = f" ({tokens_cached:,} from the cache)" if tokens_cached else ""
            money = "at a price that is not known" if usd is None else f"for ${usd:.4f}"
            who = f"{_chat(chat_id, titles)}: " if chat_id else ""
            return f"{who}{model} has answered ({step}): {tokens_in:,} tokens{cached} in, {tokens_out:,} out, {money}."
        case logged.Remembered(_, chat_id, done, of):
            return f"{_chat(chat_id, titles)}: memory {done:,} of {of:,} is kept."


def _about_daemon(event: logged.Started | logged.Stopped | logged.Paused | logged.Resumed) -> str:
    match event:
        case logged.Started(version, pid, inbox):
            return f"memproc {version} looks after {inbox} (process {pid})."
        case logged.Stopped(reason):
            return _with("memproc has stopped", reason)
        case logged.Paused(until):
            return f"memproc takes up no work until {in_full(until) or 'it is told to go on'}."
        case logged.Resumed():
            return "memproc goes on."


def _about_settings(event: logged.SettingsRead | logged.SettingsRefused) -> str:
    match event:
        case logged.SettingsRead(restart):
            if restart:
                return f"memproc.toml was read again, and counts after a restart only, because of {restart}."
            return "memproc.toml was read again, and counts from now on."
        case logged.SettingsRefused(reason, next_step):
            return _with("memproc.toml is wrong, so the settings before it still count", reason, next_step)


def _chat(chat_id: str, titles: Mapping[str, str]) -> str:
    if not chat_id:
        return "A chat"
    return f'The chat "{titles[chat_id]}"' if chat_id in titles else f"The chat {chat_id}"


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _with(told: str, reason: str, next_step: str = "") -> str:
    """A beginning and its reason as one sentence, and the next step as it is: it may end with a command."""
    first = f"{told.rstrip('.')}: {reason}" if reason else told
    ended = first if first.endswith((".", "!", "?")) else f"{first}."
    return f"{ended} {next_step}".rstrip()
