"""What the archive has of a chat's memories: them all with their states, the section's bounds."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from daemon.archive.archive import Archive
from daemon.archive.chats import HowNamed, agent_window, find_chat, known_chat, known_chats
from daemon.archive.memories import editions, find_memory, memories
from daemon.config.settings import Config
from rules.conversation.memory import Edition, Memory, memories_by_id, with_all_inside
from rules.errors import MemprocError
from rules.plan.fold_budget import Bounds
from rules.plan.folds import State, find_states

_EDITIONS = ("memory", "editions")


@dataclass(frozen=True, slots=True)
class Holding:
    """A chat's memories, oldest first, then its folds; with state and editions of each, by id."""

    chat_id: str
    memories: tuple[Memory, ...]
    by_id: Mapping[str, Memory]
    states: Mapping[str, State]
    editions: Mapping[str, tuple[Edition, ...]]
    bounds: Bounds

    def outermost(self) -> list[Memory]:
        """Return what is in no fold, oldest first.

        Forgotten memories keep their place; folds that are not in use are left out.
        """

        def oldest_number(memory: Memory) -> int:
            inside = with_all_inside(memory, self.by_id)
            return next(part.number for part in inside if not part.is_fold)

        words = ("shown", "forgotten")
        top = (memory for memory in self.memories if self.states[memory.memory_id].word in words)
        return sorted(top, key=oldest_number)

    @property
    def shown(self) -> list[Memory]:
        """Return the memories and folds that an export shows, oldest first."""
        return [
            memory for memory in self.outermost() if self.states[memory.memory_id].word == "shown"
        ]


def bounds_of(config: Config, window: int) -> Bounds:
    """Return the bounds of a chat's memory section; `config` is the one that counts for it."""
    return replace(config.limits.fold, window=window or None)


def chats_as_of(archive: Archive, config: Config) -> list[str]:
    """Return the ids of the chats that show as-of editions, though there is hindsight."""
    has_own = any(override.says(_EDITIONS) for override in config.chats.override)
    if not has_own and config.memory.editions == "hindsight":
        return []
    chats = []
    for known in known_chats(archive):
        with suppress(MemprocError):  # it is told where the chat is worked on
            if config.of(known_chat(archive, known.chat_id)).memory.editions == "as-of":
                chats.append(known.chat_id)
    return chats


def holding(archive: Archive, config: Config, chat_id: str) -> Holding:
    """Return all that there is of a known chat. Raises ChatSkipped where its settings clash."""
    own = config.of(known_chat(archive, chat_id))
    made = memories(archive, chat_id, own.memory.editions)
    all_editions = {memory.memory_id: editions(archive, memory.memory_id) for memory in made}
    bounds = bounds_of(own, agent_window(archive, chat_id))
    known = find_states(chat_id, made, bounds)
    return Holding(chat_id, made, memories_by_id(made), known, all_editions, bounds)


def holding_of(
    archive: Archive, config: Config, name: str, chat: str = "", how: HowNamed = "begun"
) -> tuple[Holding, Memory]:
    """Find a memory by its name, and return it with all of its chat.

    It is sought in one chat if one is named as `how` allows. Raises NotFound and ChatSkipped.
    """
    within = find_chat(archive, chat, how).chat_id if chat else ""
    chat_id, memory = find_memory(archive, name, chat_id=within)
    whole = holding(archive, config, chat_id)
    return whole, whole.by_id[memory.memory_id]
