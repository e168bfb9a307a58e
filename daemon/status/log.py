"""Keep the daemon's log, one event a line, in files of a bounded size, and read it back.

It names no chat by its title: logs are shown to others, and a title can be as private as a message.
Names of files stay, although a title is part of them: a changed name would help to find no file.
"""

import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields, replace
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat, known_chats
from daemon.archive.work import outcomes_of, titles_to_hide
from daemon.events import ChatIs, Event, NoEvent, Trouble, of_line, to_line
from daemon.files.clock import now as present
from daemon.files.paths import file_name
from daemon.files.private import make_private
from daemon.files.reasons import file_errors
from daemon.files.write import refuse_link
from daemon.status.printable import in_one_line, told_apart
from daemon.status.sentences import sentence
from rules.errors import ArchiveError, FileTrouble, NotFound
from rules.wording import cut_title

LARGEST = 5_000_000
"""Bytes; a file that would grow larger becomes the first of the old ones."""
OLD_FILES = 5

Speak = Callable[[str, Event], None]
"""A listener for each event, along with the file: the time, and what happened."""
_SENTENCES = frozenset({"reason", "next_step", "detail", "text", "error", "why"})
"""The fields of events that hold sentences from elsewhere."""


def log_folder(state: Path) -> Path:
    """Return the folder of the log in the state folder."""
    return state / "logs"


def log_files(folder: Path) -> tuple[Path, ...]:
    """Return the places of the log and its old files, newest first; not all need to exist."""
    newest = folder / "memproc.log"
    return (newest, *(folder / f"memproc.log.{number}" for number in range(1, OLD_FILES + 1)))


@dataclass(frozen=True, slots=True)
class Titled:
    """A chat, by its title and its id; the id is empty where it is not known."""

    title: str
    chat_id: str


def known_titles(archive: Archive) -> tuple[Titled, ...]:
    """Return the titles that must not get into the log."""
    return tuple(Titled(*row) for row in titles_to_hide(archive))


class Log:
    """The daemon's log.

    A failure to write stops nothing; `trouble` says so until it works again.
    """

    def __init__(
        self,
        state: Path,
        speak: Speak = lambda at, event: None,
        titles: Callable[[], Sequence[Titled]] = tuple,
        now: Callable[[], str] = present,
        largest: int = LARGEST,
    ) -> None:
        """Keep the `titles` of all chats out of the file and of what `speak` is given."""
        self.trouble = ""
        """Why the last entry could not be kept; empty where it was."""
        self._path = log_files(log_folder(state))[0]
        self._file = _PrivateFile(
            self._path, maxBytes=largest, backupCount=OLD_FILES, encoding="ascii", delay=True
        )
        self._speak = speak
        self._titles = titles
        self._known: Sequence[Titled] = ()
        self._now = now

    def log(self, event: Event) -> None:
        """Keep what happened, and pass it to `speak`."""
        own = [Titled(event.title, event.chat_id)] if isinstance(event, ChatIs) else []
        if any(getattr(event, name, "") for name in _SENTENCES):
            # The event may say that the archive cannot be read: then the titles of before must do.
            with suppress(ArchiveError):
                self._known = self._titles()
        at, event = self._now(), event_without_titles(event, (*own, *self._known))
        self._speak(at, event)
        before = self.trouble
        try:
            self._keep(to_line(event, at=at).rstrip("\n"))
        except FileTrouble as trouble:
            self.trouble = trouble.message
            if not before:
                self._speak(at, Trouble("the log", trouble.message, trouble.next_step))
        else:
            self.trouble = ""

    def _keep(self, line: str) -> None:
        """Add a line, whole or not at all. Open the file each time: it may have been moved away."""
        make_private(self._path.parent)
        with file_errors(self._path, "written"):
            refuse_link(self._path)
            before = self._path.stat().st_size if self._path.exists() else 0
            try:
                self._file.emit(logging.makeLogRecord({"msg": line}))
                self._file.close()
            except OSError:
                with suppress(OSError):
                    self._file.close()
                if self._path.exists() and self._path.stat().st_size > before:
                    os.truncate(self._path, before)  # half a line would spoil the next one too
                raise


class _PrivateFile(RotatingFileHandler):
    """A file that only its owner can read, and whose errors are raised."""

    def _open(self) -> Any:
        flags = os.O_APPEND | os.O_CREAT | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
        file: TextIO = os.fdopen(os.open(self.baseFilename, flags, 0o600), "a", encoding="ascii")
        return file

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  the library's name
        """Raise the exception that is being handled."""
        raise


def event_without_titles(event: Event, chats: Iterable[Titled]) -> Event:
    """Return the event without a title of its own, and with ids where its sentences name chats."""
    titled = tuple(chats)
    names = {field.name for field in fields(event)}
    words: dict[str, Any] = {
        name: without_titles(getattr(event, name), titled) for name in names & _SENTENCES
    }
    for name in names & {"title", "words"}:
        words[name] = ""
    return replace(event, **words)


def without_titles(text: str, titles: Iterable[Titled]) -> str:
    """Replace titles in the text by the chats' ids, but not in the names of files.

    A title of a single word is taken out of quotation marks only: elsewhere it is a word like any
    other. The longest titles come first, since one can begin another, and then as people see them.
    """
    shown = (
        Titled(title, chat.chat_id)
        for chat in titles
        for title in dict.fromkeys((chat.title, cut_title(chat.title)))
    )
    chats = sorted(
        (chat for chat in shown if chat.title.strip()),
        key=lambda chat: len(chat.title),
        reverse=True,
    )
    names = {
        name
        for chat in chats
        if (name := file_name(chat.title, chat.chat_id).rpartition(" (")[0]) in text
    }
    if not names:
        return _without_all(text, chats)
    some = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    # At the odd places is what was caught: the name of a chat's file, or of its new chat's.
    pieces = re.split(rf"((?:{some})(?: \(memories\))? \([0-9a-z_~-]+\))", text)
    return "".join(
        piece if at % 2 else _without_all(piece, chats) for at, piece in enumerate(pieces)
    )


