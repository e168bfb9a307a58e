"""Dates as exports write them, and the dates of our own messages: in order, inside the replaced span."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta


def parse_date(text: str | None) -> datetime | None:
    """A date of an export (`Z` or an offset, with or without fractions), or None where it is none."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except OverflowError:
        return None


def write_date(when: datetime) -> str:
    """As TypingMind writes dates: UTC, milliseconds, `Z`."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03d}Z"


def dates_inside(first: str | None, last: str | None, count: int, after: datetime) -> list[datetime]:
    """`count` dates for generated messages: a millisecond apart from `first` on, never later than `last`.

    None of them lies before `after`, the date of what stands before them: TypingMind sorts by date when
    it merges devices, and equal dates keep their order.
    """
    begin = parse_date(first) or after
    end = parse_date(last) or begin
    room = datetime.max.replace(tzinfo=UTC) - begin
    steps: Sequence[datetime] = [begin + min(room, timedelta(milliseconds=number)) for number in range(count)]
    return [max(after, min(step, max(begin, end))) for step in steps]
