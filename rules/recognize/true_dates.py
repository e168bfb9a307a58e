"""When the messages of a fork were truly said: older clients give every copy a new uuid, and the day of the fork.

    archive   m1 7 Nov   m2 7 Nov   m3 8 Nov ...
    fork      m1 21 Nov  m2 21 Nov  m3 21 Nov ...  m9 22 Nov, said in the fork
    read as   m1 7 Nov   m2 7 Nov   m3 8 Nov ...   m9 22 Nov

Copies are known by what they say, in order, and by their dates, which lie within a minute. Their bytes stay.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from difflib import SequenceMatcher

from rules.recognize.recognize import Place
from rules.typingmind.dates import parse_date
from rules.typingmind.message import Message

_AT_ONCE = timedelta(minutes=1)
_FEW = 4
"""This many messages in a row that say the same are no coincidence, even where no memory shows that it is a fork."""


def may_be_copies(places: Sequence[Place], dates: Mapping[str, str], *, is_fork: bool) -> tuple[Place, ...]:
    """The raw messages without a known true date that were dated at once; none where they are too few.

    `dates` are the true dates that are known, by key. `is_fork`: the chat shows memories of another one.
    """
    raw = [place for place in places if place.ours is None and not place.original and place.key not in dates]
    when = {place.key: parse_date(place.message.created_at) for place in raw}
    first = next((date for place in raw if (date := when[place.key])), None)
    at_once = tuple(
        place for place in raw if not (date := when[place.key]) or (first and abs(date - first) <= _AT_ONCE)
    )
    return at_once if is_fork or len(at_once) >= _FEW else ()


def true_dates(copies: Sequence[Place], known: Sequence[tuple[str, str | None]], *, is_fork: bool) -> dict[str, str]:
    """The true dates of the copies, by key; `known` are digest and date of another chat's messages, in their order."""
    matcher = SequenceMatcher(
        None, [digest for digest, _ in known], [place.message.digest for place in copies], autojunk=False
    )
    pairs = [(block.a + at, block.b + at) for block in matcher.get_matching_blocks() for at in range(block.size)]
    if not is_fork and len(pairs) < _FEW:
        return {}
    dated = ((copies[copy], known[origin][1]) for origin, copy in pairs)
    return {place.key: date for place, date in dated if date and _is_earlier(date, place.message.created_at)}


def as_dated(place: Place, dates: Mapping[str, str]) -> Place:
    """The place with the true date of its message, where that is known."""
    date = dates.get(place.key) if place.ours is None else None
    return replace(place, message=with_true_date(place.message, date)) if date else place


def with_true_date(message: Message, date: str) -> Message:
    """The message as said on that date, where one is known; its bytes keep the date of the copy."""
    return replace(message, created_at=date, is_copy=True) if date else message


def said_at(message: Message) -> str:
    """The true date of a copy, where it is known; empty for all other messages."""
    return message.created_at or "" if message.is_copy else ""


def _is_earlier(date: str, copied: str | None) -> bool:
    original, copy = parse_date(date), parse_date(copied)
    return original is not None and (copy is None or original < copy)
