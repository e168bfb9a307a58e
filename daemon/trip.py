"""Take an export on its trip, from bytes to bytes: READ THIS FIRST.

    read       the file, block by block, every byte in place    files/read, rules/typingmind
    rest       stop at an unchanged chat with nothing to do     chat/rest
    survey     what is new, what the person did, a plan         chat/survey, chat/reading
    archive    every raw message, for ever                      archive/message_versions
    take over  what the person edited in the opening message    chat/opening_edits
    keep       what the person has pinned, word for word        chat/kept
    compress   each planned chunk into a memory, and update     remember/compress
               core memory, facts and folds after it            remember/lanes, remember/folds
    assemble   opening, memories, closing, live tail            chat/finish, rules/output/assemble
    prove      no faults, or nothing is written                 chat/finish, rules/output/prove
    keep       the first original, and what is replaced         chat/finish, files/backup
    write      the updated export, replaced atomically          chat/finish, files/write

`memproc run` and `memproc plan` share `go_round` and `chats_of`, and part after the survey.

A trip that ends early, by an error or a kill, leaves the old output whole. Whatever it archived and
every answer of a model are kept, so the next trip goes on from there.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from daemon.archive.brought import export_at_rest
from daemon.archive.chats import (
    keep_agent_window,
    record_doubt,
    record_processed,
    was_processed,
)
from daemon.archive.keeping import kept_passages, store_passages
from daemon.archive.message_versions import remember
from daemon.archive.outputs import acknowledge, record_export
from daemon.chat.finish import (
    ReadyChat,
    assemble_as_it_is,
    assemble_chat,
    deliver,
    is_in_export,
    is_in_place,
    memories_over_budget,
    place_of,
    prove,
    ready_chat,
)
from daemon.chat.opening import keep_written
from daemon.chat.outcome import Outcome, Skipped, skip_without_chats, until_fault
from daemon.chat.rest import NewlyAtRest, RestingChats, at_rest, held_back, keep_at_rest, rest_after
from daemon.config.settings import Config
from daemon.events import Note, UserEdits
from daemon.files.paths import brought_folder
from daemon.files.read import Export, fingerprint_of, read_export
from daemon.models.context import Context
from daemon.models.prices import require_price
from rules.conversation.marker import OPENING
from rules.errors import ChatSkipped, NotAccepted
from rules.layers.kept_passages import describe_marked
from rules.plan.chat_plan import Unchanged, doubled_ids, refuse_doubled
from rules.plan.selection import why_excluded
from rules.recognize.chat_reading import describe_edits, describe_missing
from rules.typingmind.chat import Chat
from rules.wording import cut_title

if TYPE_CHECKING:  # a chat at rest needs no survey
    from daemon.chat.survey import Survey

T = TypeVar("T")
_COMPRESSED = "it is compressed already, and nothing new has left the live tail"
_IN_PLACE = "its updated export is in its place already"


def go_round(
    context: Context, path: Path, carry_out: Callable[[Context, Export], Iterator[T]]
) -> Iterator[T | Skipped | Unchanged]:
    """Read an export and yield what `carry_out` makes of it; an error skips that export alone.

    Another program's export is left alone once a conversation was brought from it. Raises what
    `as_skipped` raises, where no export can be processed.
    """

    def read_and_carry_out() -> Iterator[T]:
        yield from carry_out(context, read_export(path))

    if resting := export_at_rest(context.archive, path):
        yield Unchanged("", path.name, resting.reason, next_step=resting.next_step)
    else:
        yield from until_fault(context.archive, path.name, read_and_carry_out())


def chats_of(
    context: Context, export: Export, carry_out: Callable[[Chat], Iterator[T]]
) -> Iterator[T | Skipped]:
    """Yield what `carry_out` makes of each chat of an export; an error skips that chat alone."""
    chat_ids = export.chat_ids
    if not chat_ids:
        yield skip_without_chats(export.path.name)
    doubled = doubled_ids(chat_ids)

    def carry_out_unless_doubled(chat: Chat) -> Iterator[T]:
        refuse_doubled(chat, doubled)
        yield from carry_out(chat)

    for chat in export.chats():
        outcomes = carry_out_unless_doubled(chat)
        yield from until_fault(context.archive, chat.title, outcomes, chat.id_if_any)


def look(context: Context, export: Export, chat: Chat) -> "Survey | Unchanged":
    """Survey a chat, unless it is excluded, held back or at rest (AtRest).

    Sends and writes nothing. Raises what `survey` does, most often ChatSkipped.
    """
    config = context.config.of(chat)
    if reason := why_excluded(chat, config.chats.include, config.chats.exclude):
        return Unchanged(chat.chat_id, chat.title, reason)
    archive, now = context.archive, context.clock()
    resting = held_back(archive, chat, export) or at_rest(archive, chat, config, context.key, now)
    return resting or _surveyed(context, chat, config)


def _surveyed(context: Context, chat: Chat, config: Config) -> "Survey":
    # Late: a chat at rest needs neither.
    from daemon.chat.survey import survey
    from daemon.remember.extracted import could_write

    return survey(context.archive, chat, config, context.key, context.clock(), could_write)


def run_export(context: Context, export: Export) -> Iterator[Outcome]:
    """Process and write the chats of an export, one after the other."""
    archive, size = context.archive, export.fingerprint.size
    record_export(archive, export.sha256, str(export.path), size, context.clock())
    resting = RestingChats(archive)

    def run_and_note(chat: Chat) -> Iterator[Outcome]:
        return map(resting.note, _run_chat(context, export, chat))

    yield from chats_of(context, export, run_and_note)
    resting.keep(context.clock())


def _run_chat(context: Context, export: Export, chat: Chat) -> Iterator[Outcome]:
    """Process a chat and write its export; record a doubtful state, for the person to accept."""
    try:
        outcome = process(context, export, chat)
    except NotAccepted as fault:
        now = context.clock()
        record_doubt(context.archive, chat.chat_id, fault.sha256, export.sha256, fault.message, now)
        raise
    if not isinstance(outcome, ReadyChat):
        yield outcome
    elif not is_in_place(context, outcome):
        yield deliver(context, export, outcome)
    else:  # the file in place has the same content
        path = place_of(context, outcome)
        reason = _with_excess(_IN_PLACE, outcome.over_budget)
        keep_at_rest(context.archive, chat.chat_id, outcome.rest, reason, path)
        yield Unchanged(chat.chat_id, outcome.plan.title, reason, path=str(path))


def process(context: Context, export: Export, chat: Chat) -> ReadyChat | Unchanged:
    """Take one chat from its export to the finished, proved bytes, for `deliver` to write.

    Raises ArchiveError, OverBudget or ProviderRefuses where no chat can be processed. Any other
    error, and DamagedChat, concerns this chat alone: most often ChatSkipped, ModelError or
    FaultyOutput.
    """
    surveyed = look(context, export, chat)
    if isinstance(surveyed, Unchanged):
        return surveyed
    from daemon.chat.survey import keep_computed

    keep_computed(context.archive, surveyed)
    is_brought = _is_brought(context, export)
    if not (is_brought or surveyed.plan.chunks or surveyed.reading.memories):
        rest = rest_after(surveyed, learned=False)
        return NewlyAtRest(chat.chat_id, chat.title, surveyed.plan.reason, rest)
    refuse_too_large(surveyed)
    if surveyed.plan.calls:
        for model in surveyed.roles.all:
            require_price(model, surveyed.config.budget)
    is_new_state = not was_processed(context.archive, chat.chat_id, chat.sha256)
    learned = _archive(context, export, surveyed)
    if is_new_state:
        _tell_edits_and_missing(context, surveyed)
    return _finish(context, export, surveyed, learned=learned)


def _finish(
    context: Context, export: Export, surveyed: "Survey", *, learned: bool
) -> ReadyChat | Unchanged:
    """Compress, assemble and prove a chat; `learned` is what `_archive` returned."""
    from daemon.remember.compress import compress

    archive, chat = context.archive, surveyed.chat
    is_news = _take_over_opening(context, surveyed)
    while (compressed := compress(context, surveyed)) is None:  # from now on the engine writes
        surveyed = _surveyed(context, chat, surveyed.config)
    memories, shown = compressed
    surveyed = replace(surveyed, passages=kept_passages(archive, chat.chat_id))
    assembly = assemble_chat(archive, surveyed, memories, shown, context.clock())
    assembled = assembly.assembled
    if not assembled.changed and (surveyed.reading.edits.is_news or is_news):
        acknowledge(archive, chat.chat_id, assembled.ours_sha256)
    rest = rest_after(surveyed, learned=learned)
    if is_in_export(archive, surveyed, assembly) and not _is_brought(context, export):
        reason = _with_excess(_COMPRESSED, memories_over_budget(surveyed, shown))
        keep_at_rest(archive, chat.chat_id, rest, reason)
        return Unchanged(chat.chat_id, chat.title, reason)
    keep_written(archive, surveyed, assembly.words.opening, context.clock())
    prove(archive, surveyed, assembly)
    _refuse_replaced(export, chat)
    return ready_chat(archive, surveyed, assembly, rest, context.clock())


def _take_over_opening(context: Context, surveyed: "Survey") -> bool:
    """Take over the person's edits in the opening. Return whether there were new ones."""
    from daemon.chat.opening_edits import take_over

    is_news, notice = take_over(context.archive, surveyed, surveyed.at)
    if notice:
        context.tell(Note(notice))
    return is_news


