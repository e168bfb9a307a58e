"""Show what a run would do, what it costs, and whether the caps allow it: `memproc plan`."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import click

from daemon.archive.chats import is_known
from daemon.archive.journal import spent
from daemon.chat.finish import is_in_place
from daemon.chat.outcome import Skipped
from daemon.chat.rest import AtRest
from daemon.cli.printing import print_json, print_table, print_text, sign_of_life
from daemon.cli.settings import Settings, json_option, other_files, pass_settings, wanted_exports
from daemon.config.keys import as_if_kept
from daemon.config.loading import core_layout, load_texts
from daemon.files.clock import at, now, periods
from daemon.files.read import Export
from daemon.models.ask import caps_now
from daemon.models.context import Context, context_to_read
from daemon.models.prices import PlanCost, no_work, plan_cost
from daemon.models.roles import Who, who
from daemon.models.splitting import splitter
from daemon.remember.endings import EndingChat, ending_chat
from daemon.status.printable import told_apart
from daemon.trip import chats_of, go_round, look, ready_without_calls
from primer.models import EXTRACTIVE
from rules.errors import MemprocError
from rules.money.estimate import NO_COST, NO_TRAFFIC, CostEstimate
from rules.money.price import Amounts, Reached, Usage, dollars, first_reached, in_words, left
from rules.plan.chat_plan import ChatPlan, Unchanged
from rules.typingmind.chat import Chat
from rules.wording import about_it, counted

_HEADINGS = (
    "Chat",
    "Messages",
    "Tokens",
    "Memories",
    "New",
    "Calls",
    "To send",
    "Waiting",
    "Live",
)
_WITHOUT_CALL = (
    "Its updated export is written again, without a call: what it should say has changed."
)


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """The plan for a chat, or why a file has none; who is asked, and for how much."""

    file: str
    outcome: ChatPlan | Unchanged | Skipped
    who: Who | None = None
    money: PlanCost | None = None
    ending: EndingChat | None = None
    """Set where the chat is known and its model ends soon."""
    is_ready: bool = False
    """Whether the chat's updated export says something else than this export, without a call."""
    is_anew: bool = False
    """Whether the updated export in its place lacks something, and is written again for that."""
    with_key: CostEstimate | None = None
    """The cost if the chat's own model wrote; None where it does, or where that is not known."""


@dataclass(frozen=True, slots=True)
class _Total:
    """What all plans send and cost together, and the caps that they reach."""

    traffic: Usage
    cost: CostEstimate
    under_caps: int
    """Picodollars left under the caps."""
    likely: Reached | None
    """The cap that the likely cost reaches first."""
    at_most: Reached | None
    """The cap that the cost reaches at worst."""


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@json_option
@pass_settings
def plan_command(settings: Settings, paths: tuple[Path, ...], as_json: bool) -> int:
    """Show what `run` would do with the exports in the inbox, or those named.

    Sends and writes nothing. In the table, New is the memories to be made, by that many Calls, which
    send that many tokens (To send). Waiting are the tokens that have left the live tail and are too
    few for a memory yet; Live are the newest, which stay word for word.
    """
    rows = planned_rows(settings, wanted_exports(settings, paths))
    rows += [PlannedRow(other.what, other) for other in other_files(settings, paths)]
    if as_json:
        print_json(plans_as_json(settings, rows))
    else:
        total = _total_of(settings, rows)
        settings.say_what_counts()
        where = ", ".join(map(str, paths)) or str(settings.folders.inbox)
        nothing = f"Nothing to plan: there are no chats in {where}."
        _print_rows(rows, _in_a_sentence(total) if rows else nothing)
    return 1 if any(isinstance(row.outcome, Skipped) for row in rows) else 0


def plans_as_json(settings: Settings, rows: Sequence[PlannedRow]) -> dict[str, object]:
    """Return plans and what they cost together, for programs."""
    total = _total_of(settings, rows)
    chats = [_as_json(row, total.under_caps) for row in rows]
    return {"chats": chats, "totals": _totals_as_json(rows, total)}


def _total_of(settings: Settings, rows: Sequence[PlannedRow]) -> _Total:
    """Add up what all plans send and cost, and compare it with the caps."""
    caps, so_far = _caps_and_spent(settings)
    traffic, cost = NO_TRAFFIC, total_cost(rows)
    for row in rows:
        if row.money:
            traffic = traffic.plus(row.money.traffic)
    likely = first_reached(caps, so_far, cost.likely)
    at_most = first_reached(caps, so_far, cost.at_most)
    return _Total(traffic, cost, left(caps, so_far), likely, at_most)


def _totals_as_json(rows: Sequence[PlannedRow], total: _Total) -> dict[str, object]:
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
    """Plan each chat of these exports. Sends and writes nothing."""
    config, folders = settings.config, settings.folders
    with settings.archive() as archive:
        context = context_to_read(config, folders, archive)
        with sign_of_life(f"Reading {counted(len(exports), 'export')}"):
            return list(_rows(context, exports))


def spendable(settings: Settings) -> int:
    """Return the picodollars left under the caps for a new run."""
    return left(*_caps_and_spent(settings))


