"""One round over some exports: every file, every chat; what fails is set aside by name, and the rest goes on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from daemon.archive.archive import damage_behind
from daemon.archive.chat_states import record_doubt
from daemon.archive.exports_seen import record_export
from daemon.archive.layouts import keep_parts, known_parts
from daemon.archive.rest import seen_again
from daemon.deliver import Ready, deliver, place_of, stand_already
from daemon.files.read import Export, read_export
from daemon.house import House, Written
from daemon.process import process
from daemon.resting import AtRest, keep_at_rest
from rules.errors import (
    ArchiveError,
    DamagedChat,
    FileTrouble,
    MemprocError,
    NotAccepted,
    OutOfReach,
    OverBudget,
    ProviderRefuses,
)
from rules.export.chat import Chat
from rules.export.document import twice
from rules.plan.chat_plan import LeftAlone
from rules.plan.selection import refuse_doubled


@dataclass(frozen=True, slots=True)
class SetAside:
    """A file, or a chat in it, that could not be processed; everything of it is as it was."""

    what: str
    reason: str
    next_step: str
    later: bool = False
    """Nothing is wrong with it: a disk was full, or a provider out of reach. Another time it may go well."""
    chat_id: str = ""
    """Empty for a file, and for a chat without one."""


def without_chats(export: Export) -> SetAside:
    """An export that holds nothing to work on."""
    name = export.path.name
    return SetAside(name, f"{name} is an export without any chats.", "Choose the chats when you export.")


Outcome = Written | LeftAlone | SetAside
_FATAL = (ArchiveError, OverBudget, ProviderRefuses)
_PASSING = (FileTrouble, OutOfReach)


def go_round(house: House, paths: Sequence[Path]) -> Iterator[Outcome]:
    """Process every export, and tell what became of each chat.

    Raises ArchiveError, OverBudget or ProviderRefuses where nothing can go on.
    """
    for path in paths:
        try:
            export = read_export(path, partial(known_parts, house.archive))
        except _FATAL:
            raise
        except MemprocError as trouble:
            yield SetAside(path.name, trouble.message, trouble.next_step, isinstance(trouble, _PASSING))
            continue
        keep_parts(house.archive, export)
        record_export(house.archive, export.sha256, str(path), export.stand.size, house.clock())
        try:
            yield from _export(house, export)
        except FileTrouble as trouble:  # it is another file by now
            yield SetAside(path.name, trouble.message, trouble.next_step, later=True)


def _export(house: House, export: Export) -> Iterator[Outcome]:
    if not export.chat_ids:
        yield without_chats(export)
    one_by_one = house.config.output.container == "chat"
    doubled = twice(export.chat_ids)
    ready: list[Ready] = []
    resting: list[str] = []
    for chat in export.chats():
        outcome = _chat(house, export, chat, doubled)
        if isinstance(outcome, AtRest):
            resting.append(chat.chat_id)
            yield LeftAlone(chat.chat_id, chat.title, outcome.reason)
        elif not isinstance(outcome, Ready):
            yield outcome
        elif one_by_one:
            yield from _delivered(house, export, [outcome])
        else:
            ready.append(outcome)
    seen_again(house.archive, resting, house.clock())
    if ready:
        yield from _delivered(house, export, ready)


def _chat(house: House, export: Export, chat: Chat, doubled: frozenset[str]) -> Ready | LeftAlone | AtRest | SetAside:
    try:
        refuse_doubled(chat, doubled)
        return process(house, export, chat)
    except NotAccepted as doubt:
        record_doubt(house.archive, chat.chat_id, doubt.sha256, export.sha256, doubt.message, house.clock())
        return SetAside(chat.title, doubt.message, doubt.next_step, chat_id=chat.chat_id)
    except MemprocError as trouble:
        if isinstance(trouble, _FATAL) and not isinstance(trouble, DamagedChat):
            raise
        later = isinstance(trouble, _PASSING)
        return SetAside(chat.title, trouble.message, trouble.next_step, later, chat.text_field("chatID"))
    except Exception as fault:  # a damaged row can lead to any
        if (damage := damage_behind(house.archive, fault)) is None:
            raise
        return SetAside(chat.title, damage.message, damage.next_step, chat_id=chat.text_field("chatID"))


def _delivered(house: House, export: Export, chats: Sequence[Ready]) -> Iterator[Outcome]:
    """Write them, unless every one of them stands in its updated file already."""
    if stand_already(house, export, chats):
        reason, place = "its updated export is in its place already", place_of(house, export, chats)
        for ready in chats:
            told = "; ".join(filter(None, (reason, ready.over_budget)))
            keep_at_rest(house.archive, ready.plan.chat_id, ready.rest, told, place)
            yield LeftAlone(ready.plan.chat_id, ready.plan.title, told)
        return
    try:
        yield from deliver(house, export, chats)
    except _FATAL:
        raise
    except MemprocError as trouble:
        names = ", ".join(ready.plan.title for ready in chats)
        yield SetAside(names, trouble.message, trouble.next_step, isinstance(trouble, _PASSING))
