"""`memproc plan`: what a run would do with each chat, what that will cost, and whether the caps allow it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import click

from daemon.archive.chats import is_known
from daemon.archive.journal import spent
from daemon.chat.deliver import stand_already
from daemon.chat.outcome import Skipped
from daemon.chat.rest import AtRest
from daemon.chat.survey import Survey
from daemon.cli.printing import in_width, print_table
from daemon.cli.settings import Settings, json_option, other_files, pass_settings, wanted_exports
from daemon.config.keys import keys
from daemon.config.loading import core_layout, load_texts
from daemon.events import tell_nobody
from daemon.files.clock import at, now, periods
from daemon.files.read import Export
from daemon.models.ask import caps_now
from daemon.models.completion import complete
from daemon.models.context import Context
from daemon.models.prices import PlanCost, no_work, plan_cost
from daemon.models.roles import Who, who
from daemon.models.splitting import splitter
from daemon.remember.endings import EndingChat, ending_chat
from daemon.status.printable import printable_json, told_apart, visible
from daemon.trip import chats_of, go_round, look, ready_without_calls
from rules.errors import MemprocError
from rules.money.estimate import NO_COST, NO_TRAFFIC, CostEstimate
from rules.money.price import Reached, Usage, dollars, first_reached, in_words, left
from rules.plan.chat_plan import ChatPlan, Unchanged
from rules.typingmind.chat import Chat
from rules.wording import counted

_HEADINGS = (
    "Chat", "Messages", "Tokens", "Memories", "New", "Calls", "To send", "Waiting", "Live",
)  # fmt: skip
_ANEW = "Its updated export is written anew, without a call: it says other things than this export."


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """The plan for a chat, or for a file that is none: what a run would do, who is asked, and for how much."""

    file: str
    outcome: ChatPlan | Unchanged | Skipped
    who: Who | None = None
    money: PlanCost | None = None
    ending: EndingChat | None = None
    """The chat, where it is known and its model ends soon."""


@dataclass(frozen=True, slots=True)
class _Total:
    """What all plans together send and cost, and the caps that they reach."""

    traffic: Usage
    cost: CostEstimate
    under_caps: int
    """Picodollars that are left under the caps."""
    likely: Reached | None
    """The cap that the likely cost reaches first."""
    at_most: Reached | None
    """The cap that the cost reaches at worst."""


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@json_option
@pass_settings
def plan_command(settings: Settings, paths: tuple[Path, ...], as_json: bool) -> int:
    """Show what `run` would do with the exports in the inbox, or those named. Sends and writes nothing."""
    rows = [*planned_rows(settings, wanted_exports(settings, paths))]
    rows += [PlannedRow(other.what, other) for other in other_files(settings, paths)]
    total = _total_of(settings, rows)
    if as_json:
        chats = [_as_json(row, total.under_caps) for row in rows]
        click.echo(printable_json({"chats": chats, "totals": _totals_as_json(rows, total)}))
    else:
        settings.say_what_counts()
        where = ", ".join(map(str, paths)) or str(settings.folders.inbox)
        nothing = f"Nothing to plan: there are no chats in {where}."
        _print_rows(rows, _in_a_sentence(total) if rows else nothing)
    return 1 if any(isinstance(row.outcome, Skipped) for row in rows) else 0


def _total_of(settings: Settings, rows: Sequence[PlannedRow]) -> _Total:
    """Add up what all plans send and cost, and hold it against the caps."""
    with settings.archive() as archive:
        when = now()
        caps = caps_now(archive, settings.config.budget, when)
        so_far = spent(archive, "", periods(at(when)))
    traffic, cost = NO_TRAFFIC, total_cost(rows)
    for row in rows:
        if row.money:
            traffic = traffic.plus(row.money.traffic)
    likely, at_most = (
        first_reached(caps, so_far, amount) for amount in (cost.likely, cost.at_most)
    )
    return _Total(traffic, cost, left(caps, so_far), likely, at_most)


def _totals_as_json(rows: Sequence[PlannedRow], total: _Total) -> dict[str, object]:
    """Return the totals for programs."""
    plans = [row.outcome for row in rows if isinstance(row.outcome, ChatPlan)]
    likely, at_most = total.likely, total.at_most
    return {
        "chats": len(plans),
        "chunks": sum(len(chat.chunks) for chat in plans),
        "calls": sum(chat.calls for chat in plans),
        **_money(total.traffic, total.cost, total.under_caps),
        "unpriced_chats": sum(row.money is not None and row.money.cost is None for row in rows),
        "pauses_at": {"likely": likely and likely.which, "at_most": at_most and at_most.which},
    }


def planned_rows(settings: Settings, exports: Sequence[Path]) -> list[PlannedRow]:
    """The plans for each chat of these exports. Sends and writes nothing."""
    with settings.archive() as archive:
        folders = settings.folders
        context = Context(
            settings.config, folders, archive, complete, keys(folders.state), now, tell_nobody
        )
        return list(_rows(context, exports))


def spendable(settings: Settings) -> int:
    """Return what can be spent now before a cap is reached, in picodollars; a run begins with a cap of its own."""
    with settings.archive() as archive:
        when = now()
        return left(
            caps_now(archive, settings.config.budget, when), spent(archive, "", periods(at(when)))
        )


def total_cost(rows: Sequence[PlannedRow]) -> CostEstimate:
    """The cost of all of it, as far as prices are known."""
    cost = NO_COST
    for row in rows:
        if row.money:
            cost = cost.plus(row.money.cost or NO_COST)
    return cost


def _rows(context: Context, exports: Sequence[Path]) -> Iterator[PlannedRow]:
    load_texts(context.config.texts.path)  # wrong ones are told once, and not for every chat
    core_layout(context.config.core)
    splitter(context.config.chunk.bounds)
    for path in exports:
        for row in go_round(context, [path], _plan_export):
            yield row if isinstance(row, PlannedRow) else PlannedRow(path.name, row)


def _plan_export(context: Context, export: Export) -> Iterator[PlannedRow | Skipped]:
    """Plan each chat of an export."""
    return chats_of(context, export, partial(_plan_chat, context, export))


def _plan_chat(context: Context, export: Export, chat: Chat) -> Iterator[PlannedRow]:
    """Plan one chat; where the archive knows it, say of its model that it ends soon."""
    row = _planned(context, export, chat)
    if isinstance(row.outcome, ChatPlan) and is_known(context.archive, row.outcome.chat_id):
        with suppress(MemprocError):  # the plan could be made, and tells what is wrong
            row = replace(row, ending=_ending(context, row.outcome.chat_id))
    yield row


def _planned(context: Context, export: Export, chat: Chat) -> PlannedRow:
    file, archive, now = export.path.name, context.archive, context.clock()
    looked = look(context, export, chat)
    if isinstance(looked, AtRest):
        return PlannedRow(file, looked.plan, looked.who, no_work(archive, looked.who.agent, now))
    if isinstance(looked, Unchanged):
        return PlannedRow(file, Unchanged(looked.chat_id, looked.title, looked.reason))
    if too_large := looked.too_large:
        return PlannedRow(file, Skipped(chat.title, too_large.reason, too_large.next_step))
    money = plan_cost(archive, looked.plan, looked.roles, looked.config, now)
    return PlannedRow(file, _with_reason(context, looked), who(looked.roles), money)


def _ending(context: Context, chat_id: str) -> EndingChat | None:
    return ending_chat(context.archive, chat_id, context.config, context.key, context.clock())


def _with_reason(context: Context, surveyed: Survey) -> ChatPlan:
    """Return the plan, which says so where the updated export is written although no model is asked."""
    plan, ready = surveyed.plan, ready_without_calls(context, surveyed)
    if ready is None or stand_already(context, ready):
        return plan
    return replace(plan, reason=f"{plan.reason} {_ANEW}")


def _as_json(row: PlannedRow, under_caps: int) -> dict[str, object]:
    kind = {ChatPlan: "plan", Unchanged: "left_alone", Skipped: "set_aside"}[type(row.outcome)]
    report: dict[str, object] = {"file": row.file, "outcome": kind, **asdict(row.outcome)}
    if isinstance(row.outcome, ChatPlan):
        report["calls"] = row.outcome.calls
    if row.ending:
        report["ending"] = _ending_as_json(row.ending)
    if row.who:
        report["models"] = asdict(row.who)
    if row.money:
        money = row.money
        report["money"] = {
            **_money(money.traffic, money.cost, under_caps),
            "replies": money.replies,
            "batched": money.batched,
        }
    return report


def _ending_as_json(chat: EndingChat) -> dict[str, object]:
    """Return what is said of a model that ends soon, for programs."""
    return {
        "model": chat.model, "end": chat.end, "memories": chat.memories, "by_others": chat.by_others,
        "to_write": chat.to_write, "likely_usd": dollars(chat.direct.likely) if chat.direct else None,
        "at_most_usd": dollars(chat.direct.at_most) if chat.direct else None,
        "batched_likely_usd": dollars(chat.batched.likely) if chat.batched else None,
        "batched_at_most_usd": dollars(chat.batched.at_most) if chat.batched else None,
    }  # fmt: skip


def _money(traffic: Usage, cost: CostEstimate | None, under_caps: int) -> dict[str, object]:
    """Return tokens, as the models are likely to count them, and dollars.

    `under_caps` picodollars are left under the caps: more is never spent, whatever the work may need at most.
    """
    return {
        "tokens": {
            "sent": traffic.prompt,
            "cached": traffic.cached,
            "cache_written": traffic.cache_written,
            "answered": traffic.answer,
            "cached_share": round(traffic.cached_share, 4),
        },
        "likely_usd": dollars(cost.likely) if cost else None,
        "at_most_usd": dollars(cost.at_most) if cost else None,
        "spent_at_most_usd": dollars(min(cost.at_most, under_caps)) if cost else None,
    }


def _print_rows(rows: Sequence[PlannedRow], last: str) -> None:
    """Print a table of the plans, notes on each chat, and a last line that may be empty."""
    titles = told_apart(
        (row.outcome.chat_id, row.outcome.title)
        for row in rows
        if not isinstance(row.outcome, Skipped)
    )
    cells = [
        [titles[row.outcome.chat_id], *_numbers(row.outcome, row.money)]
        for row in rows
        if isinstance(row.outcome, ChatPlan)
    ]
    if cells:
        print_table(_HEADINGS, cells, right=range(1, len(_HEADINGS)))
    for line in (*(line for row in rows for line in _lines_on(row, titles)), last):
        if line:
            click.echo(in_width(visible(line)))


def _numbers(plan: ChatPlan, money: PlanCost | None) -> Iterator[str]:
    """Yield the numbers of a plan in the order of the table's headings."""
    numbers = (
        plan.messages, plan.tokens, plan.memories, len(plan.chunks), plan.calls,
        money.traffic.prompt if money else 0, plan.waiting_tokens, plan.live_tokens,
    )  # fmt: skip
    return (f"{number:,}" for number in numbers)


