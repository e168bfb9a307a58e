"""Show what was spent, by day, chat and kind of call, and the caps."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.journal import costs_since
from daemon.files.clock import here, now
from daemon.page.app import desk_of, render
from daemon.reports.budget import budget_report
from rules.typingmind.dates import write_date
from rules.wording import cut_title

_DAYS = 30


@dataclass(frozen=True, slots=True)
class DayBar:
    """A day of the chart: its cost, and its share of the dearest day's."""

    day: str
    usd: float
    share: float


def money_page(request: Request) -> Response:
    """Show the caps, a chart of the last thirty days, and what was spent by chat and by kind."""
    desk = desk_of(request)
    midnight = here().replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    began = midnight - timedelta(days=_DAYS - 1)
    with Archive.read(desk.folders.state) as archive:
        report = budget_report(archive, desk.config.budget, now())
        costs = costs_since(archive, write_date(began.astimezone()))
        titles = {chat.chat_id: cut_title(chat.title) for chat in known_chats(archive)}
    by_day, by_chat, by_step = (defaultdict[str, float](float) for _ in range(3))
    for cost in costs:
        by_day[cost.day] += cost.usd
        by_chat[titles.get(cost.chat_id, cost.chat_id)] += cost.usd
        by_step[cost.step] += cost.usd
    highest, bars = max(by_day.values(), default=0.0), _bars(by_day, began.date())
    spent_on = {"By chat": by_chat, "By kind of call": by_step}
    return render(
        request, "money.html", report=report, bars=bars, highest=highest, spent_on=spent_on
    )


def _bars(by_day: Mapping[str, float], first: date) -> list[DayBar]:
    """Return a bar for each of the days from `first` on."""
    highest = max(by_day.values(), default=0.0) or 1
    days = ((first + timedelta(days=number)).isoformat() for number in range(_DAYS))
    return [DayBar(day, usd := by_day.get(day, 0.0), usd / highest) for day in days]
