"""What can wake the daemon's loop: small values that other threads and signals put into its queue."""

from collections.abc import Callable
from dataclasses import dataclass

from daemon.events import Event


@dataclass(frozen=True, slots=True)
class FolderChanged:
    """Something happened in the inbox; what, the scanner finds out."""


@dataclass(frozen=True, slots=True)
class Due:
    """The clock says that it is time for this: a beat, a scan, a timed job."""

    name: str


@dataclass(frozen=True, slots=True)
class ChildSaid:
    """One event of the child process."""

    event: Event


@dataclass(frozen=True, slots=True)
class ChildEnded:
    """The child process is gone."""

    code: int
    """Its exit code; minus the signal's number where a signal ended it."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The daemon has been asked to end."""


@dataclass(frozen=True, slots=True)
class Reload:
    """The daemon has been asked to read memproc.toml again."""


Wake = FolderChanged | Due | ChildSaid | ChildEnded | Stop | Reload
Put = Callable[[Wake], None]
"""How a thread hands a wake to the loop: `queue.SimpleQueue.put`, which never waits."""
