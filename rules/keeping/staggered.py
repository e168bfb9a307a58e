"""Decides which kept versions of a chat go: the older they are, the fewer of them stay.

all of the last day -> the newest of each day for 14 days -> of each week for 8 weeks -> of each month for ever

A day is one in UTC, a week goes from Monday to Sunday, and belongs to the month of its Thursday. So each
month is made of whole weeks, and what stays for a month has stayed for its week and its day before: it does
not matter how often, or how late, versions are removed.
"""

from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

_ALL_OF = timedelta(days=1)
_DAILY_FOR = timedelta(days=14)
_WEEKLY_FOR = timedelta(weeks=8)
_THURSDAY = 4


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept version of a chat; `number` counts from its oldest, `when` is aware."""

    number: int
    is_original: bool
    when: datetime


def going(versions: Collection[Kept], now: datetime) -> tuple[int, ...]:
    """Numbers of the versions of one chat that go now, oldest first: never more than half of those that may go.

    What is left over goes the next time. Originals stay for ever.
    """
    later = [version for version in versions if not version.is_original]
    gone_by = over(later, now)
    oldest_first = sorted((version.when, version.number) for version in later if version.number in gone_by)
    return tuple(number for _, number in oldest_first[: len(later) // 2])


def over(versions: Collection[Kept], now: datetime) -> frozenset[int]:
    """Numbers of the versions of one chat whose time is over, however many they are.

    The newest stays always: by its date, and, as a clock may have been set back, by its number.
    """
    later = [version for version in versions if not version.is_original]
    if not later:
        return frozenset()
    stay = {max(version.number for version in later)}
    stay |= {version.number for version in later if now - version.when <= _ALL_OF}
    stay |= _newest_of_each((version for version in later if now - version.when <= _DAILY_FOR), _day)
    stay |= _newest_of_each((version for version in later if now - version.when <= _WEEKLY_FOR), _week)
    stay |= _newest_of_each(later, _month)
    return frozenset(version.number for version in later) - stay


def _newest_of_each(versions: Iterable[Kept], span: Callable[[datetime], Hashable]) -> set[int]:
    newest: dict[Hashable, Kept] = {}
    for version in sorted(versions, key=lambda one: (one.when, one.number)):
        newest[span(version.when)] = version
    return {version.number for version in newest.values()}


def _day(when: datetime) -> Hashable:
    return when.astimezone(UTC).date()


def _week(when: datetime) -> Hashable:
    return when.astimezone(UTC).isocalendar()[:2]


def _month(when: datetime) -> Hashable:
    year, week, _ = when.astimezone(UTC).isocalendar()
    thursday = date.fromisocalendar(year, week, _THURSDAY)
    return thursday.year, thursday.month
