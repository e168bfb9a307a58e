"""Say what a run would do with each chat, who is asked, what that costs, and where it pauses."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from daemon.chat.outcome import OUTCOME_KINDS, Skipped
from daemon.files.clock import about
from daemon.models.prices import PlanCost
from daemon.models.roles import Who
from daemon.remember.endings import EndingChat
from daemon.reports.report import Card, Column, Report, ReportTable
from daemon.status.printable import tell_apart
from daemon.status.sentences import trial_in_words
from primer.models import EXTRACTIVE
from rules.money.estimate import NO_COST, NO_TRAFFIC, CostEstimate
from rules.money.price import Amounts, Usage, cost_in_words, dollars, find_first_reached, in_words
from rules.plan.chat_plan import ChatPlan, Unchanged
from rules.wording import about_it, as_sentence, capital, counted, with_file

_COLUMNS_MEAN = (
    "In the table, New: memories that a run makes. Waiting: tokens that are past the live tail, "
    "and too few for a memory yet. Live: the newest tokens, word for word."
)
_NO_PRICE = "the price of its models is not known"


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """The plan for a chat, or why a file has none; who is asked, and for how much."""

    file: str
    outcome: ChatPlan | Unchanged | Skipped
    who: Who | None = None
    money: PlanCost | None = None
    ending: EndingChat | None = None
    """Set if the chat is known and its model ends soon."""
    is_ready: bool = False
    """Whether a run would write an updated export that differs from this export, without a call."""
    is_anew: bool = False
    """Whether the updated export in place lacks something, and is therefore written again."""
    with_key: CostEstimate | None = None
    """The cost if the chat's own model wrote; None where it does, or the cost is unknown."""


@dataclass(frozen=True, slots=True)
class _PlanLine:
    """A plan as a line of the table, with the title that its chat has there."""

    title: str
    plan: ChatPlan
    row: PlannedRow

    @property
    def calls(self) -> int:
        """Return the number of calls; the built-in engine makes none."""
        return 0 if self.row.who and self.row.who.asks_no_model else self.plan.calls


_COLUMNS: tuple[Column[_PlanLine], ...] = (
    Column("Chat", lambda line: line.title, "prose"),
    Column("Messages", lambda line: line.plan.messages, "number"),
    Column("Tokens", lambda line: line.plan.tokens, "number"),
    Column("Memories", lambda line: line.plan.memories, "number"),
    Column("New", lambda line: len(line.plan.chunks), "number"),
    Column("Calls", lambda line: line.calls, "number"),
    Column("Waiting", lambda line: line.plan.waiting_tokens, "number"),
    Column("Live", lambda line: line.plan.live_tokens, "number"),
)


def plan_report(rows: Sequence[PlannedRow], caps: Amounts, spent: Amounts) -> Report:
    """Return the plans, and their cost together; `spent` counts against the caps already."""
    title = _titles(rows)
    lines = [
        _PlanLine(title(row), row.outcome, row) for row in rows if isinstance(row.outcome, ChatPlan)
    ]

    def card(row: PlannedRow) -> Card:
        ends = " would be skipped" if isinstance(row.outcome, Skipped) else ""
        ends = " is unchanged" if isinstance(row.outcome, Unchanged) else ends
        return Card(f"{title(row)}{ends}", (), notes=plan_notes(row))

    cost = total_cost(rows)
    in_all = f"In all: {cost_in_words(cost.likely, cost.at_most, caps, spent)}"
    return Report(
        (
            ReportTable("", lines, _COLUMNS),
            ReportTable("chats", rows, card=card, data=partial(_data, caps=caps, spent=spent)),
        ),
        notes=(*([_COLUMNS_MEAN] if lines else []), *([] if cost == NO_COST else [in_all])),
        values={"totals": _totals(rows, caps, spent)},
    )


def _titles(rows: Sequence[PlannedRow]) -> Callable[[PlannedRow], str]:
    """Return a function that names a row: by its chat, and file where several hold the chat."""
    outcomes = (row.outcome for row in rows)
    chats = [
        (outcome.chat_id, outcome.title) for outcome in outcomes if not isinstance(outcome, Skipped)
    ]
    titles, files = tell_apart(chats), Counter(chat_id for chat_id, _ in chats)

    def title(row: PlannedRow) -> str:
        outcome = row.outcome
        if isinstance(outcome, Skipped):
            return with_file(outcome.what, row.file)
        called = titles[outcome.chat_id]
        return f"{called}, {row.file}" if files[outcome.chat_id] > 1 else called

    return title


