"""Reads the log back, oldest entry first, and goes on with it across rotation where that is wanted."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat
from daemon.files.trouble import told
from daemon.lines import Garbled, of_line, of_object
from daemon.seeing.log import log_files
from daemon.seeing.logged import KINDS, Logged
from rules.errors import NotFound


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
    with told(folder, "read"):
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
