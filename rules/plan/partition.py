"""The best partition of a run of units into groups of about one size.

A group costs the square of its distance from `size`. A unit above `size` cannot be cut, so what it has too
much costs nothing: it is a group by itself, and only a scrap too small for a memory of its own (less than a
quarter of `size`) may go with it, at the square of the scrap. So one long turn does not ruin its neighbours.

    units     1.9k  2.3k  1.8k  2.1k   0.4k  23k   1.7k  2.2k      size 4k
    groups    |---------|  |---------|  |-------|  |---------|
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_GRAINS_A_SIZE = 32
_SCRAPS_A_SIZE = 4


@dataclass(frozen=True, slots=True)
class _Grain:
    """Units between which no bound is looked for: together they are too small to matter."""

    stop: int
    tokens: int
    giant: int
    """The tokens of the one unit above `size` in it, or 0."""


@dataclass(frozen=True, slots=True)
class _Partition:
    cost: int
    first: int
    """How many units its first group takes; 0 where there is no group yet."""


def first_group(tokens: Sequence[int], size: int) -> int:
    """Say how many units the first group of the best partition takes.

    `tokens` are those of the units, at least one of them not 0; `size` is above 0. Among partitions that cost
    the same, the one with the longest first group wins. Bounds are looked for only at every 1/32 of `size`
    or more, so thousands of tiny units cost no more work than a few large ones.
    """
    grains = _grains(tokens, size)
    best = [_Partition(0, 0)]
    for stop in range(1, len(grains) + 1):
        best.append(_best(grains[:stop], best, size))
    return best[-1].first


def _best(grains: Sequence[_Grain], before: Sequence[_Partition], size: int) -> _Partition:
    """The best partition of `grains`, where `before[n]` is the best one of the first n of them."""
    least = first = -1
    held = giant = 0
    for start in range(len(grains) - 1, -1, -1):
        held += grains[start].tokens
        giant = giant or grains[start].giant
        scrap = held - giant
        own = scrap**2 if giant else (held - size) ** 2
        if (giant and scrap * _SCRAPS_A_SIZE >= size) or (first > 0 and own > least):
            break  # a larger group is not allowed either, or costs even more
        cost = before[start].cost + own
        group = before[start].first or grains[-1].stop
        if first < 0 or cost < least or (cost == least and group > first):
            least, first = cost, group
    return _Partition(least, first)


def _grains(tokens: Iterable[int], size: int) -> list[_Grain]:
    """A unit without tokens stays with what stands before it; one above `size` begins a grain of its own."""
    grains: list[_Grain] = []
    held = giant = stop = 0
    for unit in tokens:
        if stop and unit and (unit > size or held * _GRAINS_A_SIZE >= size):
            grains.append(_Grain(stop, held, giant))
            held = giant = 0
        held += unit
        giant = giant or (unit if unit > size else 0)
        stop += 1
    grains.append(_Grain(stop, held, giant))
    return grains
