"""What is written about one chunk of the plan, and how it is kept: a memory, a memory again, or with hindsight.

Each function holds the dialogue and returns what keeps its end: that is called in the order of the plan.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from daemon.archive.layers import Layer, begin_steps
from daemon.archive.memories import editions, keep_edition, keep_memory, next_edition, renew_chunk
from daemon.archive.rounds import end_turn
from daemon.models.tokens import count
from daemon.remembering.asking import desk_for
from daemon.remembering.compress import make_memory
from daemon.remembering.dialogue import Passage
from daemon.remembering.hindsight import make_hindsight
from daemon.survey import Survey, as_they_are
from daemon.wavefront.front import Front
from primer.models import token_factor
from primer.reply import Refused
from rules.conversation.history import Entry
from rules.conversation.memory import EXTRACTED, Edition, Memory, shown, told
from rules.errors import TooLong
from rules.plan.window import room_left
from rules.plan.work import PlannedChunk

KeepOne = Callable[[], bool]
"""Keeps what came of a chunk; whether it was extracted, and not written by a model."""


@dataclass(frozen=True, slots=True)
class Task:
    """A chat whose memories are written: where models are asked, what is known of it, and its memories so far."""

    front: Front
    found: Survey
    memories: list[Memory]


def write_new(task: Task, chunk: PlannedChunk, passage: Passage) -> KeepOne:
    """A chunk becomes a memory."""
    archive = task.front.house.archive
    memory = _written(task, chunk, passage, 1)

    def keep() -> bool:
        with archive.transaction():
            keep_memory(archive, task.found.plan.chat_id, memory)
            begin_steps(archive, memory.memory_id, memory.edition.number, _followed_by(task, chunk.number))
        task.memories.append(memory)
        return memory.edition.made == EXTRACTED

    return keep


def write_again(task: Task, chunk: PlannedChunk, passage: Passage) -> KeepOne:
    """A memory gets another as-of edition, unless it would be one more of the engine's."""
    archive = task.front.house.archive
    at, before = _of(chunk, task.memories)
    memory = _written(task, chunk, passage, next_edition(archive, before.memory_id))

    def keep() -> bool:
        extracted = memory.edition.made == EXTRACTED
        if before.due or not extracted:
            with archive.transaction():
                keep_edition(archive, before.memory_id, memory.edition)
                begin_steps(archive, before.memory_id, memory.edition.number, _followed_by(task, chunk.number))
                if before.due:
                    renew_chunk(archive, before.memory_id)
            task.memories[at] = _renewed(task, replace(before, due=""))
        return extracted

    return keep


def _followed_by(task: Task, number: int) -> Iterator[Layer]:
    """The layers that are to be looked after when this memory is kept."""
    layers = task.found.plan.layers
    if number in {chunk.number for chunk in layers.core}:
        yield "core"
    if number in {chunk.number for chunk in layers.facts}:
        yield "facts"


def look_back(task: Task, chunk: PlannedChunk, passage: Passage) -> KeepOne:
    """A memory gets its hindsight edition; none, where it could not be had, or no model's is there to keep to."""
    house, found = task.front.house, task.found
    at, before = _of(chunk, task.memories)
    if before.told.made == EXTRACTED:
        return lambda: True
    after = _seen_later(found, chunk)
    number = next_edition(house.archive, before.memory_id)
    desk = desk_for(task.front, found, chunk, sum(found.counts.all[entry.message.digest] for entry in after))
    try:
        edition = make_hindsight(desk, passage, after, before.told, found.roles, count, house.clock(), number)
    except TooLong:
        # The provider counts more than was foreseen. Without this edition the work can go on all the same.
        desk.note("hindsight too long for the window")
        edition = Refused("too long", "What came after does not fit into the model's window.")

    def keep() -> bool:
        with house.archive.transaction():
            if isinstance(edition, Edition):
                keep_edition(house.archive, before.memory_id, edition)
            end_turn(house.archive, before.memory_id)
        if isinstance(edition, Edition):
            task.memories[at] = _renewed(task, before)
        return isinstance(edition, Refused)

    return keep


def _written(task: Task, chunk: PlannedChunk, passage: Passage, number: int) -> Memory:
    desk = desk_for(task.front, task.found, chunk)
    return make_memory(desk, passage, task.found.roles, count, task.front.house.clock(), number)


def _seen_later(found: Survey, chunk: PlannedChunk) -> tuple[Entry, ...]:
    """The raw messages behind a chunk, as many as hindsight may see and the window holds; at least one.

    What the person has deleted or forgotten is not among them.
    """
    forgotten = {memory.number for memory in found.reading.chunk_memories if memory.forgotten}
    left = found.memory.hindsight_tokens
    if found.limit is not None:
        factor = token_factor(found.roles.agent.name)
        left = min(left, room_left(chunk, found.plan.fixed_tokens, factor, found.limit))
    seen: list[Entry] = []
    for entry in as_they_are(found.reading.entries[chunk.stop :]):
        if entry.memory in forgotten:
            continue
        left -= found.counts.all[entry.message.digest]
        if left < 0 and seen:
            break
        seen.append(entry)
    return tuple(seen)


def _renewed(task: Task, memory: Memory) -> Memory:
    """The memory with all editions that the archive has of it by now."""
    every = editions(task.front.house.archive, memory.memory_id)
    preferred = task.found.memory.editions
    return replace(memory, edition=shown(every, memory.chosen, preferred), told=told(every, memory.chosen))


def _of(chunk: PlannedChunk, memories: Sequence[Memory]) -> tuple[int, Memory]:
    return next((at, one) for at, one in enumerate(memories) if not one.is_fold and one.number == chunk.number)
