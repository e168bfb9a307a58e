"""`memproc plan`: what a run would do with each chat, what that will cost, and whether the caps allow it."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import click

from daemon.archive.archive import Archive
from daemon.archive.exports import known_parts
from daemon.archive.ledger import spent
from daemon.chat.resting import at_rest
from daemon.chat.survey import survey
from daemon.cli.settings import Settings, json_option, pass_settings, wanted_exports
from daemon.cli.table import print_table
from daemon.config import Config
from daemon.config.providers import BudgetSettings
from daemon.context import core_layout, keys, load_texts
from daemon.files.clock import at, now, periods
from daemon.files.read import Export, read_export
from daemon.models.costs import Payback, Reckoning, no_work, reckon
from daemon.models.purse import caps_now
from daemon.models.roles import FindKey, Who, who
from daemon.recovery.restore import held_back
from daemon.status.sentences import printable_json, visible
from daemon.trip import SetAside, is_written_anew, set_aside, without_chats
from rules.money.estimate import NOTHING, QUIET, Outlook, Traffic
from rules.money.price import Reached, dollars, first_reached, in_words
from rules.plan.chat_plan import ChatPlan, LeftAlone
from rules.typingmind.chat import Chat
from rules.typingmind.document import twice
from rules.typingmind.warnings import refuse_doubled, why_not


@dataclass(frozen=True, slots=True)
class Totals:
    """What all chats of a plan will cost, and what the caps say to that; amounts are picodollars."""

    traffic: Traffic
    outlook: Outlook
    unpriced: int
    """How many chats are in `traffic` alone, because nobody knows the price of their models."""
    likely: Reached | None
    """The cap that stops it first, before its end, by what it will likely cost."""
    at_most: Reached | None
    """The same by what it may cost at most."""

    @property
    def sentences(self) -> Iterator[str]:
        """For a person; none where nothing costs anything."""
        if self.outlook == NOTHING:
            return
        told = f"In all: {_range(self.outlook)}."
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
            **_usd(self.outlook),
            "unpriced_chats": self.unpriced,
            "pauses_at": pauses,
        }


def totals(archive: Archive, budget: BudgetSettings, found: Sequence[Reckoning], now: str) -> Totals:
    """The sum over chats, held against the caps of a new run, of today and of this month."""
    traffic, outlook = QUIET, NOTHING
    for one in found:
        traffic, outlook = traffic.plus(one.traffic), outlook.plus(one.outlook or NOTHING)
    caps, so_far = caps_now(archive, budget, now), spent(archive, "", periods(at(now)))
    likely, at_most = (first_reached(caps, so_far, amount) for amount in (outlook.likely, outlook.at_most))
    return Totals(
        traffic,
        outlook,
        sum(one.outlook is None for one in found),
        likely,
        at_most,
    )


def notes(found: Reckoning) -> Iterator[str]:
    """What a chat will send, receive and cost, how sure that is, and when it has paid for itself."""
    traffic = found.traffic
    if traffic.sent:
        share = f"{traffic.cached_share:.0%} of them read from the provider's cache"
        yield f"sends about {traffic.sent:,} tokens, {share}, and gets {traffic.answered:,}"
        sure = f"stands on {found.replies:,} replies" if found.replies else "has not been held against replies yet"
        yield f"how many tokens the model counts {sure}"
    if found.outlook is None:
        yield "nobody knows the price of its models, so no cap holds what they cost"
        return
    if found.outlook == NOTHING:
        yield "costs nothing"
        return
    how = ", in batches at half price" if found.batched else ""
    yield f"costs {_range(found.outlook)}{how}; what must be asked again comes on top, under the caps"
    yield _payback(found.payback)


def _payback(found: Payback | None) -> str:
    if found is None:
        return "nobody knows what the chat itself costs, and so when this has paid for itself"
    if found.uncached is None and found.cached is None:
        return f"does not pay for itself by shorter messages, in a chat with {found.model}"
    uncached, cached = (
        "never" if number is None else f"after {number:,} further messages" for number in (found.uncached, found.cached)
    )
    return f"in a chat with {found.model}, pays for itself {uncached}; where the chat is cached, {cached}"


def in_json(found: Reckoning) -> dict[str, object]:
    """The same for programs, in dollars."""
    payback = found.payback
    return {
        "tokens": _tokens(found.traffic),
        **_usd(found.outlook),
        "pays_back_after": {
            "model": payback and payback.model,
            "uncached": payback and payback.uncached,
            "cached": payback and payback.cached,
        },
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


def _usd(outlook: Outlook | None) -> dict[str, object]:
    return {
        "low_usd": dollars(outlook.low) if outlook else None,
        "likely_usd": dollars(outlook.likely) if outlook else None,
        "at_most_usd": dollars(outlook.at_most) if outlook else None,
    }


def _range(outlook: Outlook) -> str:
    low, likely, at_most = (in_words(amount) for amount in (outlook.low, outlook.likely, outlook.at_most))
    return f"likely {likely}, at least {low}, at most {at_most}"


def _left(reached: Reached) -> str:
    of = {"run": "a run", "day": "today", "month": "this month"}[reached.which]
    return f"the {in_words(max(0, reached.cap - reached.spent))} that are left of {of}'s {in_words(reached.cap)}"


_ANEW = "Its updated export is written anew, without a call: it says other things than this export."


@dataclass(frozen=True, slots=True)
class _Row:
    file: str
    found: ChatPlan | LeftAlone | SetAside
    who: Who | None = None
    money: Reckoning | None = None


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@json_option
@pass_settings
def plan(settings: Settings, paths: tuple[Path, ...], as_json: bool) -> int:
    """Show what `run` would do with the exports in the inbox, or those named. Sends and writes nothing."""
    with settings.archive() as archive:
        desk = _Desk(archive, settings.config, keys(settings.folders), now())
        rows = list(_rows(desk, wanted_exports(settings, paths)))
        total = totals(archive, settings.config.budget, [row.money for row in rows if row.money], desk.now)
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


@dataclass(frozen=True, slots=True)
class _Desk:
    """What a plan is made from, beside the exports."""

    archive: Archive
    config: Config
    key: FindKey
    now: str


def _rows(desk: _Desk, exports: Sequence[Path]) -> Iterator[_Row]:
    load_texts(desk.config.texts.path)  # wrong ones are told once, and not for every chat
    core_layout(desk.config.core)
    for path in exports:
        try:
            export = read_export(path, partial(known_parts, desk.archive))
            if not export.chat_ids:
                yield _Row(path.name, without_chats(export))
            doubled = twice(export.chat_ids)
            for chat in export.chats():
                yield _plan(desk, path.name, export, chat, doubled)
        except Exception as fault:
            yield _Row(path.name, set_aside(desk.archive, path.name, fault))


def _plan(desk: _Desk, file: str, export: Export, chat: Chat, doubled: frozenset[str]) -> _Row:
    try:
        refuse_doubled(chat, doubled)
        config = desk.config.of(chat)
        if reason := why_not(chat, config.chats.include, config.chats.exclude):
            return _Row(file, LeftAlone(chat.chat_id, chat.title, reason))
        if reason := held_back(desk.archive, chat, export):
            return _Row(file, LeftAlone(chat.chat_id, chat.title, reason))
        if resting := at_rest(desk.archive, chat, config, desk.key, desk.now):
            return _Row(file, resting.plan, resting.who, no_work(desk.archive, resting.who.agent))
        found = survey(desk.archive, chat, config, desk.key, desk.now)
        money = reckon(desk.archive, found, config, desk.now)
    except Exception as fault:
        return _Row(file, set_aside(desk.archive, chat.title, fault, chat.text_field("chatID")))
    if found.too_large:
        return _Row(file, SetAside(chat.title, found.too_large.reason, found.too_large.next_step))
    anew = found.reading.memories and is_written_anew(desk.archive, found, config, desk.now)
    planned = replace(found.plan, reason=f"{found.plan.reason} {_ANEW}") if anew else found.plan
    return _Row(file, planned, who(found.roles), money)


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


def _cells(found: ChatPlan, money: Reckoning | None) -> list[str]:
    to_send = money.traffic.sent if money else 0
    numbers = [
        found.messages, found.tokens, found.memories, len(found.chunks), found.calls, to_send, found.waiting_tokens,
        found.live_tokens,
    ]  # fmt: skip
    return [found.title, *(f"{number:,}" for number in numbers)]


def _notes(row: _Row) -> Iterator[str]:
    found = row.found
    if isinstance(found, SetAside):
        yield f"{found.what}: would be set aside. {found.reason} {found.next_step}"
    elif isinstance(found, LeftAlone):
        yield f"{found.title}: left alone: {found.reason}"
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
