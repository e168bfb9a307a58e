"""Say what may be spent, what is spent of it, and what models have cost and shown this month."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from daemon.archive.archive import Archive
from daemon.archive.journal import (
    DaysCost,
    by_model,
    last_run,
    learned_factors,
    spent,
    thinking_models,
)
from daemon.config.model_tables import BudgetSettings
from daemon.files.clock import at, periods, with_span
from daemon.models.ask import caps_now
from daemon.models.prices import ENOUGH, LEARNED_FOR, counts_now
from daemon.reports.report import Column, Report, ReportTable, Step
from primer.models import token_factor
from rules.money.price import NAMES, Which, dollars, usd_in_words
from rules.wording import counted

_SPANS = {"run": "Each run", "day": "Today", "month": "This month"}
_OF_A_RUN = "each run; spent: the last one"


@dataclass(frozen=True, slots=True)
class CapRow:
    """A cap and the money under it, in dollars."""

    name: Which
    usd: float
    configured_usd: float
    """What memproc.toml says; the cap may be raised above it for a while."""
    spent_usd: float
    """Spent and reserved; of a run's cap, by the last run."""
    turns_at: str
    """When the sum begins at nothing again; empty for a run's."""
    starts_again: str
    """The same in words."""

    @property
    def words(self) -> str:
        """Return the cap, and where it is raised what it was before."""
        cap = usd_in_words(self.usd)
        is_raised = self.usd != self.configured_usd
        return f"{cap} (raised from {usd_in_words(self.configured_usd)})" if is_raised else cap


_COLUMNS: tuple[Column[CapRow], ...] = (
    Column("", lambda cap: _SPANS[cap.name]),
    Column("Cap", lambda cap: cap.words, "number"),
    Column("Spent", lambda cap: usd_in_words(cap.spent_usd), "number"),
    Column("Starts again", lambda cap: cap.starts_again, "prose"),
)


@dataclass(frozen=True, slots=True)
class ModelRow:
    """What a model has cost this month, in dollars."""

    model: str
    calls: int
    usd: float
    open_usd: float
    """Reserved for calls that are under way, or were cut off and may have been billed."""
    unpriced: int
    """Calls without a known price; nothing of them is in the sums."""


@dataclass(frozen=True, slots=True)
class LearnedRow:
    """How a model counts tokens, as its replies have shown."""

    model: str
    factor: float
    replies: int
    newest: str
    counts: bool
    """Whether plans still go by it."""


def budget_report(archive: Archive, settings: BudgetSettings, now: str) -> Report:
    """Return the caps as they count at the time `now`, with what is spent under each.

    The run's figures are those of the last run that reserved anything.
    """
    models = [
        ModelRow(one.model, one.calls, dollars(one.settled), dollars(one.open), one.unpriced)
        for one in by_model(archive, periods(at(now)).month_began)
    ]
    learned = [
        LearnedRow(name, **asdict(factor), counts=counts_now(factor, token_factor(name), now))
        for name, factor in learned_factors(archive).items()
    ]
    thinking = thinking_models(archive)
    notes = (
        *map(_of_model, models),
        *map(_of_learned, learned),
        *(
            f"{name}: thinks before it answers, lately some {known.spent:,} tokens; has room "
            f"for {known.room:,}{_how_to_forget(name)}"
            for name, known in thinking.items()
        ),
    )
    return Report(
        (
            ReportTable("caps", _caps(archive, settings, now), _COLUMNS),
            ReportTable("models", models),
            ReportTable("learned", learned),
            ReportTable(
                "thinking",
                list(thinking.items()),
                data=lambda row: {"model": row[0], **asdict(row[1])},
            ),
        ),
        notes=notes,
        next=(Step("To let more be spent today", "budget raise --day USD"),),
    )


def _caps(archive: Archive, settings: BudgetSettings, now: str) -> list[CapRow]:
    """Return the three caps, the run's first."""
    when = periods(at(now))
    caps, amounts = caps_now(archive, settings, now), spent(archive, last_run(archive), when)
    turns = {"run": "", "day": when.day_ends, "month": when.month_ends}
    rows = []
    for name in NAMES:
        usd, configured = dollars(caps.of(name)), dollars(settings.caps.of(name))
        words = with_span(turns[name], now) if turns[name] else _OF_A_RUN
        rows.append(CapRow(name, usd, configured, dollars(amounts.of(name)), turns[name], words))
    return rows


def spending_report(costs: Sequence[DaysCost], titles: Mapping[str, str]) -> Report:
    """Return what was spent by chat and by kind of call, the dearest first; `titles` are by chats' ids."""
    by_chat, by_step = defaultdict[str, float](float), defaultdict[str, float](float)
    for cost in costs:
        by_chat[titles.get(cost.chat_id, cost.chat_id)] += cost.usd
        by_step[cost.step] += cost.usd
    return Report((_spent("By chat", by_chat), _spent("By kind of call", by_step)))


def _spent(heading: str, sums: Mapping[str, float]) -> ReportTable[tuple[str, float]]:
    columns: tuple[Column[tuple[str, float]], ...] = (
        Column(heading, lambda row: row[0], "prose"),
        Column("Spent", lambda row: usd_in_words(row[1]), "number"),
    )
    dearest_first = sorted(sums.items(), key=lambda row: -row[1])
    return ReportTable("", [row for row in dearest_first if row[1]], columns)


def _of_model(row: ModelRow) -> str:
    """Say what a model was asked this month, and what that cost."""
    line = f"{row.model}: {counted(row.calls, 'call')} this month, {usd_in_words(row.usd)}"
    if row.open_usd:
        line += (
            f"; up to {usd_in_words(row.open_usd)} for calls under way, or cut off and perhaps "
            "billed"
        )
    if row.unpriced:
        line += f"; {row.unpriced:,} of them without a known price"
    return line


def _of_learned(row: LearnedRow) -> str:
    """Say how a model counts tokens."""
    shown = counted(row.replies, "reply", "replies")
    line = f"{row.model}: counts {row.factor:.2f} tokens for one of memproc's, by {shown}"
    if not row.counts:
        line += f"; not used any more, {LEARNED_FOR.days} days after the newest of them"
    elif row.replies < ENOUGH:
        line += f"; used from {ENOUGH} on"
    return f"{line}{_how_to_forget(row.model)}"


def _how_to_forget(model: str) -> str:
    return f" (to forget it: memproc budget forget {model})"
