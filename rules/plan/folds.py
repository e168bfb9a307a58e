"""Decide which memories the memory section shows within its budget, and which are folded into one.

Memories are added one after the other. After each one, while the section is larger than the budget,
the oldest six items of the lowest level that has that many become one fold of the next level.
Quotes are outside the budget: they are permanent, and a fold carries all those of its members. With
groups of three, and room for six:

    1 1 1 1 1 1 1     ->   2 1 1 1 1
    2 1 1 1 1 1 1     ->   2 2 1 1 1
    2 2 2 2 2 1 1     ->   3 2 2 1 1
    4 3 3 2 2 1 1     ->   5 2 2 1 1

In the last line no level has three: the oldest ones, of different levels, become one fold of a
level above all of them.

What the person has edited or pinned is never folded. It keeps its place in its group, and what
comes before it and after it there is folded by itself, so that no other group changes. With 1*
never folded, and groups of three:

    1 1* 1 1 1 1 1    ->   [1 1* 1] 2 1

So the view depends only on the memories, and never on when rounds happened.

A fold of a whole group replaces the same memories at every budget: the budget only decides when it
is made. So a larger budget brings memories back, and nearly always without a call, since the
smaller budget had the folds made before. There are two exceptions. At few lengths of a conversation
(2 to 7 of 100, simulated) the larger budget needs one fold that the smaller one would have needed
within about six memories. And a fold of mixed levels depends on the budget, as does every fold
after it.

    view_section   what is shown for a chat's first memories
    find_states    for each memory whether it is shown, folded, forgotten or not in use
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Literal

from rules.conversation.memory import (
    Edition,
    Memory,
    fold_id,
    memories_by_id,
    memories_of_chunks,
    with_all_inside,
)
from rules.conversation.short_quotes import with_fewer_quotes
from rules.plan.fold_budget import Bounds

GROUP = 6
"""How many items become one fold."""
Version = Callable[[Memory], Edition]
"""Chooses the edition of a memory: `version_in_prompts` or `version_in_export`."""


@dataclass(frozen=True, slots=True)
class SectionItem:
    """An item of the memory section: a memory, or a fold of memories."""

    name: str
    """Its memory id."""
    level: int
    tokens: int
    """Its tokens without quotes and wishes; 0 for a forgotten one, which has a place in its group
    and is not shown."""
    covers: tuple[str, ...]
    """The names of the chunk memories in it; its own name for a memory of level 1."""
    never_folded: bool = False
    """Whether the person has edited or pinned it."""
    quotes: int = 0
    """The tokens of its quotes and wishes."""
    source: int = 0
    """The tokens of the raw messages of a chunk's memory; 0 for a fold."""

    @property
    def is_fold(self) -> bool:
        """Return whether it replaces several memories."""
        return len(self.covers) > 1


@dataclass(frozen=True, slots=True)
class MissingFold:
    """A fold that must be made before the view can be completed."""

    level: int
    members: tuple[SectionItem, ...]
    """Oldest first, two or more, none of them forgotten or never folded."""

    @property
    def covers(self) -> tuple[str, ...]:
        """Return the names of the chunk memories in the fold."""
        return tuple(name for member in self.members for name in member.covers)

    @property
    def tokens(self) -> int:
        """Return the tokens of its members."""
        return _tokens(self.members)


@dataclass(frozen=True, slots=True)
class View:
    """The memory section as it is shown."""

    items: tuple[SectionItem, ...]
    """Oldest first, without what is forgotten."""
    missing: MissingFold | None
    """The first fold that is not made yet; None where all are made.

    `items` is then the section just before it: it ends with the memory that made the section too
    large, and lacks the memories after that one.
    """

    def select(self, memories: Iterable[Memory]) -> list[Memory]:
        """Return those of a chat's memories and folds that are shown, oldest first."""
        by_id = memories_by_id(memories)
        return [by_id[item.name] for item in self.items]

    @property
    def tokens(self) -> int:
        """Return the tokens of the section, including quotes."""
        return sum(item.tokens + item.quotes for item in self.items)


_Place = tuple[SectionItem, ...]
"""A place of a group: one item, or what is never folded together with the folds around it."""


