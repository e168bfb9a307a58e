"""What the archive holds of one chat's memories, with the settings that count for this chat."""

from collections.abc import Mapping
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chat
from daemon.archive.memories import editions, find_memory, memories
from daemon.config import Config
from rules.conversation.memory import Edition, Memory
from rules.plan.section import State, states


@dataclass(frozen=True, slots=True)
class Holding:
    """A chat's memories, oldest first, and then its folds; with the state and all editions of each, by id."""

    chat_id: str
    memories: tuple[Memory, ...]
    states: Mapping[str, State]
    editions: Mapping[str, tuple[Edition, ...]]

    def memory(self, memory_id: str) -> Memory:
        """The memory of that id, which is one of these."""
        return next(memory for memory in self.memories if memory.memory_id == memory_id)


def holding(archive: Archive, config: Config, chat_id: str) -> Holding:
    """All that there is of a chat that the archive knows. Raises ChatSetAside where its settings clash."""
    own = config.of(known_chat(archive, chat_id))
    found = memories(archive, chat_id, own.memory.editions)
    every = {memory.memory_id: editions(archive, memory.memory_id) for memory in found}
    return Holding(chat_id, found, states(chat_id, found, own.limits.fold), every)


def holding_of(archive: Archive, config: Config, wanted: str) -> tuple[Holding, Memory]:
    """The memory of that id, or whose id begins so, and all of its chat. Raises NotFound and ChatSetAside."""
    chat_id, found = find_memory(archive, wanted)
    whole = holding(archive, config, chat_id)
    return whole, whole.memory(found.memory_id)
