"""Which facts are shown: the newest and those said again, or those nearest to a text.

Several orders are made into one by reciprocal rank fusion: each gives the item in its n-th place
1 / (60 + n), and the sums decide. 60 is the constant of Cormack, Clarke and Büttcher (SIGIR 2009),
who proposed the rule: what is first in one order alone does not win over what is near the top of
two.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction

from rules.layers.facts import Fact
from rules.typingmind.dates import parse_date

_EVEN = 60
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def fused(*orders: Sequence[int]) -> list[int]:
    """Return the items of all orders, best first; of equals, the first in the last order."""
    sums: defaultdict[int, Fraction] = defaultdict(Fraction)
    for order in orders:
        for place, item in enumerate(order, 1):
            sums[item] += Fraction(1, _EVEN + place)
    places = {item: place for place, item in enumerate(orders[-1])}
    return sorted(sums, key=lambda item: (-sums[item], places.get(item, len(places)), item))


def nearest_facts(facts: Sequence[Fact], ranked: Sequence[int], most: int) -> tuple[Fact, ...]:
    """Return the `most` facts to compare a chunk with, by number: the nearest, and the newest.

    `ranked` are the places of those among `facts` that share words with the chunk, best first.
    """
    chosen = fused(ranked, _newest_first(facts))[:most]
    return tuple(sorted((facts[at] for at in chosen), key=lambda fact: fact.number))


def facts_within(facts: Sequence[Fact], sizes: Sequence[int], budget: int) -> tuple[Fact, ...]:
    """Return the facts for the export, by date; those without a known date come first.

    The newest, and those that were said again, most often first, are taken until the budget is
    full; what does not fit is passed over. `sizes` are their tokens, in the same order as `facts`.
    """
    newest = _newest_first(facts)
    again = sorted(
        (at for at in newest if facts[at].confirmed), key=lambda at: -facts[at].confirmed
    )
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
