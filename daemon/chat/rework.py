"""The memories that are written again: raw messages have changed, or a model can be asked now."""

from collections.abc import Callable, Collection, Iterator, Sequence

from rules.conversation.history import Entry
from rules.conversation.memory import EXTRACTED, WRITTEN, Memory
from rules.conversation.memory_size import is_enough_for_a_model
from rules.plan.chat_plan import ChatPlan
from rules.plan.work import PlannedChunk
from rules.recognize.chat_reading import ChatReading
from rules.typingmind.message import Message


def due_memories(reading: ChatReading, *, engine_alone: bool) -> frozenset[int]:
    """Return the numbers of the memories to be written again since raw messages have changed.

    One that a model wrote is left as it is where only the engine is there now.
    """
    return frozenset(
        memory.number
        for memory in _free(reading)
        if memory.due and not (engine_alone and memory.in_prompts.made == WRITTEN)
    )


def as_planned(entries: Sequence[Entry], due: Collection[int]) -> list[Message]:
    """Return each message as its chunk is planned with it: under a due memory, as it is now.

    The memory is written from these words, and the next run plans with them: if this one planned
    with the old ones, the next would ask with other numbers of words, and pay once more.
    """
    return [
        entry.newest if entry.newest is not None and entry.memory in due else entry.message
        for entry in entries
    ]


def to_write_again(
    reading: ChatReading,
    plan: ChatPlan,
    due: Collection[int],
    can_write: Callable[[PlannedChunk], bool],
    *,
    engine_alone: bool,
) -> frozenset[int]:
    """Return the numbers of the memories to be written again, none pinned or forgotten.

    Those that are `due` are; and one that the engine extracted, where a model can be asked. When any
    is written again, a model is asked for all extracted ones after it: their requests begin with it.
    `can_write` tells whether a model's answers so far are not known to be of no use.
    """
    memories = list(free_memories(reading, plan))
    extracted = [] if engine_alone else _extracted(memories, plan.questions_tokens)
    again = {*due, *(memory.number for chunk, memory in extracted if can_write(chunk))}
    after = {memory.number for _, memory in extracted if again and memory.number > min(again)}
    return frozenset(again | after)


def free_memories(reading: ChatReading, plan: ChatPlan) -> Iterator[tuple[PlannedChunk, Memory]]:
    """Yield each memory that may be written again, with its chunk, if raw messages are left."""
    chunks = {chunk.number: chunk for chunk in plan.made}
    for memory in _free(reading):
        yield chunks[memory.number], memory


def _free(reading: ChatReading) -> Iterator[Memory]:
    left = {entry.memory for entry in reading.entries if not entry.gone}
    for memory in reading.chunk_memories:
        if memory.number in left and not (memory.pinned or memory.forgotten):
            yield memory


def _extracted(
    memories: Sequence[tuple[PlannedChunk, Memory]], questions: int
) -> list[tuple[PlannedChunk, Memory]]:
    """Return those that the engine extracted although their chunk is long enough for a model."""
    return [
        (chunk, memory)
        for chunk, memory in memories
        if memory.in_prompts.made == EXTRACTED and is_enough_for_a_model(chunk.tokens, questions)
    ]
