"""Show what a run would do and cost, on a chat or on the whole inbox, with its button."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import newest_file
from daemon.archive.memories import memories
from daemon.files.foreign import program_at
from daemon.files.lock import daemon_runs
from daemon.page.actions import do_command
from daemon.page.actions import start_run as begin
from daemon.page.app import Plan, Plans, desk_of, named_chat, render
from daemon.recovery.aside import files_aside, is_movable
from primer.models import EXTRACTIVE
from rules.conversation.memory import EXTRACTED, Memory
from rules.typingmind.dates import write_date

_KEPT_SECONDS = 30.0
"""How long a plan may be shown again."""


def plan_page(request: Request) -> Response:
    """Show the plan and the cost of a run on a chat's newest export, with its button."""
    return _planned(request, "plan.html")


def due_page(request: Request) -> Response:
    """Show the same in a line. Home asks for it later, since planning takes a second."""
    return _planned(request, "due.html")


def _planned(request: Request, template: str) -> Response:
    """Show the plan of a chat's newest export, if it is there still."""
    with named_chat(request) as (archive, known):
        path = Path(newest_file(archive, known.chat_id))
        extracted = extracted_numbers(archive, known.chat_id)
    is_there = path.is_file()
    planned = _plan_of_file(request, path) if is_there else {}
    row = _row_in(planned.get("rows", ()), known.chat_id)
    again = {chunk["number"] for chunk in (row or {}).get("again", ())}
    return render(
        request,
        template,
        chat=known,
        row=row,
        is_there=is_there,
        file=path.name,
        exported_at=_changed_at(path) if is_there else "",
        text="" if row else planned.get("text", ""),
        extracted=len(extracted),
        extracted_again=len(extracted & again),
        has_model=_agent_of(row or {}) != EXTRACTIVE,
    )


def _changed_at(path: Path) -> str:
    """Return when a file was changed last."""
    return write_date(datetime.fromtimestamp(path.stat().st_mtime, UTC))


def waiting_page(request: Request) -> Response:
    """Say in a line what a run would do with a file that waits in the inbox."""
    name = request.query_params.get("file", "")
    path = desk_of(request).folders.inbox / name
    is_there = bool(name) and name == path.name and is_movable(path)
    rows = _plan_of_file(request, path)["rows"] if is_there else []
    return render(request, "waiting.html", rows=rows)


def _plan_of_file(request: Request, path: Path) -> Plan:
    """Return the `rows` of the plan of a file, and its `text`, which says why there are none."""
    desk = desk_of(request)

    def make() -> Plan:
        result = do_command(desk.toml, "plan", "--json", "--", str(path))
        rows, _ = _rows_and_totals(result.out)
        return {"rows": rows, "text": result.text}

    plans: Plans = request.app.state.plans
    state = path.stat()
    period = monotonic() // _KEPT_SECONDS  # a key that was given elsewhere changes the plan, too
    of = f"{path} {state.st_mtime_ns} {state.st_size} {period}"
    return plans.get(desk, str(path), of.encode(), make)


def extracted_numbers(archive: Archive, chat_id: str) -> set[int]:
    """Return the numbers of a chat's memories that no model has written, folds left out."""
    return {memory.number for memory in memories(archive, chat_id) if _is_extracted(memory)}


def _is_extracted(memory: Memory) -> bool:
    """Return whether the built-in engine wrote what later prompts see of a memory."""
    is_written = memory.is_fold or memory.edition.kind == "person"
    return not is_written and memory.in_prompts.made == EXTRACTED


def _agent_of(row: Mapping[str, Any]) -> str:
    """Return the model that would write, by a row of the plan; the built-in engine if unknown."""
    return str((row.get("models") or {}).get("agent", EXTRACTIVE))


def inbox_page(request: Request) -> Response:
    """Show the plan and the cost of a run on the whole inbox, with its button."""
    desk = desk_of(request)
    rows: list[Plan] = []
    totals: Plan = {}
    text = ""
    if desk.folders.inbox.is_dir():
        result = do_command(desk.toml, "plan", "--json")
        rows, totals = _rows_and_totals(result.out)
        text = "" if totals else result.text
    for row in rows:  # of another program's export the person chooses what to bring
        row["to_bring"] = bool(
            row.get("next_step") and program_at(desk.folders.inbox / row["file"])
        )
    return render(
        request,
        "inbox.html",
        rows=rows,
        has_work=any(row.get("calls") or row.get("anew") for row in rows),
        notices=_notices(rows),
        totals=totals,
        text=text,
        runs=daemon_runs(desk.folders.state),
        folder=desk.folders.inbox,
        aside=files_aside(desk.folders.backups),
    )


def _notices(rows: Sequence[Plan]) -> list[str]:
    """Return what there is to know of the models that are asked, each notice once."""
    notices: list[str] = []
    for row in rows:
        models = row.get("models")
        if models and row.get("calls"):
            notices += models["notices"]
    return list(dict.fromkeys(notices))


def run_inbox(request: Request) -> Response:
    """Start the run on the inbox that the person has agreed to."""
    return begin(desk_of(request))


def post_run(request: Request) -> Response:
    """Start the run on a chat that the person has agreed to."""
    with named_chat(request) as (archive, known):
        path = newest_file(archive, known.chat_id)
    return begin(desk_of(request), path)


def _rows_and_totals(printed: str) -> tuple[list[Plan], Plan]:
    """Read the rows and the totals of `memproc plan --json`; empty where it is no plan."""
    try:
        plan = json.loads(printed)
        return plan["chats"], plan["totals"]
    except (ValueError, LookupError, TypeError):
        return [], {}


def row_of(printed: str, chat_id: str) -> Plan | None:
    """Read a chat's row of `memproc plan --json`; None where it is no plan."""
    rows, _ = _rows_and_totals(printed)
    return _row_in(rows, chat_id)


def _row_in(rows: Sequence[Plan], chat_id: str) -> Plan | None:
    fitting = (row for row in rows if chat_id == row.get("chat_id") or row["outcome"] == "skipped")
    return next(fitting, None)