def _totals(rows: Sequence[PlannedRow], caps: Amounts, spent: Amounts) -> dict[str, object]:
    """Return the sums over all plans, and the caps at which they would pause, or None."""
    plans = [row.outcome for row in rows if isinstance(row.outcome, ChatPlan)]
    cost, traffic = total_cost(rows), NO_TRAFFIC
    for row in rows:
        traffic = traffic.plus(row.money.traffic) if row.money else traffic
    likely, at_most = (find_first_reached(caps, spent, usd) for usd in (cost.likely, cost.at_most))
    return {
        "chats": len(plans),
        "chunks": sum(len(plan.chunks) for plan in plans),
        "calls": sum(plan.calls for plan in plans),
        **_money(traffic, cost, caps, spent),
        "unpriced_chats": sum(row.money is not None and row.money.cost is None for row in rows),
        "pauses_at": {"likely": likely and likely.which, "at_most": at_most and at_most.which},
    }


def total_cost(rows: Sequence[PlannedRow]) -> CostEstimate:
    """Return the cost of all rows together, as far as prices are known."""
    cost = NO_COST
    for row in rows:
        if row.money:
            cost = cost.plus(row.money.cost or NO_COST)
    return cost


def plan_notes(row: PlannedRow) -> tuple[str, ...]:
    """Return all notes on a plan, or why there is no plan."""
    plan = row.outcome
    if isinstance(plan, Skipped):
        return about_it(plan.reason, plan.what), plan.next_step
    if isinstance(plan, Unchanged):
        return tuple(filter(None, (plan.reason, plan.next_step)))
    return tuple(filter(None, _on_plan(plan, row)))


def _on_plan(plan: ChatPlan, row: PlannedRow) -> Iterator[str]:
    """Yield notes on a plan, of which some may be empty.

    A model's end is noted once, with what it means here.
    """
    who, ending = row.who, row.ending
    works = who if plan.work else None
    yield works.limited if works else ""
    yield plan.reason
    yield plan.over_budget
    yield from plan.kept
    yield who_works(works) if works else ""
    if row.money and plan.calls and who:
        yield from _on_money(row.money, who.asked)
    if row.with_key and who:
        likely = in_words(row.with_key.likely)
        yield f"with a key for {who.lacks_key}, its own model writes: likely {likely}, never past a cap"
    yield from _on_work(plan)
    for notice in works.notices if works else ():
        if not (ending and notice.model == ending.model):
            yield f"note: {notice.sentence}"
    yield from (f"note: {warning}" for warning in plan.warnings)
    if ending:
        yield f"note: {ending.reason} {ending.next_step}"


def _work(plan: ChatPlan, who: Who | None) -> str:
    """Return a sentence on which memories are made, and by how many calls."""
    new = counted(len(plan.chunks), "new memory", "new memories")
    parts = [new if plan.chunks else "No new memory"]
    if plan.again:
        parts.append(f"{len(plan.again)} written again")
    if plan.hindsight:
        parts.append(f"{len(plan.hindsight)} with hindsight")
    work = ", ".join(parts)
    if who and who.asks_no_model:
        return f"{work}, extracted without a model."
    to_whom = f" to {who.agent}" if who else ""
    return f"{work}: {counted(plan.calls, 'call')}{to_whom}."


def _on_work(plan: ChatPlan) -> Iterator[str]:
    """Yield clauses on each kind of work but new memories, and on messages that stay as is."""
    numbers = {
        "memories that are written again:": len(plan.again),
        "memories that get a hindsight edition:": len(plan.hindsight),
        "memories after which the persona may edit its core memory:": len(plan.layers.core),
        "chunks of which facts are taken:": len(plan.layers.facts),
        "folds of older memories that are made: about": len(plan.folds),
    }
    yield from (f"{what} {number}" for what, number in numbers.items() if number)
    for why, number in plan.left_out.items():
        messages = counted(number, "message stays as it is", "messages stay as they are")
        yield f"{messages}: {why}"
    if plan.attached:
        stay = "messages with attachments stay"
        stay = counted(plan.attached, "message with attachments stays", stay)
        yield f"{stay} in the chat, shown and no longer sent"


