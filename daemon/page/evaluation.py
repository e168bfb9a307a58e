"""Show what the persona still knows: the newest evaluation, what it missed, and the curve."""

from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from daemon.page.actions import start_command
from daemon.page.app import desk_of, named_chat, render, show_at
from rules.conversation.memory_title import short_name
from rules.errors import MemprocError
from rules.money.price import in_words

if TYPE_CHECKING:  # most pages show no evaluation
    from daemon.evaluate.subject import EvaluatedChat
    from daemon.models.context import Context

_BEGUN = "The persona is being asked. It takes some minutes; the figures then stand here."
_WRITING = (
    "The memory is being written again, with what it lacked in view. It takes a minute or so; the "
    "new edition then stands here."
)


def evaluation_page(request: Request) -> Response:
    """Show the newest report, in its free form where none was asked for yet."""
    from daemon.evaluate.reporting import asked_report, free_report, past_evaluations
    from daemon.evaluate.subject import find_subject
    from daemon.models.context import context_to_read

    desk = desk_of(request)
    with named_chat(request) as (archive, known):
        context = context_to_read(desk.config, desk.folders, archive)
        subject = find_subject(context, known.chat_id)
        report = asked_report(archive, subject)
        report = report or free_report(archive, subject, ("memories", "tail"), context.clock())
        past = past_evaluations(archive, subject)
        price = _price(context, subject)
    names = {
        memory.memory_id: f"{'fold' if memory.is_fold else 'memory'} {short_name(memory)}"
        for memory in subject.survey.reading.memories
    }
    return render(
        request, "evaluation.html", chat=known, report=report, past=past, price=price, names=names
    )


def _price(context: "Context", subject: "EvaluatedChat") -> str:
    """Say what asking once more costs; "" where no model can be asked."""
    from daemon.evaluate.plan import plan_evaluation
    from primer.models import ENGINE

    if subject.survey.roles.agent == ENGINE:
        return ""
    try:
        plan = plan_evaluation(context, subject, ("memories",), again=True)
    except MemprocError as fault:
        return str(fault)
    if plan.cost is None:
        return "Nobody knows what it costs."
    return f"It costs likely {in_words(plan.cost.likely)}, at most {in_words(plan.cost.at_most)}."


def post_evaluation(request: Request) -> Response:
    """Ask the persona, by the command that a person would type."""
    with named_chat(request) as (_, known):
        chat = known.chat_id
    start_command(desk_of(request).toml, ["eval", "--again", "--yes", "--", chat])
    return show_at(request, f"/chat/{chat}/evaluation", _BEGUN)


def post_missed(request: Request) -> Response:
    """Have a memory written again with what an evaluation missed of it."""
    memory = request.path_params["memory"]
    start_command(desk_of(request).toml, ["retry", "--missed", "--", memory])
    return show_at(request, f"/memory/{memory}", _WRITING)
