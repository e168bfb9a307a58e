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
from pathlib import Path

from daemon.archive.chats import record_doubt, record_processed, seen_again, was_processed
from daemon.archive.messages import remember
from daemon.archive.outputs import acknowledge, record_export
from daemon.chat.deliver import (
    Outcome,
    ReadyChat,
    assemble_chat,
    deliver,
    is_in_export,
    memories_over_budget,
    place_of,
    prove,
    ready_chat,
    stand_already,
    until_fault,
    without_chats,
)
from daemon.chat.opening import keep_written, opening_place
from daemon.chat.survey import AtRest, Survey, at_rest, held_back, keep_at_rest, rest_after
from daemon.events import Note, UserEdits
from daemon.files.read import Export, fingerprint_of, read_export
from daemon.models.context import Context
from daemon.models.prices import require_price
from daemon.models.tokens import keep
from rules.conversation.marker import text_digest
from rules.errors import ChatSkipped, NotAccepted
from rules.plan.chat_plan import Unchanged, doubled_ids, refuse_doubled, why_skipped
from rules.plan.folds import as_shown, section
from rules.recognize.chat_reading import user_edits
from rules.typingmind.chat import Chat

_COMPRESSED = "it is compressed already, and nothing new has left the live tail"
_IN_PLACE = "its updated export is in its place already"


def go_round(context: Context, paths: Sequence[Path]) -> Iterator[Outcome]:
    """Process every export, and yield what became of each chat.

    Raises what `as_skipped` raises: then nothing can go on.
    """
    for path in paths:
        yield from until_fault(context.archive, path.name, _trip(context, path))


def _trip(context: Context, path: Path) -> Iterator[Outcome]:
    """Read an export, and finish and write its chats one after the other."""
    export = read_export(path)
    record_export(
        context.archive, export.sha256, str(path), export.fingerprint.size, context.clock()
    )
    if not export.chat_ids:
        yield without_chats(path.name)
    doubled = doubled_ids(export.chat_ids)
    resting: list[str] = []
    for chat in export.chats():
        for outcome in until_fault(
            context.archive, chat.title, _chat(context, export, chat, doubled), chat.id_if_any
        ):
            match outcome:
                case AtRest():
                    resting.append(outcome.chat_id)
                    yield Unchanged(
                        outcome.chat_id, outcome.title, outcome.reason, path=outcome.path
                    )
                case ReadyChat():
                    yield from until_fault(
                        context.archive, outcome.plan.title, _write(context, export, outcome)
                    )
                case _:
                    yield outcome
    seen_again(context.archive, resting, context.clock())


def _chat(
    context: Context, export: Export, chat: Chat, doubled: frozenset[str]
) -> Iterator[ReadyChat | Unchanged | AtRest]:
    """Process a chat; a state of it that may be a mistake is noted, for the person to accept."""
    refuse_doubled(chat, doubled)
    try:
        yield process(context, export, chat)
    except NotAccepted as fault:
        record_doubt(
            context.archive,
            chat.chat_id,
            fault.sha256,
            export.sha256,
            fault.message,
            context.clock(),
        )
        raise


def process(context: Context, export: Export, chat: Chat) -> ReadyChat | Unchanged | AtRest:
    """Take one chat from its export to the finished, proved bytes that `deliver` puts in their place.

    Raises ChatSkipped, ModelError or FaultyOutput where this chat cannot go on, and ArchiveError, OverBudget or
    ProviderRefuses where nothing can.
    """
    archive = context.archive
    surveyed = look(context, export, chat)
    if not isinstance(surveyed, Survey):
        return surveyed
    keep(archive, surveyed.counts)
    if not surveyed.plan.chunks and not surveyed.reading.memories:
        rest = rest_after(surveyed, context.clock(), learned=False)
        keep_at_rest(archive, chat.chat_id, rest, surveyed.plan.reason)
        return Unchanged(chat.chat_id, chat.title, surveyed.plan.reason)
    _refuse_unaskable(surveyed)
    learned = _archive(context, export, surveyed)
    from daemon.remember.compress import (
        compress,
    )  # late, as planning in `look`: a chat at rest needs neither
    from daemon.remember.planning import take_over

    is_news, notice = take_over(archive, surveyed.shown, context.clock())
    if notice:
        context.tell(Note(notice))
    memories, shown = compress(context, surveyed)
    assembly = assemble_chat(archive, surveyed, memories, shown, context.clock())
    if not assembly.assembled.changed and (surveyed.reading.edits.is_news or is_news):
        acknowledge(archive, chat.chat_id, assembly.assembled.ours_sha256)
    rest = rest_after(surveyed, context.clock(), learned=learned)
    if is_in_export(archive, surveyed, assembly):
        over_budget = memories_over_budget(surveyed, shown)
        reason = f"{_COMPRESSED}; {over_budget}" if over_budget else _COMPRESSED
        keep_at_rest(archive, chat.chat_id, rest, reason)
        return Unchanged(chat.chat_id, chat.title, reason)
    keep_written(archive, surveyed.shown, assembly.words.opening, context.clock())
    prove(surveyed, assembly)
    _refuse_replaced(export, chat)
    return ready_chat(archive, surveyed, assembly, rest, context.clock())


