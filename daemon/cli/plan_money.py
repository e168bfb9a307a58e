"""The money in `memproc plan`: what each chat and all together will cost, and whether the caps allow it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.spending import spent
from daemon.clock import at, periods
from daemon.config.budget import BudgetSettings
from daemon.models.purse import caps_now
from daemon.reckoning import Reckoning
from rules.money.caps import Reached, decide
from rules.money.outlook import NOTHING, Outlook
from rules.money.price import dollars, in_words


@dataclass(frozen=True, slots=True)
class Totals:
    """What all chats of a plan will cost, and what the caps say to that; amounts are picodollars."""

    outlook: Outlook
    likely: Reached | None
    """The cap that stops it before its end, by what it will likely cost."""
    at_most: Reached | None
    """The same by what it may cost at most."""

    @property
    def sentences(self) -> Iterator[str]:
        """For a person; none where nothing costs anything."""
        if self.outlook == NOTHING:
            return
        told = f"In all: {_range(self.outlook)}."
        if self.likely:
            yield f"{told} That is more than {_left(self.likely)}: it will pause there."
        elif self.at_most:
            yield f"{told} It likely fits under the caps; at worst it pauses at {_left(self.at_most)}."
        else:
            yield f"{told} The caps allow it."


def totals(archive: Archive, budget: BudgetSettings, found: Sequence[Reckoning], now: str) -> Totals:
    """The sum over chats, held against the caps of a new run, of today and of this month."""
    outlook = NOTHING
    for one in found:
        outlook = outlook.plus(one.outlook or NOTHING)
    caps, so_far = caps_now(archive, budget, now), spent(archive, "", periods(at(now)))
    likely, at_most = (decide(caps, so_far, amount) for amount in (outlook.likely, outlook.at_most))
    return Totals(
        outlook, likely if isinstance(likely, Reached) else None, at_most if isinstance(at_most, Reached) else None
    )


def notes(found: Reckoning) -> Iterator[str]:
    """What a chat will cost, how sure that is, and when it has paid for itself."""
    if found.outlook is None:
        yield "nobody knows the price of its models, so no cap holds what they cost"
        return
    if found.outlook == NOTHING:
        yield "costs nothing"
        return
    sure = f"from {found.replies:,} replies" if found.replies else "not yet held against any reply"
    how = ", in batches at half price" if found.batched else ""
    yield f"costs {_range(found.outlook)}{how}; the estimate of tokens is {sure}"
    if found.uncached is not None:
        cached = f", {found.cached:,} where the chat itself is cached" if found.cached else ""
        yield f"pays for itself after {found.uncached:,} further messages{cached}"


def in_json(found: Reckoning) -> dict[str, object]:
    """The same for programs, in dollars."""
    outlook = found.outlook
    return {
        "low_usd": dollars(outlook.low) if outlook else None,
        "likely_usd": dollars(outlook.likely) if outlook else None,
        "at_most_usd": dollars(outlook.at_most) if outlook else None,
        "pays_back_after": {"uncached": found.uncached, "cached": found.cached},
        "replies": found.replies,
        "batched": found.batched,
    }


def _range(outlook: Outlook) -> str:
    low, likely, at_most = (in_words(amount) for amount in (outlook.low, outlook.likely, outlook.at_most))
    return f"likely {likely}, at least {low}, at most {at_most}"


def _left(reached: Reached) -> str:
    of = {"run": "a run", "day": "today", "month": "this month"}[reached.which]
    return f"the {in_words(max(0, reached.cap - reached.spent))} that are left of {of}'s {in_words(reached.cap)}"
