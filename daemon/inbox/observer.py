"""The watch on the inbox: watchdog's threads, which only say that something has happened, and what becomes of them.

Its events are never relied upon. They are lost when the process is stopped, they end when the inbox is
replaced, and a thread of watchdog's that dies says nothing. So each death that shows is told here, and
the pulse finds the others.
"""

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Self

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
from watchdog.utils import BaseThread

from daemon.inbox.cookie import is_cookie
from daemon.inbox.filesystem import kind_here
from daemon.inbox.mode import Mode, decide, without_native
from daemon.inbox.polling import polling_observer
from daemon.inbox.wakes import EventsLost, FolderChanged, Put, WatcherDied

# Opening and closing for reading are left out: the scanner's own looks would wake it again. So is the
# change of a folder itself, which goes with every cookie.
_EVENTS: list[type[FileSystemEvent]] = [
    *(FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileDeletedEvent, FileClosedEvent),
    *(DirCreatedEvent, DirMovedEvent, DirDeletedEvent),
]
# What its modules say arrives here; an overflow is said by `inotify_c` (watchdog 7).
_LOGGER = logging.getLogger("watchdog.observers")
_CHANGED = FolderChanged()
_STOP_SECONDS = 5.0


class Watcher:
    """A watch that has begun, in the way that `mode` says, until `stop`."""

    def __init__(self, inbox: Path, mode: Mode, put: Put) -> None:
        self.mode = mode
        self.cookie = ""
        """The name of the newest cookie whose event has come."""
        # Of a link, watchdog 7 would watch the link itself.
        self._root = os.path.realpath(inbox)
        self._put = put
        self._death = ""
        self._observer: BaseObserver | None = None
        self._log = _Log(self._lost)
        self._hook_before = threading.excepthook

    @classmethod
    def start(
        cls,
        inbox: Path,
        mode: str,
        subfolders: bool,
        put: Put,
        failures: int = 0,
        native: Callable[[], BaseObserver] = Observer,
    ) -> Self:
        """Begin to watch the folder `inbox`: each change in it becomes a FolderChanged.

        `mode` is memproc.toml's word; `failures` says how many watches by events fell silent just before.
        `native` makes the system's observer. What cannot be watched is no error: the watcher's `mode` says
        how it is watched instead, and why.
        """
        decided = decide(mode, kind_here(inbox), failures)
        if decided.used == "native":
            watcher = cls(inbox, decided, put)
            refused = watcher._begin(native, subfolders)
            if refused is None:
                return watcher
            decided = without_native(mode, refused)
        watcher = cls(inbox, decided, put)
        if decided.used == "poll" and (refused := watcher._begin(polling_observer, subfolders)):
            watcher.mode = Mode("none", f"The inbox cannot be watched: {refused.strerror or refused}.")
        return watcher

    def dead(self) -> str:
        """Why no event can come any more; empty where none of watchdog's threads has ended."""
        if self._death:
            return self._death
        if self._observer is None:
            return self.mode.why
        if not (self._observer.is_alive() and all(emitter.is_alive() for emitter in self._observer.emitters)):
            return "A thread that watches the inbox has ended."
        return ""

    def stop(self) -> None:
        """End the watch. Waits five seconds at most: on a share that hangs, a thread cannot be ended."""
        self._put = _nobody
        if self._observer is not None:
            _end(self._observer)
            self._observer = None
        self._let_go()

    def _begin(self, make: Callable[[], BaseObserver], subfolders: bool) -> OSError | None:
        """Start watchdog's threads; the error where the system refuses."""
        observer = None
        self._hold()
        try:
            observer = make()
            handler = _Handler(self._happened)
            observer.schedule(handler, self._root, recursive=subfolders, event_filter=_EVENTS)
            observer.start()
        except OSError as error:
            self._let_go()
            if observer is not None:
                _end(observer)
            return error
        self._observer = observer
        return None

    def _happened(self, event: FileSystemEvent) -> None:
        place = os.fsdecode(event.src_path)
        if is_cookie(Path(place).name):
            self.cookie = Path(place).name
        elif isinstance(event, DirDeletedEvent) and place == self._root:
            self._died("The inbox was deleted or moved away.")
        else:
            self._put(_CHANGED)

    def _lost(self, reason: str) -> None:
        self._put(EventsLost(reason))

    def _died(self, reason: str) -> None:
        self._death = self._death or reason
        self._put(WatcherDied(reason))

    def _hold(self) -> None:
        _LOGGER.addHandler(self._log)
        _LOGGER.setLevel(logging.WARNING)
        self._hook_before = threading.excepthook
        threading.excepthook = self._thread_failed

    def _let_go(self) -> None:
        _LOGGER.removeHandler(self._log)
        if threading.excepthook == self._thread_failed:
            threading.excepthook = self._hook_before

    def _thread_failed(self, failed: threading.ExceptHookArgs) -> None:
        if isinstance(failed.thread, BaseThread):
            self._died(f"A thread that watches the inbox failed: {failed.exc_type.__name__}: {failed.exc_value}.")
        self._hook_before(failed)


class _Handler(FileSystemEventHandler):
    """Hands every event on, whatever its kind."""

    def __init__(self, happened: Callable[[FileSystemEvent], None]) -> None:
        self._happened = happened

    def dispatch(self, event: FileSystemEvent) -> None:
        """Called by watchdog, in a thread of its own; what fails here ends that thread."""
        self._happened(event)


class _Log(logging.Handler):
    """Hears what watchdog says of its own troubles: an overflow stands nowhere else, and none of them is harmless."""

    def __init__(self, lost: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:
        """Called by the logging module, in the thread that logs."""
        self._lost(record.getMessage())


def _end(observer: BaseObserver) -> None:
    # `stop` itself waits for the threads, without a limit.
    ending = threading.Thread(target=observer.stop, daemon=True)
    ending.start()
    ending.join(_STOP_SECONDS)


def _nobody(wake: object) -> None:
    """Where wakes go after the end."""
