"""What a plan will cost, before anything is sent: low, likely, and at most; and when it has paid for itself (D15).

low       all that may have been sent before is read from the cache, and answers are short
likely    what a chunk's first call has sent is read by its other calls; the estimate of tokens holds
at most   the worst case of every call, as it is reserved. What has to be asked again comes on top, never past a cap
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil

from rules.money.calls import Call
from rules.money.price import Price, Usage, cost, prompt_bound, worst_case

_SHORT_ANSWERS = 5
"""The shortest answers that are accepted are about a fifth of what is asked for."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A model as a plan reckons with it."""

    price: Price
    factor: float
    """How many tokens it is expected to count for one of ours."""
    least: float
    """The fewest that it may count for one of ours."""
    most: float
    """The most, before the margin of every reservation."""
    thinking_room: int


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


def outlook(planned: Iterable[Call], of: Callable[[Call], Asked]) -> Outlook:
    """What these calls will cost; `of` says which model each is for."""
    low = likely = at_most = 0
    for call in planned:
        asked = of(call)
        low += _expected(call, asked, asked.least, call.seen, call.answer // _SHORT_ANSWERS)
        likely += _expected(call, asked, asked.factor, call.kept, round(call.answer * asked.factor))
        bound = prompt_bound(call.prompt, call.turns, asked.most)
        at_most += worst_case(asked.price, bound, call.room + asked.thinking_room)
    return Outlook(low, min(max(low, likely), at_most), at_most)


def _expected(call: Call, asked: Asked, factor: float, kept: int, answer: int) -> int:
    """The cost of a call that has `kept` of its prompt read from the cache; what is dearer there is paid in full."""
    prompt, cached = round(call.prompt * factor), round(kept * factor)
    whole = cost(asked.price, Usage(prompt, 0, 0, answer))
    return min(whole, cost(asked.price, Usage(prompt, cached, 0, answer)))


def pays_back_after(spent: int, saved_tokens: int, rate: int) -> int | None:
    """After how many further messages a compression that cost `spent` has paid for itself; None: never.

    Each of them sends `saved_tokens` less, as its model counts them, of which each costs `rate` picodollars.
    """
    saved = saved_tokens * rate
    return ceil(spent / saved) if saved else None
