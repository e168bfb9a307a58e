"""`memproc plan`: what a run would do with each chat, what that will cost, and whether the caps allow it."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click

from daemon.archive.archive import Archive
from daemon.archive.journal import spent
from daemon.chat.deliver import ReadyChat, SetAside, set_aside, stand_already, without_chats
from daemon.chat.survey import AtRest, Survey
from daemon.cli.settings import Settings, json_option, pass_settings, print_table, wanted_exports
from daemon.config.settings import BudgetSettings
from daemon.config.texts import core_layout, load_texts
from daemon.context import Context, keys
from daemon.events import tell_nobody
from daemon.files.clock import at, now, periods
from daemon.files.read import Export, read_export
from daemon.models.ask import caps_now
from daemon.models.completion import complete
from daemon.models.costs import PlanCost, no_work, plan_cost
from daemon.models.roles import Who, who
from daemon.status.sentences import printable_json, visible
from daemon.trip import look, ready_without_calls
from rules.money.estimate import NO_COST, NO_TRAFFIC, CostEstimate, Traffic
from rules.money.price import Reached, dollars, first_reached, in_words
from rules.plan.chat_plan import ChatPlan, LeftAlone, doubled_ids, refuse_doubled
from rules.typingmind.chat import Chat


@dataclass(frozen=True, slots=True)
class Totals:
    """What all chats of a plan will cost, and what the caps say to that; amounts are picodollars."""

    traffic: Traffic
    cost: CostEstimate
    unpriced: int
    """How many chats are in `traffic` alone, because nobody knows the price of their models."""
    likely: Reached | None
    """The cap that stops it first, before its end, by what it will likely cost."""
    at_most: Reached | None
    """The same by what it may cost at most."""

    @property
    def sentences(self) -> Iterator[str]:
        """For a person; none where nothing costs anything."""
        if self.cost == NO_COST:
            return
        told = f"In all: {_range(self.cost)}."
        if self.likely:
            yield f"{told} That is more than {_left(self.likely)}: it will pause there."
        elif self.at_most:
            yield f"{told} It likely fits under the caps; at worst it pauses at {_left(self.at_most)}."
        else:
            yield f"{told} The caps allow it."

    @property
    def in_json(self) -> dict[str, object]:
        """The same for programs, in dollars; `pauses_at` names the caps."""
        pauses = {"likely": self.likely and self.likely.which, "at_most": self.at_most and self.at_most.which}
        return {
            "tokens": _tokens(self.traffic),
            **_usd(self.cost),
            "unpriced_chats": self.unpriced,
            "pauses_at": pauses,
        }


def totals(archive: Archive, budget: BudgetSettings, found: Sequence[PlanCost], now: str) -> Totals:
    """The sum over chats, held against the caps of a new run, of today and of this month."""
    traffic, cost = NO_TRAFFIC, NO_COST
    for one in found:
        traffic, cost = traffic.plus(one.traffic), cost.plus(one.cost or NO_COST)
    caps, so_far = caps_now(archive, budget, now), spent(archive, "", periods(at(now)))
    likely, at_most = (first_reached(caps, so_far, amount) for amount in (cost.likely, cost.at_most))
    return Totals(
        traffic,
        cost,
        sum(one.cost is None for one in found),
        likely,
        at_most,
    )


def notes(found: PlanCost) -> Iterator[str]:
    """What a chat will send, receive and cost, and how sure that is."""
    traffic = found.traffic
    if traffic.sent:
        share = f"{traffic.cached_share:.0%} of them read from the provider's cache"
        yield f"sends about {traffic.sent:,} tokens, {share}, and gets {traffic.answered:,}"
        sure = f"stands on {found.replies:,} replies" if found.replies else "has not been held against replies yet"
        yield f"how many tokens the model counts {sure}"
    if found.cost is None:
        yield "nobody knows the price of its models, so no cap holds what they cost"
        return
    if found.cost == NO_COST:
        yield "costs nothing"
        return
    how = ", in batches at half price" if found.batched else ""
    yield f"costs {_range(found.cost)}{how}; what must be asked again comes on top, under the caps"


def in_json(found: PlanCost) -> dict[str, object]:
    """The same for programs, in dollars."""
    return {
        "tokens": _tokens(found.traffic),
        **_usd(found.cost),
        "replies": found.replies,
        "batched": found.batched,
    }


def _tokens(traffic: Traffic) -> dict[str, object]:
    """As the models are likely to count them."""
    return {
        "sent": traffic.sent,
        "cached": traffic.read,
        "cache_written": traffic.written,
        "answered": traffic.answered,
        "cached_share": round(traffic.cached_share, 4),
    }


def _usd(cost: CostEstimate | None) -> dict[str, object]:
    return {
        "likely_usd": dollars(cost.likely) if cost else None,
        "at_most_usd": dollars(cost.at_most) if cost else None,
    }


def _range(cost: CostEstimate) -> str:
    return f"likely {in_words(cost.likely)}, at most {in_words(cost.at_most)}"


def _left(reached: Reached) -> str:
    of = {"run": "a run", "day": "today", "month": "this month"}[reached.which]
    return f"the {in_words(max(0, reached.cap - reached.spent))} that are left of {of}'s {in_words(reached.cap)}"


_ANEW = "Its updated export is written anew, without a call: it says other things than this export."


@dataclass(frozen=True, slots=True)
class _Row:
    file: str
    found: ChatPlan | LeftAlone | SetAside
    who: Who | None = None
    money: PlanCost | None = None


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@json_option
@pass_settings
def plan(settings: Settings, paths: tuple[Path, ...], as_json: bool) -> int:
    """Show what `run` would do with the exports in the inbox, or those named. Sends and writes nothing."""
    with settings.archive() as archive:
        folders = settings.folders
        context = Context(settings.config, folders, archive, complete, keys(folders), now, tell_nobody)
        rows = list(_rows(context, wanted_exports(settings, paths)))
        total = totals(archive, settings.config.budget, [row.money for row in rows if row.money], now())
    if not as_json:
        settings.say_which_file()
    if as_json:
        told = {"chats": [_as_json(row) for row in rows], "totals": _totals_in_json(rows, total)}
        click.echo(printable_json(told))
    elif rows:
        _print(rows, total)
    else:
        where = ", ".join(map(str, paths)) or str(settings.folders.inbox)
        click.echo(visible(f"Nothing to plan: there are no chats in {where}."))
    return 1 if any(isinstance(row.found, SetAside) for row in rows) else 0


def _rows(context: Context, exports: Sequence[Path]) -> Iterator[_Row]:
    load_texts(context.config.texts.path)  # wrong ones are told once, and not for every chat
    core_layout(context.config.core)
    for path in exports:
        try:
            export = read_export(path)
            if not export.chat_ids:
                yield _Row(path.name, without_chats(path.name))
            yield from _rows_of(context, export)
        except Exception as fault:
            yield _Row(path.name, set_aside(context.archive, path.name, fault))


def _rows_of(context: Context, export: Export) -> Iterator[_Row]:
    """The chats of an export; those at the end that are only written anew, as `run` would find too."""
    doubled = doubled_ids(export.chat_ids)
    is_whole = context.config.output.container == "export"
    rows: list[_Row] = []
    ready: dict[str, ReadyChat] = {}
    for chat in export.chats():
        row, finished = _plan(context, export, chat, doubled)
        if finished is not None and is_whole:
            ready[finished.plan.chat_id] = finished
        elif finished is not None and not stand_already(context, export, [finished]):
            row = _anew(row)
        rows.append(row)
    calls = any(isinstance(row.found, ChatPlan) and row.found.calls for row in rows)
    if ready and (calls or not stand_already(context, export, list(ready.values()))):
        rows = [_anew(row) if getattr(row.found, "chat_id", "") in ready else row for row in rows]
    yield from rows


def _anew(row: _Row) -> _Row:
    if not isinstance(row.found, ChatPlan):
        return row
    return replace(row, found=replace(row.found, reason=f"{row.found.reason} {_ANEW}"))


def _plan(context: Context, export: Export, chat: Chat, doubled: frozenset[str]) -> tuple[_Row, ReadyChat | None]:
    """What `run` would do with the chat; and the chat itself, where it can be finished without a call."""
    file, archive = export.path.name, context.archive
    try:
        refuse_doubled(chat, doubled)
        found = look(context, export, chat, {})
        if isinstance(found, AtRest):
            return _Row(file, found.plan, found.who, no_work(archive, found.who.agent)), None
        if not isinstance(found, Survey):
            return _Row(file, LeftAlone(found.chat_id, found.title, found.reason)), None
        money = plan_cost(archive, found.plan, found.roles, context.config.of(chat), context.clock())
        if found.too_large:
            return _Row(file, SetAside(chat.title, found.too_large.reason, found.too_large.next_step)), None
        return _Row(file, found.plan, who(found.roles), money), ready_without_calls(context, found)
    except Exception as fault:
        return _Row(file, set_aside(archive, chat.title, fault, chat.id_if_any)), None


def _as_json(row: _Row) -> dict[str, object]:
    kind = {ChatPlan: "plan", LeftAlone: "left_alone", SetAside: "set_aside"}[type(row.found)]
    calls = {"calls": row.found.calls} if isinstance(row.found, ChatPlan) else {}
    who = {"models": asdict(row.who)} if row.who else {}
    money = {"money": in_json(row.money)} if row.money else {}
    return {"file": row.file, "outcome": kind, **asdict(row.found), **calls, **who, **money}


def _totals_in_json(rows: Sequence[_Row], total: Totals) -> dict[str, object]:
    plans = [row.found for row in rows if isinstance(row.found, ChatPlan)]
    return {
        "chats": len(plans),
        "chunks": sum(len(one.chunks) for one in plans),
        "calls": sum(one.calls for one in plans),
        **total.in_json,
    }


def _print(rows: Sequence[_Row], total: Totals) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    cells = [_cells(row.found, row.money) for row in rows if isinstance(row.found, ChatPlan)]
    if cells:
        headings = ("Chat", "Messages", "Tokens", "Memories", "New", "Calls", "To send", "Waiting", "Live")
        print_table(headings, cells, right=range(1, 9))
    for row in rows:
        for line in _notes(row):
            console.print(visible(line), markup=False, soft_wrap=not console.is_terminal)
    for line in total.sentences:
        console.print(line, markup=False, soft_wrap=not console.is_terminal)


def _cells(found: ChatPlan, money: PlanCost | None) -> list[str]:
    to_send = money.traffic.sent if money else 0
    numbers = [
        found.messages, found.tokens, found.memories, len(found.chunks), found.calls, to_send, found.waiting_tokens,
        found.live_tokens,
    ]  # fmt: skip
    return [found.title, *(f"{number:,}" for number in numbers)]


def _notes(row: _Row) -> Iterator[str]:
    found = row.found
    if isinstance(found, SetAside):
        yield f"{found.what}: would be skipped. {found.reason} {found.next_step}"
    elif isinstance(found, LeftAlone):
        yield f"{found.title}: unchanged: {found.reason}"
    else:
        yield from (f"{found.title}: {said}" for said in (found.reason, found.over_budget) if said)
        if row.who and found.work:
            yield f"{found.title}: {_models(row.who)}"
        if row.money and found.calls:
            yield from (f"{found.title}: {note}" for note in notes(row.money))
        if found.again:
            yield f"{found.title}: memories that are written again: {len(found.again)}"
        if found.hindsight:
            yield f"{found.title}: memories that get a hindsight edition: {len(found.hindsight)}"
        if found.layers.core:
            yield f"{found.title}: memories after which the persona may edit its core memory: {len(found.layers.core)}"
        if found.layers.facts:
            yield f"{found.title}: chunks of which facts are taken: {len(found.layers.facts)}"
        if found.folds:
            yield f"{found.title}: folds of older memories that are made: about {len(found.folds)}"
        yield from (f"{found.title}: {note}" for note in _staying(found))
        notices = row.who.notices if row.who else ()
        yield from (f"{found.title}: note: {warning}" for warning in (*notices, *found.warnings))


def _staying(found: ChatPlan) -> Iterator[str]:
    """The messages that do not leave the chat, and why."""
    yield from (f"{number} messages stay as they are: {why}" for why, number in found.left_out.items())
    if found.attached:
        stay = (
            "1 message with attachments stays"
            if found.attached == 1
            else (f"{found.attached:,} messages with attachments stay")
        )
        yield f"{stay} in the chat, shown and no longer sent"


def _models(who: Who) -> str:
    window = f", whose window holds {who.window:,} tokens" if who.window else ""
    fallback = f"; where it refuses, {who.fallback}" if who.fallback else ""
    return f"{who.agent} writes{window}; {who.context_manager} analyses{fallback}"
