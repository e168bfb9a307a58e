"""Whether the next call may be sent: what it may cost at most must fit under every cap."""

from dataclasses import dataclass
from typing import Literal

Which = Literal["run", "day", "month"]
NAMES: tuple[Which, ...] = ("run", "day", "month")


@dataclass(frozen=True, slots=True)
class Amounts:
    """Picodollars for each of the three: caps, or what is spent and reserved."""

    run: int
    day: int
    month: int

    def of(self, which: Which) -> int:
        """The one of that name."""
        return {"run": self.run, "day": self.day, "month": self.month}[which]


@dataclass(frozen=True, slots=True)
class Allowed:
    """The call may be sent."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A cap says no; amounts are picodollars."""

    which: Which
    cap: int
    spent: int
    """Spent and reserved so far."""
    needed: int
    """What the call may cost at most."""

    @property
    def helps_to_wait(self) -> bool:
        """Whether the call fits under the cap once it has turned."""
        return self.needed <= self.cap


def decide(caps: Amounts, spent: Amounts, needed: int) -> Allowed | Reached:
    """Whether a call that costs at most `needed` fits; else the cap that turns last of those that it does not fit."""
    for which in reversed(NAMES):
        if spent.of(which) + needed > caps.of(which):
            return Reached(which, caps.of(which), spent.of(which), needed)
    return Allowed()


def first_reached(caps: Amounts, spent: Amounts, needed: int) -> Reached | None:
    """The cap at which work that costs `needed` stops, call by call: the one with the least left; None: it fits.

    Where two have the same left, it is the one that turns last, as it is for a single call.
    """
    which = min(reversed(NAMES), key=lambda name: caps.of(name) - spent.of(name))
    is_reached = spent.of(which) + needed > caps.of(which)
    return Reached(which, caps.of(which), spent.of(which), needed) if is_reached else None
