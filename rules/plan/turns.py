"""Where a history may be cut: between turns, and in a turn that is too large for one chunk; and where best.

    user  user  assistant  user  assistant(calls)  tool  tool  assistant  assistant  user ...
    |---- a turn --------| |------------------ a turn --------------------------| |- ...
          ^                                                          ^
          a turn above `most` is also cut here: two messages of the same role in a row

A tool call, its results and the answer to them are never parted.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

_TOOL_ROLES = frozenset({"tool", "function"})


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message as a splitter sees it."""

    role: str
    """`user`, `assistant`, `tool` or `function`."""
    tokens: int
    calls_tools: bool = False
    """The results of its calls are the messages right after it."""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Unit:
    """A run of messages, from index `start` up to but not including `stop`, that is never cut."""

    start: int
    stop: int
    tokens: int


def units(spoken: Sequence[Spoken], most: int) -> tuple[Unit, ...]:
    """Cut a whole history into the runs that chunks are made of.

    A unit is a turn: user messages and all that answers them. A turn begins at a user message that
    follows another role; what stands before the first user message is a turn by itself. A turn
    of more than `most` tokens is cut wherever two messages of the same role follow each other, except
    inside a tool call and its results; chunking joins the pieces again as it needs them.

    Messages that come later can change the last unit only: every other one is final.
    """
    cut: list[Unit] = []
    for turn in _cut(spoken, 0, len(spoken), _begins_turn):
        cut += _cut(spoken, turn.start, turn.stop, _may_part) if turn.tokens > most else [turn]
    return tuple(cut)


def units_from(spoken: Sequence[Spoken], begin: int, most: int) -> list[Unit]:
    """The units behind the message at index `begin`.

    Turns are read from the first message on: the rest of an oversized turn is cut as its beginning was.
    """
    rest = [unit for unit in units(spoken, most) if unit.stop > begin]
    if rest and rest[0].start < begin:
        stop = rest[0].stop
        rest[0] = Unit(begin, stop, sum(message.tokens for message in spoken[begin:stop]))
    return rest


def _cut(spoken: Sequence[Spoken], start: int, stop: int, between: Callable[[Spoken, Spoken], bool]) -> list[Unit]:
    inner = (index for index in range(start + 1, stop) if between(spoken[index - 1], spoken[index]))
    runs = pairwise((start, *inner, stop))
    return [Unit(a, b, sum(message.tokens for message in spoken[a:b])) for a, b in runs if a < b]


def _begins_turn(before: Spoken, after: Spoken) -> bool:
    return after.role == "user" != before.role


def _may_part(before: Spoken, after: Spoken) -> bool:
    return before.role == after.role and before.role not in _TOOL_ROLES and not before.calls_tools


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
