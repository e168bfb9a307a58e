"""Show money: spent by day, chat and kind of call; the caps; and what a run would cost."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats, newest_file
from daemon.archive.journal import DaysCost, costs_since, last_run, spent
from daemon.archive.memories import memories
from daemon.config.model_tables import BudgetSettings
from daemon.files.clock import at, here, now, periods
from daemon.files.lock import is_held
from daemon.models.ask import caps_now
from daemon.page.actions import do_command
from daemon.page.actions import start_run as begin
from daemon.page.app import Plan, Plans, desk_of, named_chat, render
from daemon.recovery.aside import files_aside
from primer.models import EXTRACTIVE
from rules.conversation.memory import EXTRACTED
from rules.money.price import NAMES, Which, dollars
from rules.typingmind.dates import write_date

_DAYS = 30
_KEPT_SECONDS = 30.0
"""How long a plan may be shown again."""


@dataclass(frozen=True, slots=True)
class DayBar:
    """A day of the chart: its cost, and its share of the dearest day's."""

    day: str
    usd: float
    share: float


@dataclass(frozen=True, slots=True)
class ShownCap:
    """A cap in dollars and the money under it; `configured_usd` is what memproc.toml says."""

    name: Which
    usd: float
    configured_usd: float
    spent_usd: float


def money_page(request: Request) -> Response:
    """Show the caps, a chart of the last thirty days, and what was spent by chat and by kind."""
    desk = desk_of(request)
    when, midnight = now(), here().replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    began = midnight - timedelta(days=_DAYS - 1)
    first = began.date()
    with Archive.read(desk.folders.state) as archive:
        caps = _caps(archive, desk.config.budget, when)
        costs = costs_since(archive, write_date(began.astimezone()))
        titles = {chat.chat_id: chat.title for chat in known_chats(archive)}
    by_chat, by_step = Counter[str](), Counter[str]()
    for cost in costs:
        # A Counter sums dollars as well.
        by_chat[titles.get(cost.chat_id, cost.chat_id)] += cost.usd  # type: ignore[assignment]
        by_step[cost.step] += cost.usd  # type: ignore[assignment]
    bars = _bars(costs, first)
    return render(
        request,
        "money.html",
        caps=caps,
        bars=bars,
        highest=max(bar.usd for bar in bars),
        by_chat=_spent(by_chat),
        by_step=_spent(by_step),
    )


def _bars(costs: Sequence[DaysCost], first: date) -> list[DayBar]:
    """Return a bar for each of the days from `first` on."""
    by_day = Counter[str]()
    for cost in costs:
        by_day[cost.day] += cost.usd  # type: ignore[assignment]
    days = [(first + timedelta(days=number)).isoformat() for number in range(_DAYS)]
    highest = max(by_day.values(), default=0) or 1
    return [DayBar(day, by_day[day], by_day[day] / highest) for day in days]


def plan_page(request: Request) -> Response:
    """Show the plan and the cost of a run on a chat's newest export, with its button."""
    return _planned(request, "plan.html")


def due_page(request: Request) -> Response:
    """Show the same in a line. Home asks for it later, since planning takes a second."""
    return _planned(request, "due.html")


def _planned(request: Request, template: str) -> Response:
    with named_chat(request) as (archive, known):
        path = newest_file(archive, known.chat_id)
        extracted = extracted_numbers(archive, known.chat_id)
    is_there = bool(path) and Path(path).is_file()
    planned = _plan_of_file(request, known.chat_id, Path(path)) if is_there else {}
    row, text = planned.get("row"), planned.get("text", "")
    again = {chunk["number"] for chunk in (row or {}).get("again", ())}
    return render(
        request,
        template,
        chat=known,
        row=row,
        is_there=is_there,
        text=text,
        extracted=len(extracted),
        extracted_again=len(extracted & again),
        has_model=_agent_of(row or {}) != EXTRACTIVE,
    )


def _plan_of_file(request: Request, chat_id: str, path: Path) -> Plan:
    """Return the `row` of the chat in the plan of a file, or a `text` on why there is none."""
    desk, state = desk_of(request), path.stat()

    def make() -> Plan:
        result = do_command(desk.toml, "plan", "--json", "--", str(path))
        row = row_of(result.out, chat_id)
        return {"row": row, "text": "" if row else result.text}

    plans: Plans = request.app.state.plans
    # Not for long: a key that was given elsewhere changes the plan, too.
    of = f"{path} {state.st_mtime_ns} {state.st_size} {monotonic() // _KEPT_SECONDS}".encode()
    return plans.get(desk, chat_id, of, make)


def extracted_numbers(archive: Archive, chat_id: str) -> set[int]:
    """Return the numbers of a chat's memories that no model has written, folds left out."""
    return {
        memory.number
        for memory in memories(archive, chat_id)
        if not memory.is_fold
        and memory.in_prompts.made == EXTRACTED
        and memory.edition.kind != "person"
    }


def _agent_of(row: Mapping[str, Any]) -> str:
    """Return the model that would write, by a row of the plan; the built-in engine if unknown."""
    return str((row.get("models") or {}).get("agent", EXTRACTIVE))


def inbox_page(request: Request) -> Response:
    """Show the plan and the cost of a run on the whole inbox, with its button."""
    desk = desk_of(request)
    has_inbox = desk.folders.inbox.is_dir()
    result = do_command(desk.toml, "plan", "--json") if has_inbox else None
    rows, totals = _plan_of(result.out) if result else ([], {})
    text = "" if result is None or totals else result.text
    asking = [row["models"] for row in rows if row.get("calls") and row.get("models")]
    return render(
        request,
        "inbox.html",
        rows=rows,
        has_work=any(row.get("calls") or row.get("anew") for row in rows),
        notices=dict.fromkeys(notice for models in asking for notice in models["notices"]),
        totals=totals,
        text=text,
        runs=is_held(desk.folders.state / "daemon.lock"),
        folder=desk.folders.inbox,
        aside=files_aside(desk.folders.backups),
    )


def run_inbox(request: Request) -> Response:
    """Start the run on the inbox that the person has agreed to."""
    return begin(desk_of(request))


def post_run(request: Request) -> Response:
    """Start the run on a chat that the person has agreed to."""
    with named_chat(request) as (archive, known):
        path = newest_file(archive, known.chat_id)
    return begin(desk_of(request), path)


def _spent(costs: Counter[str]) -> list[tuple[str, int]]:
    """List what money was spent on, dearest first."""
    return [(name, usd) for name, usd in costs.most_common() if usd]


def _caps(archive: Archive, settings: BudgetSettings, when: str) -> list[ShownCap]:
    """Return the three caps; the run's shows what the last run has spent."""
    amounts = spent(archive, last_run(archive), periods(at(when)))
    columns = (caps_now(archive, settings, when), settings.caps, amounts)
    return [ShownCap(name, *(dollars(column.of(name)) for column in columns)) for name in NAMES]


def _plan_of(printed: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Read the rows and the totals of `memproc plan --json`; empty where it is no plan."""
    try:
        plan = json.loads(printed)
        return plan["chats"], plan["totals"]
    except (ValueError, LookupError, TypeError):
        return [], {}


def row_of(printed: str, chat_id: str) -> dict[str, Any] | None:
    """Read a chat's row of `memproc plan --json`; None where it is no plan."""
    rows, _ = _plan_of(printed)
    for row in rows:
        if row.get("chat_id") == chat_id or row.get("outcome") == "skipped":
            return row
    return None
