"""`memproc plan`: the very plan that `run` would carry out, as a table or as JSON; nothing is sent or written."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from daemon.archive.archive import Archive
from daemon.cli.run import wanted_exports
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.cli.table import print_table
from daemon.config import Config
from daemon.files.read import read_export
from daemon.round import SetAside, without_chats
from daemon.survey import survey
from daemon.texts import load_texts
from primer.models import token_factor
from primer.texts import Texts
from rules.errors import ArchiveError, MemprocError
from rules.export.chat import Chat
from rules.export.document import twice
from rules.plan.chat_plan import ChatPlan, LeftAlone
from rules.plan.selection import refuse_doubled, why_not


@dataclass(frozen=True, slots=True)
class _Row:
    file: str
    found: ChatPlan | LeftAlone | SetAside
    to_send: int = 0
    """Tokens that the configured models are expected to count for all requests."""


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@json_option
@pass_settings
def plan(settings: Settings, paths: tuple[Path, ...], as_json: bool) -> int:
    """Show what `run` would do with the exports in the inbox, or those named. Sends and writes nothing."""
    with settings.archive() as archive:
        rows = list(_rows(archive, settings.config, wanted_exports(settings, paths)))
    if as_json:
        click.echo(json.dumps([_as_json(row) for row in rows], indent=2, ensure_ascii=False))
    elif rows:
        _print(rows)
    else:
        click.echo(f"Nothing to plan: there are no chats in {', '.join(map(str, paths)) or settings.folders.inbox}.")
    return 1 if any(isinstance(row.found, SetAside) for row in rows) else 0


def _rows(archive: Archive, config: Config, exports: Sequence[Path]) -> Iterator[_Row]:
    texts = load_texts(config.texts.path)
    for path in exports:
        try:
            export = read_export(path)
        except MemprocError as trouble:
            yield _Row(path.name, SetAside(path.name, trouble.message, trouble.next_step))
            continue
        if not export.chats:
            yield _Row(path.name, without_chats(export))
        doubled = twice(export.chats)
        for chat in export.chats:
            found = _plan(archive, config, texts, chat, doubled)
            yield _Row(path.name, found, _to_send(found, config) if isinstance(found, ChatPlan) else 0)


def _to_send(found: ChatPlan, config: Config) -> int:
    agent, manager = token_factor(config.models.agent), token_factor(config.models.context_manager)
    return round(found.estimate.agent_in * agent + found.estimate.context_manager_in * manager)


def _plan(
    archive: Archive, config: Config, texts: Texts, chat: Chat, doubled: frozenset[str]
) -> ChatPlan | LeftAlone | SetAside:
    try:
        refuse_doubled(chat, doubled)
        if reason := why_not(chat, config.chats.include, config.chats.exclude):
            return LeftAlone(chat.chat_id, chat.title, reason)
        return survey(archive, chat, texts, config.limits).plan
    except ArchiveError:
        raise
    except MemprocError as trouble:
        return SetAside(chat.title, trouble.message, trouble.next_step)


def _as_json(row: _Row) -> dict[str, object]:
    kind = {ChatPlan: "plan", LeftAlone: "left_alone", SetAside: "set_aside"}[type(row.found)]
    calls = {"calls": row.found.calls, "to_send": row.to_send} if isinstance(row.found, ChatPlan) else {}
    return {"file": row.file, "outcome": kind, **asdict(row.found), **calls}


def _print(rows: Sequence[_Row]) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    cells = [_cells(row.found, row.to_send) for row in rows if isinstance(row.found, ChatPlan)]
    if cells:
        headings = ("Chat", "Messages", "Tokens", "Memories", "New", "Calls", "To send", "Waiting", "Live")
        print_table(headings, cells, right=range(1, 9))
    for row in rows:
        for line in _notes(row.found):
            console.print(line, markup=False, soft_wrap=True)


def _cells(found: ChatPlan, to_send: int) -> list[str]:
    numbers = [
        found.messages, found.tokens, found.memories, len(found.chunks), found.calls, to_send,
        found.waiting_tokens, found.live_tokens,
    ]  # fmt: skip
    return [found.title, *(f"{number:,}" for number in numbers)]


def _notes(found: ChatPlan | LeftAlone | SetAside) -> Iterator[str]:
    if isinstance(found, SetAside):
        yield f"{found.what}: would be set aside. {found.reason} {found.next_step}"
    elif isinstance(found, LeftAlone):
        yield f"{found.title}: left alone: {found.reason}"
    else:
        yield f"{found.title}: {found.reason}"
        yield from (
            f"{found.title}: {number} messages stay as they are: {why}" for why, number in found.left_out.items()
        )
        yield from (f"{found.title}: note: {warning}" for warning in found.warnings)
