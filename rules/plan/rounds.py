"""Which memories get a hindsight edition: the last before a round's new ones, each at most once by itself.

A round is begun when new chunks are planned, and is over when the last of them has its memory. A round that was
broken off goes on as it was begun, so that a kill changes nothing of what comes of it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rules.conversation.memory import WRITTEN, Memory


@dataclass(frozen=True, slots=True)
class Round:
    """A round as it was begun last."""

    upto: int = 0
    """Number of the memory that its last chunk becomes."""
    chosen: Collection[str] = ()
    """Ids of the memories that get a hindsight edition and have none yet."""
    had: Collection[str] = ()
    """Ids of those whose turn is over, with an edition or without."""
    numbers: Collection[int] = ()
    """Numbers of the chosen memories for which that can be done now."""


def hindsight_round(last: Round, memories: Sequence[Memory], new: int, most: int, again: Collection[int] = ()) -> Round:
    """The round to go on with, or the one that `new` chunks begin. `most` is how many get hindsight; 0 for none.

    `memories` are those of chunks, oldest first; `again` are the numbers of those that are written again before it.
    """
    chosen, upto = set(last.chosen), last.upto
    if new and len(memories) >= last.upto:
        upto = len(memories) + new
        chosen |= {memory.memory_id for memory in memories[max(0, len(memories) - most) :]} - set(last.had)
    free = (memory for memory in memories if memory.memory_id in chosen and most and _is_free(memory, again))
    return Round(upto, frozenset(chosen), last.had, tuple(memory.number for memory in free))


def _is_free(memory: Memory, again: Collection[int]) -> bool:
    """Its raw messages are known, the person has not touched it, and a model wrote it, or does before its turn."""
    if not memory.keys or memory.pinned or memory.forgotten:
        return False
    return memory.number in again or (memory.told.made == WRITTEN and not memory.due)
