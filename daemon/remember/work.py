"""The work on one chat while models are asked: what is known of it, and what is under way."""

from collections.abc import Callable
from dataclasses import dataclass

from daemon.chat.survey import Survey
from daemon.models.context import Context
from daemon.models.scheduler import RunningDialogue, Scheduler
from rules.conversation.memory import Memory
from rules.plan.work import PlannedChunk

BEFORE_ALL_CHUNKS = -1

Keep = Callable[[], None]
"""Stores the result of a dialogue."""


@dataclass(frozen=True, slots=True)
class ChatWork:
    """The work on a chat: its context and scheduler, its survey, and its memories so far."""

    context: Context
    scheduler: Scheduler
    survey: Survey
    memories: list[Memory]
    """The chat's memories and folds so far."""


class Lane:
    """Dialogues that go on while chunks are written, one after the other: at most one is under way."""

    def __init__(self, work: ChatWork) -> None:
        self.work = work
        self._dialogue: RunningDialogue[Keep] | None = None

    @property
    def under_way(self) -> bool:
        """Return whether a dialogue has been begun and is not kept yet."""
        return self._dialogue is not None

    def set_out(self, dialogue: RunningDialogue[Keep]) -> None:
        """Begin a dialogue."""
        self._dialogue = dialogue
        self.work.scheduler.begin(dialogue)

    def keep(self) -> None:
        """Store the result of the dialogue if it is finished."""
        if self._dialogue and self._dialogue.result:
            self._dialogue.result()
            self._dialogue = None


def chunk_memory(memories: list[Memory], chunk: PlannedChunk) -> Memory:
    """Return the memory of a chunk."""
    return next(
        memory for memory in memories if not memory.is_fold and memory.number == chunk.number
    )
