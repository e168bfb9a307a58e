"""Which memories the person has deleted for sure: TypingMind's own list of deletions names them."""

from collections.abc import Collection, Mapping, Sequence

from rules.history.marker import MEMORY, Marker
from rules.memory.memory import Memory, aliases


def deleted_memories(
    memories: Sequence[Memory], deleted: Collection[str], ours: Mapping[str, Marker]
) -> frozenset[str]:
    """Ids of the memories of which, or of whose highest folds, a message of the edition shown last is in the list.

    Older editions and folded memories are in it too, since we took their messages out ourselves. `ours` are the
    markers of all our messages, by uuid.
    """
    names = aliases(memories)
    markers = [ours[uuid] for uuid in deleted if uuid in ours and ours[uuid].kind == MEMORY]
    listed = {(names.get(one.memory, one.memory), one.edition) for one in markers}
    folded = {member for one in memories for member in one.members}
    highest = [one for one in memories if one.memory_id not in folded]
    found = {one.memory_id for one in highest if (one.memory_id, one.edition.number) in listed}
    for fold in sorted((one for one in memories if one.is_fold), key=lambda one: -one.level):
        if fold.memory_id in found:
            found.update(fold.members)
    return frozenset(found)
