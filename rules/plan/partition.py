"""Partition a row of turns into groups of about equal size, at the lowest cost.

A group costs the square of its distance from `size`. A turn above `size` cannot be cut, so its
excess costs nothing: it is a group by itself, and only a scrap too small for a memory of its own
(less than a quarter of `size`) may join it, at the square of the scrap. So one long turn does
not distort its neighbours.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_GRAINS_PER_SIZE = 32
_SCRAPS_PER_SIZE = 4
_STEEPNESS = 4
"""If bounds have prices, the extra cost of a group of twice `size`, in squares of `size`."""


@dataclass(frozen=True, slots=True)
class _Grain:
    """Neighbouring units, together so small that no bound between them is considered."""

    stop: int
    tokens: int
    giant: int
    """The tokens of its one unit above `size`, or 0."""
    price: int = 0
    """The price of a bound after it."""


@dataclass(frozen=True, slots=True)
class _Partition:
    cost: int
    first: int
    """The number of units in its first group; 0 where there is no group yet."""


def find_first_group(tokens: Sequence[int], size: int, prices: Sequence[int] = ()) -> int:
    """Return how many units the first group of the best partition has.

    `tokens` are those of the units, at least one of them not 0; `size` is above 0. `prices` are
    those of bounds after the units, none below 0; where given, groups far too large or too
    small cost more. Among partitions of equal cost, the one with the longest first group
    wins. Bounds are considered only at every 1/32 of `size` or more, so thousands of tiny units
    take no more work than a few large ones.
    """
    grains = _grains(tokens, size, prices)
    best = [_Partition(0, 0)]
    for stop in range(1, len(grains) + 1):
        best.append(_best(grains[:stop], best, size, _STEEPNESS if prices else 0))
    return best[-1].first


def _best(
    grains: Sequence[_Grain], before: Sequence[_Partition], size: int, steep: int
) -> _Partition:
    """Return the best partition of `grains`; `before[n]` is the best one of the first n of them."""
    least = first = -1
    price = grains[-1].price
    for start, own in _last_groups(grains, size, steep):
        if first > 0 and own + price > least:
            break  # a larger group costs even more
        cost = before[start].cost + own + price
        group = before[start].first or grains[-1].stop
        if first < 0 or cost < least or (cost == least and group > first):
            least, first = cost, group
    return _Partition(least, first)


def _last_groups(grains: Sequence[_Grain], size: int, steep: int) -> Iterator[tuple[int, int]]:
    """Yield where the last group may start, the nearest first, and what that group costs.

    A group costs d² + steep · d⁴, where `d` is its distance from `size`, in sizes. So near the size
    a bound is free to move to where the topic changes; the farther away it is, the harder it is
    pulled back.
    """
    tokens = giant = 0
    for start in range(len(grains) - 1, -1, -1):
        tokens += grains[start].tokens
        giant = giant or grains[start].giant
        scrap = tokens - giant
        if giant and scrap * _SCRAPS_PER_SIZE >= size:
            return  # a larger group is not allowed either
        square = (scrap if giant else tokens - size) ** 2
        yield start, square if giant else square + steep * square**2 // size**2


def _grains(tokens: Iterable[int], size: int, prices: Sequence[int]) -> list[_Grain]:
    """Collect units into grains: one without tokens joins the last, one above `size` begins one."""
    grains: list[_Grain] = []
    grain_tokens = giant = stop = 0
    for unit in tokens:
        if stop and unit and (unit > size or grain_tokens * _GRAINS_PER_SIZE >= size):
            grains.append(_Grain(stop, grain_tokens, giant, prices[stop - 1] if prices else 0))
            grain_tokens = giant = 0
        grain_tokens += unit
        giant = giant or (unit if unit > size else 0)
        stop += 1
    grains.append(_Grain(stop, grain_tokens, giant))
    return grains
