"""The trip of an export, from bytes to bytes: READ THIS FIRST.

    read       the file, block by block, every byte in its place     files/read, rules/typingmind
    rest       a chat that is as it was, and had nothing to do       chat/survey
    survey     what is new, what the person did, what to compress    remember/planning, chat/reading, rules/plan
    archive    every raw message, for ever                           archive/messages
    take over  what the person edited in the opening message         remember/planning
    compress   each planned chunk into a memory, one by one,         remember/compress
               and after each memory core memory, facts, folds       remember/layers, remember/folds
    assemble   opening, memories, closing, live tail                 chat/deliver, rules/output/assemble
    prove      no faults, or nothing is written                      chat/deliver, rules/output/prove
    keep       the first original, and what is replaced              chat/deliver, files/backup
    write      the updated export, in its place at once              chat/deliver, files/write

A trip that ends early, by an error or a kill, leaves the old output whole. What was archived and every
answer that a model has given stay, so the next trip goes on from there.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from daemon.archive.chats import record_doubt, record_processed, seen_again, was_processed
from daemon.archive.messages import MessageCounts, remember
from daemon.archive.outputs import acknowledge, keep_parts, known_parts, record_export
from daemon.chat.deliver import (
    Outcome,
    ReadyChat,
    SetAside,
    assemble_chat,
    deliver,
    is_in_export,
    memories_over_budget,
    place_of,
    prove,
    ready_chat,
    set_aside,
    stand_already,
    without_chats,
)
from daemon.chat.opening import keep_written, opening_place
from daemon.chat.survey import AtRest, HeldBack, Survey, at_rest, held_back, keep_at_rest, noting, rest_after
from daemon.context import Context
from daemon.events import Note, UserEdits
from daemon.files.read import Export, fingerprint_of, read_export
from daemon.models.prices import price_of
from daemon.models.tokens import keep
from daemon.remember.compress import compress
from daemon.remember.planning import survey, take_over
from rules.conversation.marker import text_digest
from rules.errors import ChatSetAside, NotAccepted
from rules.plan.chat_plan import LeftAlone, doubled_ids, refuse_doubled, why_skipped
from rules.plan.folds import as_shown, section
from rules.recognize.chat_reading import user_edits
from rules.typingmind.chat import Chat

_COMPRESSED = "it is compressed already, and nothing new has left the live tail"
_IN_PLACE = "its updated export is in its place already"


def go_round(context: Context, paths: Sequence[Path]) -> Iterator[Outcome]:
    """Process every export, and yield what became of each chat.

    Raises what `set_aside` raises: then nothing can go on.
    """
    for path in paths:
        try:
            yield from _trip(context, path)
        except Exception as fault:
            yield set_aside(context.archive, path.name, fault)


def _trip(context: Context, path: Path) -> Iterator[Outcome]:
    """Read an export, finish its chats one after the other, and write each at once, or all of them in one file."""
    export = read_export(path, partial(known_parts, context.archive))
    keep_parts(context.archive, export)
    record_export(context.archive, export.sha256, str(path), export.fingerprint.size, context.clock())
    if not export.chat_ids:
        yield without_chats(path.name)
    doubled = doubled_ids(export.chat_ids)
    ready: list[ReadyChat] = []
    resting: list[str] = []
    held: list[str] = []
    for chat in export.chats():
        match outcome := _chat(context, export, chat, doubled):
            case AtRest():
                resting.append(outcome.chat_id)
                yield LeftAlone(outcome.chat_id, outcome.title, outcome.reason)
            case HeldBack():
                held.append(outcome.chat_id)
                yield LeftAlone(outcome.chat_id, outcome.title, outcome.reason)
            case ReadyChat() if context.config.output.container == "chat":
                yield from _write(context, export, [outcome])
            case ReadyChat():
                ready.append(outcome)
            case _:
                yield outcome
    seen_again(context.archive, resting, context.clock())
    if ready:
        yield from _write(context, export, ready, held)


def _chat(
    context: Context, export: Export, chat: Chat, doubled: frozenset[str]
) -> ReadyChat | LeftAlone | AtRest | HeldBack | SetAside:
    """Process a chat; whatever goes wrong with it ends its own trip alone."""
    try:
        refuse_doubled(chat, doubled)
        return process(context, export, chat)
    except Exception as fault:
        if isinstance(fault, NotAccepted):
            record_doubt(context.archive, chat.chat_id, fault.sha256, export.sha256, fault.message, context.clock())
        return set_aside(context.archive, chat.title, fault, chat.id_if_any)


def process(context: Context, export: Export, chat: Chat) -> ReadyChat | LeftAlone | AtRest | HeldBack:
    """Take one chat from its export to the finished, proved bytes that `deliver` puts in their place.

    Raises ChatSetAside, ModelError or FaultyOutput where this chat cannot go on, and ArchiveError, OverBudget or
    ProviderRefuses where nothing can.
    """
    archive, config = context.archive, context.config.of(chat)
    keys: dict[str, str] = {}
    found = look(context, export, chat, keys)
    if not isinstance(found, Survey):
        return found
    keep(archive, found.counts)
    if not found.plan.chunks and not found.reading.memories:
        keep_at_rest(archive, chat.chat_id, rest_after(found, config, keys, context.clock()), found.plan.reason)
        return LeftAlone(chat.chat_id, chat.title, found.plan.reason)
    _refuse_unaskable(context, found)
    remembered = _archive(context, export, found)
    taken = take_over(archive, found.shown, context.clock())
    if taken.notice:
        context.tell(Note(taken.notice))
    memories, shown = compress(context, found)
    assembly = assemble_chat(archive, found, config, memories, shown, context.clock())
    if not assembly.assembled.changed and (found.reading.edits.is_news or taken.is_news):
        acknowledge(archive, chat.chat_id, assembly.assembled.ours_sha256)
    rest = rest_after(found, config, keys, context.clock(), remembered)
    if is_in_export(archive, assembly, chat.chat_id):
        reason = _and_over_budget(_COMPRESSED, memories_over_budget(found, shown))
        keep_at_rest(archive, chat.chat_id, rest, reason)
        return LeftAlone(chat.chat_id, chat.title, reason)
    keep_written(archive, found.shown, assembly.words.opening, context.clock())
    prove(found, assembly)
    _refuse_replaced(export, chat)
    return ready_chat(archive, found, assembly, rest, context.clock())


def look(context: Context, export: Export, chat: Chat, keys: dict[str, str]) -> Survey | LeftAlone | AtRest | HeldBack:
    """Survey a chat, unless it is excluded, held back or at rest; `keys` gets what was found of each provider's key.

    Nothing is sent or written: `memproc plan` looks in the same way.
    """
    config = context.config.of(chat)
    if reason := why_skipped(chat, config.chats.include, config.chats.exclude):
        return LeftAlone(chat.chat_id, chat.title, reason)
    return (
        held_back(context.archive, chat, export)
        or at_rest(context.archive, chat, config, context.key, context.clock())
        or survey(context.archive, chat, config, noting(context.key, keys), context.clock())
    )


def ready_without_calls(context: Context, found: Survey) -> ReadyChat | None:
    """What `process` makes of this chat where no model is asked: None where it asks one, or has nothing to write.

    Where the person has edited the opening, that is taken over first, and nobody can say it beforehand.
    """
    archive, plan, reading, config = context.archive, found.plan, found.reading, context.config.of(found.chat)
    view = section(plan.chat_id, reading.memories, plan.memories, found.bounds, as_shown)
    opening = opening_place(found.shown)
    is_edited = opening is not None and opening.ours and opening.ours.text != text_digest(opening.message.text)
    if plan.calls or view.missing or is_edited or not reading.memories:
        return None
    by_id = {memory.memory_id: memory for memory in reading.memories}
    shown = [by_id[item.name] for item in view.standing]
    assembly = assemble_chat(archive, found, config, reading.memories, shown, context.clock())
    is_acknowledged = reading.edits.is_news and not assembly.assembled.changed
    if is_acknowledged or is_in_export(archive, assembly, plan.chat_id):
        return None
    return ready_chat(archive, found, assembly, None, context.clock())


def _archive(context: Context, export: Export, found: Survey) -> MessageCounts:
    """Keep what the export holds, and tell what the person did, where this state of the chat is new."""
    chat, now = found.chat, context.clock()
    is_new = not was_processed(context.archive, chat.chat_id, chat.sha256)
    with context.archive.transaction():
        remembered = remember(context.archive, chat, found.reading, now)
        record_processed(context.archive, chat.chat_id, chat.sha256, export.sha256, export.fingerprint.modified_ns, now)
    if is_new and (text := user_edits(found.reading)):
        context.tell(UserEdits(chat.chat_id, chat.title, text))
    return remembered


def _refuse_unaskable(context: Context, found: Survey) -> None:
    """Raise ChatSetAside where a chunk does not fit the agent's window, UnknownPrice where one is not known."""
    if found.too_large:
        raise ChatSetAside(f'"{found.plan.title}": {found.too_large.reason}', found.too_large.next_step)
    if found.plan.calls:
        for model in found.roles.all:
            price_of(model, context.config.of(found.chat).budget)


