"""How the worker ends early: the call that is under way may finish within half a minute, and nothing new is begun.

Whatever is cut off can be taken up again: every answer is in the journal before it is used.
"""

import os
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import monotonic

from daemon.models.ask import Unsent

LIMIT_SECONDS = 30.0
TOO_LATE = 75
"""The exit code of a worker that did not come to an end in time."""


class ToldToStop(Unsent):
    """The worker has been told to end, and this is a good place for it."""


class Stopping:
    """Knows whether the worker has been told to end, and ends it where it takes too long over it."""

    def __init__(self, begun: Callable[[], None], limit_seconds: float = LIMIT_SECONDS) -> None:
        """`begun` is called in a thread of its own once the worker is to end."""
        # Only this queue may be used in a signal's handler: an Event could be in the middle of being waited for.
        self._asked: SimpleQueue[bool] = SimpleQueue()
        self._told = threading.Event()
        threading.Thread(target=self._watch, args=(begun, limit_seconds), name="stopping", daemon=True).start()

    def ask(self, *, by_signal: bool = False) -> None:
        """End soon; a second signal ends at once."""
        self._asked.put(by_signal)

    def check(self) -> None:
        """Raise ToldToStop where that has happened."""
        if self._told.is_set():
            raise ToldToStop

    def pause(self, seconds: float) -> None:
        """Wait so long, but not longer than until the worker is to end: then ToldToStop is raised."""
        if self._told.wait(seconds):
            raise ToldToStop

    def _watch(self, begun: Callable[[], None], limit_seconds: float) -> None:
        signals = int(self._asked.get())
        self._told.set()
        begun()
        deadline = monotonic() + limit_seconds
        while signals < 2:
            try:
                signals += self._asked.get(timeout=max(0.0, deadline - monotonic()))
            except Empty:
                break
        os._exit(TOO_LATE)
