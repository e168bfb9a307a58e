"""Match the messages of two lists, always by the same rule.

A message has names, the surest first, such as our mark, its uuid and what it says. Two messages are
the same if they share a name, and a surer name decides before a less sure one. Where several share
a name, as with "ok", order decides: the neighbours of a matched pair are matched with each other,
and the rest are paired one by one from the first.

An example, in which the names are a uuid and what is said:

    old     1 a hello   2 b ok   3 c rain?   4 d ok   5 e sun?
    new     1 p hello            2 q rain?   3 r ok   4 e snow?   5 s fog?

    pairs   5 with 4              by uuid: it was edited
            1 with 1, 3 with 2    in both lists, no other message says the same
            4 with 3              next to a pair: of the two "ok", the second is still there
    gone    2
    new     5
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

Named = Mapping[int, Sequence[Hashable]]
"""The names of each message by its number, in the order of the list.

All messages have equally many names; one that a message lacks is None.
"""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two lists of messages, matched; each message is in at most one pair."""

    pairs: Mapping[int, int]
    """The new number of each old message that is in both, by its old number, in that order."""
    gone: tuple[int, ...]
    """Numbers of the old messages that the new list lacks."""
    new: tuple[int, ...]
    """Numbers of the new messages that the old list lacks."""


def align(old: Named, new: Named) -> Alignment:
    """Match two lists of messages by the names that they share; takes linear time."""
    pairs: dict[int, int] = {}
    for was, now in zip(
        zip(*old.values(), strict=True), zip(*new.values(), strict=True), strict=False
    ):
        _add_pairs(pairs, was, now)
    before, after, taken = list(old), list(new), set(pairs.values())
    return Alignment(
        pairs={before[at]: after[pairs[at]] for at in sorted(pairs)},
        gone=tuple(number for at, number in enumerate(before) if at not in pairs),
        new=tuple(number for at, number in enumerate(after) if at not in taken),
    )


def _add_pairs(pairs: dict[int, int], was: Sequence[Hashable], now: Sequence[Hashable]) -> None:
    """Pair the messages that share a name and have no pair yet, by their indices in the lists."""
    theirs = _index_by_name(now, set(pairs.values()))
    ours = _index_by_name(was, pairs)
    shared = [(at, theirs[name]) for name, at in ours.items() if name in theirs]
    for mine, others in shared:
        if len(mine) == len(others) == 1:
            pairs[mine[0]] = others[0]
    _add_next_to_pairs(pairs, was, now)
    taken = set(pairs.values())
    for mine, others in shared:
        left = [at for at in mine if at not in pairs]
        pairs |= zip(left, (at for at in others if at not in taken), strict=False)


def _add_next_to_pairs(
    pairs: dict[int, int], was: Sequence[Hashable], now: Sequence[Hashable]
) -> None:
    """Pair messages that share a name and are right after or right before a pair in both lists."""
    taken = set(pairs.values())
    left = [at for at, name in enumerate(was) if name is not None and at not in pairs]
    for step, in_turn in ((1, left), (-1, left[::-1])):
        for at in in_turn:
            other = pairs[at - step] + step if at - step in pairs else -1
            free = 0 <= other < len(now) and other not in taken
            if free and at not in pairs and was[at] == now[other]:
                pairs[at] = other
                taken.add(other)


def _index_by_name(names: Sequence[Hashable], taken: Collection[int]) -> dict[Hashable, list[int]]:
    """Return the indices of the messages that are not taken yet, by name."""
    indices: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at, name in enumerate(names):
        if name is not None and at not in taken:
            indices[name].append(at)
    return indices


def keep_one_order(pairs: Mapping[int, int]) -> dict[int, int]:
    """Return as many of these pairs as possible whose messages have the same order in both lists.

    `pairs` are in the order of the old list. Takes n log n time.
    """
    ends: list[int] = []
    """The least new number with which a row of pairs can end, by the row's length minus one."""
    before: dict[int, int | None] = {}
    for new in pairs.values():
        at = bisect_left(ends, new)
        before[new] = ends[at - 1] if at else None
        ends[at : at + 1] = [new]
    row: set[int] = set()
    last = ends[-1] if ends else None
    while last is not None:
        row.add(last)
        last = before[last]
    return {old: new for old, new in pairs.items() if new in row}
