"""Finish a chat and put it in its place: assembled, proved, the version before kept, the new one written."""

import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count as numbers
from pathlib import Path
from typing import TypeVar

from daemon.archive.archive import Archive, damage_behind
from daemon.archive.chats import Rest, is_accepted, is_known
from daemon.archive.outputs import (
    Output,
    chats_written_to,
    last_output,
    output_in,
    record_output,
    was_written,
)
from daemon.chat.opening import opening_text, read
from daemon.chat.survey import Survey, canned
from daemon.events import ExportWritten
from daemon.files.backup import keep_original, keep_version
from daemon.files.paths import file_name
from daemon.files.read import Export
from daemon.files.write import make_private, replace_file, sha256_of
from daemon.models.ask import Unsent
from daemon.models.context import Context
from daemon.models.tokens import count, digest_of
from rules.conversation.history import Entry
from rules.conversation.memory import EXTRACTED, Memory
from rules.conversation.short_quotes import too_many, within
from rules.errors import (
    ArchiveError,
    DamagedChat,
    FaultyOutput,
    FileTrouble,
    MemprocError,
    OutOfReach,
    OverBudget,
    ProviderRefuses,
)
from rules.output.assemble import Assembled, Canned, MemorySection, Mode, assemble
from rules.output.prove import Finished, verify
from rules.plan.chat_plan import ChatPlan, Unchanged
from rules.plan.folds import as_shown, over_budget, standing
from rules.recognize.user_edits import groups
from rules.typingmind.chat import Chat
from rules.typingmind.copies import as_new_chat, memories_title, new_chat_id
from rules.typingmind.document import container_blocks


@dataclass(frozen=True, slots=True)
class Assembly:
    """A chat that is assembled, not proved yet, and what it was assembled from."""

    entries: tuple[Entry, ...]
    """The history, each message with the memory that it stands under now."""
    section: MemorySection
    words: Canned
    mode: Mode
    assembled: Assembled


@dataclass(frozen=True, slots=True)
class ReadyChat:
    """A chat that is finished and proved, with what its file and its outcome need."""

    chat: Chat
    plan: ChatPlan
    memories: tuple[Memory, ...]
    """The memories and folds that it shows."""
    assembled: Assembled
    tokens_after: int
    chat_id: str
    """Its own id, or that of the new chat that its memories go into."""
    title: str
    over_budget: str
    """A clause saying that its memories take more than `[fold]` says, and why; empty where they do not."""
    rest: Rest | None = None
    """Kept where the updated export is in its place already."""


def assemble_chat(
    archive: Archive, survey: Survey, memories: Sequence[Memory], shown: Sequence[Memory], now: str
) -> Assembly:
    """Put `shown` in the place of what they stand for; `memories` are all that the chat has.

    A chat that holds memories, or was written by memproc, goes on in its own place, whatever `output.mode` says.
    """
    chat, places = survey.chat, survey.reading.places
    number = {
        key: memory.number for memory in memories if not memory.is_fold for key in memory.keys
    }
    entries = tuple(
        replace(entry, memory=number.get(entry.key)) for entry in survey.reading.entries
    )
    section = MemorySection(
        memories, within(shown, survey.bounds.quotes, count), survey.reading.edits.touched
    )
    opening = opening_text(archive, survey.shown)
    words = replace(
        canned(survey.shown.texts), opening=opening, has_layers=read(survey.shown, opening).headed
    )
    mode = survey.config.output.mode
    if mode == "new-chat" and (groups(places) or _was_written(archive, chat.chat_id)):
        mode = "replace"
    return Assembly(
        entries, section, words, mode, assemble(chat, places, entries, section, words, now, mode)
    )


def is_in_export(archive: Archive, survey: Survey, assembly: Assembly) -> bool:
    """Whether the export itself is the finished chat already, and the updated export does not say something else.

    It says something else where a setting or a choice was changed and changed back, and the same export came twice; and
    where the person has accepted a state that lacks what the updated export holds: to import it would bring that back.
    """
    chat, assembled, last = (
        survey.chat,
        assembly.assembled,
        last_output(archive, survey.chat.chat_id),
    )
    if assembled.changed or last is None:
        return not assembled.changed
    if last.messages_sha256 != assembled.messages_sha256 and is_accepted(
        archive, chat.chat_id, chat.sha256
    ):
        return False
    return last.ours_sha256 in ("", assembled.ours_sha256)


