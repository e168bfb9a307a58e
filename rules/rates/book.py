"""Decides when the next call may leave, so that no limit is exceeded that the provider has told.

What a reply says of a limit includes every call that was over before the reply's own call left. All others, those
under way and those that ended meanwhile, may be missing from it, so what they need is taken off: what is left by this
reckoning is never more than what is left at the provider. After the moment at which a limit is full again, its whole
is there, less the same calls.

Whether two models share a limit nobody tells. So what leaves for one counts for all that are reached the same way,
and a model of which nothing is told goes by what is told of the others.

It errs on the safe side: tokens read from the cache, which Anthropic does not count, and answers shorter than their
room count in full until a reply says what is left in truth.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from types import MappingProxyType

from rules.rates.told import LONGEST_SECONDS, Limit

UNTIL_AN_ANSWER = inf


@dataclass(frozen=True, slots=True)
class Need:
    """What one call takes at most, in tokens as the provider counts them."""

    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class Departure:
    """A call that has left; moments are seconds of one clock. `ended` is None while it is under way."""

    number: int
    model: str
    need: Need
    left: float
    ended: float | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """A limit of a model, as the reply to the call `by` told it, which left at `since`."""

    model: str
    limit: Limit
    full_at: float
    since: float
    by: int


@dataclass(frozen=True, slots=True)
class Book:
    """What has left on one way to a provider, what was told of its limits, and until when a model asks for a pause."""

    departures: Sequence[Departure] = ()
    told: Sequence[Told] = ()
    pauses: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    number: int = 0


def wait(book: Book, model: str, need: Need, now: float) -> float:
    """Seconds until a call may leave, as far as is known; 0: now. UNTIL_AN_ANSWER: not before one has come.

    A call that is larger than a limit leaves when the limit is full and nothing else is under way; so does one after
    which nobody has told anything for long, and its answer tells anew.
    """
    own = [told for told in book.told if told.model == model] or book.told
    waits = [_wait(book, told, need, now) for told in own]
    return max(0.0, book.pauses.get(model, now) - now, *waits)


def leave(book: Book, model: str, need: Need, now: float) -> tuple[Book, Departure]:
    """A call leaves; what it needs is taken off until a reply is known to include it."""
    departure = Departure(book.number + 1, model, need, now)
    return replace(book, departures=(*book.departures, departure), number=departure.number), departure


def end(book: Book, departure: Departure, limits: Sequence[Limit], pause: float, now: float) -> Book:
    """A call has ended, with these limits in its headers and, where it was refused, a wish for a pause in seconds.

    Of two replies the one whose call left later is believed, in whatever order they come.
    """
    over = replace(departure, ended=now)
    departures = [over if one.number == departure.number else one for one in book.departures]
    told = {(one.model, one.limit.kind): one for one in book.told if one.full_at + LONGEST_SECONDS >= now}
    for limit in limits:
        before = told.get((departure.model, limit.kind))
        if before is None or before.since <= departure.left:
            new = Told(departure.model, limit, now + limit.full_in, departure.left, departure.number)
            told[departure.model, limit.kind] = new
    until = max(book.pauses.get(departure.model, now), now + min(pause, LONGEST_SECONDS))
    kept = _not_included(departures, list(told.values()))
    return Book(kept, list(told.values()), {**book.pauses, departure.model: until}, book.number)


def _wait(book: Book, told: Told, need: Need, now: float) -> float:
    is_full = now >= told.full_at
    at_hand = told.limit.limit if is_full else told.limit.remaining
    taken = sum(_amount(one.need, told) for one in book.departures if _may_be_missing(one, told))
    if taken + _amount(need, told) <= at_hand:
        return 0.0
    if not is_full:
        return told.full_at - now
    return UNTIL_AN_ANSWER if any(one.ended is None for one in book.departures) else 0.0


def _may_be_missing(one: Departure, told: Told) -> bool:
    return one.number != told.by and (one.ended is None or one.ended >= told.since)


def _amount(need: Need, told: Told) -> int:
    match told.limit.kind:
        case "requests":
            return 1
        case "input-tokens":
            return need.tokens_in
        case "output-tokens":
            return need.tokens_out
        case "tokens":
            return need.tokens_in + need.tokens_out


def _not_included(departures: Sequence[Departure], told: Sequence[Told]) -> Sequence[Departure]:
    """Without those that every limit that is known, or that a call under way may still tell, includes."""
    under_way = [one.left for one in departures if one.ended is None]
    first = min([*under_way, *(one.since for one in told)], default=inf)
    return [one for one in departures if one.ended is None or one.ended >= first]