def _caps_and_spent(settings: Settings) -> tuple[Amounts, Amounts]:
    """Return the caps, and what is spent; a new run has spent nothing of its own cap yet."""
    when = now()
    with settings.archive() as archive:
        caps = caps_now(archive, settings.config.budget, when)
        return caps, spent(archive, "", periods(at(when)))


def total_cost(rows: Sequence[PlannedRow]) -> CostEstimate:
    """Add up the cost of all rows, as far as prices are known."""
    cost = NO_COST
    for row in rows:
        if row.money:
            cost = cost.plus(row.money.cost or NO_COST)
    return cost


def _rows(context: Context, exports: Sequence[Path]) -> Iterator[PlannedRow]:
    load_texts(context.config.texts.path)  # mistakes are told once, and not for every chat
    core_layout(context.config.core)
    splitter(context.config.chunk.bounds)
    for path in exports:
        for row in go_round(context, [path], _plan_export):
            yield row if isinstance(row, PlannedRow) else PlannedRow(path.name, row)


def _plan_export(context: Context, export: Export) -> Iterator[PlannedRow | Skipped]:
    return chats_of(context, export, partial(_plan_chat, context, export))


def _plan_chat(context: Context, export: Export, chat: Chat) -> Iterator[PlannedRow]:
    """Plan one chat; if the archive knows it, warn where its model ends soon."""
    row, archive = _planned(context, export, chat), context.archive
    if isinstance(row.outcome, ChatPlan) and is_known(archive, row.outcome.chat_id):
        with suppress(MemprocError):  # the plan could be made, and tells what is wrong
            chat_id, when = row.outcome.chat_id, context.clock()
            ending = ending_chat(archive, chat_id, context.config, context.key, when)
            row = replace(row, ending=ending)
    yield row


def _planned(context: Context, export: Export, chat: Chat) -> PlannedRow:
    file, archive, now = export.path.name, context.archive, context.clock()
    looked = look(context, export, chat)
    if isinstance(looked, AtRest):
        money, is_ready = no_work(archive, looked.who.agent, now), bool(looked.path)
        return PlannedRow(file, looked.plan, looked.who, money, is_ready=is_ready)
    if isinstance(looked, Unchanged):
        return PlannedRow(file, Unchanged(looked.chat_id, looked.title, looked.reason))
    if too_large := looked.too_large:
        return PlannedRow(file, Skipped(chat.title, too_large.reason, too_large.next_step))
    money = plan_cost(archive, looked.plan, looked.roles, looked.config, now)
    plan, ready = looked.plan, ready_without_calls(context, looked)
    is_anew = ready is not None and not is_in_place(context, ready)
    if is_anew:
        plan = replace(plan, reason=f"{plan.reason} {_WITHOUT_CALL}")
    is_ready = ready is not None
    with_key = (
        _cost_with_key(context, export, chat) if plan.calls and looked.roles.lacks_key else None
    )
    return PlannedRow(file, plan, who(looked.roles), money, None, is_ready, is_anew, with_key)


def _cost_with_key(context: Context, export: Export, chat: Chat) -> CostEstimate | None:
    """Estimate the work on a chat whose model lacks its key, as if that were there."""
    with suppress(MemprocError):
        looked = look(replace(context, key=as_if_kept(context.key, [])), export, chat)
        if not isinstance(looked, AtRest | Unchanged):
            now = context.clock()
            return plan_cost(context.archive, looked.plan, looked.roles, looked.config, now).cost
    return None


def _as_json(row: PlannedRow, under_caps: int) -> dict[str, object]:
    kind = {ChatPlan: "plan", Unchanged: "left_alone", Skipped: "set_aside"}[type(row.outcome)]
    report: dict[str, object] = {"file": row.file, "outcome": kind, **asdict(row.outcome)}
    if isinstance(row.outcome, ChatPlan):
        report["calls"] = row.outcome.calls
        report["ready"], report["anew"] = row.is_ready, row.is_anew
    if row.ending:
        report["ending"] = _ending_as_json(row.ending)
    if row.who:
        report["models"] = asdict(row.who)
    if row.money:
        money = row.money
        certainty = {"replies": money.replies, "batched": money.batched}
        report["money"] = _money(money.traffic, money.cost, under_caps) | certainty
    if row.with_key:
        report["with_key"] = _estimate(row.with_key)
    return report


def _ending_as_json(chat: EndingChat) -> dict[str, object]:
    return {
        "model": chat.model,
        "end": chat.end,
        "memories": chat.memories,
        "by_others": chat.by_others,
        "to_write": chat.to_write,
        **_estimate(chat.direct),
        **_estimate(chat.batched, "batched_"),
    }


def _money(traffic: Usage, cost: CostEstimate | None, under_caps: int) -> dict[str, object]:
    """Return tokens, as models are likely to count them, and dollars.

    Never more is spent than the `under_caps` picodollars that the caps leave.
    """
    tokens = {
        "sent": traffic.prompt,
        "cached": traffic.cached,
        "cache_written": traffic.cache_written,
        "answered": traffic.answer,
        "cached_share": round(traffic.cached_share, 4),
    }
    at_most = dollars(min(cost.at_most, under_caps)) if cost else None
    return {"tokens": tokens, **_estimate(cost), "spent_at_most_usd": at_most}


