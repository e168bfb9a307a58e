"""Show what the persona still knows: the newest evaluation, what it missed, and the curve."""

import json

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.memories import memories
from daemon.page.actions import do_command, start_command
from daemon.page.app import desk_of, named_chat, render, show_at
from rules.evaluate.report import CONTEXTS

_BEGUN = "The persona is being asked. It takes some minutes; the figures then stand here."
_WRITING = (
    "The memory is being written again, with what it lacked in view. It takes a minute or so; the "
    "new edition then stands here."
)


def evaluation_page(request: Request) -> Response:
    """Show the newest report, in its free form where the persona was never asked."""
    with named_chat(request) as (archive, known):
        by_id = {memory.memory_id: memory for memory in memories(archive, known.chat_id)}
    result = do_command(
        desk_of(request).toml, "eval", "--free", "--again", "--json", "--", known.chat_id
    )
    if not result.is_done:
        return render(request, "trouble.html", 409, message=result.text, next_step="")
    free = json.loads(result.out)
    report = free["asked"] or free
    return render(
        request,
        "evaluation.html",
        chat=known,
        report=report,
        free=free,
        by_id=by_id,
        contexts=CONTEXTS,
    )


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
