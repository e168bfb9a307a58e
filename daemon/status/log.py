"""Takes chats' titles out of what is logged: logs are shown to others, and a title can be as private as a message.

The name of a file stays as it is, although a title stands in it: a name that is not the file's helps nobody find it.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat
from daemon.files.clock import now as present
from daemon.files.write import file_errors, make_private
from daemon.inbox.lines import Garbled, of_line, of_object, to_object
from rules.errors import ArchiveError, FileTrouble, NotFound
from rules.output.naming import file_name

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Event = TypeVar("_Event", bound="DataclassInstance")
_WORDS = frozenset({"reason", "next_step", "detail", "text", "error", "why"})
"""The fields in which sentences from elsewhere stand."""


@dataclass(frozen=True, slots=True)
class Titled:
    """A chat, by its title and its id; the id is empty where it is not known."""

    title: str
    chat_id: str


def known_titles(archive: Archive) -> tuple[Titled, ...]:
    """The chats that the archive knows, and those that were set aside before it could know them."""
    rows = archive.run(
        """
        SELECT title, chat_id FROM chat UNION
        SELECT title, chat_id FROM outcome JOIN arrival ON arrival.id = outcome.arrival
        WHERE kind = 'set aside' AND substr(arrival.path, -length(title)) <> title  -- which is the file's own name
        """
    )
    return tuple(Titled(*row) for row in rows)


def has_words(event: "DataclassInstance") -> bool:
    """Whether there is anything in an event that could hold a title."""
    return any(getattr(event, field.name) for field in fields(event) if field.name in _WORDS)


def event_without_titles(event: _Event, titles: Iterable[Titled]) -> _Event:
    """The event with ids where its sentences name chats."""
    chats = tuple(titles)
    said = {field.name: getattr(event, field.name) for field in fields(event) if field.name in _WORDS}
    return replace(event, **{name: without_titles(text, chats) for name, text in said.items()})


def without_titles(text: str, titles: Iterable[Titled]) -> str:
    """The text with the chat's id where a title stands; the names of files stay, so that people find them.

    A title of a single word is taken out of quotation marks only: elsewhere it is a word like any other. The longest
    titles come first, since one can begin another.
    """
    chats = sorted((chat for chat in titles if chat.title.strip()), key=lambda chat: len(chat.title), reverse=True)
    names = {name for chat in chats if (name := _begins_name(chat)) in text}
    if not names:
        return _without_all(text, chats)
    some = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    # What is caught stands at the odd places: the name of a chat's file, or of the new chat that was made of it.
    pieces = re.split(rf"((?:{some})(?: \(memories\))? \([0-9a-z_~-]+\))", text)
    return "".join(piece if at % 2 else _without_all(piece, chats) for at, piece in enumerate(pieces))


def _begins_name(chat: Titled) -> str:
    return file_name(chat.title, chat.chat_id).rpartition(" (")[0]


def _without_all(text: str, chats: Iterable[Titled]) -> str:
    for chat in chats:
        text = _without(text, chat)
    return text


def _without(text: str, chat: Titled) -> str:
    name = chat.chat_id or "this chat"
    text = text.replace(f'"{chat.title}"', name)
    if len(chat.title.split()) < 2 or chat.title not in text:
        return text
    return re.sub(rf"(?<!\w){re.escape(chat.title)}(?!\w)", lambda _: name, text)


@dataclass(frozen=True, slots=True)
class Started:
    """The daemon is up."""

    version: str
    pid: int
    inbox: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The daemon ends; `reason` is a sentence."""

    reason: str


@dataclass(frozen=True, slots=True)
class Watching:
    """How the inbox is watched from now on; `mode` is `native`, `poll` or `none`, `why` a sentence."""

    mode: str
    why: str


@dataclass(frozen=True, slots=True)
class FileIs:
    """A file of the inbox has come into another state."""

    arrival: int
    file: str
    """The file's name, without its folder."""
    state: str
    reason: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class Planned:
    """The work on a chat begins."""

    arrival: int
    chat_id: str
    chunks: int
    calls: int


