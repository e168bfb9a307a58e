"""Leaves when the program hangs, where the system has no watchdog of its own: launchd and Task Scheduler have none.

Whoever keeps the program up sees the exit code 70, and starts it again.
"""

import os
from collections.abc import Callable
from threading import Event, Thread

STALLED = 70
_LOOKS = 4


class StallExit:
    """A watchman that wants to hear from the program from time to time, from `start` to `stop`."""

    def __init__(self, seconds: float, leave: Callable[[int], object] = os._exit) -> None:
        self._look_seconds = seconds / _LOOKS
        self._leave = leave
        self._fed = True
        self._silent = 0
        self._stopped = Event()
        self._thread = Thread(target=self._watch, name="stall", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def feed(self) -> None:
        """Still alive; to be said only when it is proven."""
        self._fed = True

    def stop(self) -> None:
        """Watch no longer."""
        self._stopped.set()
        self._thread.join()

    def look(self) -> bool:
        """Look once, as the watchman does four times in his `seconds`: whether the program has stalled by now.

        Looks are counted, not seconds: a process that was asleep with its computer has missed one look, no more.
        """
        self._silent = 0 if self._fed else self._silent + 1
        self._fed = False
        return self._silent >= _LOOKS

    def _watch(self) -> None:
        while not self._stopped.wait(self._look_seconds):
            if self.look():
                self._leave(STALLED)
                return
