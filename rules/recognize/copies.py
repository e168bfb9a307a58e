"""Recognize the copies of messages in a fork by what they say, in order; their bytes stay as is.

A fork dates its messages at the moment of copying, all within one minute:

    archive   m1 7 Nov   m2 7 Nov   m3 8 Nov ...
    fork      m1 21 Nov  m2 21 Nov  m3 21 Nov ...  m9 22 Nov, said in the fork
    read as   m1 7 Nov   m2 7 Nov   m3 8 Nov ...   m9 22 Nov

It may give them new uuids, too. A merge of two devices may leave a chat with a memory and the
messages under it. A fork of that chat has copies of these messages, and they are under its memory:

    chat      [memory of m1 m2 m3 m4] m1 m2 m3 m4 m5
    fork      [memory of m1 m2 m3 m4] c1 c2 c3 c4 c5
    read as   [memory of c1 c2 c3 c4] c1 c2 c3 c4 c5
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from rules.conversation.history import Past, Place, raw_messages
from rules.recognize.align import align, keep_one_order
from rules.typingmind.dates import parse_date
from rules.typingmind.message import Message
from rules.typingmind.originals import is_original

_AT_ONCE = timedelta(minutes=1)
_FEWEST_MATCHES = 4
"""The fewest matches in order that show copies; fewer may be coincidence."""


def find_likely_copies(
    places: Sequence[Place], dates: Mapping[str, str], *, is_fork: bool
) -> tuple[Place, ...]:
    """Return the raw messages that share one date, as a fork's copies do; none if they are too few.

    `dates` are the true dates that are known already, by key. `is_fork` tells whether the chat
    shows memories of another one.
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
    return at_once if is_fork or len(at_once) >= _FEWEST_MATCHES else ()


def find_true_dates(
    copies: Sequence[Place], known: Sequence[tuple[str, str | None]], *, is_fork: bool
) -> dict[str, str]:
    """Return the true dates of the copies, by key.

    `known` has the digest and date of each of another chat's messages, in order.
    """
    pairs = _pair((digest for digest, _ in known), copies)
    if not is_fork and len(pairs) < _FEWEST_MATCHES:
        return {}
    dates: dict[str, str] = {}
    for origin, copy in pairs.items():
        date = known[origin][1]
        said, copied = parse_date(date), parse_date(copies[copy].message.created_at)
        if date and said and (copied is None or said < copied):
            dates[copies[copy].key] = date
    return dates


def find_copies_under(past: Sequence[Past], places: Sequence[Place]) -> dict[str, str]:
    """Return the keys that messages under memories of the other chat have in the fork, by theirs.

    A message whose words are under the memories more than once, such as "ok", counts as a copy only
    next to another copy. Empty where there are too few of the others. An original that is kept with
    a memory has its key by that.
    """
    raw = [place for place in raw_messages(places) if not is_original(place.message.marker)]
    said_here = {place.message.digest for place in raw}
    said = [
        next((digest for digest in old.digests if digest in said_here), old.digests[0])
        for old in past
    ]
    pairs, times = _pair(said, raw), Counter(said)
    sure = {number for number in pairs if times[said[number]] == 1}
    if len(sure) < _FEWEST_MATCHES:
        return {}
    keys: dict[str, str] = {}
    for number, copy in pairs.items():
        is_next_to_one = copy - 1 == pairs.get(number - 1) or copy + 1 == pairs.get(number + 1)
        if number in sure or is_next_to_one:
            keys[past[number].key] = raw[copy].key
    return keys


def _pair(digests: Iterable[str], places: Sequence[Place]) -> dict[int, int]:
    """Return the pairs of messages that say the same, by their indices, in one order."""
    old = {number: (digest,) for number, digest in enumerate(digests)}
    new = {number: (place.message.digest,) for number, place in enumerate(places)}
    return keep_one_order(align(old, new).pairs)


def as_dated(place: Place, dates: Mapping[str, str]) -> Place:
    """Return the place with the true date of its message, if that is known."""
    date = dates.get(place.key, "")
    if place.ours is not None or date in ("", place.message.created_at):
        return place
    return replace(place, message=with_true_date(place.message, date))


def with_true_date(message: Message, date: str) -> Message:
    """Return the message with that date, if any; its bytes keep the date of the copy."""
    return replace(message, created_at=date, is_copy=True) if date else message


def said_at(message: Message) -> str:
    """Return the true date of a copy, if that is known; "" for all other messages."""
    return message.created_at or "" if message.is_copy else ""
