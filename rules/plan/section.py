"""The memory section of a chat: which of its memories and folds stand in it, for prompts and for the export (D13)."""

from collections.abc import Callable, Sequence
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

    def find(wanted: Wanted) -> Standing | None:
        if any(member.name not in by_id for member in wanted.members):
            return missing(wanted)
        name = fold_id(chat_id, [by_id[member.name] for member in wanted.members])
        fold = by_id.get(name)
        return missing(wanted) if fold is None else Standing(name, wanted.level, size(fold), wanted.covers)

    items = [_standing(memory, size) for memory in memories if not memory.is_fold]
    items += [Standing(name, CHUNK_LEVEL, tokens, (name,)) for name, tokens in coming]
    return view(items[:upto], bounds.budget, bounds.group, find)


def _standing(memory: Memory, size: Size) -> Standing:
    return Standing(memory.memory_id, memory.level, size(memory), (memory.memory_id,))
