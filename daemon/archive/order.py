"""In which order the messages of a chat stand in the archive, when another export of it has come."""

from collections.abc import Sequence

from rules.conversation.history import Entry
from rules.conversation.marker import MEMORY
from rules.recognize.recognize import Place


def order(known: Sequence[str], places: Sequence[Place], entries: Sequence[Entry]) -> list[str]:
    """All keys of a chat in the order of the conversation, each once.

    `known` are the archive's, in their order until now. The history gives the order of what was lived. What
    was left out, or is gone, stands behind the message that it stood behind until now; where it is new,
    behind the one that it stands behind in the export.
    """
    placed = {entry.key for entry in entries}
    behind: dict[str, list[str]] = {}
    for before, key in [*_known_neighbours(known), *_new_neighbours(places, entries)]:
        if key not in placed:
            placed.add(key)
            behind.setdefault(before, []).insert(0, key)
    found = []
    waiting = [*(entry.key for entry in reversed(entries)), ""]
    while waiting:
        key = waiting.pop()
        found.append(key)
        waiting += reversed(behind.get(key, []))
    return found[1:]


def _known_neighbours(known: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(["", *known], known, strict=False))


def _new_neighbours(places: Sequence[Place], entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """Each message of the export with the one before it; a memory counts as the last message under one."""
    last_under = next((entry.key for entry in reversed(entries) if entry.memory is not None), "")
    found, before = [], ""
    for place in places:
        if place.ours is None:
            found.append((before, place.key))
            before = place.key
        elif place.ours.kind == MEMORY:
            before = last_under
    return found
