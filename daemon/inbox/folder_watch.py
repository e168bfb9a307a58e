"""Watch the inbox with watchdog's threads, which only say that something has happened there.

Nothing relies on their events. They get lost when the system has too many of them, and stop when
the inbox is replaced; the regular full scan of the inbox finds what they missed.

watchdog's own polling keeps every file's data in memory (20 MB for 20,000 files, and twice that
while it compares), so it is not used.
"""

import errno
import os
import threading
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from daemon.inbox.child import FolderChanged, Put

POLL_SECONDS = 10.0
"""The time between two full scans of the inbox with `watch.mode = "poll"`."""
# Opening and closing for reading are left out: the scanner's own reading would wake it again.
_EVENTS: list[type[FileSystemEvent]] = [
    *(FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileDeletedEvent, FileClosedEvent),
    *(DirCreatedEvent, DirMovedEvent, DirDeletedEvent),
]
_STOP_SECONDS = 5.0


class FolderWatch:
    """A watch on a folder until `stop`.

    `mode` is `native`, `poll` or `none`, and `why` explains it.
    """

    def __init__(self, inbox: Path, mode: str, subfolders: bool, put: Put) -> None:
        """Begin to watch: each change becomes a FolderChanged.

        Where watching fails, `mode` is `none` and nothing is raised.
        """
        self.mode, self.why = "poll", "memproc.toml asks for polling."
        self._inbox, self._wanted, self._subfolders, self._put = inbox, mode, subfolders, put
        self._observer: BaseObserver | None = None
        self._root = _identity(inbox)
        if mode != "poll":
            self._begin()

    def look(self, *, again: bool = False) -> bool:
        """Begin again if the inbox was replaced or is back, or the watch died.

        Return whether anything changed. With `again`, a watch that the system has refused is tried
        once more.
        """
        root = _identity(self._inbox)
        threads = (self._observer, *self._observer.emitters) if self._observer else ()
        is_alive = bool(threads) and all(thread.is_alive() for thread in threads)
        is_refused = self.mode == "none" and not again
        if self._wanted == "poll" or (root == self._root and (is_alive or is_refused)):
            return False
        before = (self.mode, self.why, self._root)
        self.stop()
        self._root = root
        self._begin()
        return (self.mode, self.why, root) != before or self.mode == "native"

    def stop(self) -> None:
        """End the watch within five seconds: on a share that hangs, a thread cannot be ended."""
        observer, self._observer = self._observer, None
        if observer is not None:
            # The observer's own `stop` waits for the threads without a limit.
            ending = threading.Thread(target=observer.stop, daemon=True)
            ending.start()
            ending.join(_STOP_SECONDS)

    def _begin(self) -> None:
        """Have the system report changes; note why where it cannot."""
        try:
            observer = Observer()
            # For a link, watchdog 7 would watch the link itself.
            root = os.path.realpath(self._inbox)
            observer.schedule(
                _Handler(self._put), root, recursive=self._subfolders, event_filter=_EVENTS
            )
            observer.start()
        except OSError as error:
            self.mode, self.why = "none", _reason(error)
        else:
            self._observer = observer
            self.mode, self.why = "native", "The system reports changes as they happen."


class _Handler(FileSystemEventHandler):
    """Passes on every event of any kind."""

    def __init__(self, put: Put) -> None:
        self._put = put

    def dispatch(self, event: FileSystemEvent) -> None:
        """Receive an event, in one of watchdog's threads."""
        self._put(FolderChanged())


def _identity(folder: Path) -> tuple[int, int] | None:
    """Return device and inode, which tell a folder from its replacement; None if it is missing."""
    try:
        stat = folder.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _reason(error: OSError) -> str:
    """Return sentences on why the system does not watch the inbox, and what would help."""
    if isinstance(error, FileNotFoundError):
        return "The inbox is not there."
    if error.errno == errno.EMFILE:
        return f"No inotify instance is left for this account. {_sysctl('max_user_instances', 512)}"
    if error.errno == errno.ENOSPC:
        return f"No inotify watch is left for this account. {_sysctl('max_user_watches', 524288)}"
    return f"The system does not watch the inbox: {error.strerror or error}."


def _sysctl(name: str, value: int) -> str:
    return f"More are had with `sudo sysctl fs.inotify.{name}={value}`."
