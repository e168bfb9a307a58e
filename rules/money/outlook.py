"""What a plan will cost, before anything is sent: low, likely, and at most; and when it has paid for itself.

low       all that may be in the cache is read from it, and answers are short
likely    what one request has written to the cache, those that begin like it read; the estimate of tokens holds
at most   the worst case of every call, as it is reserved, with memories and answers as long as they may be

None of them has what must be asked again, because an answer was cut off, refused or no good.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil

from rules.money.calls import Call
from rules.money.price import Price, Usage, cost, least_cost, prompt_bound, worst_case

_SHORT_ANSWERS = 5
"""The shortest answers that are accepted are about a fifth of what is asked for."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A model as a plan reckons with it."""

    price: Price | None
    """None: nobody knows it."""
    factor: float
    """How many tokens it is expected to count for one of ours."""
    least: float
    """The fewest that it may count for one of ours."""
    most: float
    """The most, before the margin of every reservation."""
    thinking_room: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """Tokens that the models are likely to count, in all prompts and all answers together."""

    sent: int
    read: int
    """Of `sent`, what is read from a cache."""
    written: int
    """Of `sent`, what is written to a cache."""
    answered: int

    def plus(self, other: "Traffic") -> "Traffic":
        """Both together."""
        return Traffic(
            self.sent + other.sent,
            self.read + other.read,
            self.written + other.written,
            self.answered + other.answered,
        )

    @property
    def cached_share(self) -> float:
        """How much of what is sent is read from a cache, from 0 to 1."""
        return self.read / self.sent if self.sent else 0.0


QUIET = Traffic(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Outlook:
    """Picodollars."""

    low: int
    likely: int
    at_most: int

    def plus(self, other: "Outlook") -> "Outlook":
        """Both together."""
        return Outlook(self.low + other.low, self.likely + other.likely, self.at_most + other.at_most)


NOTHING = Outlook(0, 0, 0)


def traffic(planned: Iterable[Call], of: Callable[[Call], Asked]) -> Traffic:
    """What these calls will send and receive; `of` says which model each is for.

    A model whose price makes no difference between what is cached and what is not counts as one without a cache.
    """
    total = QUIET
    for call in planned:
        asked = of(call)
        usage = _likely(call, asked)
        caches = asked.price is None or asked.price.rates.cache_read < asked.price.rates.input
        read, written = (usage.cached, usage.cache_written) if caches else (0, 0)
        total = total.plus(Traffic(usage.prompt, read, written, usage.answer))
    return total


def outlook(planned: Iterable[Call], longest: Iterable[Call], of: Callable[[Call], Asked]) -> Outlook | None:
    """What calls will cost as they are `planned`, and at most where all is as long as it may be (`longest`).

    `of` says which model each is for. None where nobody knows a price.
    """
    low = likely = at_most = 0
    for call in planned:
        asked = of(call)
        if asked.price is None:
            return None
        prompt, seen = round(call.prompt * asked.least), round(call.seen * asked.least)
        low += least_cost(asked.price, prompt, seen, call.answer // _SHORT_ANSWERS)
        likely += cost(asked.price, _likely(call, asked))
    for call in longest:
        asked = of(call)
        if asked.price is None:
            return None
        bound = prompt_bound(call.prompt, call.turns, asked.most)
        at_most += worst_case(asked.price, bound, call.room + asked.thinking_room)
    return Outlook(low, min(max(low, likely), at_most), at_most)


def _likely(call: Call, asked: Asked) -> Usage:
    """What the provider will say of a call."""
    prompt, read, written, answer = (
        round(tokens * asked.factor) for tokens in (call.prompt, call.read, call.written, call.answer)
    )
    return Usage(prompt, read, min(written, prompt - read), answer)


def pays_back_after(spent: int, saved: int) -> int | None:
    """After how many further messages a compression that cost `spent` has paid for itself; None: never.

    Each of them costs `saved` less. Both are picodollars.
    """
    return ceil(spent / saved) if saved > 0 else None