def look(context: Context, export: Export, chat: Chat) -> Survey | Unchanged | AtRest:
    """Survey a chat, unless it is excluded, held back or at rest.

    Nothing is sent or written: `memproc plan` looks in the same way.
    """
    config = context.config.of(chat)
    if reason := why_skipped(chat, config.chats.include, config.chats.exclude):
        return Unchanged(chat.chat_id, chat.title, reason)
    resting = held_back(context.archive, chat, export) or at_rest(
        context.archive, chat, config, context.key, context.clock()
    )
    if resting:
        return resting
    from daemon.remember.planning import survey

    return survey(context.archive, chat, config, context.key, context.clock())


def ready_without_calls(context: Context, surveyed: Survey) -> ReadyChat | None:
    """The chat as `process` makes it where no model is asked; None where it asks one, or has nothing to write.

    Where the person has edited the opening, that is taken over first, and nobody can say it beforehand.
    """
    archive, plan, reading = context.archive, surveyed.plan, surveyed.reading
    view = section(plan.chat_id, reading.memories, plan.memories, surveyed.bounds, as_shown)
    opening = opening_place(surveyed.shown)
    is_edited = (
        opening is not None
        and opening.ours
        and opening.ours.text != text_digest(opening.message.text)
    )
    if plan.calls or view.missing or is_edited or not reading.memories:
        return None
    by_id = {memory.memory_id: memory for memory in reading.memories}
    shown = [by_id[item.name] for item in view.standing]
    assembly = assemble_chat(archive, surveyed, reading.memories, shown, context.clock())
    is_acknowledged = reading.edits.is_news and not assembly.assembled.changed
    if is_acknowledged or is_in_export(archive, surveyed, assembly):
        return None
    return ready_chat(archive, surveyed, assembly, None, context.clock())


def _archive(context: Context, export: Export, surveyed: Survey) -> bool:
    """Keep what the export holds, and tell what the person did, where this state of the chat is new.

    Whether a raw message is new, changed or gone.
    """
    chat, now = surveyed.chat, context.clock()
    is_new = not was_processed(context.archive, chat.chat_id, chat.sha256)
    with context.archive.transaction():
        learned = remember(context.archive, chat, surveyed.reading, now)
        record_processed(
            context.archive,
            chat.chat_id,
            chat.sha256,
            export.sha256,
            export.fingerprint.mtime_ns,
            now,
        )
    if is_new and (text := user_edits(surveyed.reading)):
        context.tell(UserEdits(chat.chat_id, chat.title, text))
    return learned


def _refuse_unaskable(surveyed: Survey) -> None:
    """Raise ChatSkipped where a chunk does not fit the agent's window, UnknownPrice where one is not known."""
    if surveyed.too_large:
        raise ChatSkipped(
            f'"{surveyed.plan.title}": {surveyed.too_large.reason}', surveyed.too_large.next_step
        )
    if surveyed.plan.calls:
        for model in surveyed.roles.all:
            require_price(model, surveyed.config.budget)


def _refuse_replaced(export: Export, chat: Chat) -> None:
    """Raise ChatSkipped where the file is not the one that was read."""
    if fingerprint_of(export.path) != export.fingerprint:
        raise ChatSkipped(
            f'{export.path.name} was replaced while the chat "{chat.title}" was worked on, so nothing was written.',
            "Run memproc again: every answer of a model is kept, and not asked for again.",
        )


def _write(context: Context, export: Export, ready: ReadyChat) -> Iterator[Outcome]:
    """Write the chat's updated export, unless the one in its place says the same already."""
    if not stand_already(context, ready):
        yield deliver(context, export, ready)
        return
    path = place_of(context, ready)
    reason = f"{_IN_PLACE}; {ready.over_budget}" if ready.over_budget else _IN_PLACE
    keep_at_rest(context.archive, ready.plan.chat_id, ready.rest, reason, path)
    yield Unchanged(ready.plan.chat_id, ready.plan.title, reason, path=str(path))
