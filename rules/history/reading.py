"""An export of a chat, read against what the archive knows of it: what is what, and what the person did."""

from collections.abc import Mapping
from dataclasses import dataclass

from rules.history.absent import NOTHING_ABSENT, Absent
from rules.history.adopt import Adopted
from rules.history.entries import Entry
from rules.history.hand import Hand
from rules.history.recognise import Place
from rules.memory.edition import Edition
from rules.memory.memory import Memory


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that is known of a chat when its export has been read. Nothing of it is kept yet."""

    places: tuple[Place, ...]
    entries: tuple[Entry, ...]
    memories: tuple[Memory, ...]
    """All of the chat, oldest first, and then its folds; as they are after what the person did."""
    adopted: Adopted
    """Those that the archive does not have for this chat yet."""
    hand: Hand
    person: Mapping[str, Edition]
    """The texts that the person has written, as editions, by memory id."""
    absent: Absent = NOTHING_ABSENT
    """What the export lacks of the messages that the archive has seen."""

    @property
    def chunk_memories(self) -> tuple[Memory, ...]:
        """Those that are no folds, oldest first."""
        return tuple(memory for memory in self.memories if not memory.is_fold)
