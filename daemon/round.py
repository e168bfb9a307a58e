"""One round over some exports: every file, every chat; what fails is set aside by name, and the rest goes on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from daemon.archive.archive import Archive, damage_behind
from daemon.archive.chat_states import record_doubt
from daemon.archive.exports_seen import record_export
from daemon.archive.layouts import keep_parts, known_parts
from daemon.archive.rest import seen_again
from daemon.deliver import Ready, deliver, place_of, stand_already
from daemon.files.read import Export, read_export
from daemon.house import House, Written
from daemon.models.unsent import Unsent
from daemon.note import account
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
from rules.plan.chat_plan import LeftAlone
from rules.typingmind.chat import Chat
from rules.typingmind.document import twice
from rules.typingmind.warnings import refuse_doubled


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


def set_aside(archive: Archive, what: str, fault: Exception, chat_id: str = "") -> SetAside:
    """What is told of a file or a chat in which something went wrong, foreseen or not, so that the rest goes on.

    Raises the fault again where nothing can go on: the archive cannot be used, the money or the memory is used up, a
    provider refuses, the work is to end, or nobody is left to be told.
    """
    if isinstance(fault, _FATAL) and not isinstance(fault, DamagedChat):
        raise fault
    fault = damage_behind(archive, fault) or fault
    told = (fault.message, fault.next_step) if isinstance(fault, MemprocError) else account(fault)
    return SetAside(what, *told, later=isinstance(fault, _PASSING), chat_id=chat_id)


def without_chats(export: Export) -> SetAside:
    """An export that holds nothing to work on."""
    name = export.path.name
    return SetAside(name, f"{name} is an export without any chats.", "Choose the chats when you export.")


Outcome = Written | LeftAlone | SetAside
_FATAL = (ArchiveError, OverBudget, ProviderRefuses, Unsent, MemoryError, BrokenPipeError)
_PASSING = (FileTrouble, OSError, OutOfReach)


def go_round(house: House, paths: Sequence[Path]) -> Iterator[Outcome]:
    """Process every export, and tell what became of each chat.

    Raises what `set_aside` does not take: nothing can go on then.
    """
    for path in paths:
        try:
            yield from _file(house, path)
        except Exception as fault:
            yield set_aside(house.archive, path.name, fault)


def _file(house: House, path: Path) -> Iterator[Outcome]:
    export = read_export(path, partial(known_parts, house.archive))
    keep_parts(house.archive, export)
    record_export(house.archive, export.sha256, str(path), export.stand.size, house.clock())
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
    except Exception as fault:
        if isinstance(fault, NotAccepted):
            record_doubt(house.archive, chat.chat_id, fault.sha256, export.sha256, fault.message, house.clock())
        return set_aside(house.archive, chat.title, fault, chat.text_field("chatID"))


def _delivered(house: House, export: Export, chats: Sequence[Ready]) -> Sequence[Outcome]:
    """Write them, unless every one of them stands in its updated file already."""
    try:
        if stand_already(house, export, chats):
            return [_unchanged(house, export, chats, ready) for ready in chats]
        return deliver(house, export, chats)
    except Exception as fault:
        return [set_aside(house.archive, ", ".join(ready.plan.title for ready in chats), fault)]


def _unchanged(house: House, export: Export, chats: Sequence[Ready], ready: Ready) -> LeftAlone:
    reason = "; ".join(filter(None, ("its updated export is in its place already", ready.over_budget)))
    keep_at_rest(house.archive, ready.plan.chat_id, ready.rest, reason, place_of(house, export, chats))
    return LeftAlone(ready.plan.chat_id, ready.plan.title, reason)
