"""Where the questions about a chunk are asked: the journal first, then the model, and everything is told."""

from daemon.archive.journal import Reply
from daemon.house import Answered, House, Noted
from daemon.models.ask import ask
from daemon.remembering.question import Desk
from daemon.survey import Survey
from primer.models import token_factor
from primer.reply import KINDS
from primer.request import Request
from rules.errors import ChatSetAside, ContextTooLong
from rules.plan.chat_plan import PlannedChunk
from rules.plan.window import largest_part, parts_of


def desk_for(house: House, found: Survey, chunk: PlannedChunk) -> Desk:
    """The desk for one chunk.

    Asking there raises ModelError where the model cannot be asked, and ChatSetAside, with the sizes of its parts,
    where a request is too long for the model after all.
    """

    fresh = False

    def heard(reply: Reply) -> None:
        nonlocal fresh
        fresh = True
        house.tell(Answered(reply))

    def answer(request: Request) -> Reply:
        nonlocal fresh
        fresh = False
        try:
            return ask(house.archive, request, found.plan.chat_id, house.complete, house.clock, heard)
        except ContextTooLong as fault:
            parts = parts_of(chunk, found.plan.fixed_tokens, token_factor(request.model.name))
            if request.step == "analysis":
                parts = {"the chunk": parts["the chunk"]}  # the context manager sees nothing else
            told = f'"{found.plan.title}", chunk {chunk.number}: {fault.message} {largest_part(parts)}'
            raise ChatSetAside(told, fault.next_step) from fault

    def note(what: str) -> None:
        if fresh or what not in KINDS:  # what the journal answers was counted when it came
            house.tell(Noted(what))

    return Desk(answer, note, found.texts)
