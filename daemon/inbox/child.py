"""The worker's process: reads orders, carries them out one by one, and goes when it has none for a while."""

import os
import signal
import threading
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue

from daemon.files.lock import Busy
from daemon.files.unforeseen import account
from daemon.inbox.configuration import for_daemon, handed_over, read
from daemon.inbox.events import Begun, Done, Event, Failed, Ready, SettingsWrong, Stopped
from daemon.inbox.line import Line
from daemon.inbox.lines import Garbled, to_line
from daemon.inbox.orders import Maintain, Order, Prune, Retry, Settings, Stop, Use, Verify, Work, read_order
from daemon.inbox.stopping import Stopping, ToldToStop
from rules.errors import (
    ArchiveError,
    ConfigurationError,
    ConfigurationOutOfReach,
    MemprocError,
    OverBudget,
    ProviderRefuses,
)

IDLE_SECONDS = 300.0
_BLOCK_BYTES = 1 << 16
_FATAL = (ArchiveError, OverBudget, ProviderRefuses, ConfigurationError)


def main(idle_seconds: float = IDLE_SECONDS) -> None:
    """Do what standard input asks for, until it ends, a SIGTERM comes, or nothing is asked for `idle_seconds`."""
    arguments = ArgumentParser(description=__doc__)
    arguments.add_argument("--config", type=Path)
    given = arguments.parse_args().config
    orders: SimpleQueue[Order] = SimpleQueue()
    stopping = Stopping(lambda: orders.put(Stop()))
    line = Line(_Speaker(_own_stdout(), stopping).tell, stopping)
    signal.signal(signal.SIGTERM, lambda *_: stopping.ask(by_signal=True))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is meant for the daemon, which then ends us in good order
    threading.Thread(target=_take_orders, args=(orders, line), name="orders", daemon=True).start()
    line.tell(Ready(os.getpid()))
    used: Use | None = None
    with suppress(Empty):
        while not isinstance(order := orders.get(timeout=idle_seconds), Stop):
            if isinstance(order, Use):
                used = order
            else:
                _obey(order, given, used, line)


def _obey(order: Order, given: Path | None, used: Use | None, line: Line) -> None:
    """Carry an order out, and say how it ended, whatever happened."""
    name = type(order).__name__
    line.tell(Begun(name))
    try:
        _carry_out(order, given, used, line)
    except ToldToStop:
        line.tell(Stopped(name))
    except MemprocError as trouble:
        fatal = isinstance(trouble, _FATAL) or (isinstance(order, Work) and not isinstance(trouble, Busy))
        until = trouble.until if isinstance(trouble, OverBudget) else ""
        line.tell(Failed(name, trouble.message, trouble.next_step, fatal, until))
    except Exception as fault:  # the boundary: whatever we did not foresee
        line.tell(Failed(name, *account(fault), fatal=False))
    else:
        line.tell(Done(name))


def _carry_out(order: Order, given: Path | None, used: Use | None, line: Line) -> None:
    if isinstance(order, Settings):
        try:
            line.tell(for_daemon(read(given)))
        except ConfigurationError as wrong:
            may_pass = isinstance(wrong, ConfigurationOutOfReach)
            line.tell(SettingsWrong(wrong.message, wrong.next_step, may_pass))
        return
    settled = handed_over(used) if used else read(given)
    # Imported late: the short-lived process that only reads memproc.toml has no use for what a trip needs.
    if isinstance(order, Work):
        from daemon.inbox.work import work

        work(order, settled, line)
    elif isinstance(order, Prune | Verify | Retry | Maintain):
        from daemon.inbox.worker_jobs import do_job

        do_job(order, settled, line)


def _take_orders(orders: "SimpleQueue[Order]", line: Line) -> None:
    """Put what standard input says into the queue. Its end is the daemon's end, however that came."""
    for text in _lines(os.dup(0)):
        try:
            order = read_order(text)
        except Garbled:
            line.tell(
                Failed("", "The worker was given an order that it does not know.", "Install memproc again.", False)
            )
            continue
        if isinstance(order, Stop):
            break
        orders.put(order)
    line.stopping.ask()


def _lines(handle: int) -> Iterator[bytes]:
    """The lines of a file handle. Python's own stdin is not used: it would be locked while Python ends."""
    rest = b""
    while block := os.read(handle, _BLOCK_BYTES):
        *whole, rest = (rest + block).split(b"\n")
        yield from whole


def _own_stdout() -> int:
    """A handle to standard output for events alone; whatever else is printed goes to standard error from now on."""
    handle = os.dup(1)
    os.dup2(2, 1)
    return handle


class _Speaker:
    """Writes events, each in one piece, and takes it as a wish to end when nobody reads them any more."""

    def __init__(self, handle: int, stopping: Stopping) -> None:
        self._handle = handle
        self._stopping = stopping
        self._lock = threading.Lock()

    def tell(self, event: Event) -> None:
        """Write an event; returns when the pipe has it."""
        left = memoryview(to_line(event))
        try:
            with self._lock:
                while left:
                    left = left[os.write(self._handle, left) :]
        except OSError:
            self._stopping.ask()
