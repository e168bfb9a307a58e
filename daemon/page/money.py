"""Show what was spent by day, by chat and by kind of call, and the caps."""

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.chats import known_chats
from daemon.archive.journal import costs_since
from daemon.files.clock import here, now
from daemon.page.app import desk_of, render
from daemon.reports.budget import budget_report, spending_report
from rules.typingmind.dates import write_date
from rules.wording import cut_title

_DAYS = 30


def money_page(request: Request) -> Response:
    """Show the caps, a chart of the last thirty days, and what was spent by chat and by kind."""
    desk = desk_of(request)
    midnight = here().replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    began = midnight - timedelta(days=_DAYS - 1)
    with desk.archive() as archive:
        report = budget_report(archive, desk.config.budget, now())
        costs = costs_since(archive, write_date(began.astimezone()))
        titles = {chat.chat_id: cut_title(chat.title) for chat in known_chats(archive)}
    days = [(began + timedelta(days=number)).date().isoformat() for number in range(_DAYS)]
    by_day = {day: sum(cost.usd for cost in costs if cost.day == day) for day in days}
    return render(
        request,
        "money.html",
        report=report,
        by_day=by_day,
        highest=max(by_day.values()),
        spending=spending_report(costs, titles),
    )