def _estimate(cost: CostEstimate | None, prefix: str = "") -> dict[str, object]:
    return {
        f"{prefix}likely_usd": dollars(cost.likely) if cost else None,
        f"{prefix}at_most_usd": dollars(cost.at_most) if cost else None,
    }


def _print_rows(rows: Sequence[PlannedRow], last: str) -> None:
    """Print a table of the plans, notes on each chat, and a last line, which may be empty."""
    outcomes = [row.outcome for row in rows]
    titles = told_apart(
        (outcome.chat_id, outcome.title) for outcome in outcomes if not isinstance(outcome, Skipped)
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
            print_text(line)


def _numbers(plan: ChatPlan, money: PlanCost | None) -> Iterator[str]:
    """Format a plan's numbers in the order of the table's headings."""
    chat = (plan.messages, plan.tokens, plan.memories)
    work = (len(plan.chunks), plan.calls, money.traffic.prompt if money else 0)
    rest = (plan.waiting_tokens, plan.live_tokens)
    return (f"{number:,}" for number in (*chat, *work, *rest))


def _lines_on(row: PlannedRow, titles: Mapping[str, str]) -> Iterator[str]:
    """Yield what there is to say of a row below the table."""
    plan = row.outcome
    if isinstance(plan, Skipped):
        reason = about_it(plan.reason, plan.what)
        yield f"{plan.what}: would be skipped. {reason} {plan.next_step}"
    elif isinstance(plan, Unchanged):
        yield f"{titles[plan.chat_id]}: unchanged: {plan.reason}"
    else:
        yield from (f"{titles[plan.chat_id]}: {note}" for note in _notes_on(plan, row) if note)


def _notes_on(plan: ChatPlan, row: PlannedRow) -> Iterator[str]:
    """Yield notes on a plan; some may be empty."""
    yield plan.reason
    yield plan.over_budget
    yield from plan.kept
    if row.who and plan.work:
        yield _who_works(row.who)
    if row.money and plan.calls:
        yield from _notes_on_money(row.money)
    if row.with_key and row.who:
        likely = in_words(row.with_key.likely)
        yield f"with a key for {row.who.lacks_key}, its own model writes: likely {likely}, never past a cap"
    yield from _notes_on_work(plan)
    for why, number in plan.left_out.items():
        yield f"{counted(number, 'message stays as it is', 'messages stay as they are')}: {why}"
    if plan.attached:
        stay = "messages with attachments stay"
        stay = counted(plan.attached, "message with attachments stays", stay)
        yield f"{stay} in the chat, shown and no longer sent"
    yield from _warnings_on(plan, row)


def _warnings_on(plan: ChatPlan, row: PlannedRow) -> Iterator[str]:
    """Yield warnings as notes; of a model's end only the one that says what it means here."""
    ending = row.ending
    notices = row.who.notices if row.who and plan.work else ()
    for warning in (*notices, *plan.warnings):
        if warning != (ending.end if ending else ""):
            yield f"note: {warning}"
    if ending:
        yield f"note: {ending.reason} {ending.next_step}"


def _who_works(who: Who) -> str:
    """Say which models write and analyse."""
    window = f", whose window holds {who.window:,} tokens" if who.window else ""
    fallback = f"; where it refuses, {who.fallback}" if who.fallback else ""
    if who.agent == who.context_manager == EXTRACTIVE:
        return "no model: sentences are extracted, free"
    return f"{who.agent} writes{window}; {who.context_manager} analyses{fallback}"


def _notes_on_work(plan: ChatPlan) -> Iterator[str]:
    """Yield how much there is of each kind of work besides new memories."""
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
    """Say what a chat will send, receive and cost, and how sure that is."""
    traffic = money.traffic
    if traffic.prompt:
        share = f"{traffic.cached_share:.0%} of them read from the provider's cache"
        yield f"sends about {traffic.prompt:,} tokens, {share}, and gets {traffic.answer:,}"
        replies = counted(money.replies, "reply", "replies")
        sure = (
            f"is known from {replies}"
            if money.replies
            else "is an estimate until there are replies"
        )
        yield f"how many tokens the model counts {sure}"
    if money.cost is None:
        yield "the price of its models is not known, so no cap limits what they cost"
    elif money.cost == NO_COST:
        yield "costs nothing"
    else:
        how = ", in batches at half price" if money.batched else ""
        further = "what has to be asked again is extra, within the caps"
        yield f"costs {_range(money.cost)}{how}; {further}"


def _in_a_sentence(total: _Total) -> str:
    """Say what all chats cost, and which cap stops them first; "" for no cost."""
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
    owner = {"run": "a run", "day": "today", "month": "this month"}[reached.which]
    rest = in_words(max(0, reached.cap - reached.spent))
    return f"the {rest} that are left of {owner}'s {in_words(reached.cap)}"
