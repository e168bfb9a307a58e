"""How long is waited between two looks at a batch: seconds at first, then a minute."""

from collections.abc import Iterator

FIRST_SECONDS = 1.0
_GROWTH = 1.5
_LONGEST_SECONDS = 60.0


def pauses() -> Iterator[float]:
    """Seconds, growing, without an end."""
    seconds = FIRST_SECONDS
    while True:
        yield seconds
        seconds = min(_LONGEST_SECONDS, seconds * _GROWTH)