def prove(survey: Survey, assembly: Assembly) -> None:
    """Raise FaultyOutput, with every fault, unless the finished chat is what it must be."""
    assembled, words = assembly.assembled, assembly.words
    faults = verify(
        Finished(
            before=survey.chat,
            after=assembled.chat,
            places=survey.reading.places,
            entries=assembly.entries,
            section=assembly.section,
            removed=assembled.removed,
            opening=words.opening,
        )
    )
    if faults:
        raise FaultyOutput(
            f'The finished chat "{survey.plan.title}" has faults, so it was not written: {"; ".join(faults)}.',
            "The old files are as they were. This is a mistake in memproc: please report these sentences.",
        )


def ready_chat(
    archive: Archive, survey: Survey, assembly: Assembly, rest: Rest | None, now: str
) -> ReadyChat:
    """The chat as it goes out, under an id of its own where its memories go into a new chat.

    Of such ids none is taken in which the person may talk on already. Where nothing is different from what was written
    before, the id stays, so that nothing is written twice.
    """
    shown = tuple(assembly.section.shown)
    # TypingMind sends memories, canned messages and live messages from now on. Most often the survey has counted them:
    # the tokenizer's tables take a quarter of a second to load.
    live = sum(
        survey.counts.all[entry.message.digest]
        for entry in assembly.entries
        if entry.memory is None
    )
    words = (assembly.words.opening, assembly.words.closing)
    canned_tokens = sum(survey.counts.all.get(digest_of(text)) or count(text) for text in words)
    assembled, chat_id, title = assembly.assembled, survey.chat.chat_id, survey.chat.title
    if assembly.mode == "new-chat":
        last, title = last_output(archive, chat_id), memories_title(title)
        same = (
            Path(last.path).name
            if last and assembled.messages_sha256 == last.messages_sha256
            else None
        )
        new_ids = (new_chat_id(survey.chat.chat_id, number) for number in numbers(1))
        chat_id = next(
            new for new in new_ids if file_name(title, new) == same or _is_free(archive, new)
        )
        assembled = replace(assembled, chat=as_new_chat(assembled.chat, chat_id, title, now))
    return ReadyChat(
        chat=survey.chat,
        plan=survey.plan,
        memories=shown,
        assembled=assembled,
        tokens_after=canned_tokens + live + sum(memory.edition.tokens for memory in shown),
        chat_id=chat_id,
        title=title,
        over_budget=memories_over_budget(survey, shown),
        rest=rest,
    )


def memories_over_budget(survey: Survey, shown: Sequence[Memory]) -> str:
    """A clause saying that these memories take more than `[fold]` says, and why; empty where they do not."""
    reasons = (
        over_budget(standing(shown, as_shown), survey.bounds),
        too_many(shown, survey.bounds.quotes, count),
    )
    return "; ".join(filter(None, reasons))


def _is_free(archive: Archive, chat_id: str) -> bool:
    """Whether no chat of this id was ever read, and none written, which the person may have imported since."""
    return not is_known(archive, chat_id) and not _was_written(archive, chat_id)


