"""The memory section of a chat: which of its memories and folds stand in it, for prompts and for the export."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rules.memory.fold import fold_id
from rules.memory.memory import CHUNK_LEVEL, Memory
from rules.plan.fold import Standing, View, Wanted, view

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
    missing: Callable[[Wanted], Standing | None] = lambda wanted: None,
    coming: Sequence[tuple[str, int]] = (),
) -> View:
    """What stands for the first `upto` of a chat's memories. The same memories give the same section on any day.

    `memories` are all of the chat and its folds; `coming` are names and sizes of those that are not made yet, and
    `missing` may stand in for a fold that is not made.
    """
    by_id = {memory.memory_id: memory for memory in memories}
    kept = {_covers(memory, by_id): memory for memory in memories if memory.is_fold and _is_kept(memory)}

    def find(wanted: Wanted) -> Standing | None:
        # A fold that the person has edited stays, also where what it stands for has got new editions since.
        if own := kept.get(wanted.covers):
            return _standing(own, size, wanted.covers)
        if any(member.name not in by_id for member in wanted.members):
            return missing(wanted)
        name = fold_id(chat_id, [by_id[member.name] for member in wanted.members])
        fold = by_id.get(name)
        return missing(wanted) if fold is None else _standing(fold, size, wanted.covers)

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
