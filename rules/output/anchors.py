"""Where in an output each memory goes: the memories of a chat, and the index each is put before."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rules.conversation.history import Entry
from rules.conversation.memory import Memory
from rules.conversation.place import Place
from rules.recognize.user_edits import groups


@dataclass(frozen=True, slots=True)
class MemorySection:
    """All memories and folds of a chat, and those of them to show, oldest first."""

    memories: Sequence[Memory]
    shown: Sequence[Memory]
    touched: Collection[str] = ()
    """Ids of memories whose messages stay as the export has them, in any edition."""


def memories_by_anchor(
    places: Sequence[Place], entries: Sequence[Entry], section: MemorySection
) -> dict[int, list[Memory]]:
    """Return the shown memories by the index of the export that they are put before.

    That is where their own messages begin in the export, or else the messages they were made of.
    Memories never change their order: each is put where the one before it is, or later.
    """
    first = _first_indices(places, entries, section.memories)
    anchors = [first.get(memory.memory_id) for memory in section.shown]
    live = [entry.at for entry in entries if entry.memory is None and entry.at is not None]
    at = next((anchor for anchor in anchors if anchor is not None), min(live, default=len(places)))
    waiting: dict[int, list[Memory]] = {}
    for memory, anchor in zip(section.shown, anchors, strict=True):
        at = max(at, anchor if anchor is not None else at)
        waiting.setdefault(at, []).append(memory)
    return waiting


def _first_indices(
    places: Sequence[Place], entries: Sequence[Entry], memories: Sequence[Memory]
) -> dict[str, int]:
    """Return by memory id where in the export it begins, or what it was made of."""
    first = {
        name: min(place.at for place in group.values()) for name, group in groups(places).items()
    }
    raw = _first_raw(entries)
    for memory in sorted(memories, key=lambda memory: (memory.is_fold, memory.level)):
        inside = [first[name] for name in memory.members if name in first]
        inside += [raw[memory.number]] if not memory.is_fold and memory.number in raw else []
        if memory.memory_id not in first and inside:
            first[memory.memory_id] = min(inside)
    return first


def _first_raw(entries: Sequence[Entry]) -> dict[int, int]:
    """Return by memory number where in the export the first of its raw messages is."""
    first: dict[int, int] = {}
    for entry in entries:
        if entry.at is not None and entry.memory is not None:
            first[entry.memory] = min(entry.at, first.get(entry.memory, entry.at))
    return first
