"""The work on a chat's memories, in the order of its plan; each is kept before the next is begun.

again        memories of the engine's that a model can write now (D8), and those whose raw messages changed (D11)
hindsight    the last memories before the new ones, with what came after in view (D12)
chunks       new memories, oldest first
"""

from collections.abc import Sequence
from dataclasses import replace

from daemon.archive.memories import editions, keep_edition, keep_memory, next_edition, renew_chunk
from daemon.archive.notices import is_news
from daemon.archive.rounds import begin_round, end_turn
from daemon.house import House, Noted, Notice, Planned, Remembered
from daemon.models.tokens import count
from daemon.remembering.asking import desk_for
from daemon.remembering.compress import make_memory
from daemon.remembering.hindsight import make_hindsight
from daemon.section import stand_before
from daemon.survey import Survey, as_they_are
from primer.models import token_factor
from primer.reply import Refused
from rules.errors import ChatSetAside
from rules.history.entries import Entry
from rules.memory.edition import EXTRACTED, Edition, shown, told
from rules.memory.memory import Memory
from rules.plan.planned import PlannedChunk
from rules.plan.section import shown_tokens, told_tokens
from rules.plan.window import room_left


def compress(house: House, found: Survey) -> tuple[tuple[Memory, ...], tuple[Memory, ...]]:
    """Make all that is planned. All memories and folds of the chat, and those of them that are to be shown.

    Raises ModelError where a model cannot be asked, ChatSetAside where a chunk does not fit its window.
    """
    plan = found.plan
    _tell_once(house, found)
    if plan.work:
        house.tell(Planned(plan))
        begin_round(house.archive, plan.chat_id, found.round)
    memories = list(found.reading.memories)
    steps = [_write_again] * len(plan.again) + [_look_back] * len(plan.hindsight) + [_write_new] * len(plan.chunks)
    for done, (step, chunk) in enumerate(zip(steps, plan.work, strict=True), 1):
        extracted = step(house, found, chunk, memories)
        house.tell(Remembered(plan, chunk.number, done, extracted))
    chunks = sum(not memory.is_fold for memory in memories)
    stand_before(house, found, memories, chunks, told_tokens)
    shown_now = stand_before(house, found, memories, chunks, shown_tokens)
    return tuple(memories), shown_now


def _write_new(house: House, found: Survey, chunk: PlannedChunk, memories: list[Memory]) -> bool:
    """A chunk becomes a memory; whether it was extracted."""
    memory = _written(house, found, chunk, memories, 1)
    keep_memory(house.archive, found.plan.chat_id, memory)
    memories.append(memory)
    return memory.edition.made == EXTRACTED


def _write_again(house: House, found: Survey, chunk: PlannedChunk, memories: list[Memory]) -> bool:
    """A memory gets another as-of edition, unless it would be one more of the engine's; whether it was extracted."""
    at, before = _of(chunk, memories)
    memory = _written(house, found, chunk, memories, next_edition(house.archive, before.memory_id))
    extracted = memory.edition.made == EXTRACTED
    if before.due or not extracted:
        with house.archive.transaction():
            keep_edition(house.archive, before.memory_id, memory.edition)
            if before.due:
                renew_chunk(house.archive, before.memory_id)
        memories[at] = _renewed(house, found, replace(before, due=""))
    return extracted


def _look_back(house: House, found: Survey, chunk: PlannedChunk, memories: list[Memory]) -> bool:
    """A memory gets its hindsight edition; whether none could be had, or none of a model's is there to keep to."""
    at, before = _of(chunk, memories)
    if before.told.made == EXTRACTED:
        return True
    passage = found.passage(chunk, stand_before(house, found, memories, chunk.memories_before, told_tokens))
    after = _seen_later(found, chunk)
    number = next_edition(house.archive, before.memory_id)
    desk = desk_for(house, found, chunk, sum(found.counts.all[entry.message.digest] for entry in after))
    try:
        edition = make_hindsight(desk, passage, after, before.told, found.roles, count, house.clock(), number)
    except ChatSetAside:
        # The provider counts more than was foreseen. Without this edition the work can go on all the same.
        house.tell(Noted("hindsight too long for the window"))
        edition = Refused("too long", "What came after does not fit into the model's window.")
    with house.archive.transaction():
        if isinstance(edition, Edition):
            keep_edition(house.archive, before.memory_id, edition)
        end_turn(house.archive, before.memory_id)
    if isinstance(edition, Edition):
        memories[at] = _renewed(house, found, before)
    return isinstance(edition, Refused)


def _written(house: House, found: Survey, chunk: PlannedChunk, memories: list[Memory], number: int) -> Memory:
    before = stand_before(house, found, memories, chunk.memories_before, told_tokens)
    return make_memory(
        desk_for(house, found, chunk), found.passage(chunk, before), found.roles, count, house.clock(), number
    )


def _seen_later(found: Survey, chunk: PlannedChunk) -> tuple[Entry, ...]:
    """The raw messages behind a chunk, as many as hindsight may see and the window holds; at least one.

    What the person has deleted or forgotten is not among them.
    """
    forgotten = {memory.number for memory in found.reading.chunk_memories if memory.forgotten}
    left = found.memory.hindsight_tokens
    if found.roles.window is not None:
        factor = token_factor(found.roles.agent.name)
        left = min(left, room_left(chunk, found.plan.fixed_tokens, factor, found.roles.window))
    seen: list[Entry] = []
    for entry in as_they_are(found.reading.entries[chunk.stop :]):
        if entry.memory in forgotten:
            continue
        left -= found.counts.all[entry.message.digest]
        if left < 0 and seen:
            break
        seen.append(entry)
    return tuple(seen)


def _renewed(house: House, found: Survey, memory: Memory) -> Memory:
    """The memory with all editions that the archive has of it by now."""
    every = editions(house.archive, memory.memory_id)
    return replace(memory, edition=shown(every, memory.chosen, found.memory.editions), told=told(every, memory.chosen))


def _of(chunk: PlannedChunk, memories: Sequence[Memory]) -> tuple[int, Memory]:
    return next((at, one) for at, one in enumerate(memories) if not one.is_fold and one.number == chunk.number)


def _tell_once(house: House, found: Survey) -> None:
    for notice in found.roles.notices:
        if is_news(house.archive, notice, house.clock()):
            house.tell(Notice(notice))
