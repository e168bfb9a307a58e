"""What can wake the daemon's loop: small values that every other thread, and every signal, puts into its queue."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class FolderChanged:
    """Something happened in the inbox; what, the scanner finds out."""


@dataclass(frozen=True, slots=True)
class EventsLost:
    """The system had more to report than it could keep, so nothing is known of what it left out."""

    reason: str


@dataclass(frozen=True, slots=True)
class WatcherDied:
    """No event will come any more, until the watch is begun anew."""

    reason: str


@dataclass(frozen=True, slots=True)
class Due:
    """It is time for a job."""

    name: str


@dataclass(frozen=True, slots=True)
class WorkerSaid:
    """One event of the worker, as it came."""

    event: dict[str, Any]


@dataclass(frozen=True, slots=True)
class WorkerEnded:
    """The worker's process is gone."""

    code: int
    """Its exit code; minus the signal's number where a signal ended it."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The daemon has been asked to end."""

    signal: int


@dataclass(frozen=True, slots=True)
class Reload:
    """The daemon has been asked to read memproc.toml again."""


Wake = FolderChanged | EventsLost | WatcherDied | Due | WorkerSaid | WorkerEnded | Stop | Reload
Put = Callable[[Wake], None]
"""How a thread hands a wake to the loop: `queue.SimpleQueue.put`, which never waits."""