@dataclass(frozen=True, slots=True)
class UserEdits:
    """What the person has done to a chat in TypingMind, in numbers."""

    arrival: int
    chat_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A model has answered; its answer is in the journal, and not here."""

    arrival: int
    chat_id: str
    step: str
    model: str
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    usd: float | None


@dataclass(frozen=True, slots=True)
class Remembered:
    """One more chunk has become a memory: `done` of `of`."""

    arrival: int
    chat_id: str
    done: int
    of: int


@dataclass(frozen=True, slots=True)
class ChatIs:
    """What became of a chat; make it with `chat_is`, which leaves the title out."""

    arrival: int
    file: str
    chat_id: str
    """Empty where the id is not known."""
    kind: str
    """`written`, `left alone` or `set aside`."""
    detail: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class JobEnded:
    """A timed job is done; `error` is empty where it went well."""

    name: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Paused:
    """The daemon was told to take up no work until `until`; empty: until it is told to go on."""

    until: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """The daemon goes on."""


@dataclass(frozen=True, slots=True)
class SettingsRead:
    """memproc.toml was read again, and counts; after a restart only where `restart` names keys that need one."""

    restart: str = ""


@dataclass(frozen=True, slots=True)
class SettingsRefused:
    """memproc.toml is wrong, so the settings before it still count."""

    reason: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something else went wrong: the watch, the archive, the worker's process; `what` is a name for it."""

    what: str
    reason: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """Something worth knowing that is no trouble."""

    text: str


Logged = (
    Started | Stopped | Watching | FileIs | Planned | UserEdits | Answered | Remembered | ChatIs
    | JobEnded | Paused | Resumed | SettingsRead | SettingsRefused | Trouble | Said
)  # fmt: skip
KINDS: Mapping[str, type[Logged]] = {
    kind.__name__: kind
    for kind in (
        Started, Stopped, Watching, FileIs, Planned, UserEdits, Answered, Remembered, ChatIs,
        JobEnded, Paused, Resumed, SettingsRead, SettingsRefused, Trouble, Said,
    )
}  # fmt: skip


def chat_is(
    arrival: int, file: str, chat_id: str, title: str, kind: str, detail: str = "", next_step: str = ""
) -> ChatIs:
    """What became of a chat, with the title taken out of both sentences: a title can be as private as a message."""
    said = (without_titles(text, [Titled(title, chat_id)]) for text in (detail, next_step))
    return ChatIs(arrival, file, chat_id, kind, *said)


LARGEST = 5_000_000
"""Bytes; a file that would grow beyond becomes the first of the old ones."""
OLD_FILES = 5

Speak = Callable[[str, Logged], None]
"""Who is told at once, beside the file: the time, and what happened."""


def log_folder(state: Path) -> Path:
    """Where the log lies in the state folder."""
    return state / "logs"


def log_files(folder: Path) -> tuple[Path, ...]:
    """The places of the log and of the old files before it, newest first; not all of them need to be there."""
    newest = folder / "memproc.log"
    return (newest, *(folder / f"memproc.log.{number}" for number in range(1, OLD_FILES + 1)))


def say_nothing(at: str, event: Logged) -> None:
    """For a log that nobody watches."""


class Log:
    """The daemon's log. A log that cannot be written stops nothing; `trouble` says so until it can be again."""

    def __init__(
        self,
        state: Path,
        speak: Speak = say_nothing,
        titles: Callable[[], Sequence[Titled]] = tuple,
        now: Callable[[], str] = present,
        largest: int = LARGEST,
    ) -> None:
        """`titles` are those of all chats: neither the file nor who listens is told any of them."""
        self.trouble = ""
        """Why the last entry could not be kept; empty where it was."""
        self._folder = log_folder(state)
        self._speak = speak
        self._titles = titles
        self._known: Sequence[Titled] = ()
        self._now = now
        self._largest = largest

    def log(self, event: Logged) -> None:
        """Keep what happened, and say it."""
        at, event = self._now(), self._private(event)
        self._speak(at, event)
        before = self.trouble
        try:
            self._keep(json.dumps({"at": at, **to_object(event)}).encode("ascii") + b"\n")
        except FileTrouble as trouble:
            self.trouble = trouble.message
            if not before:
                self._speak(at, Trouble("the log", trouble.message, trouble.next_step))
        else:
            self.trouble = ""

    def _private(self, event: Logged) -> Logged:
        if not has_words(event):
            return event
        # What there is to tell may be that the archive cannot be read: then the titles of before must do.
        with suppress(ArchiveError):
            self._known = self._titles()
        return event_without_titles(event, self._known)

    def _keep(self, line: bytes) -> None:
        """Add a line, whole or not at all. The file is opened each time: it may have been moved away."""
        make_private(self._folder)
        path = log_files(self._folder)[0]
        with file_errors(path, "written"):
            if _size(path) + len(line) > self._largest:
                _make_room(log_files(self._folder))
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            try:
                _append(handle, line)
            finally:
                os.close(handle)


