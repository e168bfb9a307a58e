"""Show what a run on a chat or on the whole inbox would do and cost, with its button."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.chats import newest_file, waiting_state
from daemon.archive.memories import memories
from daemon.files.foreign import program_at
from daemon.files.lock import daemon_runs
from daemon.page.actions import do_command, show_run
from daemon.page.app import Plan, Plans, desk_of, named_chat, render
from daemon.recovery.aside import files_aside, is_movable
from primer.models import EXTRACTIVE
from rules.conversation.memory import memories_of_chunks
from rules.typingmind.dates import write_date

_KEPT_SECONDS = 30.0
"""How long a plan may be shown without being made again."""


def plan_page(request: Request) -> Response:
    """Show the plan and the cost of a run on a chat's newest export, with its button."""
    return _planned(request, "plan.html")


def plan_line(request: Request) -> Response:
    """Show the same in one line. Home loads it afterwards, since planning takes a second."""
    return _planned(request, "plan_line.html")


def _planned(request: Request, template: str) -> Response:
    """Show the plan of a chat's newest export, if the file still exists."""
    with named_chat(request) as (archive, known):
        path = Path(newest_file(archive, known.chat_id))
        extracted = {
            memory.number
            for memory in memories_of_chunks(memories(archive, known.chat_id))
            if memory.in_prompts.is_extracted
        }
        waiting = waiting_state(archive, known.chat_id)
    is_there, changed_at = path.is_file(), ""
    if is_there:
        changed_at = write_date(datetime.fromtimestamp(path.stat().st_mtime, UTC))
    planned = _plan_of_file(request, path) if is_there else {}
    row = find_row(planned.get("rows", ()), known.chat_id)
    again = {chunk["number"] for chunk in (row or {}).get("again", ())}
    models = (row or {}).get("models") or {}
    return render(
        request,
        template,
        chat=known,
        row=row,
        is_there=is_there,
        file=path.name,
        exported_at=changed_at,
        text="" if row else planned.get("text", ""),
        extracted=len(extracted),
        extracted_again=len(extracted & again),
        waits=bool(waiting and row and row.get("doubted") == waiting.sha256),
        has_model=models.get("agent", EXTRACTIVE) != EXTRACTIVE,
    )


def waiting_page(request: Request) -> Response:
    """Show in one line what a run would do with a file that waits in the inbox."""
    name = request.query_params.get("file", "")
    path = desk_of(request).folders.inbox / name
    is_there = bool(name) and name == path.name and is_movable(path)
    rows = _plan_of_file(request, path)["rows"] if is_there else []
    return render(request, "waiting.html", rows=rows)


def _plan_of_file(request: Request, path: Path) -> Plan:
    """Return a file's plan: its `rows`, and a `text` that says why there are none."""
    desk = desk_of(request)

    def make() -> Plan:
        result = do_command(desk.toml, "plan", "--", str(path))
        return {"rows": result.printed.get("chats", []), "text": result.says}

    plans: Plans = request.app.state.plans
    state = path.stat()
    period = monotonic() // _KEPT_SECONDS  # a key that is set elsewhere changes the plan, too
    fingerprint = f"{path} {state.st_mtime_ns} {state.st_size} {period}"
    return plans.get(desk, str(path), fingerprint.encode(), make)


def inbox_page(request: Request) -> Response:
    """Show the plan and the cost of a run on the whole inbox, with its button."""
    desk = desk_of(request)
    rows: list[Plan] = []
    totals: Plan = {}
    text = ""
    if desk.folders.inbox.is_dir():
        result = do_command(desk.toml, "plan")
        rows, totals = result.printed.get("chats", []), result.printed.get("totals", {})
        text = "" if totals else result.says
    for row in rows:  # the user chooses what to bring from another program's export
        row["to_bring"] = bool(
            row.get("next_step") and program_at(desk.folders.inbox / row["file"])
        )
    asking = [row["models"] for row in rows if row.get("calls") and row.get("models")]
    notices = [note for models in asking for note in (models["limited"], *models["notices"])]
    return render(
        request,
        "inbox.html",
        rows=rows,
        has_work=any(row.get("calls") or row.get("anew") for row in rows),
        notices=list(dict.fromkeys(filter(None, notices))),
        totals=totals,
        text=text,
        runs=daemon_runs(desk.folders.state),
        folder=desk.folders.inbox,
        aside=files_aside(desk.folders.backups),
    )


def run_inbox(request: Request) -> Response:
    """Start the run on the inbox, to which the user has agreed."""
    return show_run(request, "run")


def post_run(request: Request) -> Response:
    """Start the run on a chat, to which the user has agreed."""
    with named_chat(request) as (archive, known):
        path = newest_file(archive, known.chat_id)
    return show_run(request, "run", "--", path)


def find_row(rows: Sequence[Plan], chat_id: str) -> Plan | None:
    """Return a chat's row of its file's plan, or a skipped file's row; None where there is none."""
    fitting = (row for row in rows if chat_id == row.get("chat_id") or row["outcome"] == "skipped")
    return next(fitting, None)
