"""Bring conversations of ChatGPT and Claude: search them, tick some, see the plan, and go.

The list and the plan are those of `memproc bring`, in a process of its own: an export may be large.
"""

import json
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from daemon.page.actions import do_command, show_run
from daemon.page.app import Desk, desk_of, field, render
from rules.errors import NotFound

_OPTIONS = ("as", "model", "instructions")


def bring_page(request: Request) -> Response:
    """Show the conversations of a file in the inbox that have the words in their titles."""
    name, find = (request.query_params.get(key, "") for key in ("file", "find"))
    path = _path(desk_of(request), name)
    listed = do_command(desk_of(request).toml, "bring", "--json", "--", str(path), *find.split())
    if not listed.is_done:
        return render(request, "trouble.html", 409, message=listed.text, next_step="")
    export = json.loads(listed.out)
    return render(
        request,
        "bring.html",
        file=name,
        find=find,
        conversations=export["conversations"],
        projects=export["projects"],
    )


def plan_bring(request: Request) -> Response:
    """Show what bringing the ticked conversations would do and cost."""
    planned = do_command(desk_of(request).toml, *_arguments(request, "--json"))
    if not planned.is_done:
        return render(request, "trouble.html", 409, message=planned.text, next_step="")
    plan = json.loads(planned.out)
    return render(
        request,
        "bring_plan.html",
        file=field(request, "file"),
        sentences=plan["sentences"],
        rows=plan.get("chats", ()),
        chosen=_chosen(request),
        options={name: field(request, name) for name in (*_OPTIONS, "untouched")},
    )


def post_bring(request: Request) -> Response:
    """Bring the conversations that were planned, and go to Home."""
    return show_run(desk_of(request), [*_arguments(request, "--yes")])


def _arguments(request: Request, *more: str) -> tuple[str, ...]:
    """Return the command that brings the ticked conversations, as a person would type it."""
    arguments = ["bring", *more]
    for number in _chosen(request):
        arguments += ["--chat", number]
    for name in _OPTIONS:
        if said := field(request, name).strip():
            arguments += [f"--{name}", said]
    if field(request, "untouched"):
        arguments.append("--untouched")
    return (*arguments, "--", str(_path(desk_of(request), field(request, "file"))))


def _chosen(request: Request) -> list[str]:
    chosen = [value for value in request.state.form.getlist("chat") if isinstance(value, str)]
    if not chosen:
        raise NotFound("No conversation was ticked.", "Go back, and tick at least one.")
    return chosen


def _path(desk: Desk, name: str) -> Path:
    """Return the file of that name in the inbox. Raises NotFound."""
    path = desk.folders.inbox / name
    if not name or name != path.name or path.is_symlink() or not path.is_file():
        raise NotFound(f"The inbox holds no file {name} now.", "Go to the first page, and drop it.")
    return path
