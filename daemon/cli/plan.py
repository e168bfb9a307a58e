"""`memproc plan`: the very plan that `run` would carry out, as a table or as JSON; nothing is sent or written."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import click

from daemon.archive.archive import Archive
from daemon.archive.layouts import known_parts
from daemon.cli.plan_money import Totals, in_json, notes, totals
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.cli.table import print_table
from daemon.cli.wanted import wanted_exports
from daemon.clock import now
from daemon.config import Config
from daemon.files.read import Export, read_export
from daemon.layout import core_layout
from daemon.models.roles import FindKey
from daemon.models.who import Who, who
from daemon.opening import keys
from daemon.process import is_written_anew
from daemon.reckoning import Reckoning, no_work, reckon
from daemon.resting import at_rest
from daemon.restore import held_back
from daemon.round import SetAside, set_aside, without_chats
from daemon.seeing.visible import printable_json, visible
from daemon.survey import survey
from daemon.texts import load_texts
from rules.plan.chat_plan import ChatPlan, LeftAlone
from rules.typingmind.chat import Chat
from rules.typingmind.document import twice
from rules.typingmind.warnings import refuse_doubled, why_not

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
