"""Schedule timed jobs, in local time, and choose which kept versions of a chat are removed.

All times are aware. Versions are thinned out: memproc keeps all of the last day, then the newest of
each day for 14 days, of each week for 8 weeks, and of each month for ever. Days are in UTC, a week
goes from Monday to Sunday, and belongs to the month of its Thursday. So each month consists of
whole weeks, and the version that is kept for a month was also kept for its week and its day: it
does not matter how often, or how late, versions are removed.
"""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

PARTS = 30
"""The backups are verified in this many parts, one each day."""

_RETRY_INTERVAL = timedelta(hours=1)
_ALL_FOR = timedelta(days=1)
_DAILY_FOR = timedelta(days=14)
_WEEKLY_FOR = timedelta(weeks=8)
_THURSDAY = 4


@dataclass(frozen=True, slots=True)
class Timing:
    """When a job is done each day: `at` a time and, in a `window`, each further hour of it."""

    at: time
    window: str = ""


def nightly(window: str) -> Timing:
    """Return the timing of nightly work: each hour from the beginning of the night's window."""
    return Timing(time.fromisoformat(window.partition("-")[0]), window)


def timings(night: str) -> Mapping[str, Timing]:
    """Return the timing of each timed job; without a night's window there is no `retry`."""
    daily = {
        "prune": Timing(time(3, 30)),
        "verify": Timing(time(3, 45)),
        "maintain": Timing(time(4, 15)),
    }
    return {**daily, "retry": nightly(night)} if night else daily


def next_due(timing: Timing, now: datetime) -> datetime:
    """Return the first due time after `now`, in local time.

    On days when clocks change it may be an hour off.
    """
    if in_window(timing.window, now.time()) and in_window(
        timing.window, (now + _RETRY_INTERVAL).time()
    ):
        return now + _RETRY_INTERVAL
    today = now.replace(hour=timing.at.hour, minute=timing.at.minute, second=0, microsecond=0)
    return today if today > now else today + timedelta(days=1)


def next_attempt(timing: Timing, now: datetime) -> datetime:
    """Return when a failed job is tried again: after an hour, or when it is next due if earlier."""
    return min(next_due(timing, now), now + _RETRY_INTERVAL)


def in_window(window: str, now: time) -> bool:
    """Return whether a time of day is in the window.

    The window does not include its end; an empty one includes no time.
    """
    if not window:
        return False
    begin, end = map(time.fromisoformat, window.split("-"))
    return begin <= now < end if begin < end else now >= begin or now < end


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept version of a chat; `number` counts from the oldest."""

    number: int
    is_original: bool
    when: datetime


def choose_removals(versions: Collection[Kept], now: datetime) -> tuple[int, ...]:
    """Return the numbers of one chat's versions to remove now, oldest first; at most half of all.

    Others that may be removed wait until the next time. Originals are kept for ever.
    """
    later = [version for version in versions if not version.is_original]
    removable = find_surplus(later, now)
    oldest_first = sorted(
        (version.when, version.number) for version in later if version.number in removable
    )
    return tuple(number for _, number in oldest_first[: len(later) // 2])


def find_surplus(versions: Collection[Kept], now: datetime) -> frozenset[int]:
    """Return the numbers of the versions of one chat that need not be kept any more.

    The newest is always kept: the one by date and, as a clock may have been set back, the one by
    number.
    """
    later = [version for version in versions if not version.is_original]
    if not later:
        return frozenset()
    kept = {max(version.number for version in later)}
    kept |= {version.number for version in later if now - version.when <= _ALL_FOR}
    for age, span in ((_DAILY_FOR, _day), (_WEEKLY_FOR, _week), (timedelta.max, _month)):
        newest = {}
        for version in sorted(later, key=lambda version: (version.when, version.number)):
            if now - version.when <= age:
                newest[span(version.when)] = version.number
        kept |= set(newest.values())
    return frozenset(version.number for version in later) - kept


def _day(when: datetime) -> Hashable:
    return when.astimezone(UTC).date()


def _week(when: datetime) -> Hashable:
    return when.astimezone(UTC).isocalendar()[:2]


def _month(when: datetime) -> Hashable:
    year, week, _ = when.astimezone(UTC).isocalendar()
    thursday = date.fromisocalendar(year, week, _THURSDAY)
    return thursday.year, thursday.month
