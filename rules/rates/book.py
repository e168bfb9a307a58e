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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from types import MappingProxyType

from rules.rates.told import LONGEST_SECONDS, Kind, Limit

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
    full_at: Mapping[Kind, float] = field(default_factory=lambda: MappingProxyType({}))
    """The latest moment that any reply has told at which all of a kind is there again."""
    number: int = 0


def wait(book: Book, model: str, need: Need, now: float) -> float:
    """Seconds until a call may leave, as far as is known; 0: now. UNTIL_AN_ANSWER: not before one has come.

    When nothing is under way, and every limit is full that any reply has told, one call leaves whatever the reckoning
    says: it may be larger than the limit, or the answers to those before it told nothing. Its own answer tells anew.
    """
    waits = (_wait(book, told, need, now) for told in _told_of(book, model))
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
    full_at = dict(book.full_at)
    for limit in limits:
        full_at[limit.kind] = max(full_at.get(limit.kind, now), now + limit.full_in)
        before = told.get((departure.model, limit.kind))
        if before is None or before.since <= departure.left:
            new = Told(departure.model, limit, now + limit.full_in, departure.left, departure.number)
            told[departure.model, limit.kind] = new
    until = max(book.pauses.get(departure.model, now), now + min(pause, LONGEST_SECONDS))
    kept = _not_included(departures, list(told.values()))
    return Book(kept, list(told.values()), {**book.pauses, departure.model: until}, full_at, book.number)


def _told_of(book: Book, model: str) -> Iterator[Told]:
    """The limits that a model goes by: its own, and of each kind that nothing is told of, those of the others."""
    for kind in {told.limit.kind for told in book.told}:
        of_kind = [told for told in book.told if told.limit.kind == kind]
        yield from [told for told in of_kind if told.model == model] or of_kind


def _wait(book: Book, told: Told, need: Need, now: float) -> float:
    if _is_enough(book, told, need, now):
        return 0.0
    if now < told.full_at:
        return told.full_at - now
    if any(one.ended is None for one in book.departures):
        return UNTIL_AN_ANSWER
    return max(0.0, book.full_at[told.limit.kind] - now)


def _is_enough(book: Book, told: Told, need: Need, now: float) -> bool:
    at_hand = told.limit.remaining if now < told.full_at else told.limit.limit
    taken = sum(_amount(one.need, told) for one in book.departures if _may_be_missing(one, told))
    return taken + _amount(need, told) <= at_hand


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
