"""The subjects in the names of a chat's memories: those they have, and those of new ones."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from rules.conversation.memory_title import subject_in
from rules.conversation.subject import subjects
from rules.plan.chat_plan import ChatPlan
from rules.plan.work import PlannedChunk
from rules.recognize.chat_reading import ChatReading

SubjectOf = Callable[[int], str]
"""Tells the subject in the name of a memory by its number; empty where it has none."""


def subjects_in(reading: ChatReading, plan: ChatPlan) -> SubjectOf:
    """Return a function that tells the subjects of a chat's memories.

    An existing name stays as it is, even if its memory is written again. The words of the chat are looked
    at once, when the first new name is wanted.
    """
    standing = {
        memory.number: subject_in(memory.in_prompts.texts[0]) for memory in reading.chunk_memories
    }

    @cache
    def to_come() -> Mapping[int, str]:
        chunks = (*plan.made, *plan.chunks)
        passages = (list(_said(reading, chunk)) for chunk in chunks)
        return dict(zip((chunk.number for chunk in chunks), subjects(passages), strict=True))

    def subject_of(number: int) -> str:
        return standing[number] if number in standing else to_come().get(number, "")

    return subject_of


def _said(reading: ChatReading, chunk: PlannedChunk) -> Iterator[tuple[bool, str]]:
    """Yield the words of a chunk's messages, each with whether the person wrote it."""
    for entry in reading.entries[chunk.start : chunk.stop]:
        yield entry.message.speaker == "user", entry.message.words
