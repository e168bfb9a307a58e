"""Which facts are shown for comparison, and which stand in the export."""

from collections.abc import Sequence
from datetime import UTC, datetime

from rules.export.dates import parse_date
from rules.facts.fact import Fact
from rules.facts.fusion import fused

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def nearest(facts: Sequence[Fact], ranked: Sequence[int], most: int) -> tuple[Fact, ...]:
    """At most so many facts to compare a chunk with: the nearest by their words, and the newest; by number.

    `ranked` are the places of those among `facts` that share words with the chunk, best first.
    """
    chosen = fused(ranked, _newest_first(facts))[:most]
    return tuple(sorted((facts[at] for at in chosen), key=lambda fact: fact.number))


def within(facts: Sequence[Fact], sizes: Sequence[int], budget: int) -> tuple[Fact, ...]:
    """The facts that stand in the export, in order of their dates; those without a known date come first.

    The newest, and those that were said again, most often first, are taken until the budget is full; what does not
    fit is passed over. `sizes` are their tokens, in the same order as `facts`.
    """
    newest = _newest_first(facts)
    again = sorted((at for at in newest if facts[at].confirmed), key=lambda at: -facts[at].confirmed)
    room = budget
    taken: list[Fact] = []
    for at in fused(again, newest):
        if sizes[at] <= room:
            room -= sizes[at]
            taken.append(facts[at])
    return tuple(sorted(taken, key=_dated))


def _newest_first(facts: Sequence[Fact]) -> list[int]:
    return sorted(range(len(facts)), key=lambda at: _dated(facts[at]), reverse=True)


def _dated(fact: Fact) -> tuple[datetime, int]:
    return parse_date(fact.said_at) or _LONG_AGO, fact.number
