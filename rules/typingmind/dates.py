"""Read and write the dates of an export as TypingMind does."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)
_CACHED_DATES = 4096
"""Dates that are cached: those of a chat are read several times."""
_DAY_LENGTH = len("2026-03-15")
_FIRST_YEAR = 1971
"""Programs write the first moment of 1970 where they know no date."""


@lru_cache(_CACHED_DATES)
def parse_date(text: str | None) -> datetime | None:
    """Return a date of an export; None for any other text.

    A date has `Z` or an offset, and perhaps fractions of a second. Other forms that Python reads
    ("2024-W09-5", "20240301") are refused: JavaScript does not read them, and their first ten
    characters are no day.
    """
    if not text or not _DATE.fullmatch(text):
        return None
    try:
        date = datetime.fromisoformat(text)
        return date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


@lru_cache(_CACHED_DATES)
def in_zone(text: str | None, zone: tzinfo) -> str:
    """Return a date in local time of the zone, so that its first ten characters are the day there.

    A day without a time stays unchanged, and so does a date with an offset from UTC, such as one
    that this returned before. Return "" where the text is no date, or one of 1970.
    """
    when = parse_date(text)
    if not text or when is None or when.year < _FIRST_YEAR:
        return ""
    if len(text) == _DAY_LENGTH or datetime.fromisoformat(text).utcoffset():
        return text
    try:
        local = when.astimezone(zone)
    except OverflowError:
        return text
    digits = "milliseconds" if local.microsecond else "seconds"
    return local.isoformat(timespec=digits) if local.utcoffset() else text


def day_of(text: str | None) -> str:
    """Return a date's day in its own offset, as YYYY-MM-DD; "" for no date, or one of 1970."""
    return in_zone(text, UTC)[:_DAY_LENGTH]


def write_date(when: datetime) -> str:
    """Write a date as TypingMind does: UTC, milliseconds, `Z`."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03d}Z"


def moved_on(before: str | None, now: str) -> str:
    """Return `now`, or just after `before` where the clock was set back.

    So a newer export is never dated earlier.
    """
    last, present = parse_date(before), parse_date(now)
    if last is None or present is None or present > last:
        return now
    return write_date(_later(last, 1))


def dates_inside(
    first: str | None, last: str | None, count: int, after: datetime
) -> list[datetime]:
    """Return `count` dates for new messages: a millisecond apart, from `first` to `last` at most.

    None is earlier than `after`, the date of what precedes them: TypingMind sorts by date
    when it merges devices, and keeps the order of equal dates.
    """
    begin = parse_date(first) or after
    end = max(begin, parse_date(last) or begin)
    return [max(after, min(_later(begin, number), end)) for number in range(count)]


def _later(when: datetime, milliseconds: int) -> datetime:
    """Return the moment this many milliseconds later, or the last one that a date can express."""
    return when + min(timedelta(milliseconds=milliseconds), datetime.max.replace(tzinfo=UTC) - when)
