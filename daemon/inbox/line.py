"""The worker's line to the daemon: what it tells, and whether it has been told to end."""

from collections.abc import Callable
from dataclasses import dataclass

from daemon.inbox.events import Event
from daemon.inbox.stopping import Stopping


@dataclass(frozen=True, slots=True)
class Line:
    """Handed to everything that takes long."""

    tell: Callable[[Event], None]
    stopping: Stopping