def _lines_on(row: PlannedRow, titles: Mapping[str, str]) -> Iterator[str]:
    """Yield what there is to say of a row below the table."""
    plan = row.outcome
    if isinstance(plan, Skipped):
        yield f"{plan.what}: would be skipped. {plan.reason} {plan.next_step}"
    elif isinstance(plan, Unchanged):
        yield f"{titles[plan.chat_id]}: unchanged: {plan.reason}"
    else:
        yield from (f"{titles[plan.chat_id]}: {note}" for note in _notes_on(plan, row) if note)


def _notes_on(plan: ChatPlan, row: PlannedRow) -> Iterator[str]:
    """Yield notes on a plan; some of them are empty."""
    yield plan.reason
    yield plan.over_budget
    if row.who and plan.work:
        yield _who_works(row.who)
    if row.money and plan.calls:
        yield from _notes_on_money(row.money)
    yield from _notes_on_work(plan)
    for why, number in plan.left_out.items():
        yield f"{counted(number, 'message stays as it is', 'messages stay as they are')}: {why}"
    if plan.attached:
        stay = "messages with attachments stay"
        stay = counted(plan.attached, "message with attachments stays", stay)
        yield f"{stay} in the chat, shown and no longer sent"
    end = row.ending.end if row.ending else ""
    notices = row.who.notices if row.who and plan.work else ()
    yield from (f"note: {warning}" for warning in (*notices, *plan.warnings) if warning != end)
    if row.ending:
        yield f"note: {row.ending.reason} {row.ending.next_step}"


