"""Have a memory written again with the points in view that an evaluation found missing."""

from daemon.archive.memories import find_memory
from daemon.evaluate.reporting import missed
from daemon.evaluate.subject import find_subject
from daemon.models.context import Context
from daemon.remember.retry import UnchangedMemory, retry
from primer.evaluation_questions import points_missed
from rules.conversation.memory import Memory, with_members


def retry_missed(context: Context, name: str) -> Memory | UnchangedMemory:
    """Ask for the memory of this name again, naming what the newest evaluation missed of it.

    Questions that were named to a rewriting count no more. Raises as `retry` does.
    """
    chat_id, memory = find_memory(context.archive, name)
    subject = find_subject(context, chat_id)
    chunks = with_members([memory.memory_id], subject.survey.reading.memories)
    lacking = [
        question for question in missed(context.archive, subject) if question.memory in chunks
    ]
    if not lacking:
        return UnchangedMemory(
            memory.memory_id,
            "The newest evaluation has missed no question about it.",
            f"To evaluate the chat as it is now: memproc eval {chat_id}",
        )
    numbers = [question.number for question in lacking]
    return retry(context, memory.memory_id, points_missed(lacking), numbers)
