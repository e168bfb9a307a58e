"""Keeps what happened: one JSON object a line in `state/logs/memproc.log`, and a few files before it."""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from daemon.clock import now as present
from daemon.files.folders import make_private
from daemon.files.trouble import told
from daemon.lines import to_object
from daemon.seeing.logged import Logged, Trouble
from daemon.seeing.titles import Titled, event_without_titles, has_words
from rules.errors import ArchiveError, FileTrouble

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
        with told(path, "written"):
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
