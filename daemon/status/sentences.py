"""Events as sentences, and texts that others wrote so that nothing in them steers a terminal, turns a line, or hides.

Written out as `\\x1b` or `\\u200e` are control characters, line and paragraph separators, halves of surrogate pairs,
and what Unicode calls format characters; right-to-left scripts need none of them. These stay, since people write so:
the joiners U+200C and U+200D behind a letter of a script that is written with them, U+200D between two emoji, the tags
of a flag, and the signs of Arabic, Syriac and Kaithi that enclose numbers. Anywhere else a joiner can only deceive.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from textwrap import wrap

from daemon import events
from daemon.archive.chats import RunProgress
from rules.typingmind.dates import parse_date

_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"
_DOUBTFUL = re.compile(f"{_FLAG}|[^\n\x20-\x7e]")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_SEEN = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
_JOINERS = "\u200c\u200d"
# Arabic to Myanmar, Khmer and Mongolian, Indic scripts of the later blocks, Arabic presentation forms, Brahmic, Adlam.
_JOINED = re.compile(
    "[\u0600-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1c4f\ua800-\uaaff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010a5f\U00010d00-\U00010d3f\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_EMOJI_GOES_ON = "\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"


def visible(text: str) -> str:
    """The text with every character that would steer or deceive written out; tabs become spaces."""
    return _DOUBTFUL.sub(_spelled, text.expandtabs(4))


def in_one_line(text: str) -> str:
    """The same for a title or a name, which stands in one line."""
    return visible(text.replace("\n", " "))


def printable_json(value: object, indent: int | None = 2) -> str:
    """The value as JSON for a terminal and for programs: the same characters are spelled as JSON's own escapes."""
    text = json.dumps(value, indent=indent, ensure_ascii=False, default=str)
    return _DOUBTFUL.sub(
        lambda match: json.dumps(match[0])[1:-1] if _spelled(match) != match[0] else match[0], text
    )


def _spelled(match: "re.Match[str]") -> str:
    """A character as it is where it may stay, else written out."""
    character, text, at = match[0], match.string, match.start()
    category = unicodedata.category
    if len(character) > 1 or category(character) not in _HIDDEN or character in _SEEN:
        return character
    if character in _JOINERS:
        before, behind = text[at - 1 : at], text[at + 1 : at + 2]
        if _JOINED.match(before) and category(before)[0] in "LM":
            return character
        is_emoji = bool(before) and (category(before) == "So" or before in _EMOJI_GOES_ON)
        if is_emoji and character == "\u200d" and behind and category(behind) == "So":
            return character
    return character.encode("unicode_escape").decode()


def told_apart(chats: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The titles of chats by their ids, from pairs of both; with the id behind it where several have one title."""
    titles = dict(chats)
    times = Counter(titles.values())
    return {
        chat_id: f"{title} ({chat_id})" if times[title] > 1 and chat_id else title
        for chat_id, title in titles.items()
    }


_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def span(seconds: float) -> str:
    """A span of time in its largest unit, as "3 hours"; under a second it is "0 seconds"."""
    whole = max(0, int(seconds))
    size, unit = next((pair for pair in _UNITS if whole >= pair[0]), _UNITS[-1])
    number = whole // size
    return f"{number:,} {unit}{'' if number == 1 else 's'}"


def local(text: str, now: str) -> str:
    """A time of the archive on the local clock, with the date where that is not today's; other text stays as it is."""
    when, today = parse_date(text), parse_date(now)
    if when is None or today is None:
        return text
    here = when.astimezone()
    same_day = here.date() == today.astimezone().date()
    return f"{here:%H:%M:%S}" if same_day else f"{here:%Y-%m-%d %H:%M}"


def with_span(text: str, now: str) -> str:
    """A time of the archive on the local clock, and how long ago or ahead that is; "never" for no time."""
    seconds = seconds_between(text, now)
    if seconds is None:
        return text or "never"
    return (
        f"{local(text, now)} ({f'{span(seconds)} ago' if seconds >= 0 else f'in {span(-seconds)}'})"
    )


def seconds_between(before: str, after: str) -> float | None:
    """Seconds from one time of the archive to another, or None where one of them is none."""
    first, second = parse_date(before), parse_date(after)
    return None if first is None or second is None else (second - first).total_seconds()


def folded(text: str, columns: int, further: int = 2) -> str:
    """The text for a terminal of that width: a longer line goes on below, so many columns further in."""
    lines = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + further)
        lines += wrap(
            line, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        ) or [""]
    return "\n".join(lines)


