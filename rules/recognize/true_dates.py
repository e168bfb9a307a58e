"""The true dates of messages that a fork has dated at the moment of copying.

    archive   m1 7 Nov   m2 7 Nov   m3 8 Nov ...
    fork      m1 21 Nov  m2 21 Nov  m3 21 Nov ...  m9 22 Nov, said in the fork
    read as   m1 7 Nov   m2 7 Nov   m3 8 Nov ...   m9 22 Nov

Copies are known by what they say, in order, and by their dates, which lie within a minute. Their
bytes stay.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from difflib import SequenceMatcher

from rules.conversation.place import Place
from rules.typingmind.dates import parse_date
from rules.typingmind.message import Message

_AT_ONCE = timedelta(minutes=1)
_FEW = 4
"""The least matches in a row that are no coincidence, where no memory shows a fork."""


def may_be_copies(
    places: Sequence[Place], dates: Mapping[str, str], *, is_fork: bool
) -> tuple[Place, ...]:
    """Return the raw messages that were dated at once; none where they are too few.

    `dates` are the true dates that are known, by key. `is_fork`: the chat shows memories of
    another one.
    """
    raw = [
        (place, parse_date(place.message.created_at))
        for place in places
        if place.ours is None and not place.original and place.key not in dates
    ]
    first = next((date for _, date in raw if date), None)
    at_once = tuple(
        place for place, date in raw if date is None or (first and abs(date - first) <= _AT_ONCE)
    )
    return at_once if is_fork or len(at_once) >= _FEW else ()


def true_dates(
    copies: Sequence[Place], known: Sequence[tuple[str, str | None]], *, is_fork: bool
) -> dict[str, str]:
    """Return the true dates of the copies, by key.

    `known` are digest and date of another chat's messages, in their order.
    """
    pairs = _match([digest for digest, _ in known], [place.message.digest for place in copies])
    if not is_fork and len(pairs) < _FEW:
        return {}
    return {
        copies[copy].key: date
        for origin, copy in pairs
        if (date := known[origin][1]) and _is_earlier(date, copies[copy].message.created_at)
    }


def as_dated(place: Place, dates: Mapping[str, str]) -> Place:
    """Return the place with the true date of its message, where that is known."""
    date = dates.get(place.key) if place.ours is None else None
    return replace(place, message=with_true_date(place.message, date)) if date else place


def with_true_date(message: Message, date: str) -> Message:
    """Return the message as said on that date, if any; its bytes keep the date of the copy."""
    return replace(message, created_at=date, is_copy=True) if date else message


def said_at(message: Message) -> str:
    """Return the true date of a copy, where it is known; empty for all other messages."""
    return message.created_at or "" if message.is_copy else ""


def _match(origins: Sequence[str], copies: Sequence[str]) -> list[tuple[int, int]]:
    blocks = SequenceMatcher(None, origins, copies, autojunk=False).get_matching_blocks()
    return [(block.a + at, block.b + at) for block in blocks for at in range(block.size)]


def _is_earlier(date: str, copied_at: str | None) -> bool:
    """Return whether a date can be read, and is before that of the copy, which may have none."""
    said, copied = parse_date(date), parse_date(copied_at)
    return said is not None and (copied is None or said < copied)