def _without_all(text: str, chats: Iterable[Titled]) -> str:
    """Replace titles by ids: those in quotes, and those of several words anywhere."""
    for chat in chats:
        name = chat.chat_id or "this chat"
        text = text.replace(f'"{chat.title}"', name)
        if len(chat.title.split()) > 1 and chat.title in text:
            text = re.sub(rf"(?<!\w){re.escape(chat.title)}(?!\w)", name.replace("\\", r"\\"), text)
    return text


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An event, and when it happened (UTC, milliseconds, `Z`)."""

    at: str
    event: Event | None
    """None where the line is not ours, is damaged, or is of another version of memproc."""


@dataclass(slots=True)
class ChatFilter:
    """Finds the entries about one chat: those that name it, and those of files that held it."""

    chat_ids: set[str]
    arrivals: set[int]

    def has(self, event: Event | None) -> bool:
        """Return whether an entry is about the chat; if so, so are later ones about its file.

        One that names another chat is not, even if it came in that file.
        """
        chat_id, arrival = getattr(event, "chat_id", ""), getattr(event, "arrival", 0)
        is_about = chat_id in self.chat_ids if chat_id else arrival in self.arrivals
        if is_about and arrival:
            self.arrivals.add(arrival)
        return is_about


def entries_about(archive: Archive, chat: str) -> ChatFilter:
    """Return a filter for the entries about the chat of that id or title.

    Raise NotFound where neither the archive nor a file's outcome knows it.
    """
    rows = outcomes_of(archive, chat, chat)
    chat_ids = set[str]()
    try:
        known = find_chat(archive, chat, "part")
    except NotFound:
        if not rows:
            raise
    else:
        rows += outcomes_of(archive, known.chat_id, known.title)
        chat_ids.add(known.chat_id)
    chat_ids |= {chat_id for chat_id, _ in rows if chat_id}
    return ChatFilter(chat_ids, {arrival for _, arrival in rows})


def entries(folder: Path, wait: Callable[[], object] | None = None) -> Iterator[LogEntry]:
    """Yield every entry of the log in `folder`, the old files' first.

    With `wait` it never ends: `wait` is called whenever nothing new is there. Raise FileTrouble.
    """
    for line in _lines(folder, wait):
        try:
            event, more = of_line(line)
            yield LogEntry(str(more.get("at", "")), event)
        except NoEvent:
            yield LogEntry("", None)


@dataclass(frozen=True, slots=True)
class LogRow:
    """An entry of the log: when, the kind of its event, and what it says."""

    at: str
    event: str
    says: str


def log_rows(
    state: Path, chat: str = "", wait: Callable[[], object] | None = None
) -> Iterator[LogRow]:
    """Yield what is in the log, oldest first, of all chats or of one by its id or title.

    With `wait` it never ends: `wait` is called whenever nothing new is there. Raises NotFound.
    """
    with Archive.read(state) as archive:
        subject = entries_about(archive, chat) if chat else None
        titles = told_apart((known.chat_id, known.title) for known in known_chats(archive))
    for entry in entries(log_folder(state), wait):
        if entry.event is None and not subject:
            yield LogRow(entry.at, "", "(a line that this memproc cannot read)")
        elif entry.event and (subject is None or subject.has(entry.event)):
            says = in_one_line(sentence(entry.event, titles))
            yield LogRow(entry.at, type(entry.event).__name__, says)


def _lines(folder: Path, wait: Callable[[], object] | None) -> Iterator[bytes]:
    """Yield the lines of all files of the log, oldest first; with `wait`, also those to come."""
    with ExitStack() as opened:
        current: BinaryIO | None = None
        while True:
            newer = [opened.enter_context(file) for file in _open_newer(folder, current)]
            if current is not None:
                yield from _lines_of(current, is_complete=bool(newer))
            for file in newer:
                if current is not None:
                    current.close()
                current = file
                yield from _lines_of(file, is_complete=file is not newer[-1])
            if not newer and wait is None:
                return
            if not newer and wait is not None:
                wait()


def _open_newer(folder: Path, current: BinaryIO | None) -> list[BinaryIO]:
    """Open the files that are newer than the one being read; return them oldest first.

    They are opened from the newest on: rotation makes files older, so one may be seen twice, but is
    never missed.
    """
    seen = [os.fstat(current.fileno())] if current else []
    newer: list[BinaryIO] = []
    for path in log_files(folder):
        with file_errors(path, "read"):
            try:
                file = path.open("rb")
            except FileNotFoundError:
                continue
            status = os.fstat(file.fileno())
        if any(os.path.samestat(status, other) for other in seen):
            file.close()
            if current and os.path.samestat(status, seen[0]):
                break
        else:
            seen.append(status)
            newer.append(file)
    return newer[::-1]


def _lines_of(file: BinaryIO, *, is_complete: bool) -> Iterator[bytes]:
    """Yield the lines that a file has by now; while it is written, its last may be incomplete."""
    while line := file.readline():
        if not line.endswith(b"\n") and not is_complete:
            file.seek(-len(line), os.SEEK_CUR)
            return
        yield line