def _who_works(who: Who) -> str:
    """Return which models write and analyse."""
    window = f", whose window holds {who.window:,} tokens" if who.window else ""
    fallback = f"; where it refuses, {who.fallback}" if who.fallback else ""
    return f"{who.agent} writes{window}; {who.context_manager} analyses{fallback}"


def _notes_on_work(plan: ChatPlan) -> Iterator[str]:
    """Yield how much of each kind of work there is beside new memories."""
    for what, some in (
        ("memories that are written again:", plan.again),
        ("memories that get a hindsight edition:", plan.hindsight),
        ("memories after which the persona may edit its core memory:", plan.layers.core),
        ("chunks of which facts are taken:", plan.layers.facts),
        ("folds of older memories that are made: about", plan.folds),
    ):
        if some:
            yield f"{what} {len(some)}"


def _notes_on_money(money: PlanCost) -> Iterator[str]:
    """Sentences on what a chat will send, receive and cost, and how sure that is."""
    traffic = money.traffic
    if traffic.prompt:
        share = f"{traffic.cached_share:.0%} of them read from the provider's cache"
        yield f"sends about {traffic.prompt:,} tokens, {share}, and gets {traffic.answer:,}"
        replies = counted(money.replies, "reply", "replies")
        sure = f"stands on {replies}" if money.replies else "has not been held against replies yet"
        yield f"how many tokens the model counts {sure}"
    if money.cost is None:
        yield "nobody knows the price of its models, so no cap holds what they cost"
    elif money.cost == NO_COST:
        yield "costs nothing"
    else:
        how = ", in batches at half price" if money.batched else ""
        yield f"costs {_range(money.cost)}{how}; what must be asked again comes on top, under the caps"


def _in_a_sentence(total: _Total) -> str:
    """Return the cost of all chats, with the cap that stops them first; empty for no cost."""
    if total.cost == NO_COST:
        return ""
    if total.likely:
        verdict = f"That is more than {_left(total.likely)}: it will pause there."
    elif total.at_most:
        verdict = f"It likely fits under the caps; at worst it pauses at {_left(total.at_most)}."
    else:
        verdict = "The caps allow it."
    return f"In all: {_range(total.cost)}. {verdict}"


def _range(cost: CostEstimate) -> str:
    return f"likely {in_words(cost.likely)}, at most {in_words(cost.at_most)}"


def _left(reached: Reached) -> str:
    of = {"run": "a run", "day": "today", "month": "this month"}[reached.which]
    return f"the {in_words(max(0, reached.cap - reached.spent))} that are left of {of}'s {in_words(reached.cap)}"
