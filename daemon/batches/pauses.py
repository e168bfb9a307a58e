"""How long a batch is waited for, and how long between two looks at it: seconds at first, then a minute."""

from collections.abc import Iterator

from daemon.archive.batches import OpenBatch
from daemon.clock import at

LONGEST_SECONDS = 25 * 3600.0
"""A batch ends after 24 hours, done or not."""
FIRST_SECONDS = 1.0
_GROWTH = 1.5
_LONGEST_SECONDS = 60.0


def pauses() -> Iterator[float]:
    """Seconds, growing, without an end."""
    seconds = FIRST_SECONDS
    while True:
        yield seconds
        seconds = min(_LONGEST_SECONDS, seconds * _GROWTH)


def age(sent: OpenBatch, now: str) -> float:
    """Seconds since a batch was sent."""
    return (at(now) - at(sent.began_at)).total_seconds()
