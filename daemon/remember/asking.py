"""Where the questions about a chunk or a fold are asked: at the wavefront, and what is wrong there is said in full."""

from collections.abc import Mapping, Sequence

from daemon.archive.journal import Reply
from daemon.chat.survey import Survey
from daemon.models.scheduler import Front
from daemon.remember.question import Desk
from primer.models import token_factor
from primer.reply import KINDS
from primer.request import Request
from rules.conversation.memory import Memory
from rules.errors import ContextTooLong, TooLong
from rules.plan.window import largest_part, parts_of
from rules.plan.work import PlannedChunk

_PASSAGE_ALONE = ("analysis", "facts")
"""What the context manager is asked, who sees nothing else."""


def desk_for(front: Front, found: Survey, chunk: PlannedChunk, after_tokens: int = 0) -> Desk:
    """The desk for one chunk, and in hindsight for the `after_tokens` that came after it, too.

    Asking there raises ModelError where the model cannot be asked, and TooLong, with the sizes of its parts,
    where a request is too long for the model after all.
    """
    factor = token_factor(found.roles.agent.name)
    parts = parts_of(chunk, found.plan.fixed_tokens, factor)
    if after_tokens:
        parts["what came after"] = round(after_tokens * factor)
    return _desk(front, found, f"chunk {chunk.number}", parts, "the chunk")


def desk_for_fold(front: Front, found: Survey, members: Sequence[Memory]) -> Desk:
    """The desk for one fold; what asking there raises is the same."""
    factor = token_factor(found.roles.agent.name)
    parts = {
        "system message and primer": round(found.plan.fixed_tokens * factor),
        "the memories": round(sum(member.told.tokens for member in members) * factor),
    }
    return _desk(front, found, f"a fold of {len(members)} memories", parts, "the memories")


def _desk(front: Front, found: Survey, what: str, parts: Mapping[str, int], passage: str) -> Desk:
    """The desk at which `what` is written; `passage` is the only part that the context manager sees."""
    fresh = False
    used: set[str] = set()

    def answer(request: Request) -> Reply:
        nonlocal fresh
        try:
            reply = front.answer(request)
        except ContextTooLong as fault:
            sent = {passage: parts[passage]} if request.step in _PASSAGE_ALONE else parts
            told = f'"{found.plan.title}", {what}: {fault.message} {largest_part(sent)}'
            raise TooLong(told, fault.next_step) from fault
        fresh = front.is_fresh(reply) and reply.request not in used
        used.add(reply.request)
        return reply

    def note(said: str) -> None:
        if fresh or said not in KINDS:  # what the journal answers was counted when it came
            front.note(said)

    return Desk(answer, note, found.texts, found.plan.questions_tokens)
