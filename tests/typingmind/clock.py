"""Dates as the client writes them, and back."""

from collections.abc import Iterable
from datetime import UTC, datetime

from tests.chats import Json, date

EARLIEST = datetime(1, 1, 1, tzinfo=UTC)


def moment(text: object) -> datetime | None:
    """What a stored date says, to the millisecond, or None where there is none."""
    if not isinstance(text, str) or not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def newest(messages: Iterable[Json]) -> datetime:
    """The latest date on a message; the earliest of all dates where none has one."""
    return max(
        (moment(message.get("createdAt")) or EARLIEST for message in messages), default=EARLIEST
    )


def by_date(messages: Iterable[Json]) -> list[Json]:
    """The messages sorted by date as a merge sorts them; one without a date stays behind the one before it."""
    dated: list[tuple[datetime, Json]] = []
    for message in messages:
        dated.append(
            (moment(message.get("createdAt")) or (dated[-1][0] if dated else EARLIEST), message)
        )
    return [message for _, message in sorted(dated, key=lambda pair: pair[0])]


def between(before: Json | None, after: Json | None, now: datetime) -> str:
    """A date that sorts between two neighbours; `now` where there is nothing to stand between."""
    first = moment(before.get("createdAt")) if before else None
    last = moment(after.get("createdAt")) if after else None
    if first is None or last is None:
        return date(last or (now if first is None else max(first, now)))
    return date(first + (last - first) / 2)