def who_works(who: Who) -> str:
    """Return a clause on which models write and analyse."""
    is_engine = who.agent == EXTRACTIVE
    window = f", whose window holds {who.window:,} tokens" if who.window and not is_engine else ""
    fallback = f"; where it refuses, {who.fallback}" if who.fallback else ""
    if who.asks_no_model:
        return "no model: sentences are extracted"
    return f"{who.agent} writes{window}; {who.context_manager} analyses{fallback}"


def _on_money(money: PlanCost, asked: str) -> Iterator[str]:
    """Yield clauses on what a chat sends, receives and costs, how long it takes, how sure it is."""
    traffic = money.traffic
    if traffic.prompt:
        place = "server" if money.trial else "provider"
        share = f"{traffic.cached_share:.0%} of them read from the {place}'s cache"
        yield f"sends about {traffic.prompt:,} tokens, {share}, and gets {traffic.answer:,}"
        sure = "is an estimate until there are replies"
        if money.replies:
            sure = f"is known from {counted(money.replies, 'reply', 'replies')}"
        yield f"how many tokens the model counts {sure}"
    if money.cost is None:
        yield f"{_NO_PRICE}, so no cap limits what they cost"
    elif money.cost == NO_COST:
        takes = f", and takes {about(money.seconds)} on this server" if money.seconds else ""
        yield f"costs nothing{takes}"
        if money.trial:
            yield trial_in_words(asked, money.trial)
        elif asked != EXTRACTIVE:
            yield f"how long it takes is not known: memproc config fit {asked} tries the model once"
    else:
        how = ", in batches at half price" if money.batched else ""
        further = "what has to be asked again is extra, within the caps"
        yield f"costs likely {in_words(money.cost.likely)}{how}; {further}"


def _data(row: PlannedRow, caps: Amounts, spent: Amounts) -> dict[str, object]:
    """Return a row's object in JSON, without keys for what is not known."""
    plan, money = row.outcome, row.money
    kind = "plan" if isinstance(plan, ChatPlan) else OUTCOME_KINDS[type(plan)]
    data: dict[str, object] = {"file": row.file, "outcome": kind, **asdict(plan)}
    if isinstance(plan, ChatPlan):
        data |= {"calls": plan.calls, "ready": row.is_ready, "anew": row.is_anew}
        data["work"] = _work(plan, row.who)
    if row.ending:
        ending = asdict(row.ending)
        names = ("model", "end", "memories", "by_others", "to_write")
        data["ending"] = {
            **{name: ending[name] for name in names},
            **_estimate(row.ending.direct),
            **_estimate(row.ending.batched, "batched_"),
        }
    if row.who:
        notices = [notice.sentence for notice in row.who.notices]
        data["models"] = {**asdict(row.who), "notices": notices}
    if money:
        data["money"] = _money_of(money, caps, spent)
    if row.with_key:
        data["with_key"] = _estimate(row.with_key)
    return {**data, "notes": list(map(as_sentence, plan_notes(row)))}


def _money_of(money: PlanCost, caps: Amounts, spent: Amounts) -> dict[str, object]:
    """Return what a plan costs, and how long it takes by the last trial; None without a trial."""
    return {
        **_money(money.traffic, money.cost, caps, spent),
        "replies": money.replies,
        "seconds": money.seconds and round(money.seconds),
        "trial": money.trial and asdict(money.trial),
        "batched": money.batched,
    }


def _money(
    traffic: Usage, cost: CostEstimate | None, caps: Amounts, spent: Amounts
) -> dict[str, object]:
    """Return tokens as models likely count them, dollars, and a sentence on cost and any pause."""
    says = "it costs nothing."
    if cost is None:
        says = f"{_NO_PRICE}."
    elif cost != NO_COST:
        says = cost_in_words(cost.likely, cost.at_most, caps, spent)
    tokens = {
        "sent": traffic.prompt,
        "cached": traffic.cached,
        "cache_written": traffic.cache_written,
        "answered": traffic.answer,
        "cached_share": round(traffic.cached_share, 4),
    }
    return {"tokens": tokens, **_estimate(cost), "says": capital(says)}


def _estimate(cost: CostEstimate | None, prefix: str = "") -> dict[str, object]:
    """Return an estimate in dollars; None where prices are not known."""
    likely = dollars(cost.likely) if cost else None
    at_most = dollars(cost.at_most) if cost else None
    return {f"{prefix}likely_usd": likely, f"{prefix}at_most_usd": at_most}
