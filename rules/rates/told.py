"""What the headers of a reply, or of a refusal, say of the rate limits: how much is left, and when all of it is again.

Anthropic names `anthropic-ratelimit-KIND-{limit,remaining,reset}`, with a date as reset; OpenAI and those who speak
its dialect `x-ratelimit-{limit,remaining,reset}-KIND`, with a span such as `6m0s` or `120ms`. A limit of which one of
the three is missing or no such value is taken as not told: a provider may say what it likes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal, get_args

from rules.export.dates import parse_date

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
