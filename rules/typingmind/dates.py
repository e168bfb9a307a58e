"""Dates as exports write them, and the dates of our own messages: in order, inside the replaced span."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta


def parse_date(text: str | None) -> datetime | None:
    """A date of an export (`Z` or an offset, with or without fractions), or None where it is none."""
    if not text:
        return None
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except OverflowError:
        return None


def write_date(when: datetime) -> str:
    """As TypingMind writes dates: UTC, milliseconds, `Z`."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03d}Z"


def moved_on(before: str | None, now: str) -> str:
    """`now`, or just after `before` where the clock has been set back: a newer export is never dated earlier."""
    last, present = parse_date(before), parse_date(now)
    if last is None or present is None or present > last:
        return now
    return write_date(_later(last, 1))


def dates_inside(first: str | None, last: str | None, count: int, after: datetime) -> list[datetime]:
    """`count` dates for generated messages: a millisecond apart from `first` on, never later than `last`.

    None of them lies before `after`, the date of what stands before them: TypingMind sorts by date when
    it merges devices, and equal dates keep their order.
    """
    begin = parse_date(first) or after
    end = parse_date(last) or begin
    steps: Sequence[datetime] = [_later(begin, number) for number in range(count)]
    return [max(after, min(step, max(begin, end))) for step in steps]


def _later(when: datetime, milliseconds: int) -> datetime:
    """The moment this many milliseconds later, or the last moment that a date can name."""
    return when + min(timedelta(milliseconds=milliseconds), datetime.max.replace(tzinfo=UTC) - when)