def _with_excess(reason: str, over_budget: str) -> str:
    """Return why a chat is unchanged, with the clause on memories above their budget, if any."""
    return f"{reason}; {over_budget}" if over_budget else reason


def _is_brought(context: Context, export: Export) -> bool:
    """Return whether memproc made the export itself, from another program's conversation.

    TypingMind does not have such a chat, so its export is written even if nothing is compressed.
    """
    return export.path.parent == brought_folder(context.folders.state)


def ready_without_calls(context: Context, surveyed: "Survey") -> ReadyChat | None:
    """Return the chat as `process` would finish it, where that asks no model.

    Return None where a model is asked or nothing is written, and where the person has edited the
    opening: `process` takes those edits over first, so its result cannot be foretold.
    """
    archive, reading, now = context.archive, surveyed.reading, context.clock()
    is_edited = any(place.kind == OPENING and place.is_edited for place in reading.places)
    if surveyed.plan.calls or not reading.memories or is_edited:
        return None
    assembly = assemble_as_it_is(archive, surveyed, now)
    if assembly is None or is_in_export(archive, surveyed, assembly):
        return None
    return ready_chat(archive, surveyed, assembly, None, now)


def _archive(context: Context, export: Export, surveyed: "Survey") -> bool:
    """Store the export's messages. Return True if a raw message is new, changed or gone."""
    archive, chat, reading = context.archive, surveyed.chat, surveyed.reading
    mtime_ns, now = export.fingerprint.mtime_ns, surveyed.at
    with archive.transaction():
        learned = remember(archive, chat, reading, now)
        store_passages(archive, chat.chat_id, surveyed.passages, now)
        keep_agent_window(archive, chat.chat_id, surveyed.bounds.window or 0)
        record_processed(archive, chat.chat_id, chat.sha256, export.sha256, mtime_ns, now)
    return learned