def _refuse_replaced(export: Export, chat: Chat) -> None:
    """Raise ChatSetAside where the file is not the one that was read."""
    if fingerprint_of(export.path) != export.fingerprint:
        raise ChatSetAside(
            f'{export.path.name} was replaced while the chat "{chat.title}" was worked on, so nothing was written.',
            "Run memproc again: every answer of a model is kept, and not asked for again.",
        )


def _write(context: Context, export: Export, chats: Sequence[ReadyChat], held: Sequence[str] = ()) -> Sequence[Outcome]:
    """Write these chats into one file, unless all of them stand in it already."""
    try:
        if not stand_already(context, export, chats):
            return deliver(context, export, chats, held)
        path = place_of(context, export, chats)
        return [_unchanged(context, ready, path) for ready in chats]
    except Exception as fault:
        return [set_aside(context.archive, ", ".join(ready.plan.title for ready in chats), fault)]


def _unchanged(context: Context, ready: ReadyChat, path: Path) -> LeftAlone:
    reason = _and_over_budget(_IN_PLACE, ready.over_budget)
    keep_at_rest(context.archive, ready.plan.chat_id, ready.rest, reason, path)
    return LeftAlone(ready.plan.chat_id, ready.plan.title, reason)


def _and_over_budget(reason: str, over_budget: str) -> str:
    return f"{reason}; {over_budget}" if over_budget else reason
