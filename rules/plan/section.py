"""What stands in the memory section of a chat: its memories and folds now, those that are expected, and their states.

section     what stands for the first so many of a chat's memories
Foresight   the same with memories that are still to come
states      for each memory whether it is shown, folded, forgotten or not in use
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rules.conversation.memory import CHUNK_LEVEL, Memory, fold_id
from rules.plan.folds import MissingFold, Standing, View, expected_fold, view

Size = Callable[[Memory], int]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The numbers of `[fold]` in memproc.toml: tokens of the section, and how many items become a fold."""

    budget: int
    group: int


def told_tokens(memory: Memory) -> int:
    """How large a memory is in later prompts."""
    return 0 if memory.forgotten else memory.told.tokens


def shown_tokens(memory: Memory) -> int:
    """How large a memory is in the export."""
    return 0 if memory.forgotten else memory.edition.tokens


def section(
    chat_id: str,
    memories: Sequence[Memory],
    upto: int,
    bounds: Bounds,
    size: Size,
    stand_in: Callable[[MissingFold], Standing | None] = lambda missing: None,
    coming: Sequence[tuple[str, int]] = (),
) -> View:
    """What stands for the first `upto` of a chat's memories. The same memories give the same section on any day.

    `memories` are all of the chat and its folds; `coming` are names and sizes of those that are not made yet, and
    `stand_in` may give something in the place of a fold that is not made.
    """
    by_id = {memory.memory_id: memory for memory in memories}
    kept = {_covers(memory, by_id): memory for memory in memories if memory.is_fold and _is_kept(memory)}

    def find(missing: MissingFold) -> Standing | None:
        # A fold that the person has edited stays, also where what it stands for has got new editions since.
        if own := kept.get(missing.covers):
            return _standing(own, size, missing.covers)
        if any(member.name not in by_id for member in missing.members):
            return stand_in(missing)
        name = fold_id(chat_id, [by_id[member.name] for member in missing.members])
        fold = by_id.get(name)
        return stand_in(missing) if fold is None else _standing(fold, size, missing.covers)

    items = standing([memory for memory in memories if not memory.is_fold], size)
    items += [Standing(name, CHUNK_LEVEL, tokens, (name,)) for name, tokens in coming]
    return view(items[:upto], bounds.budget, bounds.group, find)


def over_budget(shown: Sequence[Standing], bounds: Bounds) -> str:
    """That what is never folded makes a section larger than its budget, as half a sentence; empty where it does not."""
    tokens, kept = sum(item.tokens for item in shown), sum(item.kept for item in shown)
    if not kept or tokens <= bounds.budget:
        return ""
    return (
        f"its memories take {tokens:,} tokens, {tokens - bounds.budget:,} more than fold.budget, and {kept:,} of them "
        "are edited or pinned and so never folded: raise fold.budget in memproc.toml, or let some of them be folded "
        "(memproc unpin MEMORY)"
    )


def standing(memories: Sequence[Memory], size: Size) -> list[Standing]:
    """The memories as they stand in a section, one by one."""
    return [_standing(memory, size, (memory.memory_id,)) for memory in memories]


def _standing(memory: Memory, size: Size, covers: tuple[str, ...]) -> Standing:
    return Standing(memory.memory_id, memory.level, size(memory), covers, _is_kept(memory))


def _is_kept(memory: Memory) -> bool:
    """The person has edited or pinned it. A fold of a lost archive is pinned only because nobody can write it again."""
    is_lone_fold = memory.level > CHUNK_LEVEL and not memory.is_fold
    return not memory.forgotten and (memory.told.kind == "person" or (memory.pinned and not is_lone_fold))


def _covers(memory: Memory, by_id: Mapping[str, Memory]) -> tuple[str, ...]:
    """Names of the chunk memories that it stands for."""
    if not memory.is_fold:
        return (memory.memory_id,)
    return tuple(name for member in memory.members for name in _covers(by_id[member], by_id))


@dataclass(frozen=True, slots=True)
class Foresight:
    """What is known of a chat's memories, and what is expected of those to come."""

    chat_id: str
    memories: Sequence[Memory]
    coming: Sequence[int]
    """About how many tokens the memories will have that are made now."""
    bounds: Bounds
    longest: int = 1
    """So many times as large as expected the coming ones are taken to be."""

    def before(self, upto: int) -> int:
        """About how many tokens stand for the first `upto` memories."""
        return self._view(upto, []).tokens

    def folds_to_make(self) -> tuple[int, ...]:
        """The folds that are missing until all is done, each with about how many tokens its members have."""
        missing: list[MissingFold] = []
        self._view(len(self.memories) + len(self.coming), missing)
        return tuple(sum(member.tokens for member in fold.members) for fold in missing)

    def over_budget(self) -> str:
        """That what the person has edited or pinned leaves the section too large, when all is done; empty if not."""
        return over_budget(self._view(len(self.memories) + len(self.coming), []).standing, self.bounds)

    def _view(self, upto: int, missing: list[MissingFold]) -> View:
        def expect(fold: MissingFold) -> Standing:
            missing.append(fold)
            return Standing(" ".join(fold.covers), fold.level, expected_fold(fold), fold.covers)

        coming = [(str(at), self.longest * tokens) for at, tokens in enumerate(self.coming)]
        return section(self.chat_id, self.memories, upto, self.bounds, told_tokens, expect, coming)


@dataclass(frozen=True, slots=True)
class State:
    """Where a memory is. `into`: the id of the fold that it went into; empty where it is in none."""

    word: Literal["shown", "folded", "forgotten", "not in use"]
    """`not in use`: a fold that is kept, and whose memories are shown, or stand in another fold."""
    into: str = ""

    def __str__(self) -> str:
        return f"folded into {self.into}" if self.into else self.word


def states(chat_id: str, memories: Sequence[Memory], bounds: Bounds) -> dict[str, State]:
    """The state of each of a chat's memories and folds, by id, as the section of its export is with these bounds."""
    by_id = {memory.memory_id: memory for memory in memories}
    chunks = sum(not memory.is_fold for memory in memories)
    view = section(chat_id, memories, chunks, bounds, shown_tokens)
    top = [item.name for item in view.standing]
    inside = _inside(by_id, top)
    # Where a fold is still to be made, the view ends early: the memories behind that are shown as they are.
    top += [memory.memory_id for memory in memories if not memory.is_fold and memory.memory_id not in inside]
    return {name: _state(memory, top, inside) for name, memory in by_id.items()}


def in_words(memory: Memory, state: State) -> str:
    """All that a person should know of it, with commas: state, pinned, recalled, a new edition that is due and why."""
    words = [str(state)]
    words += ["pinned"] if memory.pinned else []
    words += ["recalled: it comes back with the next run"] if memory.recalled else []
    words += [f"new edition due ({memory.due})"] if memory.due else []
    return ", ".join(words)


def _inside(by_id: Mapping[str, Memory], top: Sequence[str]) -> dict[str, str]:
    """By id of a memory: the fold that it stands in."""
    inside: dict[str, str] = {}
    waiting = list(top)
    while waiting:
        name = waiting.pop()
        members = by_id[name].members
        inside |= dict.fromkeys(members, name)
        waiting += members
    return inside


def _state(memory: Memory, top: Sequence[str], inside: Mapping[str, str]) -> State:
    name = memory.memory_id
    if memory.forgotten:
        return State("forgotten")
    if name in inside:
        return State("folded", inside[name])
    return State("shown") if name in top else State("not in use")
