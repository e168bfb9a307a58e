"""Write events as sentences."""

from collections.abc import Mapping

from daemon import events
from daemon.archive.signs import RunProgress
from daemon.files.clock import clock_time, in_full
from daemon.status.printable import in_one_line
from rules.wording import counted

_NO_NAMES: Mapping[str, str] = {}
_STATES = {
    "seen": "{} was found in the inbox.",
    "settling": "{} is waited for",
    "copied": "{} is complete: memproc has made a copy to work on.",
    "planned": "It is decided what to do with {}.",
    "working": "{} is in progress.",
    "written": "{} is done.",
    "done": "Nothing was to do for {}",
    "waiting": "{} waits",
    "paused": "{} waits",
    "skipped": "{} was skipped",
    "gone": "{} is no longer waited for",
}
_BECAME = {
    "written": "{0}, of {1}: the updated export is ready",
    "unchanged": "{0}, of {1}, is unchanged",
    "skipped": "{0}, of {1}, was skipped",
}
_WATCHING = {
    "native": "The inbox is watched by the system's events",
    "poll": "The inbox is watched by looking into it again and again",
    "none": "The inbox cannot be watched, and is looked through from time to time",
}
_OfChat = (
    events.ChatIs | events.Planned | events.UserEdits | events.ModelAnswered | events.MemoryMade
)


def progress_line(run: RunProgress, title: str = "") -> str:
    """Return a line of progress: `Aria 14/20 · $0.77 · 1:05 left`; `title` replaces a long one."""
    parts = ["reading"]
    if run.title:
        shown = title or in_one_line(run.title)
        parts = [f"{shown} {run.done:,}/{run.of:,}"]
    if run.answered:
        parts.append(f"${run.usd:,.2f}")
    if run.seconds_left is not None:
        parts.append(f"{clock_time(run.seconds_left)} left")
    return " · ".join(parts)


def sentence(event: events.Event, titles: Mapping[str, str] = _NO_NAMES) -> str:
    """Return an event in one or two sentences; `titles` are those of chats, by id, to show."""
    match event:
        case events.FileIs(_, file, state, reason, next_step):
            beginning = _STATES.get(state, f"{{}} is {state}")
            return _with(beginning.format(file), reason, next_step)
        case events.Trouble(what, reason, next_step):
            return _with(f"Trouble with {what}", reason, next_step)
        case events.JobEnded(name, ""):
            return f"The timed job {name} is done."
        case events.JobEnded(name, error):
            return _with(f"The timed job {name} failed", error)
        case events.Note(text):
            return text
        case events.TriesAgain():
            return f"{event.sentence}."
    if isinstance(event, _OfChat):
        return _about_chat(event, titles)
    return _about_daemon(event)


def is_problem(event: events.Event) -> bool:
    """Return whether the person may have to do something."""
    match event:
        case events.FileIs(state=state, next_step=next_step):
            return state == "skipped" or bool(next_step)
        case events.ChatIs(kind=kind, next_step=next_step):
            return kind == "skipped" and bool(next_step)
        case events.JobEnded(error=error):
            return bool(error)
        case events.Watching(mode=mode):
            return mode == "none"
        case _:
            return isinstance(event, events.SettingsRefused | events.Trouble)


def _about_chat(event: _OfChat, titles: Mapping[str, str]) -> str:
    """Return an event of a chat as a sentence, which names the chat by its title or its id."""
    chat = f"The chat {event.chat_id}" if event.chat_id else "A chat"
    if event.chat_id in titles:
        chat = f'The chat "{titles[event.chat_id]}"'
    match event:
        case events.ChatIs(kind=kind, detail=detail, next_step=next_step, file=file):
            return _with(_BECAME[kind].format(chat, file), detail, next_step)
        case events.Planned(chunks=chunks, calls=calls):
            return f"{chat}: {counted(chunks, 'chunk')} to remember, with {counted(calls, 'call')}."
        case events.UserEdits(text=text):
            return f"{chat}, by your hand in TypingMind: {text}"
        case events.MemoryMade(done=done, of=of):
            return f"{chat}: memory {done:,} of {of:,} is kept."
        case events.ModelAnswered():
            return f"{chat}: {event.model} has answered ({event.step}): {_traffic(event)}."


def _traffic(event: events.ModelAnswered) -> str:
    """Say how many tokens an answer took, and what it cost."""
    cached = f" ({event.tokens_cached:,} from the cache)" if event.tokens_cached else ""
    money = "at a price that is not known" if event.usd is None else f"for ${event.usd:.4f}"
    return f"{event.tokens_in:,} tokens{cached} in, {event.tokens_out:,} out, {money}"


def _about_daemon(event: events.Event) -> str:
    """Return an event of the daemon itself as a sentence."""
    match event:
        case events.Started(version, pid, inbox):
            return f"memproc {version} watches {inbox} (process {pid})."
        case events.Stopped(reason):
            return _with("memproc has stopped", reason)
        case events.Watching(mode, why):
            return _with(_WATCHING.get(mode, f"The inbox is watched by {mode}"), why)
        case events.PauseBegan(until):
            return f"memproc takes up no work until {in_full(until) or 'it is told to go on'}."
        case events.PauseEnded():
            return "memproc goes on."
        case events.SettingsRead(restart):
            start = f"after a restart only, because of {restart}" if restart else "from now on"
            return f"memproc.toml was read again, and counts {start}."
        case events.SettingsRefused(reason, next_step):
            wrong = "memproc.toml is wrong, so the settings before it still count"
            return _with(wrong, reason, next_step)
    return f"{type(event).__name__}."  # an event for programs alone


def _with(beginning: str, reason: str, next_step: str = "") -> str:
    """Join a beginning and its reason, then the next step as it is: it may end with a command."""
    first = f"{beginning.rstrip('.')}: {reason}" if reason else beginning
    ended = first if first.endswith((".", "!", "?")) else f"{first}."
    return f"{ended} {next_step}".rstrip()
