"""Compute what a call costs by its model's price, and what it may cost at most before it is sent.

Money is counted in whole picodollars (a millionth of a millionth of a dollar), so that sums are
exact: one dollar for a million tokens is a million picodollars for each.
"""

from dataclasses import astuple, dataclass
from typing import Literal

PICO = 10**12
"""Picodollars of a dollar."""
ASKED_ABOVE = PICO
"""Picodollars; a person at a terminal is asked before more is spent."""
MOST_USD = 1_000_000.0
"""The largest cap, and the largest price of a call that is accepted."""
_PER_MILLION = 10**6
_MARGIN_PERCENT = 150
_FRAME_TOKENS = 16
"""Tokens that are reserved for what a provider adds around each turn."""
Which = Literal["run", "day", "month"]
NAMES: tuple[Which, ...] = ("run", "day", "month")
_OWNERS = {"run": "a run", "day": "today", "month": "this month"}
"""What each cap is for, in a sentence with a genitive."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Picodollars for one token of prompt or answer, read from the cache or written to it."""

    input: int
    output: int
    cache_read: int
    cache_write: int


@dataclass(frozen=True, slots=True)
class Price:
    """A model's rates.

    For a prompt of more than `above` tokens, `higher` are the rates of the whole call.
    """

    rates: Rates
    above: int | None = None
    higher: Rates | None = None

    def at(self, prompt_tokens: int) -> Rates:
        """Return the rates of a call whose prompt has this many tokens."""
        if self.above is not None and self.higher is not None and prompt_tokens > self.above:
            return self.higher
        return self.rates

    @property
    def rises(self) -> bool:
        """Return whether the tokens of a longer prompt cost more."""
        return self.above is not None and self.at(self.above + 1).input > self.rates.input

    @property
    def is_free(self) -> bool:
        """Return whether its calls cost nothing."""
        return not any(astuple(self.rates) + astuple(self.higher or self.rates))

    @property
    def batched(self) -> "Price":
        """Return the price in a batch: half of everything, including the cache."""
        return Price(_halved(self.rates), self.above, self.higher and _halved(self.higher))


FREE = Price(Rates(0, 0, 0, 0))
"""The price of the built-in engine, and of models on the person's own machine."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that the provider counted. `cached` and `cache_written` are parts of `prompt`."""

    prompt: int
    cached: int
    cache_written: int
    answer: int

    def plus(self, other: "Usage") -> "Usage":
        """Return the sum of both."""
        return Usage(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    @property
    def cached_share(self) -> float:
        """Return the share of the prompt that is read from a cache, from 0 to 1."""
        return self.cached / self.prompt if self.prompt else 0.0


def rates(
    input: float, output: float, cache_read: float | None = None, cache_write: float | None = None
) -> Rates:
    """Return rates from dollars per million tokens.

    A cache of unknown price costs as much as the prompt.
    """
    read = input if cache_read is None else cache_read
    write = input if cache_write is None else cache_write
    return Rates(*(round(dollars * _PER_MILLION) for dollars in (input, output, read, write)))


def _halved(rates: Rates) -> Rates:
    """Halve rates, rounding up."""
    return Rates(*(-(-rate // 2) for rate in astuple(rates)))


def cost(price: Price, usage: Usage) -> int:
    """Return the cost of a call, in picodollars."""
    each = price.at(usage.prompt)
    fresh = max(0, usage.prompt - usage.cached - usage.cache_written)
    return (
        fresh * each.input
        + usage.cached * each.cache_read
        + usage.cache_written * each.cache_write
        + usage.answer * each.output
    )


def worst_case(price: Price, prompt_tokens: int, max_tokens: int) -> int:
    """Return the most picodollars that a call may cost.

    That is at the dearest rate of its prompt, with the longest answer. `prompt_tokens` is an upper
    bound, as `prompt_bound` returns it.
    """
    each = price.at(prompt_tokens)
    return (
        prompt_tokens * max(each.input, each.cache_read, each.cache_write)
        + max_tokens * each.output
    )


def prompt_bound(tokens: int, turns: int, factor: float) -> int:
    """Return the most tokens that a model will count for a prompt of `tokens` of our tokens.

    `factor` is how many tokens the model is expected to count for one of ours. Half of it is added
    as a margin, since the newest tokenizers are not published and some texts were measured at 1.8
    times ours; and some tokens for each turn.
    """
    expected = -(-tokens * round(factor * 1000) // 1000)
    return -(-expected * _MARGIN_PERCENT // 100) + turns * _FRAME_TOKENS


def dollars(amount: int) -> float:
    """Return picodollars as dollars, for people and for JSON."""
    return amount / PICO


def in_words(amount: int) -> str:
    """Return picodollars as dollars in words for people."""
    return usd_in_words(dollars(amount))


def usd_in_words(usd: float) -> str:
    """Return dollars in words for people: with two decimals, or four below ten cents."""
    return f"${usd:,.4f}" if 0 < usd < 0.1 else f"${usd:,.2f}"


@dataclass(frozen=True, slots=True)
class Amounts:
    """Picodollars for run, day and month: the caps, or what is spent and reserved."""

    run: int
    day: int
    month: int

    def of(self, which: Which) -> int:
        """Return the amount with this name."""
        amount: int = getattr(self, which)
        return amount


@dataclass(frozen=True, slots=True)
class Reached:
    """A cap that does not allow a call; amounts are picodollars."""

    which: Which
    cap: int
    spent: int
    """Spent and reserved so far."""
    needed: int
    """The most that the call may cost."""

    @property
    def helps_to_wait(self) -> bool:
        """Return whether the call fits under the cap once a new day or month begins."""
        return self.needed <= self.cap


def find_reached_cap(caps: Amounts, spent: Amounts, needed: int) -> Reached | None:
    """Return the cap that `needed` does not fit under, the longest period first; else None."""
    for which in reversed(NAMES):
        if reached := _reached(which, caps, spent, needed):
            return reached
    return None


def _reached(which: Which, caps: Amounts, spent: Amounts, needed: int) -> Reached | None:
    """Return this cap where `needed` does not fit under it, else None."""
    cap = caps.of(which)
    before = spent.of(which)
    return Reached(which, cap, before, needed) if before + needed > cap else None


def find_first_reached(caps: Amounts, spent: Amounts, needed: int) -> Reached | None:
    """Return the cap at which work of many calls that costs `needed` stops first; None if it fits.

    It is the cap with the least left; of equal ones the one with the longest period.
    """
    which = min(reversed(NAMES), key=lambda name: caps.of(name) - spent.of(name))
    return _reached(which, caps, spent, needed)


def cost_in_words(likely: int, at_most: int, caps: Amounts, spent: Amounts) -> str:
    """Say what work is likely to cost, and at which cap it pauses; amounts are picodollars.

    The most that it may cost decides where it pauses at worst; it is not named, as it is far more
    than people ever pay.
    """
    verdict = "The caps allow it."
    if reached := find_first_reached(caps, spent, likely):
        verdict = f"That is more than {_left_of(reached)}: it will pause there."
    elif reached := find_first_reached(caps, spent, at_most):
        verdict = f"It likely fits under the caps; at worst it pauses at {_left_of(reached)}."
    return f"likely {in_words(likely)}. {verdict}"


def _left_of(reached: Reached) -> str:
    """Say what is left of a cap, what the cap is for, and how high it is."""
    rest = in_words(max(0, reached.cap - reached.spent))
    return f"the {rest} that are left of {_OWNERS[reached.which]}'s {in_words(reached.cap)}"
