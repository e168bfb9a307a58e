"""Dates of an export, read and written as TypingMind does."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)
_DATES = 4096
"""Dates that are remembered: those of a chat are read several times."""
_DAY = len("2026-03-15")
_FIRST_YEAR = 1971
"""Programs write the first moment of 1970 where they know no date."""


@lru_cache(_DATES)
def parse_date(text: str | None) -> datetime | None:
    """Read a date of an export (`Z` or an offset, perhaps with fractions); None if it is none.

    Python reads further forms ("2024-W09-5", "20240301"), which JavaScript does not, and whose
    first ten characters are no day.
    """
    if not text or not _DATE.fullmatch(text):
        return None
    try:
        date = datetime.fromisoformat(text)
        return date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


@lru_cache(_DATES)
def in_zone(text: str | None, zone: tzinfo) -> str:
    """Return a date as clocks of the zone show it, so that its first ten characters are the day there.

    A bare day stays, and so does a date that names its own difference from UTC, as what this
    returned before. Empty where it is no date, or one of 1970.
    """
    when = parse_date(text)
    if not text or when is None or when.year < _FIRST_YEAR:
        return ""
    if len(text) == _DAY or datetime.fromisoformat(text).utcoffset():
        return text
    try:
        shown = when.astimezone(zone)
    except OverflowError:
        return text
    digits = "milliseconds" if shown.microsecond else "seconds"
    return shown.isoformat(timespec=digits) if shown.utcoffset() else text


def day_of(text: str | None) -> str:
    """Return the day that a date names itself, as YYYY-MM-DD; empty where `in_zone` is."""
    return in_zone(text, UTC)[:_DAY]


def write_date(when: datetime) -> str:
    """Write a date as TypingMind does: UTC, milliseconds, `Z`."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03d}Z"


def moved_on(before: str | None, now: str) -> str:
    """Return `now`, or just after `before` where the clock was set back.

    A newer export is never dated earlier.
    """
    last, present = parse_date(before), parse_date(now)
    if last is None or present is None or present > last:
        return now
    return write_date(_later(last, 1))


def dates_inside(
    first: str | None, last: str | None, count: int, after: datetime
) -> list[datetime]:
    """Return `count` dates for new messages: a millisecond apart from `first` on, until `last`.

    None of them lies before `after`, the date of what comes before them: TypingMind sorts by date
    when it merges devices, and equal dates keep their order.
    """
    begin = parse_date(first) or after
    end = max(begin, parse_date(last) or begin)
    return [max(after, min(_later(begin, number), end)) for number in range(count)]


def _later(when: datetime, milliseconds: int) -> datetime:
    """Return the moment so much later, or the last that a date can name."""
    return when + min(timedelta(milliseconds=milliseconds), datetime.max.replace(tzinfo=UTC) - when)