def progress_line(run: RunProgress, title: str = "") -> str:
    """A line of progress: `Aria 14/20 · $0.77 · 1:05 left`; with `title` where the chat's own is too long."""
    parts = [
        f"{title or in_one_line(run.title)} {run.done:,}/{run.of:,}" if run.title else "reading"
    ]
    parts += [f"${run.usd:,.2f}"] if run.answered else []
    parts += [f"{clock_time(run.seconds_left)} left"] if run.seconds_left is not None else []
    return " · ".join(parts)


def clock_time(seconds: float) -> str:
    """A duration as on a clock: `1:05` or `2:01:05`; never `0:00`, since something is still to come."""
    minutes, rest = divmod(max(1, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def in_full(text: str) -> str:
    """A time of the archive on the local clock, as log lines begin; other text stays as it is."""
    when = parse_date(text)
    return text if when is None else f"{when.astimezone():%Y-%m-%d %H:%M:%S}"


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
    "set aside": "{} was skipped",
    "gone": "{} is no longer waited for",
}
_BECAME = {
    "written": "{0}, of {1}: the updated export is ready",
    "left alone": "{0}, of {1}, is unchanged",
    "set aside": "{0}, of {1}, was skipped",
}
_WATCHING = {
    "native": "The inbox is watched by the system's events",
    "poll": "The inbox is watched by looking into it again and again",
    "none": "The inbox cannot be watched, and is looked through from time to time",
}


def sentence(event: events.Event, titles: Mapping[str, str] = _NO_NAMES) -> str:
    """An event in one or two sentences. `titles` are those of chats, by id, where they may be shown."""
    match event:
        case events.FileIs(_, file, state, reason, next_step):
            return _with(_STATES.get(state, f"{{}} is {state}").format(file), reason, next_step)
        case events.Trouble(what, reason, next_step):
            return _with(f"Trouble with {what}", reason, next_step)
        case events.JobEnded(name, error):
            return (
                _with(f"The timed job {name} failed", error)
                if error
                else f"The timed job {name} is done."
            )
        case events.Note(text):
            return text
        case events.TriesAgain():
            return f"{event.sentence}."
        case _:
            return (
                _about_chat(event, titles) if isinstance(event, _OfChat) else _about_daemon(event)
            )


def is_problem(event: events.Event) -> bool:
    """Whether the person may have to do something."""
    match event:
        case events.FileIs(state=state, next_step=next_step):
            return state == "set aside" or bool(next_step)
        case events.ChatIs(kind=kind):
            return kind == "set aside"
        case events.JobEnded(error=error):
            return bool(error)
        case events.Watching(mode=mode):
            return mode == "none"
        case _:
            return isinstance(event, events.SettingsRefused | events.Trouble)


_OfChat = (
    events.ChatIs | events.Planned | events.UserEdits | events.ModelAnswered | events.MemoryMade
)


def _about_chat(event: _OfChat, titles: Mapping[str, str]) -> str:
    chat = f"The chat {event.chat_id}" if event.chat_id else "A chat"
    if event.chat_id in titles:
        chat = f'The chat "{titles[event.chat_id]}"'
    match event:
        case events.ChatIs(kind=kind, detail=detail, next_step=next_step, file=file):
            return _with(_BECAME[kind].format(chat, file), detail, next_step)
        case events.Planned(chunks=chunks, calls=calls):
            return (
                f"{chat}: {_counted(chunks, 'chunk')} to remember, with {_counted(calls, 'call')}."
            )
        case events.UserEdits(text=text):
            return f"{chat}, by your hand in TypingMind: {text}"
        case events.MemoryMade(done=done, of=of):
            return f"{chat}: memory {done:,} of {of:,} is kept."
        case events.ModelAnswered():
            cached = f" ({event.tokens_cached:,} from the cache)" if event.tokens_cached else ""
            money = "at a price that is not known" if event.usd is None else f"for ${event.usd:.4f}"
            tokens = f"{event.tokens_in:,} tokens{cached} in, {event.tokens_out:,} out"
            return f"{chat}: {event.model} has answered ({event.step}): {tokens}, {money}."


def _about_daemon(event: events.Event) -> str:
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
        case events.SettingsRead(restart) if restart:
            return f"memproc.toml was read again, and counts after a restart only, because of {restart}."
        case events.SettingsRead():
            return "memproc.toml was read again, and counts from now on."
        case events.SettingsRefused(reason, next_step):
            return _with(
                "memproc.toml is wrong, so the settings before it still count", reason, next_step
            )
        case _:
            return f"{type(event).__name__}."  # what only programs are told of


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _with(beginning: str, reason: str, next_step: str = "") -> str:
    """A beginning and its reason as one sentence, and the next step as it is: it may end with a command."""
    first = f"{beginning.rstrip('.')}: {reason}" if reason else beginning
    ended = first if first.endswith((".", "!", "?")) else f"{first}."
    return f"{ended} {next_step}".rstrip()
