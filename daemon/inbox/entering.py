"""How the worker opens the context: it waits, but not for ever, while another memproc has it open."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic

from daemon.context import Context, open_context
from daemon.events import Tell
from daemon.files.lock import Busy
from daemon.inbox.configuration import Settled
from daemon.inbox.events import Alive
from daemon.inbox.line import Line

BUSY_SECONDS = 600.0
"""How long the worker waits for another memproc, such as a `memproc run` by hand."""
_LOOK_SECONDS = 2.0


@contextmanager
def enter(settled: Settled, line: Line, tell: Tell, busy_seconds: float = BUSY_SECONDS) -> Iterator[Context]:
    """The context, once no other memproc is in it.

    Raises Busy where that one did not come to an end, ToldToStop where the worker is to end, and otherwise as
    `open_context` does.
    """
    deadline = monotonic() + busy_seconds
    with ExitStack() as stack:
        while True:
            try:
                context = stack.enter_context(open_context(settled.config, settled.folders, tell))
                break
            except Busy:
                if monotonic() >= deadline:
                    raise
            line.tell(Alive(_LOOK_SECONDS))
            line.stopping.pause(_LOOK_SECONDS)
        yield context
