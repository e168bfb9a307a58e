"""Write events, runs and outcomes of chats as sentences, for every place where they are shown."""

from collections.abc import Mapping

from daemon import events
from daemon.archive.progress import FileProgress, seconds_left
from daemon.archive.trials import Trial
from daemon.archive.work import Run
from daemon.files.clock import clock_time, in_full
from daemon.status.printable import in_one_line
from rules.wording import counted

_NO_NAMES: Mapping[str, str] = {}
_STATES = {
    "seen": "{} was found in the inbox.",
    "settling": "{} is waited for",
    "copied": "{} is complete: there is a copy to work on.",
    "working": "{} is in progress.",
    "written": "{} is done.",
    "done": "Nothing to do for {}",
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
    "poll": "The inbox is watched by looking into it again and again",
    "none": "The inbox cannot be watched, and is looked through from time to time",
}
_OfChat = (
    events.ChatIs | events.Planned | events.UserEdits | events.ModelAnswered | events.MemoryMade
)
_TROUBLES = {"the settings": "memproc.toml is wrong, so the settings before it still count"}
_ROUND = 10
_ENDED = {
    "failed": "failed",
    "stopped": "stopped",
    "interrupted": "interrupted",
    "cut off": "cut off in the middle; what is finished is kept",
}


def trial_in_words(model: str, trial: Trial) -> str:
    """Return a sentence on what the last trial of a model has shown, and when."""
    day = f" on {trial.at[:10]}" if trial.at else ""
    quote = "copies a quote" if trial.copies_a_quote else "does not copy a quote"
    apart = "keeps" if trial.keeps_apart else "does not keep"
    return (
        f"{model} was tried{day}: it reads {_speed(trial.read_a_second)} and writes "
        f"{_speed(trial.written_a_second)} tokens a second, has a context of {trial.window:,} "
        f'tokens, {quote}, and {apart} "I" and "you" apart.'
    )


def _speed(a_second: float) -> str:
    return f"{a_second:,.0f}" if a_second >= _ROUND else f"{a_second:.1f}"


def outcome_in_words(chat: events.ChatIs) -> str:
    """Return the outcome of a chat in words, without its title and without a full stop."""
    if chat.kind != "written":
        return chat.detail
    are = "all" if chat.extracted == chat.memories else f"{chat.extracted} of them"
    extracted = f", {are} extracted (no model)" if chat.extracted else ""
    kept = f"; the version before is kept (memproc undo {chat.chat_id})" if chat.is_kept else ""
    too_many = f"; {chat.detail}" if chat.detail else ""
    return (
        f"{chat.tokens_before:,} tokens are now {chat.tokens_after:,}, "
        f"with {counted(chat.memories, 'memory', 'memories')}{extracted}{kept}{too_many}"
    )


def run_in_words(run: Run) -> str:
    """Return how a run has ended: the numbers of chats with each outcome, or how it broke off."""
    counts = [f"{number:,} {kind}" for kind, number in sorted(run.counts.items(), reverse=True)]
    done = ", ".join(counts) or "nothing to do"
    return _ENDED.get(run.ended, done)


def progress_line(chat: FileProgress, when: str, title: str = "") -> str:
    """Return a line of progress; `title` replaces a long one.

    As in `Aria: 14 of 20 memories made · $0.77 · 1:05 left`.
    """
    parts = ["reading"]
    if chat.title:
        shown = title or in_one_line(chat.title)
        parts = [f"{shown}: {chat.done:,} of {counted(chat.total, 'memory', 'memories')} made"]
    if chat.usd:
        parts.append(f"${chat.usd:,.2f}")
    if chat.retries:
        parts.append(f"asked again {counted(chat.retries, 'time')}")
    time_left = seconds_left(chat, when)
    if time_left is not None:
        parts.append(f"{clock_time(time_left)} left")
    return " · ".join(parts)


def sentence(event: events.Event, titles: Mapping[str, str] = _NO_NAMES) -> str:
    """Return an event in one or two sentences; `titles` has the titles to show, by chat id."""
    match event:
        case events.FileIs(_, file, state, reason, next_step):
            beginning = _STATES.get(state, f"{{}} is {state}")
            return _with(beginning.format(file), reason, next_step)
        case events.Trouble(what, reason, next_step):
            return _with(_TROUBLES.get(what, f"Trouble with {what}"), reason, next_step)
        case events.RunDone(name, ""):
            return f"The timed job {name} is done."
        case events.RunDone(name, error):
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
        case events.RunDone(error=error):
            return bool(error)
        case events.DaemonIs(mode=mode):
            return mode == "none"
        case _:
            return isinstance(event, events.Trouble)


def _about_chat(event: _OfChat, titles: Mapping[str, str]) -> str:
    """Return an event of a chat as a sentence that names the chat by its title or id."""
    chat = f"The chat {event.chat_id}" if event.chat_id else "A chat"
    if event.chat_id in titles:
        chat = f'The chat "{titles[event.chat_id]}"'
    match event:
        case events.ChatIs(kind=kind, next_step=next_step, file=file):
            return _with(_BECAME[kind].format(chat, file), outcome_in_words(event), next_step)
        case events.Planned(words=words):
            return f"{chat}: {words}."
        case events.UserEdits():
            return event.sentence_on(chat)
        case events.MemoryMade() if event.folding:
            return f"{chat}: {event.folding}."
        case events.MemoryMade(done=done, of=of):
            return f"{chat}: memory {done:,} of {of:,} is kept."
        case events.ModelAnswered():
            cached = f" ({event.tokens_cached:,} from the cache)" if event.tokens_cached else ""
            money = f"for ${event.usd:.4f}" if event.usd else "free"
            if event.usd is None:
                money = "at a price that is not known"
            tokens = f"{event.tokens_in:,} tokens{cached} in, {event.tokens_out:,} out"
            return f"{chat}: {event.model} has answered ({event.step}): {tokens}, {money}."


def _about_daemon(event: events.Event) -> str:
    """Return an event of the daemon itself as a sentence."""
    match event:
        case events.DaemonIs("started", inbox):
            return f"memproc {event.version} watches {inbox} (process {event.pid})."
        case events.DaemonIs("stopped", reason):
            return _with("memproc has stopped", reason)
        case events.DaemonIs("watching", mode="native"):
            return "Watching the inbox."
        case events.DaemonIs("watching", why, mode):
            return _with(_WATCHING.get(mode, f"The inbox is watched by {mode}"), why)
        case events.DaemonIs("paused", until):
            return f"Paused until {in_full(until) or '`memproc resume`'}."
        case events.DaemonIs("resumed"):
            return "Resumed."
        case events.DaemonIs("configured", restart):
            start = f"after a restart only, because of {restart}" if restart else "from now on"
            return f"memproc.toml was read again, and counts {start}."
    return f"{type(event).__name__}."  # an event for programs alone


def _with(beginning: str, reason: str, next_step: str = "") -> str:
    """Join a beginning and its reason into a sentence.

    The next step follows unchanged, since it may end with a command.
    """
    first = f"{beginning.rstrip('.')}: {reason}" if reason else beginning
    ended = first if first.endswith((".", "!", "?")) else f"{first}."
    return f"{ended} {next_step}".rstrip()
