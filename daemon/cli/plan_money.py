"""The money in `memproc plan`: what each chat and all together will cost, and whether the caps allow it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.spending import spent
from daemon.clock import at, periods
from daemon.config.budget import BudgetSettings
from daemon.models.purse import caps_now
from daemon.reckoning import Payback, Reckoning
from rules.money.estimate import NOTHING, QUIET, Outlook, Traffic
from rules.money.price import Reached, dollars, first_reached, in_words


@dataclass(frozen=True, slots=True)
class Totals:
    """What all chats of a plan will cost, and what the caps say to that; amounts are picodollars."""

    traffic: Traffic
    outlook: Outlook
    unpriced: int
    """How many chats are in `traffic` alone, because nobody knows the price of their models."""
    likely: Reached | None
    """The cap that stops it first, before its end, by what it will likely cost."""
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

    @property
    def in_json(self) -> dict[str, object]:
        """The same for programs, in dollars; `pauses_at` names the caps."""
        pauses = {"likely": self.likely and self.likely.which, "at_most": self.at_most and self.at_most.which}
        return {
            "tokens": _tokens(self.traffic),
            **_usd(self.outlook),
            "unpriced_chats": self.unpriced,
            "pauses_at": pauses,
        }


def totals(archive: Archive, budget: BudgetSettings, found: Sequence[Reckoning], now: str) -> Totals:
    """The sum over chats, held against the caps of a new run, of today and of this month."""
    traffic, outlook = QUIET, NOTHING
    for one in found:
        traffic, outlook = traffic.plus(one.traffic), outlook.plus(one.outlook or NOTHING)
    caps, so_far = caps_now(archive, budget, now), spent(archive, "", periods(at(now)))
    likely, at_most = (first_reached(caps, so_far, amount) for amount in (outlook.likely, outlook.at_most))
    return Totals(
        traffic,
        outlook,
        sum(one.outlook is None for one in found),
        likely,
        at_most,
    )


def notes(found: Reckoning) -> Iterator[str]:
    """What a chat will send, receive and cost, how sure that is, and when it has paid for itself."""
    traffic = found.traffic
    if traffic.sent:
        share = f"{traffic.cached_share:.0%} of them read from the provider's cache"
        yield f"sends about {traffic.sent:,} tokens, {share}, and gets {traffic.answered:,}"
        sure = f"stands on {found.replies:,} replies" if found.replies else "has not been held against replies yet"
        yield f"how many tokens the model counts {sure}"
    if found.outlook is None:
        yield "nobody knows the price of its models, so no cap holds what they cost"
        return
    if found.outlook == NOTHING:
        yield "costs nothing"
        return
    how = ", in batches at half price" if found.batched else ""
    yield f"costs {_range(found.outlook)}{how}; what must be asked again comes on top, under the caps"
    yield _payback(found.payback)


def _payback(found: Payback | None) -> str:
    if found is None:
        return "nobody knows what the chat itself costs, and so when this has paid for itself"
    if found.uncached is None and found.cached is None:
        return f"does not pay for itself by shorter messages, in a chat with {found.model}"
    uncached, cached = (
        "never" if number is None else f"after {number:,} further messages" for number in (found.uncached, found.cached)
    )
    return f"in a chat with {found.model}, pays for itself {uncached}; where the chat is cached, {cached}"


def in_json(found: Reckoning) -> dict[str, object]:
    """The same for programs, in dollars."""
    payback = found.payback
    return {
        "tokens": _tokens(found.traffic),
        **_usd(found.outlook),
        "pays_back_after": {
            "model": payback and payback.model,
            "uncached": payback and payback.uncached,
            "cached": payback and payback.cached,
        },
        "replies": found.replies,
        "batched": found.batched,
    }


def _tokens(traffic: Traffic) -> dict[str, object]:
    """As the models are likely to count them."""
    return {
        "sent": traffic.sent,
        "cached": traffic.read,
        "cache_written": traffic.written,
        "answered": traffic.answered,
        "cached_share": round(traffic.cached_share, 4),
    }


def _usd(outlook: Outlook | None) -> dict[str, object]:
    return {
        "low_usd": dollars(outlook.low) if outlook else None,
        "likely_usd": dollars(outlook.likely) if outlook else None,
        "at_most_usd": dollars(outlook.at_most) if outlook else None,
    }


def _range(outlook: Outlook) -> str:
    low, likely, at_most = (in_words(amount) for amount in (outlook.low, outlook.likely, outlook.at_most))
    return f"likely {likely}, at least {low}, at most {at_most}"


def _left(reached: Reached) -> str:
    of = {"run": "a run", "day": "today", "month": "this month"}[reached.which]
    return f"the {in_words(max(0, reached.cap - reached.spent))} that are left of {of}'s {in_words(reached.cap)}"
