"""Which memories are folded, so that the memory section keeps to its budget.

Memories come one after the other. After each one, while the section is larger than the budget, the oldest `group`
items of the lowest level that has so many become one fold of the next level. With groups of three, and room for six:

    1 1 1 1 1 1 1     ->   2 1 1 1 1
    2 1 1 1 1 1 1     ->   2 2 1 1 1
    2 2 2 2 2 1 1     ->   3 2 2 1 1
    4 3 3 2 2 1 1     ->   5 2 2 1 1

In the last line no level has so many: the oldest, whatever their levels, become one fold of a level above all of them.

What the person has edited or pinned is never folded. It keeps its place in its group, and what stands before it and
behind it there is folded by itself, so that no other group changes. With 1* kept, and groups of three:

    1 1* 1 1 1 1 1    ->   [1 1* 1] 2 1

So the view depends on the memories alone, and never on when rounds happened.

A fold of a whole group stands for the same memories at every budget: the budget only decides when it is made. So at a
larger budget memories come back, and nearly always without a call, since the smaller one had the folds made before.
There are two exceptions. At some lengths of a conversation the larger budget's view wants one fold to which the
smaller one's would have come within about six memories (simulated with memories and folds of about 1,000 tokens,
up to 400 of them: at 7 lengths of 100 from 16,000 to 32,000, at 2 of 100 to 64,000). And a fold of mixed levels depends
on the budget, as does every fold after it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby

from rules.conversation.memory import expected_fold_tokens


@dataclass(frozen=True, slots=True)
class Standing:
    """Something in the memory section: a memory, or a fold of memories."""

    name: str
    """Its memory id."""
    level: int
    tokens: int
    """0: the person has forgotten it. It keeps its place in its group and is shown nowhere."""
    covers: tuple[str, ...]
    """Names of the chunk memories that it stands for: itself, for one of level 1."""
    kept: bool = False
    """The person has edited or pinned it: it is never folded."""


@dataclass(frozen=True, slots=True)
class MissingFold:
    """A fold that must exist before the view can go on."""

    level: int
    members: tuple[Standing, ...]
    """Oldest first, two or more, none of them forgotten or kept."""

    @property
    def covers(self) -> tuple[str, ...]:
        """Names of the chunk memories that the fold will stand for."""
        return tuple(name for member in self.members for name in member.covers)


@dataclass(frozen=True, slots=True)
class View:
    """What the memory section shows."""

    standing: tuple[Standing, ...]
    """Oldest first, without what is forgotten."""
    missing: MissingFold | None
    """The first fold that is missing. `standing` is then the view just before it: it ends with the memory that made the
    section too large, and the memories after that one are not in it."""

    @property
    def tokens(self) -> int:
        """The size of the section."""
        return sum(item.tokens for item in self.standing)


_Place = tuple[Standing, ...]
"""What stands at one place of a group: one item, or what is kept with the folds before and behind it."""
_Levels = dict[int, list[_Place]]


def view(memories: Sequence[Standing], budget: int, group: int, find: Callable[[MissingFold], Standing | None]) -> View:
    """What stands in the memory section after all of `memories` (oldest first), in at most `budget` tokens.

    `group`, two or more, is how many items become a fold. `find` gives a fold by its members, or None where it is not
    made yet; it may give a forgotten one. A group of which only one member is not forgotten needs no fold:
    that member stands for it at the next level; a group that is all forgotten stays so. One single item may be larger
    than the budget, and so may what is kept, with what stands alone between it. `memories` may begin with items of
    higher levels, folds that came with an export whose memories nobody knows; whatever stands before an item of a
    higher level counts as high as that.
    """
    levels: _Levels = {}
    tokens = shown = 0
    for memory in _descending(memories):
        levels.setdefault(memory.level, []).append((memory,))
        tokens += memory.tokens
        shown += memory.tokens > 0
        while tokens > budget and shown > 1 and sum(map(len, levels.values())) > 1:
            level, places = _next_group(levels, group)
            members = _items(places)
            folded = _fold(level, members, find)
            if isinstance(folded, MissingFold):
                return View(_shown(_items(_in_order(levels))), folded)
            _put(levels, level, folded, places)
            tokens += sum(item.tokens for item in folded) - sum(member.tokens for member in members)
            shown += len(_shown(folded)) - len(_shown(members))
    return View(_shown(_items(_in_order(levels))), None)


def expected_fold(missing: MissingFold) -> int:
    """About how large a fold becomes: 1,000 tokens, or half of its members' where that is less."""
    return expected_fold_tokens(sum(member.tokens for member in missing.members))


def _descending(memories: Sequence[Standing]) -> list[Standing]:
    """The same items, where none has a lower level than one after it: so the oldest of a level stand side by side."""
    highest = reversed([*accumulate((memory.level for memory in reversed(memories)), max)])
    return [
        memory if memory.level == level else replace(memory, level=level)
        for memory, level in zip(memories, highest, strict=True)
    ]


def _next_group(levels: _Levels, group: int) -> tuple[int, Sequence[_Place]]:
    """The places that are folded next, and the level of what comes of them."""
    full = [level for level, places in levels.items() if len(places) >= group]
    if full:
        lowest = min(full)
        return lowest + 1, levels[lowest][:group]
    return max(levels) + 1, _in_order(levels)[:group]


def _fold(
    level: int, members: Sequence[Standing], find: Callable[[MissingFold], Standing | None]
) -> _Place | MissingFold:
    """What stands for `members` from now on, or what must be made first."""
    folded: list[Standing] = []
    for kept, row in groupby(_shown(members) or members[:1], key=lambda item: item.kept):
        items = tuple(row)
        if kept or len(items) < 2:
            folded += items
            continue
        missing = MissingFold(level, items)
        fold = find(missing)
        if fold is None:
            return missing
        folded.append(fold)
    return tuple(replace(item, level=level) for item in folded)


def _put(levels: _Levels, level: int, folded: _Place, places: Sequence[_Place]) -> None:
    """Let `folded` stand where `places` stood, which are the oldest of their levels."""
    for place in places:
        at = place[0].level
        levels[at].pop(0)
        if not levels[at]:
            del levels[at]
    levels.setdefault(level, []).append(folded)


def _in_order(levels: _Levels) -> list[_Place]:
    return [place for level in sorted(levels, reverse=True) for place in levels[level]]


def _items(places: Sequence[_Place]) -> list[Standing]:
    return [item for place in places for item in place]


def _shown(items: Sequence[Standing]) -> tuple[Standing, ...]:
    return tuple(item for item in items if item.tokens)
