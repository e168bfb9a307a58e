"""Waits for what another thread or process does, with a limit."""

import queue
import time
from collections.abc import Callable

from daemon.inbox.wakes import Wake

LIMIT_SECONDS = 10.0


def until(true: Callable[[], bool], what: str) -> None:
    """Return as soon as the condition holds; fail where it does not in ten seconds."""
    end = time.monotonic() + LIMIT_SECONDS
    while not true():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.005)


def wake_of(kind: type[Wake], wakes: "queue.SimpleQueue[Wake]") -> Wake:
    """The next wake of this kind; the others before it are thrown away."""
    end = time.monotonic() + LIMIT_SECONDS
    while True:
        wake = wakes.get(timeout=max(0.001, end - time.monotonic()))
        if isinstance(wake, kind):
            return wake


def quiet(wakes: "queue.SimpleQueue[Wake]", seconds: float = 0.3) -> bool:
    """Whether nothing is put into the queue for so long."""
    try:
        wakes.get(timeout=seconds)
    except queue.Empty:
        return True
    return False
