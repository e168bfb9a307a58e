"""Which memories get a hindsight edition: the last before a round's new ones, each at most once by itself.

A round is begun when new chunks are planned, and is over when the last of them has its memory. A round that was
broken off goes on as it was begun, so that a kill changes nothing of what comes of it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rules.conversation.memory import WRITTEN, Memory
from rules.plan.folds import Bounds, section, shown_tokens


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
        chosen |= {one.memory_id for one in memories[len(memories) - min(most, len(memories)) :]} - set(last.had)
    numbers = [one.number for one in memories if one.memory_id in chosen and most and _is_free(one, again)]
    return Round(upto, frozenset(chosen), last.had, tuple(numbers))


def _is_free(memory: Memory, again: Collection[int]) -> bool:
    """Its raw messages are known, the person has not touched it, and a model wrote it, or does before its turn."""
    if not memory.keys or memory.pinned or memory.forgotten:
        return False
    return memory.number in again or (memory.told.made == WRITTEN and not memory.due)


@dataclass(frozen=True, slots=True)
class State:
    """Where a memory is. `into`: the id of the fold that it went into; empty where it is in none."""

    word: Literal["shown", "folded", "forgotten", "not in use"]
    """`not in use`: a fold that is kept, and whose memories are shown, or stand in another fold."""
    into: str = ""

    def __str__(self) -> str:
        return f"folded into {self.into}" if self.into else self.word


def states(chat_id: str, memories: Sequence[Memory], bounds: Bounds) -> dict[str, State]:
    """The state of each of a chat's memories and folds, by id, as the section of its export is with these bounds."""
    by_id = {memory.memory_id: memory for memory in memories}
    chunks = sum(not memory.is_fold for memory in memories)
    view = section(chat_id, memories, chunks, bounds, shown_tokens)
    top = [item.name for item in view.standing]
    inside = _inside(by_id, top)
    # Where a fold is still to be made, the view ends early: the memories behind that are shown as they are.
    top += [one.memory_id for one in memories if not one.is_fold and one.memory_id not in inside]
    return {name: _state(memory, top, inside) for name, memory in by_id.items()}


def in_words(memory: Memory, state: State) -> str:
    """All that a person should know of it, with commas: state, pinned, recalled, a new edition that is due and why."""
    told = [str(state)]
    told += ["pinned"] if memory.pinned else []
    told += ["recalled: it comes back with the next run"] if memory.recalled else []
    told += [f"new edition due ({memory.due})"] if memory.due else []
    return ", ".join(told)


def _inside(by_id: Mapping[str, Memory], top: Sequence[str]) -> dict[str, str]:
    """By id of a memory: the fold that it stands in."""
    found: dict[str, str] = {}
    waiting = list(top)
    while waiting:
        name = waiting.pop()
        members = by_id[name].members
        found |= dict.fromkeys(members, name)
        waiting += members
    return found


def _state(memory: Memory, top: Sequence[str], inside: Mapping[str, str]) -> State:
    name = memory.memory_id
    if memory.forgotten:
        return State("forgotten")
    if name in inside:
        return State("folded", inside[name])
    return State("shown") if name in top else State("not in use")
