"""When timed jobs are due, and which kept versions of a chat go. All times are aware.

Days and windows are those of the clock on the wall.

Kept versions thin out: all of the last day, then the newest of each day for 14 days, of each week
for 8 weeks, of each month for ever. A day is one in UTC, a week goes from Monday to Sunday, and
belongs to the month of its Thursday. So each month is made of whole weeks, and what stays for a
month has stayed for its week and its day before: it does not matter how often, or how late,
versions are removed.
"""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

PARTS = 30
"""The backups are verified in this many parts, one a day."""

_AGAIN = timedelta(hours=1)
_ALL_OF = timedelta(days=1)
_DAILY_FOR = timedelta(days=14)
_WEEKLY_FOR = timedelta(weeks=8)
_THURSDAY = 4


@dataclass(frozen=True, slots=True)
class Timing:
    """A time of each day; where it begins a `window`, each hour in the window too."""

    at: time
    window: str = ""


def nightly(window: str) -> Timing:
    """Return the timing of nightly work: each hour from the opening of the window of the night."""
    return Timing(time.fromisoformat(window.partition("-")[0]), window)


def timings(night: str) -> Mapping[str, Timing]:
    """Return when each timed job is done; without a window, no nightly work is tried again."""
    daily = {
        "prune": Timing(time(3, 30)),
        "verify": Timing(time(3, 45)),
        "maintain": Timing(time(4, 15)),
    }
    return {**daily, "retry": nightly(night)} if night else daily


def next_due(timing: Timing, now: datetime) -> datetime:
    """Return the first due time after `now`, which is in local time.

    On the two days when the clocks change it may be an hour off.
    """
    if in_window(timing.window, now.time()) and in_window(timing.window, (now + _AGAIN).time()):
        return now + _AGAIN
    today = now.replace(hour=timing.at.hour, minute=timing.at.minute, second=0, microsecond=0)
    return today if today > now else today + timedelta(days=1)


def next_attempt(timing: Timing, now: datetime) -> datetime:
    """Return when a failed job is tried again: after an hour, or at its next time if earlier."""
    return min(next_due(timing, now), now + _AGAIN)


def in_window(window: str, now: time) -> bool:
    """Return whether the time of day is in the window, its end excluded. Empty: never."""
    if not window:
        return False
    begin, end = map(time.fromisoformat, window.split("-"))
    return begin <= now < end if begin < end else now >= begin or now < end


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept version of a chat; `number` counts from its oldest, `when` is aware."""

    number: int
    is_original: bool
    when: datetime


def going(versions: Collection[Kept], now: datetime) -> tuple[int, ...]:
    """Return the versions of one chat that go now, oldest first: at most half of those that may.

    What is left over goes the next time. Originals stay for ever.
    """
    later = [version for version in versions if not version.is_original]
    gone_by = over(later, now)
    oldest_first = sorted(
        (version.when, version.number) for version in later if version.number in gone_by
    )
    return tuple(number for _, number in oldest_first[: len(later) // 2])


def over(versions: Collection[Kept], now: datetime) -> frozenset[int]:
    """Return the numbers of the versions of one chat whose time is over.

    The newest stays always: by its date, and, as a clock may have been set back, by its number.
    """
    later = [version for version in versions if not version.is_original]
    if not later:
        return frozenset()
    stay = {max(version.number for version in later)}
    stay |= {version.number for version in later if now - version.when <= _ALL_OF}
    for age, span in ((_DAILY_FOR, _day), (_WEEKLY_FOR, _week), (timedelta.max, _month)):
        newest = {}
        for version in sorted(later, key=lambda kept: (kept.when, kept.number)):
            if now - version.when <= age:
                newest[span(version.when)] = version.number
        stay |= set(newest.values())
    return frozenset(version.number for version in later) - stay


def _day(when: datetime) -> Hashable:
    return when.astimezone(UTC).date()


def _week(when: datetime) -> Hashable:
    return when.astimezone(UTC).isocalendar()[:2]


def _month(when: datetime) -> Hashable:
    year, week, _ = when.astimezone(UTC).isocalendar()
    thursday = date.fromisocalendar(year, week, _THURSDAY)
    return thursday.year, thursday.month
