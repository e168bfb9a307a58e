"""Decides from two looks at the clocks whether the machine, or this process, stood still in between."""

from dataclasses import dataclass

GAP_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Clocks:
    """One look at both clocks, in seconds: `time.time()` and `time.monotonic()`."""

    wall: float
    monotonic: float


@dataclass(frozen=True, slots=True)
class Awake:
    """Time went by as it should."""


@dataclass(frozen=True, slots=True)
class Suspended:
    """Events may have been lost meanwhile: the inbox has to be looked through."""

    seconds: float
    reason: str


def between(before: Clocks, now: Clocks) -> Awake | Suspended:
    """Whether `now` follows `before` as in a loop that looks every few seconds.

    Where a suspend does not count for the monotonic clock, the two disagree after it. Where it does
    count (Windows), and where the process alone was stopped, the look itself comes much too late.
    """
    wall, monotonic = now.wall - before.wall, now.monotonic - before.monotonic
    if abs(wall - monotonic) > GAP_SECONDS:
        return Suspended(abs(wall - monotonic), "The machine slept, or its clock was set.")
    if monotonic > GAP_SECONDS:
        return Suspended(monotonic, "The daemon was held up.")
    return Awake()
