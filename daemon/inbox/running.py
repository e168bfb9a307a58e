"""One process of the worker, from its start to its end: what it says goes into the loop's queue."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import IO

from daemon.inbox.events import Notice, read_event
from daemon.inbox.lines import LONGEST, Garbled, to_line, to_object
from daemon.inbox.orders import Order
from daemon.inbox.wakes import Put, WorkerEnded, WorkerSaid

_GARBLED = "The worker printed something that is no event; it was passed over."


class Running:
    """A worker that runs. Its end is told by a WorkerEnded, after all that it said; then `put_away` is due."""

    def __init__(self, command: Sequence[str], put: Put) -> None:
        """Start it, in a group of its own. Raises OSError where the system does not allow it."""
        self._process = subprocess.Popen(  # noqa: S603  our own Python, and a path
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        self._listener = threading.Thread(target=_listen, args=(self._process, put), name="worker", daemon=True)
        self._listener.start()

    @property
    def pid(self) -> int:
        """The process, which is also its group."""
        return self._process.pid

    def say(self, order: Order) -> None:
        """Hand over an order. A worker that has just ended does not get it: its WorkerEnded is on the way."""
        pipe = _pipe(self._process.stdin)
        with suppress(BrokenPipeError, ValueError):  # ValueError: the pipe is closed already
            pipe.write(to_line(order))
            pipe.flush()

    def close(self) -> None:
        """Say that no order will come any more: the worker finishes its call, and ends."""
        with suppress(BrokenPipeError):  # what was said to one that has ended is still in the pipe
            _pipe(self._process.stdin).close()

    def end(self, *, by_force: bool) -> None:
        """Send SIGTERM or SIGKILL to the whole group, so that nothing that it started outlives it. Returns at once."""
        if self._process.poll() is not None:
            return
        if sys.platform == "win32":
            self._process.terminate()
        else:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL if by_force else signal.SIGTERM)

    def wait(self, seconds: float) -> bool:
        """Wait so long for its end; whether it has come."""
        self._listener.join(seconds)
        return not self._listener.is_alive()

    def put_away(self) -> None:
        """Wait for its end, and let go of what is left of it."""
        self._listener.join()
        self.close()
        _pipe(self._process.stdout).close()


def _listen(process: "subprocess.Popen[bytes]", put: Put) -> None:
    """Put what the worker says, and at last its end, into the loop's queue. Waiting for it leaves no zombie."""
    silent = False
    for line in iter(partial(_pipe(process.stdout).readline, LONGEST), b""):
        try:
            put(WorkerSaid(to_object(read_event(line))))
        except Garbled:
            if not silent:
                put(WorkerSaid(to_object(Notice(_GARBLED))))
            silent = True  # one word about it is enough
    put(WorkerEnded(process.wait()))


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("the worker was started without a pipe")
    return pipe