def _append(handle: int, line: bytes) -> None:
    before = os.fstat(handle).st_size
    try:
        if (written := os.write(handle, line)) < len(line):
            os.write(handle, line[written:])
    except OSError:
        # Half a line would spoil the next one too.
        os.ftruncate(handle, before)
        raise


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _make_room(files: tuple[Path, ...]) -> None:
    """Each file takes the place of the one before it in time; the oldest is overwritten."""
    for newer, older in reversed(list(pairwise(files))):
        if newer.exists():
            newer.replace(older)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that is none of ours: damaged, or written by another version of memproc."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened, and when (UTC, milliseconds, `Z`; empty where the line cannot be read)."""

    at: str
    event: Logged | Unreadable


@dataclass(frozen=True, slots=True)
class About:
    """Entries about one chat: those that name it, and those of the arrivals that held it."""

    chat_ids: frozenset[str]
    arrivals: frozenset[int]

    def has(self, event: Logged | Unreadable) -> bool:
        """Whether an entry is about the chat. One that names another chat is not, whatever file it came in."""
        if chat_id := getattr(event, "chat_id", ""):
            return chat_id in self.chat_ids
        return getattr(event, "arrival", None) in self.arrivals

    def with_arrival(self, event: Logged | Unreadable) -> "About":
        """The same, with the arrival of an entry that is about the chat."""
        arrival = getattr(event, "arrival", None)
        return self if arrival is None else replace(self, arrivals=self.arrivals | {arrival})


def about(archive: Archive, wanted: str) -> About:
    """The chat of that id or title. Raises NotFound where neither the archive nor an outcome knows it."""
    rows = archive.run("SELECT chat_id, arrival FROM outcome WHERE chat_id = ?1 OR lower(title) = lower(?1)", (wanted,))
    try:
        known = find_chat(archive, wanted)
    except NotFound:
        if not rows:
            raise
    else:
        titled = "SELECT chat_id, arrival FROM outcome WHERE chat_id = ? OR title = ?"
        rows = [*rows, (known.chat_id, None), *archive.run(titled, (known.chat_id, known.title))]
    return About(
        frozenset(chat_id for chat_id, _ in rows if chat_id),
        frozenset(arrival for _, arrival in rows if arrival is not None),
    )


def entries(folder: Path, wait: Callable[[], object] | None = None) -> Iterator[Entry]:
    """Every entry of the log in `folder`, the old files' first.

    With `wait` it never ends: `wait` is called where nothing new is there. Raises FileTrouble.
    """
    for line in _lines(folder, wait):
        yield _entry(line)


def _lines(folder: Path, wait: Callable[[], object] | None) -> Iterator[bytes]:
    done: os.stat_result | None = None
    while True:
        opened = _open_next(folder, done)
        if opened is not None:
            with opened as file:
                done = os.fstat(file.fileno())
                yield from _lines_of(file, partial(_after, folder, done), wait)
        elif wait is None:
            return
        else:
            wait()


def _lines_of(
    file: BinaryIO, newer: Callable[[], Sequence[object]], wait: Callable[[], object] | None
) -> Iterator[bytes]:
    """The lines of one file; with `wait`, those that are still to come, until there is a newer file."""
    while True:
        complete = bool(newer())  # asked first: nothing is added to a file after there is a newer one
        while line := file.readline():
            if not line.endswith(b"\n") and not complete:
                file.seek(-len(line), os.SEEK_CUR)
                break
            yield line
        if complete or wait is None:
            return
        wait()


def _after(folder: Path, done: os.stat_result | None) -> list[tuple[Path, os.stat_result]]:
    """The files that are newer than `done`, oldest first.

    They are looked at from the newest on: rotation moves a file towards the old ones, so that it can be
    seen twice, and is never missed.
    """
    found: list[tuple[Path, os.stat_result]] = []
    for path in log_files(folder):
        try:
            stat = path.stat()
        except FileNotFoundError:
            continue
        if done is not None and os.path.samestat(stat, done):
            break
        if not any(os.path.samestat(stat, other) for _, other in found):
            found.append((path, stat))
    return found[::-1]


def _open_next(folder: Path, done: os.stat_result | None) -> BinaryIO | None:
    """The oldest file that is newer than `done`, or None where there is none yet."""
    with file_errors(folder, "read"):
        while files := _after(folder, done):
            path, stat = files[0]
            try:
                file = path.open("rb")
            except FileNotFoundError:
                continue  # it has moved on just now
            if os.path.samestat(os.fstat(file.fileno()), stat):
                return file
            file.close()
        return None


def _entry(line: bytes) -> Entry:
    try:
        found = of_line(line)
        return Entry(str(found.pop("at", "")), of_object(KINDS, found))
    except Garbled:
        return Entry("", Unreadable())
