"""Report caps and what is spent under them, models' costs, what their replies taught, each call."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import starmap

from daemon.archive.archive import Archive
from daemon.archive.journal import (
    DaysCost,
    LearnedFactor,
    OfModel,
    Reply,
    by_model,
    last_run,
    learned_factors,
    odd_usages,
    replies,
    spent,
    thinking_models,
)
from daemon.config.model_tables import BudgetSettings
from daemon.files.clock import at, periods, with_span
from daemon.models.ask import caps_now
from daemon.models.prices import ENOUGH, LEARNED_FOR, counts_now
from daemon.reports.report import Card, Column, Moment, Report, ReportTable, Step, unmarked
from primer.models import token_factor
from rules.money.price import NAMES, Which, dollars, in_words, usd_in_words
from rules.wording import counted

_SPANS = {"run": "Each run", "day": "Today", "month": "This month"}
_OF_A_RUN = "each run; spent: the last one"
_REQUEST = 12  # characters that are shown of a request's hash


@dataclass(frozen=True, slots=True)
class CapRow:
    """A cap and the money under it, in dollars."""

    name: Which
    usd: float
    configured_usd: float
    """The cap in memproc.toml; it may be raised for a while."""
    spent_usd: float
    """Spent and reserved; for a run's cap, by the last run."""
    turns_at: str
    """When the sum starts again at zero; empty for a run's cap."""
    starts_again: str
    """The same in words."""

    @property
    def words(self) -> str:
        """Return the cap in words; if it is raised, with its configured value."""
        cap = usd_in_words(self.usd)
        is_raised = self.usd != self.configured_usd
        return f"{cap} (raised from {usd_in_words(self.configured_usd)})" if is_raised else cap


@dataclass(frozen=True, slots=True)
class CallRow:
    """A call in the journal."""

    reply: Reply
    odd_usage: str
    """The token counts that the provider gave, if they are impossible; shown as "?" then."""

    def count(self, tokens: int) -> str:
        """Return a token count as it is shown."""
        return "?" if self.odd_usage else f"{tokens:,}"

    @property
    def ended(self) -> str:
        """Return why the answer ended, and the number of the attempt if it was not the first."""
        reply = self.reply
        return f"{reply.finish}, try {reply.tries}" if reply.tries > 1 else reply.finish

    @property
    def dollars(self) -> str:
        """Return what the call cost, as far as the price is known."""
        if self.reply.usd is None:
            return "unknown"
        return f"{self.reply.usd:.6f}" if self.reply.usd else "free"


_CAPS: tuple[Column[CapRow], ...] = (
    Column("", lambda cap: _SPANS[cap.name]),
    Column("Cap", lambda cap: cap.words, "number"),
    Column("Spent", lambda cap: usd_in_words(cap.spent_usd), "number"),
    Column("Starts again", lambda cap: cap.starts_again, "prose"),
)
_CALLS: tuple[Column[CallRow], ...] = (
    Column("Asked", lambda row: Moment(row.reply.asked_at)),
    Column("Step", lambda row: row.reply.step),
    Column("Model", lambda row: row.reply.model),
    Column("Ended", lambda row: row.ended, drop=3),
    Column("In", lambda row: row.count(row.reply.tokens_in), "number", drop=4),
    Column("Cached", lambda row: row.count(row.reply.tokens_cached), "number", drop=2),
    Column("Out", lambda row: row.count(row.reply.tokens_out), "number", drop=5),
    Column("Dollars", lambda row: row.dollars, "number"),
    Column("Request", lambda row: row.reply.request[:_REQUEST], drop=1),
)


def budget_report(archive: Archive, settings: BudgetSettings, now: str) -> Report:
    """Return the caps in force at the time `now`, with what is spent under each.

    The figures for a run are those of the last run that reserved anything.
    """
    models = by_model(archive, periods(at(now)).month_began)
    learned = [
        (name, factor, counts_now(factor, token_factor(name), now))
        for name, factor in learned_factors(archive).items()
    ]
    thinking = thinking_models(archive)
    notes = (
        *map(_of_model, models),
        *starmap(_of_learned, learned),
        *(
            f"{name}: thinks before it answers, lately some {known.spent:,} tokens; has room "
            f"for {known.room:,}{_how_to_forget(name)}"
            for name, known in thinking.items()
        ),
    )
    return Report(
        (
            ReportTable("caps", _caps(archive, settings, now), _CAPS),
            ReportTable("models", models, data=_model_data),
            ReportTable(
                "learned",
                learned,
                data=lambda row: {"model": row[0], **asdict(row[1]), "counts": row[2]},
            ),
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
    """Return what was spent by chat and kind of call, dearest first; `titles` are by chat id."""
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


def _model_data(row: OfModel) -> dict[str, object]:
    """Return what a model has cost, in dollars; the sums leave out its `unpriced` calls."""
    usd, open_usd = dollars(row.settled), dollars(row.open)
    return {
        "model": row.model,
        "calls": row.calls,
        "usd": usd,
        "open_usd": open_usd,
        "unpriced": row.unpriced,
    }


def _of_model(row: OfModel) -> str:
    """Return a clause on a model's calls this month, and their cost."""
    line = f"{row.model}: {counted(row.calls, 'call')} this month, {in_words(row.settled)}"
    if row.open:
        line += f"; up to {in_words(row.open)} for calls under way, or cut off and perhaps billed"
    if row.unpriced:
        line += f"; {row.unpriced:,} of them without a known price"
    return line


def _of_learned(model: str, learned: LearnedFactor, counts: bool) -> str:
    """Return a clause on how a model counts tokens, and whether plans use that."""
    shown = counted(learned.replies, "reply", "replies")
    line = f"{model}: counts {learned.factor:.2f} tokens for one of memproc's, by {shown}"
    if not counts:
        line += f"; not used any more, {LEARNED_FOR.days} days after the newest of them"
    elif learned.replies < ENOUGH:
        line += f"; used from {ENOUGH} on"
    return f"{line}{_how_to_forget(model)}"


def _how_to_forget(model: str) -> str:
    return f" (to forget it: memproc budget forget {model})"


def calls_report(archive: Archive, chat_id: str | None, *, with_text: bool) -> Report:
    """Return the calls in the journal, of all chats or of one, oldest first.

    The answers' texts are included only `with_text`.
    """
    odd = odd_usages(archive)
    rows = [CallRow(reply, odd.get(reply.request, "")) for reply in replies(archive, chat_id)]

    def data(row: CallRow) -> dict[str, object]:
        values = {**asdict(row.reply), "odd_usage": row.odd_usage}
        return values if with_text else {name: values[name] for name in values if name != "text"}

    none = f"No model was asked{' about this chat' if chat_id else ''} yet."
    next_steps = () if rows else (Step("What a run would ask, and its cost", "plan"),)
    columns, card = ((), _card) if with_text else (_CALLS, None)
    return Report((ReportTable("calls", rows, columns, none, card, data=data),), next=next_steps)


def _card(row: CallRow) -> Card:
    """Return a call with its answer."""
    reply = row.reply
    who = f"{reply.step}, {reply.model}"
    price = f"${row.dollars}" if reply.usd else row.dollars
    return Card(who, unmarked(reply.text), at=reply.asked_at, marks=(reply.finish, price))
