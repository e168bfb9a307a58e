"""A loop for tests: takes the wakes of a foreman one by one, as the daemon's own does, and keeps all that came."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TypeVar

from daemon.inbox.events import Event, event_of
from daemon.inbox.foreman import HANG_SECONDS, Foreman, Lost
from daemon.inbox.orders import Order
from daemon.inbox.wakes import Wake, WorkerEnded, WorkerSaid

LIMIT_SECONDS = 60.0
_LOOK_SECONDS = 0.05
_Kind = TypeVar("_Kind")


@dataclass
class Loop:
    """The foreman, and what has been heard of its worker."""

    foreman: Foreman
    queue: "SimpleQueue[Wake]"
    events: list[Event] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)

    def until(self, come: Callable[[], bool]) -> None:
        """Go on until it has come, or fail."""
        deadline = monotonic() + LIMIT_SECONDS
        while not come():
            assert monotonic() < deadline, f"waited in vain; heard: {self.events}, ended: {self.ends}"
            self.turn()

    def turn(self) -> None:
        """One turn: a wake, where there is one, and a look."""
        with suppress(Empty):
            self._take(self.queue.get(timeout=_LOOK_SECONDS))
        self.foreman.look(monotonic())

    def drain(self) -> None:
        """Everything that is in the queue already."""
        while not self.queue.empty():
            self._take(self.queue.get())

    def do(self, order: Order) -> None:
        """Give an order and wait until it has ended, in whatever way."""
        self.foreman.give(order)
        self.until(lambda: self.foreman.doing is None)

    def of(self, kind: type[_Kind]) -> list[_Kind]:
        """The events of one kind, in their order."""
        return [event for event in self.events if isinstance(event, kind)]

    def _take(self, wake: Wake) -> None:
        if isinstance(wake, WorkerSaid):
            self.foreman.heard(wake.event)
            self.events.append(event_of(wake.event))
        elif isinstance(wake, WorkerEnded):
            self.ends.append(wake.code)
            if lost := self.foreman.ended(wake.code):
                self.lost.append(lost)


@contextmanager
def loop(config: Path | None = None, worker: Sequence[str] = (), hang_seconds: float = HANG_SECONDS) -> Iterator[Loop]:
    """A loop whose worker is gone when the block ends."""
    queue: SimpleQueue[Wake] = SimpleQueue()
    foreman = Foreman(queue.put, config, worker, hang_seconds)
    try:
        yield Loop(foreman, queue)
    finally:
        foreman.stop(0.0)


def script(code: str) -> list[str]:
    """A worker of the test's own: quick to start, `read` reads an order and `say` tells an event."""
    before = (
        "import json, os, signal, sys, time\n"
        'def read(): return json.loads(sys.stdin.buffer.readline() or \'{"is": ""}\')\n'
        "def say(kind, **fields): print(json.dumps({'is': kind, **fields}), flush=True)\n"
    )
    return [sys.executable, "-S", "-E", "-c", before + code]
