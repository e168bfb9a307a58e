"""The time, as exports and the archive write it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from rules.typingmind.dates import write_date


def now() -> str:
    """Return the time in UTC, with milliseconds and `Z`."""
    return write_date(datetime.now(UTC))


def here() -> datetime:
    """Return the local time, with its difference from UTC."""
    return datetime.now().astimezone()


@dataclass(frozen=True, slots=True)
class Periods:
    """When the day and the month began by local time, and when they end; all in UTC."""

    day_began: str
    day_ends: str
    month_began: str
    month_ends: str


def periods(now: datetime) -> Periods:
    """Return the day and the month that `now` is in, by local time."""
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    first = midnight.replace(day=1)
    bounds = (
        midnight,
        midnight + timedelta(days=1),
        first,
        (first + timedelta(days=32)).replace(day=1),
    )
    return Periods(*(write_date(bound.astimezone()) for bound in bounds))


def at(text: str) -> datetime:
    """Read a time that `now` has written."""
    return datetime.fromisoformat(text)