def build_view(
    memories: Sequence[SectionItem],
    budget: Callable[[int], int],
    find: Callable[[MissingFold], SectionItem | None],
) -> View:
    """Return the memory section after all of `memories` (oldest first), within its budget.

    `budget` returns the budget in tokens for the raw tokens of the memories so far. `find` returns
    the fold of some members, which may be forgotten, or None where it is not made yet. A group with
    only one member that is not forgotten needs no fold: that member replaces it at the next level;
    a group that is all forgotten stays so.

    A section may exceed its budget by one item, or by items that are never folded and single ones
    between them. `memories` may begin with items of higher levels: folds that came with an export,
    and whose memories are unknown. What precedes an item of a higher level counts as of that level.
    """
    places: list[_Place] = []  # oldest first: none is of a lower level than one after it
    tokens = shown = source = 0
    for memory in _descending(memories):
        places.append((memory,))
        source += memory.source
        tokens += memory.tokens
        shown += memory.tokens > 0
        while tokens > budget(source) and shown > 1 and len(places) > 1:
            start, level = _next_group(places)
            members = _items(places[start : start + GROUP])
            folded = _fold(level, members, find)
            if isinstance(folded, MissingFold):
                return View(_shown(_items(places)), folded)
            places[start : start + GROUP] = [folded]
            tokens += _tokens(folded) - _tokens(members)
            shown += len(_shown(folded)) - len(_shown(members))
    return View(_shown(_items(places)), None)


def _items(places: Iterable[_Place]) -> list[SectionItem]:
    return [item for place in places for item in place]


def _tokens(items: Iterable[SectionItem]) -> int:
    return sum(item.tokens for item in items)


def _descending(memories: Sequence[SectionItem]) -> list[SectionItem]:
    """Raise levels so that none is lower than a later one: items of a level are then neighbours."""
    highest = reversed([*accumulate((memory.level for memory in reversed(memories)), max)])
    return [
        memory if memory.level == level else replace(memory, level=level)
        for memory, level in zip(memories, highest, strict=True)
    ]


def _next_group(places: Sequence[_Place]) -> tuple[int, int]:
    """Return the index of the first place to fold next, and the level of that fold."""
    levels = [place[0].level for place in places]
    counts = Counter(levels)
    full = [level for level in counts if counts[level] >= GROUP]
    if not full:
        return 0, levels[0] + 1
    lowest = min(full)
    return levels.index(lowest), lowest + 1


def _fold(
    level: int, members: Sequence[SectionItem], find: Callable[[MissingFold], SectionItem | None]
) -> _Place | MissingFold:
    """Return the place that replaces `members`, or the fold that must be made first."""
    folded: list[SectionItem] = []
    for stays, row in groupby(_shown(members) or members[:1], key=lambda item: item.never_folded):
        items = tuple(row)
        if stays or len(items) < 2:
            folded += items
            continue
        missing = MissingFold(level, items)
        fold = find(missing)
        if fold is None:
            return missing
        folded.append(fold)
    return tuple(replace(item, level=level) for item in folded)


def _shown(items: Iterable[SectionItem]) -> tuple[SectionItem, ...]:
    return tuple(item for item in items if item.tokens)


def version_in_prompts(memory: Memory) -> Edition:
    """Return the edition that later prompts see."""
    return with_fewer_quotes(memory.in_prompts) if memory.is_fold else memory.in_prompts


def version_in_export(memory: Memory) -> Edition:
    """Return the edition that the export shows."""
    return memory.edition


def view_section(
    chat_id: str,
    memories: Sequence[Memory],
    upto: int,
    bounds: Bounds,
    version: Version,
    stand_in: Callable[[MissingFold], SectionItem | None] = lambda missing: None,
    coming: Sequence[SectionItem] = (),
) -> View:
    """Return the section for the first `upto` memories of a chat, the same for the same memories.

    `memories` are all memories and folds of the chat; `coming` are memories that are not made yet,
    and `stand_in` may return an item in place of a fold that is not made. `version` chooses the
    editions.
    """
    by_id = memories_by_id(memories)
    never_folded = {
        tuple(part.memory_id for part in memories_of_chunks(with_all_inside(memory, by_id))): memory
        for memory in memories
        if memory.is_fold and _is_never_folded(memory)
    }

    def find(missing: MissingFold) -> SectionItem | None:
        # A fold that the person has edited stays, even if its members have got new editions since.
        if own := never_folded.get(missing.covers):
            return _as_item(own, version, missing.covers)
        if any(member.name not in by_id for member in missing.members):
            return stand_in(missing)
        name = fold_id(chat_id, [by_id[member.name] for member in missing.members])
        fold = by_id.get(name)
        return stand_in(missing) if fold is None else _as_item(fold, version, missing.covers)

    items = [*as_items(memories_of_chunks(memories), version), *coming]
    return build_view(items[:upto], bounds.at, find)


