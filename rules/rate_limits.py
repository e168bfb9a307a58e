"""What the headers of a reply, or of a refusal, say of the rate limits: how much is left, and when all of it is again.

Anthropic names `anthropic-ratelimit-KIND-{limit,remaining,reset}`, with a date as reset; OpenAI and those who speak
its dialect `x-ratelimit-{limit,remaining,reset}-KIND`, with a span such as `6m0s` or `120ms`. A limit of which one of
the three is missing or no such value is taken as not told: a provider may say what it likes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf
from types import MappingProxyType
from typing import Literal, get_args

from rules.typingmind.dates import parse_date

Kind = Literal["requests", "tokens", "input-tokens", "output-tokens"]
LONGEST_SECONDS = 300.0
"""No limit is waited for longer than that; then a call leaves, and its answer says what is so."""
_FROM_PROVIDER = "llm_provider-"
"""What LiteLLM puts before the names of a provider's own headers."""
_WHOLE = re.compile("[0-9]{1,15}")
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{0,12})?")
_SPAN = re.compile(rf"(?:{_NUMBER.pattern}(?:ms|us|µs|ns|h|m|s))+")
_PART = re.compile(rf"({_NUMBER.pattern})(ms|us|µs|ns|h|m|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_DAY_SECONDS = 86_400.0
_SAME_CLOCK_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Limit:
    """A rate limit: `remaining` of `limit` are left, and all of it is there again in `full_in` seconds."""

    kind: Kind
    limit: int
    remaining: int
    full_in: float


def limits_told(headers: Mapping[str, str], now: datetime) -> tuple[Limit, ...]:
    """The limits that headers tell. `now` is by our own clock.

    Where that is far from the provider's (its header `date`), a date in the headers is read by the provider's.
    """
    said = {str(name).lower().removeprefix(_FROM_PROVIDER): str(value).strip() for name, value in headers.items()}
    there = _clock(said.get("date", ""), now)
    found = (_limit(said, kind, there) for kind in get_args(Kind))
    return tuple(limit for limit in found if limit is not None)


def _limit(said: Mapping[str, str], kind: Kind, now: datetime) -> Limit | None:
    for names in (f"anthropic-ratelimit-{kind}-{{}}", f"x-ratelimit-{{}}-{kind}"):
        most, left, reset = (said.get(names.format(what), "") for what in ("limit", "remaining", "reset"))
        seconds = _seconds_until(reset, now)
        if seconds is not None and _WHOLE.fullmatch(most) and _WHOLE.fullmatch(left) and int(most):
            return Limit(kind, int(most), min(int(left), int(most)), min(seconds, LONGEST_SECONDS))
    return None


def _seconds_until(reset: str, now: datetime) -> float | None:
    if _SPAN.fullmatch(reset):
        return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(reset))
    if _NUMBER.fullmatch(reset):
        seconds = float(reset)
        return seconds if seconds <= _DAY_SECONDS else None  # else it is no span, but a moment counted from 1970
    when = parse_date(reset)
    if when is None:
        return None
    cut_off = 0.0 if when.microsecond else 1.0  # whole seconds may be what is left of a later moment
    return max(0.0, (when - now).total_seconds() + cut_off)


def _clock(date: str, now: datetime) -> datetime:
    """The provider's time where ours is another; its header has whole seconds only, so ours is better otherwise."""
    try:
        there = parsedate_to_datetime(date)
    except (ValueError, IndexError):
        return now
    there = there if there.tzinfo else there.replace(tzinfo=UTC)
    return now if abs((there - now).total_seconds()) <= _SAME_CLOCK_SECONDS else there


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
