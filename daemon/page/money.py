"""Show what was spent, by day, chat and kind of call, and the caps."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.journal import DaysCost, costs_since, last_run, spent
from daemon.config.model_tables import BudgetSettings
from daemon.files.clock import at, here, now, periods
from daemon.models.ask import caps_now
from daemon.page.app import desk_of, render
from rules.money.price import NAMES, Which, dollars
from rules.typingmind.dates import write_date
from rules.wording import cut_title

_DAYS = 30


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
    when = now()
    midnight = here().replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    began = midnight - timedelta(days=_DAYS - 1)
    with Archive.read(desk.folders.state) as archive:
        caps = _caps(archive, desk.config.budget, when)
        costs = costs_since(archive, write_date(began.astimezone()))
        titles = {chat.chat_id: cut_title(chat.title) for chat in known_chats(archive)}
    bars = _bars(costs, began.date())
    return render(
        request,
        "money.html",
        caps=caps,
        bars=bars,
        highest=max(bar.usd for bar in bars),
        by_chat=_dearest_first(costs, lambda cost: titles.get(cost.chat_id, cost.chat_id)),
        by_step=_dearest_first(costs, lambda cost: cost.step),
    )


def _dearest_first(
    costs: Sequence[DaysCost], name_of: Callable[[DaysCost], str]
) -> list[tuple[str, int]]:
    """List what money was spent on, with its dollars."""
    return [(name, usd) for name, usd in _sums(costs, name_of).most_common() if usd]


def _sums(costs: Sequence[DaysCost], name_of: Callable[[DaysCost], str]) -> Counter[str]:
    """Add up the dollars of the costs that have the same name."""
    sums = Counter[str]()  # which sums dollars as well
    for cost in costs:
        sums[name_of(cost)] += cost.usd  # type: ignore[assignment]
    return sums


def _bars(costs: Sequence[DaysCost], first: date) -> list[DayBar]:
    """Return a bar for each of the days from `first` on."""
    by_day = _sums(costs, lambda cost: cost.day)
    highest = max(by_day.values(), default=0) or 1
    bars = []
    for number in range(_DAYS):
        day = (first + timedelta(days=number)).isoformat()
        bars.append(DayBar(day, by_day[day], by_day[day] / highest))
    return bars


def _caps(archive: Archive, settings: BudgetSettings, when: str) -> list[ShownCap]:
    """Return the three caps; the run's shows what the last run has spent."""
    caps = caps_now(archive, settings, when)
    amounts = spent(archive, last_run(archive), periods(at(when)))
    shown = []
    for name in NAMES:
        columns = (caps.of(name), settings.caps.of(name), amounts.of(name))
        shown.append(ShownCap(name, *map(dollars, columns)))
    return shown
