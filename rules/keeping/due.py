"""When a timed job is due next. All times are aware, and days are those of the clock on the wall."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from rules.keeping.night import begins, in_window

PARTS = 30
"""The backups are verified in so many parts, one a day."""

_AGAIN = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Daily:
    """Once a day, at this time of day."""

    at: time


@dataclass(frozen=True, slots=True)
class Nightly:
    """At the beginning of the window of the night, and each hour while it is open."""

    window: str


Timing = Daily | Nightly


def timings(night: str) -> Mapping[str, Timing]:
    """The jobs whose due times are kept, and when they are done; without a window, no nightly work is tried again."""
    daily: dict[str, Timing] = {
        "prune": Daily(time(3, 30)),
        "verify": Daily(time(3, 45)),
        "maintain": Daily(time(4, 15)),
    }
    return {**daily, "retry": Nightly(night)} if night else daily


def next_due(timing: Timing, now: datetime) -> datetime:
    """The first time after `now`, which is in local time.

    On the two days when the clocks change it may be an hour off.
    """
    match timing:
        case Daily(at):
            return _next(at, now)
        case Nightly(window) if in_window(window, (now + _AGAIN).time()) and in_window(window, now.time()):
            return now + _AGAIN
        case Nightly(window):
            return _next(begins(window), now)


def after_failure(timing: Timing, now: datetime) -> datetime:
    """When a job that could not be done is tried again: after an hour, or at its next time if that comes first."""
    return min(next_due(timing, now), now + _AGAIN)


def _next(at: time, now: datetime) -> datetime:
    today = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    return today if today > now else today + timedelta(days=1)
