"""The memories that are written again: raw messages have changed, or a model can be asked now."""

from collections.abc import Callable, Iterator, Sequence

from rules.conversation.memory import EXTRACTED, WRITTEN, Memory
from rules.conversation.memory_size import is_enough_for_a_model
from rules.plan.chat_plan import ChatPlan
from rules.plan.work import PlannedChunk
from rules.recognize.chat_reading import ChatReading


def to_write_again(
    reading: ChatReading,
    plan: ChatPlan,
    can_write: Callable[[PlannedChunk], bool],
    *,
    engine_alone: bool,
) -> frozenset[int]:
    """Return the numbers of the memories to be written again, none pinned or forgotten.

    A memory is due where its raw messages have changed, unless a model wrote it and only the engine
    is there now. One that the engine extracted is written where a model can be asked. When any is
    written again, a model is asked for all extracted ones after it: their requests begin with it.
    `can_write` tells whether a model's answers so far are not known to be of no use.
    """
    memories = list(free_memories(reading, plan))
    due = {
        memory.number
        for _, memory in memories
        if memory.due and not (engine_alone and memory.in_prompts.made == WRITTEN)
    }
    extracted = [] if engine_alone else _extracted(memories, plan.questions_tokens)
    again = due | {memory.number for chunk, memory in extracted if can_write(chunk)}
    after = {memory.number for _, memory in extracted if again and memory.number > min(again)}
    return frozenset(again | after)


def free_memories(reading: ChatReading, plan: ChatPlan) -> Iterator[tuple[PlannedChunk, Memory]]:
    """Yield each memory that may be written again, with its chunk, if raw messages are left."""
    by_number = {memory.number: memory for memory in reading.chunk_memories}
    for chunk in plan.made:
        memory = by_number[chunk.number]
        is_left = not all(entry.gone for entry in reading.entries[chunk.start : chunk.stop])
        if is_left and not (memory.pinned or memory.forgotten):
            yield chunk, memory


def _extracted(
    memories: Sequence[tuple[PlannedChunk, Memory]], questions: int
) -> list[tuple[PlannedChunk, Memory]]:
    """Return those that the engine extracted although their chunk is long enough for a model."""
    return [
        (chunk, memory)
        for chunk, memory in memories
        if memory.in_prompts.made == EXTRACTED and is_enough_for_a_model(chunk.tokens, questions)
    ]