def describe_over_budget(shown: Sequence[SectionItem], budget: int) -> str:
    """Return a clause saying that what is never folded exceeds the section's budget; else ""."""
    tokens = _tokens(shown)
    staying = sum(item.never_folded for item in shown)
    if not staying or tokens <= budget:
        return ""
    return (
        f"its memories take {tokens:,} tokens without their quotes, "
        f"{tokens - budget:,} more than fold.budget, "
        f"and {staying:,} of them are edited or pinned and so never folded: "
        "raise fold.budget in memproc.toml, or let some of them be folded (memproc unpin MEMORY)"
    )


def as_items(memories: Sequence[Memory], version: Version) -> list[SectionItem]:
    """Return the memories as items of a section, each by itself."""
    return [_as_item(memory, version, (memory.memory_id,)) for memory in memories]


def _as_item(memory: Memory, version: Version, covers: tuple[str, ...]) -> SectionItem:
    edition = version(memory)
    quotes = edition.permanent_tokens
    return SectionItem(
        name=memory.memory_id,
        level=memory.level,
        tokens=0 if memory.forgotten else max(1, edition.tokens - quotes),
        covers=covers,
        never_folded=_is_never_folded(memory),
        quotes=0 if memory.forgotten else quotes,
        source=0 if memory.is_fold else memory.source_tokens,
    )


def _is_never_folded(memory: Memory) -> bool:
    """Return whether the person has pinned it or chosen their own edition, and not deleted it."""
    return not memory.forgotten and memory.keeps_its_words


@dataclass(frozen=True, slots=True)
class State:
    """The state of a memory or a fold."""

    word: Literal["shown", "folded", "forgotten", "not in use"]
    """What the chat does with the memory or fold.

    `not in use`: the archive still has the fold, but its memories are shown or are in another fold.
    """
    into: str = ""
    """The id of the fold that it is in; empty where it is in none."""


def find_states(chat_id: str, memories: Sequence[Memory], bounds: Bounds) -> dict[str, State]:
    """Return by id the state of each memory and fold of a chat, in an export with these bounds."""
    by_id = memories_by_id(memories)
    chunks = [memory.memory_id for memory in memories_of_chunks(memories)]
    top = [
        item.name
        for item in view_section(chat_id, memories, len(chunks), bounds, version_in_export).items
    ]
    inside: dict[str, str] = {}  # the fold that each memory is in, by id
    for name in top:
        for part in with_all_inside(by_id[name], by_id):
            inside |= dict.fromkeys(part.members, part.memory_id)
    # Where a fold is still to be made, the view ends early: what comes after it is shown as it is.
    top += [name for name in chunks if name not in inside]
    state_of: dict[str, State] = {}
    for name, memory in by_id.items():
        if memory.forgotten:
            state_of[name] = State("forgotten")
        elif name in inside:
            state_of[name] = State("folded", inside[name])
        else:
            state_of[name] = State("shown" if name in top else "not in use")
    return state_of


def marks_of(memory: Memory, state: State) -> tuple[str, ...]:
    """Return a mark of a word or two for everything unusual about a memory."""
    edition = memory.edition
    marks = {
        state.word: state.word in ("forgotten", "not in use"),
        "yours": edition.kind == "person",
        "extracted": edition.is_extracted,
        "odd form": bool(edition.form),
        "hindsight": edition.kind == "hindsight",
        "pinned": memory.pinned,
        "recalled": memory.recalled,
        "new edition due": bool(memory.due),
    }
    return tuple(mark for mark, is_marked in marks.items() if is_marked)


def notes_of(memory: Memory) -> tuple[str, ...]:
    """Return a clause for each mark of a memory that has a reason or a next step."""
    notes = {
        f"kept in spite of its form: {memory.edition.form}": memory.edition.form,
        "recalled: it comes back with the next run": memory.recalled,
        f"new edition due: {memory.due}": memory.due,
    }
    return tuple(note for note, is_so in notes.items() if is_so)
