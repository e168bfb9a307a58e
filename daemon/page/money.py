"""Money: what was spent by day, chat and kind of call, the caps, and what a run would cost before it is started."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat, known_chats, newest_file
from daemon.archive.journal import DaysCost, costs_since, last_run, spent
from daemon.config.money_settings import BudgetSettings
from daemon.files.clock import at, now, periods
from daemon.files.lock import is_held
from daemon.models.ask import caps_now
from daemon.page.actions import after, do_command
from daemon.page.actions import start_run as begin
from daemon.page.app import desk_of, field, render, said
from rules.money.price import NAMES, Which, dollars

_DAYS = 30


@dataclass(frozen=True, slots=True)
class DayBar:
    """A day of the chart: what was spent, in dollars, and the height of its bar in parts of the highest one."""

    day: str
    usd: float
    share: float


@dataclass(frozen=True, slots=True)
class ShownCap:
    """A cap and what is spent and reserved under it, in dollars; `configured_usd` is what memproc.toml says."""

    name: Which
    usd: float
    configured_usd: float
    spent_usd: float


def money_page(request: Request) -> Response:
    """Caps, a chart of the last thirty days, and what was spent on which chat and for what."""
    desk = desk_of(request)
    when = now()
    first = date.fromisoformat(when[:10]) - timedelta(days=_DAYS - 1)
    with Archive.read(desk.folders.state) as archive:
        caps = _caps(archive, desk.config.budget, when)
        costs = costs_since(archive, first.isoformat())
        titles = {chat.chat_id: chat.title for chat in known_chats(archive)}
    by_chat, by_step = Counter[str](), Counter[str]()
    for cost in costs:
        # A Counter sums dollars as well.
        by_chat[titles.get(cost.chat_id, cost.chat_id)] += cost.usd  # type: ignore[assignment]
        by_step[cost.step] += cost.usd  # type: ignore[assignment]
    return render(
        request, "money.html", caps=caps, bars=_bars(costs, first), by_chat=_spent(by_chat),
        by_step=_spent(by_step), said=said(request),
    )  # fmt: skip


def _bars(costs: Sequence[DaysCost], first: date) -> list[DayBar]:
    """Return a bar for each of the days from `first` on."""
    by_day = Counter[str]()
    for cost in costs:
        by_day[cost.day] += cost.usd  # type: ignore[assignment]
    days = [(first + timedelta(days=number)).isoformat() for number in range(_DAYS)]
    highest = max(by_day.values(), default=0) or 1
    return [DayBar(day, by_day[day], by_day[day] / highest) for day in days]


def plan_page(request: Request) -> Response:
    """The plan and the cost of a run on a chat's newest export, and the button that starts it."""
    return _planned(request, "plan.html")


def due_page(request: Request) -> Response:
    """The same in a line, for Home, which asks for it once it is shown: planning takes a second."""
    return _planned(request, "due.html")


def _planned(request: Request, template: str) -> Response:
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        known = find_chat(archive, request.path_params["chat"])
        path = newest_file(archive, known.chat_id)
    is_there = bool(path) and Path(path).is_file()
    row: dict[str, Any] | None = None
    text = ""
    if is_there:
        result = do_command(desk.toml, "plan", "--json", "--", path)
        row = row_of(result.out, known.chat_id)
        text = "" if row else result.text
    return render(
        request, template, chat=known, row=row, is_there=is_there, text=text, said=said(request)
    )


def inbox_page(request: Request) -> Response:
    """The plan and the cost of a run on all that lies in the inbox, and the button that starts it."""
    desk = desk_of(request)
    has_inbox = desk.folders.inbox.is_dir()
    result = do_command(desk.toml, "plan", "--json") if has_inbox else None
    rows, totals = _plan_of(result.out) if result else ([], {})
    text = "" if result is None or totals else result.text
    runs = is_held(desk.folders.state / "daemon.lock")
    notices = dict.fromkeys(
        notice
        for row in rows
        if row.get("calls") and row.get("models")
        for notice in row["models"]["notices"]
    )
    return render(
        request, "inbox.html", rows=rows, notices=notices, totals=totals, text=text, runs=runs,
        folder=desk.folders.inbox,
    )  # fmt: skip


def run_inbox(request: Request) -> Response:
    """Start the run on all that lies in the inbox, which the person has agreed to."""
    return begin(desk_of(request))


def post_run(request: Request) -> Response:
    """Start the run that the person has agreed to; Home shows how it goes on."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        known = find_chat(archive, request.path_params["chat"])
        path = newest_file(archive, known.chat_id)
    return begin(desk, path)


def post_cap(request: Request) -> Response:
    """Raise the cap of today, of this month or of each run for a while."""
    which = field(request, "which")
    if which not in ("run", "day", "month"):
        which = "day"
    return after(request, "/money", "budget", "raise", f"--{which}", field(request, "usd"))


def _spent(costs: Counter[str]) -> list[tuple[str, int]]:
    """The purposes on which money was spent, the dearest first."""
    return [(name, usd) for name, usd in costs.most_common() if usd]


def _caps(archive: Archive, settings: BudgetSettings, when: str) -> list[ShownCap]:
    """The three caps; that on a run shows what the last run has spent."""
    caps, amounts = (
        caps_now(archive, settings, when),
        spent(archive, last_run(archive), periods(at(when))),
    )
    return [
        ShownCap(
            name, dollars(caps.of(name)), dollars(settings.caps.of(name)), dollars(amounts.of(name))
        )
        for name in NAMES
    ]


def _plan_of(printed: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The rows of `memproc plan --json`, and its totals; empty where it said something else."""
    try:
        plan = json.loads(printed)
        return plan["chats"], plan["totals"]
    except (ValueError, LookupError, TypeError):
        return [], {}


def row_of(printed: str, chat_id: str) -> dict[str, Any] | None:
    """The row of `memproc plan --json` on one chat; None where it said something else."""
    rows, _ = _plan_of(printed)
    return next(
        (row for row in rows if row.get("chat_id") == chat_id or row.get("outcome") == "set_aside"),
        None,
    )
