"""Several orders of the same things made into one: reciprocal rank fusion.

Each order gives what stands in it 1 / (60 + place); the sums decide. 60 is the constant of Cormack, Clarke and
Büttcher (SIGIR 2009), who brought the rule up: what is first in one order alone does not win over what is near the
top of two.
"""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

_EVEN = 60


def fused(*orders: Sequence[int]) -> list[int]:
    """What stands in any of the orders, best first; of two with equal sums, what stands first in the last order."""
    sums: defaultdict[int, Fraction] = defaultdict(Fraction)
    for order in orders:
        for place, one in enumerate(order, 1):
            sums[one] += Fraction(1, _EVEN + place)
    *_, last = orders
    places = {one: place for place, one in enumerate(last)}
    return sorted(sums, key=lambda one: (-sums[one], places.get(one, len(places)), one))
