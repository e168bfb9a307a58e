"""An export of a chat read against the archive; what was edited or is missing, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rules.conversation.history import (
    SLOTS,
    Entry,
    Place,
    build_history,
    group_by_memory,
    mark_strays,
    update_past,
)
from rules.conversation.kept_wishes import find_wishes_left
from rules.conversation.memory import (
    Count,
    Edition,
    Memory,
    memories_of_chunks,
)
from rules.recognize.absent import NOTHING_ABSENT, Absent, Evidence
from rules.recognize.adopted import Adopted
from rules.recognize.known import Recognized
from rules.recognize.user_edits import PersonEdits, find_edits
from rules.wording import counted

_MOST_NAMES = 12
_NOT_TOLD = "and whether you deleted {them} cannot be told"
_WHETHER: dict[Evidence, str] = {
    "deletions are named": "and TypingMind does not name {them} as deleted",
    "the list was full": f"{_NOT_TOLD}, since TypingMind names only the last 100",
    "nothing is named": f"{_NOT_TOLD}, since this TypingMind names no deletions",
}


@dataclass(frozen=True, slots=True)
class ChatReading:
    """Everything that is known of a chat once its export has been read.

    The archive has not kept any of it yet.
    """

    places: tuple[Place, ...]
    entries: tuple[Entry, ...]
    memories: tuple[Memory, ...]
    """All memories of the chat, oldest first, then its folds; with the person's edits applied."""
    adopted: Adopted
    """The memories that the archive does not have for this chat yet."""
    edits: PersonEdits
    person: Mapping[str, Edition]
    """The texts that the person has written, as editions, by memory id."""
    absent: Absent = NOTHING_ABSENT
    """The messages that the archive has seen and that the export lacks."""
    first_seen: Mapping[str, str] = field(default_factory=dict)
    """When each raw message was first seen before this export, by its key."""

    @property
    def chunk_memories(self) -> tuple[Memory, ...]:
        """Return the memories that are not folds, oldest first."""
        return tuple(memories_of_chunks(self.memories))

    @property
    def forgotten(self) -> frozenset[int]:
        """Return the numbers of the memories of chunks that the person has forgotten."""
        return frozenset(memory.number for memory in self.chunk_memories if memory.forgotten)


def build_reading(
    export: Recognized, adopted: Adopted, absent: Absent, count: Count, now: str
) -> ChatReading:
    """Build the reading of a chat, with the person's edits applied to its memories."""
    known, places = export.known, export.places
    edits = find_edits(known, places, export.shown, absent.under)
    by_person = {}
    for name, edited in edits.edited.items():
        by_person[name] = replace(
            edited,
            number=1 + known.editions[name][-1].number,
            kind="person",
            requests=(),
            wishes=find_wishes_left(edited),
            tokens=sum(count(text) for text in edited.texts),
            written_at=now,
        )
    changed = {memory.number for memory in known.memories if memory.memory_id in edits.changed}
    past_now = update_past(known.past, places, changed, edits.deleted)
    places = mark_strays(past_now, places)
    after = []
    for memory in known.memories:
        after.append(_apply_edits(memory, by_person.get(memory.memory_id), edits))
    entries = build_history(past_now, places)
    return ChatReading(places, entries, tuple(after), adopted, edits, by_person, absent, known.seen)


def _apply_edits(memory: Memory, own: Edition | None, edits: PersonEdits) -> Memory:
    """Return a memory with the person's edits applied; `own` is the edition that they wrote."""
    name = memory.memory_id
    if own:
        memory = replace(memory, edition=own, in_prompts=own, chosen=own.number, pinned=True)
    was_forgotten = memory.forgotten or name in edits.forgotten
    forgotten = was_forgotten and name not in edits.recalled
    return replace(memory, forgotten=forgotten, due=edits.changed.get(name, memory.due))


def describe_edits(reading: ChatReading) -> str:
    """Describe what the person did, in numbers and without a full stop; "" if nothing.

    It counts memories that were edited, forgotten or recalled, or whose messages changed, and
    messages that were deleted, branched or replaced.
    """
    edits, absent = reading.edits, reading.absent
    chunks = {memory.memory_id for memory in reading.chunk_memories}
    # The export lacks these messages of memories, and the next one gets them back.
    live = {memory.memory_id for memory in reading.memories if not memory.forgotten}
    shown = group_by_memory(reading.places)
    put_back = sum(len(SLOTS) - len(group) for name, group in shown.items() if name in live)
    edited = "memory stays" if len(edits.edited) == 1 else "memories stay"
    names = _list_names(reading.memories, edits.forgotten)
    changed = "memory has" if len(edits.changed) == 1 else "memories have"
    counts = [
        (len(edits.edited), f"{edited} as you wrote it"),
        (len(edits.changed), f"{changed} messages that were edited or deleted"),
        (put_back, "put back"),
        (len(chunks.intersection(edits.recalled)), "back again"),
        (absent.deleted, "deleted message" if absent.deleted == 1 else "deleted messages"),
        (absent.branched, "in another branch now, and in the archive"),
        (absent.replaced, "answer replaced" if absent.replaced == 1 else "answers replaced"),
        (len(chunks.intersection(edits.forgotten)), f"forgotten: memproc recall {names}"),
    ]
    return ", ".join(f"{count:,} {what}" for count, what in counts if count)


def describe_missing(absent: Absent) -> str:
    """Describe what is missing without a known deletion by the person; "" if nothing."""
    count = absent.newly_missing
    if not count:
        return ""
    of_last_time = "message of the last time is", "messages of the last time are"
    kept = "the archive and memproc expand keep" if absent.keys else "the archive keeps"
    whether = _WHETHER[absent.evidence].format(them="it" if count == 1 else "them")
    return f"{counted(count, *of_last_time)} missing, {whether}: {kept} what was said"


def _list_names(memories: Sequence[Memory], forgotten: Sequence[str]) -> str:
    """List the outermost of what was forgotten: recalling a fold brings back all its memories."""
    inside = {
        name for memory in memories if memory.memory_id in forgotten for name in memory.members
    }
    names = [name for name in forgotten if name not in inside]
    return " ".join(names if len(names) <= _MOST_NAMES else [*names[:_MOST_NAMES], "..."])
