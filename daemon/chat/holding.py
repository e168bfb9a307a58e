"""What the archive has of a chat's memories: all of them with their states, and the section's bounds.

A setting of bounds that is written counts. Without one a chat that has folds keeps to the budget that
they were made under, until the person says "auto": each of its messages would take more. A chat
without folds begins with "auto".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from daemon.archive.archive import Archive
from daemon.archive.chats import (
    FoldLimits,
    HowNamed,
    find_chat,
    fold_limits,
    fold_limits_of_origin,
    known_chat,
)
from daemon.archive.memories import editions, find_memory, memories
from daemon.config.settings import Config
from rules.conversation.memory import CHUNK_LEVEL, Edition, Memory
from rules.plan.fold_budget import LEAST, Bounds
from rules.plan.folds import State, states
from rules.recognize.adopted import Adopted


@dataclass(frozen=True, slots=True)
class Holding:
    """A chat's memories, oldest first, then its folds; with state and editions of each, by id."""

    chat_id: str
    memories: tuple[Memory, ...]
    states: Mapping[str, State]
    editions: Mapping[str, tuple[Edition, ...]]
    bounds: Bounds

    def memory(self, memory_id: str) -> Memory:
        """Return the memory of that id, which is one of these."""
        return next(memory for memory in self.memories if memory.memory_id == memory_id)

    def members(self, fold: Memory) -> list[Memory]:
        """Return the memories and folds that are in this fold now."""
        own = (name for name in fold.members if self.states[name].into == fold.memory_id)
        return [self.memory(name) for name in own]

    def outermost(self) -> list[Memory]:
        """Return what is in no fold, oldest first; forgotten memories keep their place."""
        words = ("shown", "forgotten")
        top = (memory for memory in self.memories if self.states[memory.memory_id].word in words)
        return sorted(top, key=self._oldest_number)

    def _oldest_number(self, memory: Memory) -> int:
        while memory.is_fold:
            memory = self.memory(memory.members[0])
        return memory.number


def bounds_of(config: Config, kept: FoldLimits) -> Bounds:
    """Return the bounds of a chat's memory section; `config` is the one that counts for it."""
    bounds = replace(config.limits.fold, window=kept.window or None)
    return replace(bounds, budget=kept.budget) if keeps_to_folds(config, kept) else bounds


def keeps_to_folds(config: Config, kept: FoldLimits) -> bool:
    """Return whether a chat keeps to the budget of its folds, since no other is written."""
    return bool(kept.budget) and not config.fold.says_budget


def limits_before(archive: Archive, chat_id: str, adopted: Adopted) -> FoldLimits:
    """Return what a chat has kept to, or what the memories that it takes over were made under."""
    if not adopted.memories:
        return fold_limits(archive, chat_id)
    origins = [name for memory in adopted.memories for name in memory.origins]
    origin = fold_limits_of_origin(archive, origins)
    return FoldLimits(_budget_of_frozen(adopted.memories)) if origin is None else origin


def _budget_of_frozen(memories: Sequence[Memory]) -> int:
    """Return the budget of memories whose archive is lost: the least, if its folds fit into it."""
    if all(memory.level == CHUNK_LEVEL for memory in memories):
        return 0
    shown = (memory.edition.tokens - memory.edition.permanent_tokens for memory in memories)
    return LEAST if sum(shown) <= LEAST else 0


def holding(archive: Archive, config: Config, chat_id: str) -> Holding:
    """Return all that there is of a known chat. Raises ChatSkipped where its settings clash."""
    own = config.of(known_chat(archive, chat_id))
    made = memories(archive, chat_id, own.memory.editions)
    all_editions = {memory.memory_id: editions(archive, memory.memory_id) for memory in made}
    bounds = bounds_of(own, fold_limits(archive, chat_id))
    return Holding(chat_id, made, states(chat_id, made, bounds), all_editions, bounds)


def holding_of(
    archive: Archive, config: Config, name: str, chat: str = "", how: HowNamed = "begun"
) -> tuple[Holding, Memory]:
    """Find a memory by its name, in one chat if one is named as `how` allows; return it with all of its chat.

    Raises NotFound and ChatSkipped.
    """
    within = find_chat(archive, chat, how).chat_id if chat else ""
    chat_id, memory = find_memory(archive, name, chat_id=within)
    whole = holding(archive, config, chat_id)
    return whole, whole.memory(memory.memory_id)