def _was_written(archive: Archive, chat_id: str) -> bool:
    """Whether an updated export was ever written under this id, whatever the chat's title was then."""
    return was_written(archive, file_name("A", chat_id).removeprefix("A "))


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file, or a chat in it, that was skipped because something went wrong; everything of it is as it was."""

    what: str
    reason: str
    next_step: str
    later: bool = False
    """Nothing is wrong with it: a disk was full, or a provider out of reach. Another time it may go well."""
    chat_id: str = ""
    """Empty for a file, and for a chat without an id."""


T = TypeVar("T")
Outcome = ExportWritten | Unchanged | Skipped
_FATAL = (ArchiveError, OverBudget, ProviderRefuses, Unsent, BrokenPipeError)
_PASSING = (FileTrouble, OSError, OutOfReach)


def as_skipped(archive: Archive, what: str, fault: Exception, chat_id: str = "") -> Skipped:
    """Skip a file or a chat after an error, foreseen or not, so that the rest goes on.

    Raises the error again where nothing can go on: the archive cannot be used, a cap on money is reached, a provider
    refuses everything, the work is to end, or nobody is left to read the output.
    """
    if isinstance(fault, _FATAL) and not isinstance(fault, DamagedChat):
        raise fault
    if isinstance(fault, MemoryError):
        traceback.clear_frames(fault.__traceback__)  # they hold the chat that was too large
    fault = damage_behind(archive, fault) or fault
    if isinstance(fault, MemprocError):
        message, next_step = fault.message, fault.next_step
    else:
        from daemon.files.unforeseen import describe

        message, next_step = describe(fault)
    return Skipped(what, message, next_step, later=isinstance(fault, _PASSING), chat_id=chat_id)


def until_fault(
    archive: Archive, what: str, outcomes: Iterable[T], chat_id: str = ""
) -> Iterator[T | Skipped]:
    """Yield outcomes of a file or a chat; whatever error ends them, it is skipped, so that the rest goes on.

    Raises what `as_skipped` raises: then nothing can go on.
    """
    try:
        yield from outcomes
    except Exception as fault:  # the boundary of a chat: whatever ends one, the others go on
        yield as_skipped(archive, what, fault, chat_id)


def without_chats(name: str) -> Skipped:
    """Skip an export that holds nothing to work on."""
    return Skipped(
        name, f"{name} is an export without any chats.", "Choose the chats when you export."
    )


def stand_already(context: Context, ready: ReadyChat) -> bool:
    """Whether its updated export holds these very messages already: then no byte is changed.

    How the messages are spelled makes no difference. A new chat that was made of an old one, and has gone on by itself
    since, is never put back to where it began.
    """
    last = last_output(context.archive, ready.plan.chat_id)
    if last is None or ready.assembled.messages_sha256 != last.messages_sha256:
        return False
    path = place_of(context, ready)
    if Path(last.path) != path:
        return False
    newest = output_in(context.archive, last.path)
    if newest is not None and newest.chat_id != ready.plan.chat_id:
        return True
    return last.sha256 == sha256_of(path)


def deliver(context: Context, export: Export, ready: ReadyChat) -> ExportWritten:
    """Write the updated export of a chat, and keep the version that it replaces.

    Raises FileTrouble where a backup or the file could not be written; the old file is whole then.
    """
    plan, now, path = ready.plan, context.clock(), place_of(context, ready)
    for folder in (context.folders.updated, context.folders.backups):
        make_private(folder)
    last = last_output(context.archive, plan.chat_id)
    original = container_blocks(ready.chat.slice(ready.chat.span))
    keep_original(context.folders.backups, plan.chat_id, plan.title, original, now)
    del original
    backup = _keep_replaced(context, ready, path, now) if path.exists() else ""
    written = replace_file(path, container_blocks(ready.assembled.chat))
    output = Output(
        chat_id=plan.chat_id,
        path=str(path),
        sha256=written.sha256,
        messages_sha256=ready.assembled.messages_sha256,
        source_sha256=export.sha256,
        written_at=now,
        ours_sha256=ready.assembled.ours_sha256,
    )
    record_output(context.archive, output)
    if last is not None:
        _keep_renamed(context, ready, last, path, now)
    return _as_written(ready, path, backup)


def _keep_renamed(context: Context, ready: ReadyChat, last: Output, path: Path, now: str) -> None:
    """Make the file of the chat's old title a kept version, unless other chats are in it, or it was changed."""
    old = Path(last.path)
    if old == path or old.parent != path.parent or sha256_of(old) != last.sha256:
        return
    _keep_replaced(context, ready, old, now)
    if not chats_written_to(context.archive, last.path):
        old.unlink()


def _as_written(ready: ReadyChat, path: Path, backup: str) -> ExportWritten:
    """Report the updated export at `path`."""
    extracted = [
        memory
        for memory in ready.memories
        if memory.edition.made == EXTRACTED and memory.edition.kind != "person"
    ]
    return ExportWritten(
        plan=ready.plan,
        path=str(path),
        memories=len(ready.memories),
        extracted=len(extracted),
        tokens_before=ready.plan.tokens,
        tokens_after=ready.tokens_after,
        backup=backup,
        over_budget=ready.over_budget,
    )


def place_of(context: Context, ready: ReadyChat) -> Path:
    """Return the place of the chat's updated export: its name has the chat's title and id."""
    return context.folders.updated / file_name(ready.title, ready.chat_id)


def _keep_replaced(context: Context, ready: ReadyChat, path: Path, now: str) -> str:
    """Keep the version at `path` before it is replaced. Return where it is kept."""
    plan = ready.plan
    return str(
        keep_version(context.folders.backups, plan.chat_id, plan.title, path.stem, path, now).path
    )