def _tell_edits_and_missing(context: Context, surveyed: "Survey") -> None:
    """Tell what the person edited and pinned, and what is missing.

    This is told once for each state of the chat, and only in a run.
    """
    chat, reading = surveyed.chat, surveyed.reading
    pinned = [
        passage
        for passage in surveyed.passages
        if passage.by == "pin" and passage.at == surveyed.at
    ]
    edits = "; ".join(filter(None, (describe_edits(reading), describe_marked(pinned))))
    for text, by_person in ((edits, True), (describe_missing(reading.absent), False)):
        if text:
            context.tell(UserEdits(chat.chat_id, chat.title, text, by_person))


def refuse_too_large(surveyed: "Survey") -> None:
    """Raise ChatSkipped where a chunk exceeds the agent's window."""
    if too_large := surveyed.too_large:
        raise ChatSkipped(
            f'"{cut_title(surveyed.plan.title)}": {too_large.reason}', too_large.next_step
        )


def _refuse_replaced(export: Export, chat: Chat) -> None:
    """Raise ChatSkipped where the file was replaced since it was read."""
    if fingerprint_of(export.path) != export.fingerprint:
        raise ChatSkipped(
            f'{export.path.name} was replaced while the chat "{cut_title(chat.title)}" was worked '
            "on, so nothing was written.",
            "Run memproc again: every answer of a model is kept, and not asked for again.",
        )
