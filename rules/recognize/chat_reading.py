"""An export of a chat, read against what the archive knows of it: what is what, and what the person did."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules.conversation.history import Entry
from rules.conversation.memory import Edition, Memory
from rules.recognize.absent import NOTHING_ABSENT, Absent, Sure
from rules.recognize.adopt import Adopted
from rules.recognize.recognize import Place
from rules.recognize.user_edits import SLOTS, PersonEdits, groups


@dataclass(frozen=True, slots=True)
class ChatReading:
    """Everything that is known of a chat when its export has been read. Nothing of it is kept yet."""

    places: tuple[Place, ...]
    entries: tuple[Entry, ...]
    memories: tuple[Memory, ...]
    """All of the chat, oldest first, and then its folds; as they are after what the person did."""
    adopted: Adopted
    """The memories that the archive does not have for this chat yet."""
    edits: PersonEdits
    person: Mapping[str, Edition]
    """The texts that the person has written, as editions, by memory id."""
    absent: Absent = NOTHING_ABSENT
    """The messages that the archive has seen and that the export lacks."""

    @property
    def chunk_memories(self) -> tuple[Memory, ...]:
        """The memories that are no folds, oldest first."""
        return tuple(memory for memory in self.memories if not memory.is_fold)


_MOST_NAMES = 12
_WHETHER: dict[Sure, str] = {
    "deletions are named": "and TypingMind does not name them as deleted",
    "the list was full": "and whether you deleted them cannot be told, since TypingMind names only the last 100",
    "nothing is named": "and whether you deleted them cannot be told, since this TypingMind names no deletions",
}


def user_edits(reading: ChatReading) -> str:
    """Describe what the person did, in numbers and without a full stop; empty where they did nothing."""
    edits, absent = reading.edits, reading.absent
    chunks = {memory.memory_id for memory in reading.chunk_memories}
    live = {memory.memory_id for memory in reading.memories if not memory.forgotten}
    # Messages of memories that the export lacks, and that the next updated export has again.
    put_back = sum(len(SLOTS) - len(group) for name, group in groups(reading.places).items() if name in live)
    counts = [
        (len(edits.edited), "yours kept"),
        (put_back, "put back"),
        (len(chunks.intersection(edits.recalled)), "back again"),
        (absent.deleted, "deleted message" if absent.deleted == 1 else "deleted messages"),
        (absent.replaced, "answer replaced" if absent.replaced == 1 else "answers replaced"),
    ]
    if forgotten := chunks.intersection(edits.forgotten):
        counts.append((len(forgotten), f"forgotten: memproc recall {_names(reading.memories, edits.forgotten)}"))
    parts = [", ".join(f"{count:,} {what}" for count, what in counts if count)]
    if count := len(absent.missing) + len(absent.under):
        messages = "1 message of the last time is" if count == 1 else f"{count:,} messages of the last time are"
        kept = "the archive and memproc expand keep" if absent.keys else "the archive keeps"
        parts.append(f"{messages} missing, {_WHETHER[absent.sure]}: {kept} what was said")
    return "; ".join(filter(None, parts))


def _names(memories: Sequence[Memory], forgotten: Sequence[str]) -> str:
    """The highest of what was forgotten: recalling a fold brings back all that it stands for."""
    inside = {name for memory in memories if memory.memory_id in forgotten for name in memory.members}
    names = [name for name in forgotten if name not in inside]
    return " ".join(names if len(names) <= _MOST_NAMES else [*names[:_MOST_NAMES], "..."])
