"""Polling, for where the system reports nothing: every few seconds all names, sizes and times become one number.

watchdog's own polling keeps every file's data in memory (20 MB for 20,000 files, and twice that while it
compares), and its thread ends when a share is away for a moment.
"""

import os
from collections.abc import Iterator

from watchdog.events import FileModifiedEvent
from watchdog.observers.api import BaseObserver, EventEmitter

POLL_SECONDS = 5.0
_NUMBERS = 2**64


class _Emitter(EventEmitter):
    """Says that the folder has changed when its number has."""

    def on_thread_start(self) -> None:
        """Called by watchdog before the thread begins; raises OSError where there is no folder to look into."""
        self._seen: int | str = sum_of(str(self.watch.path), self.watch.is_recursive)

    def queue_events(self, timeout: float) -> None:
        """Called by watchdog again and again; waits `timeout` seconds before it looks."""
        if self.stopped_event.wait(timeout):
            return
        try:
            now: int | str = sum_of(str(self.watch.path), self.watch.is_recursive)
        except OSError as error:
            now = str(error)  # that the folder cannot be read is a change like any other
        if now != self._seen:
            self._seen = now
            self.queue_event(FileModifiedEvent(str(self.watch.path)))


def polling_observer() -> BaseObserver:
    """A watchdog observer whose handlers are called when the folder has changed since the last look."""
    return BaseObserver(_Emitter, timeout=POLL_SECONDS)


def sum_of(folder: str, subfolders: bool) -> int:
    """One number for all that lies in a folder; it does not depend on the order in which that is listed."""
    return sum(hash(mark) for mark in _marks(folder, subfolders)) % _NUMBERS


def _marks(folder: str, subfolders: bool) -> Iterator[tuple[str, int, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                found = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            yield entry.path, found.st_ino, found.st_size, found.st_mtime_ns
            if subfolders and entry.is_dir(follow_symlinks=False):
                yield from _marks(entry.path, subfolders)
