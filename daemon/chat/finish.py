"""Finish a chat: assembled, proved, and written in its place.

The version before is kept, and replaced at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count as numbers
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.archive.archive import Archive
from daemon.archive.chats import Rest, is_accepted, is_known, kept_closing
from daemon.archive.messages import former_versions
from daemon.archive.outputs import (
    Output,
    chats_written_to,
    last_output,
    output_in,
    record_output,
    was_written,
)
from daemon.chat.kept import lines_shown, with_sources
from daemon.chat.opening import canned, opening_text, read_shown
from daemon.chat.outcome import ExportWritten
from daemon.files.backup import keep_original, keep_version
from daemon.files.packing import sha256_of
from daemon.files.paths import file_name
from daemon.files.private import make_private
from daemon.files.read import Export
from daemon.files.write import replace_file
from daemon.models.context import Context
from daemon.models.tokens import count, digest_of
from rules.conversation.history import Entry, group_by_memory
from rules.conversation.marker import Canned
from rules.conversation.memory import Memory, memories_of_chunks
from rules.errors import FaultyOutput
from rules.layers.opening import rows_shown
from rules.output.arrange import MemorySection
from rules.output.assemble import Assembled, Mode, assemble
from rules.output.prove import verify
from rules.output.read_back import Finished
from rules.plan.chat_plan import ChatPlan
from rules.plan.folds import as_items, describe_over_budget, version_in_export
from rules.typingmind.chat import Chat
from rules.typingmind.document import container_blocks
from rules.typingmind.new_chat import as_new_chat, memories_title, new_chat_id
from rules.wording import cut_title

if TYPE_CHECKING:
    from daemon.chat.survey import Survey


@dataclass(frozen=True, slots=True)
class Assembly:
    """A chat that is assembled, not proved yet, and what it was assembled from."""

    entries: tuple[Entry, ...]
    """The history, each message with the memory that it is under now."""
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
    name: str
    """The updated export's: it has the chat's title and id, or those of the new chat."""
    over_budget: str
    """A clause saying why its memories take more than `[fold]` says; else empty."""
    rest: Rest | None = None
    """Kept where the updated export is in its place already."""


def assemble_chat(
    archive: Archive,
    survey: "Survey",
    memories: Sequence[Memory],
    shown: Sequence[Memory],
    now: str,
) -> Assembly:
    """Put `shown` in place of the messages that they sum up; `memories` are all of the chat."""
    reading, places = survey.reading, survey.reading.places
    under = {key: own.number for own in memories_of_chunks(memories) for key in own.keys}
    entries = tuple(replace(entry, memory=under.get(entry.key)) for entry in reading.entries)
    bounded = survey.shown_within(shown)
    memory_section = MemorySection(memories, bounded, reading.edits.touched)
    opening = opening_text(archive, survey, lines_shown(survey.passages, entries, places))
    read = read_shown(survey, opening)
    closing, own = canned(survey.texts).closing, kept_closing(archive, survey.chat.chat_id)
    words = Canned(opening, closing, read.headed, rows_shown(read), own)
    mode = survey.config.output.mode
    if mode == "new-chat" and (
        group_by_memory(places) or _was_written(archive, survey.chat.chat_id)
    ):
        mode = "replace"  # it holds memories, or memproc wrote it: it goes on in its own place
    assembled = assemble(survey.chat, places, entries, memory_section, words, now, mode)
    return Assembly(entries, memory_section, words, mode, assembled)


def assemble_as_it_is(archive: Archive, survey: "Survey", now: str) -> Assembly | None:
    """Assemble a chat with the memories and folds that it has; None where a fold is missing."""
    memories = survey.reading.memories
    missing, shown = survey.view_section(memories, survey.plan.memories, version_in_export)
    return None if missing else assemble_chat(archive, survey, memories, shown, now)


def is_in_export(archive: Archive, survey: "Survey", assembly: Assembly) -> bool:
    """Return whether the export is the finished chat, and the updated export says the same.

    It says something else where a setting or a choice was changed and changed back, and the same
    export came twice; where a version was restored; and where the person has accepted a state that
    lacks what the updated export holds: to import it would bring that back. What the person has
    just edited of ours in it counts as said.
    """
    chat, assembled = survey.chat, assembly.assembled
    last = last_output(archive, chat.chat_id)
    if assembled.changed or last is None:
        return not assembled.changed
    says_other = last.messages_sha256 != assembled.messages_sha256
    if says_other and (last.is_restored or is_accepted(archive, chat.chat_id, chat.sha256)):
        return False
    return survey.reading.edits.is_news or last.ours_sha256 in ("", assembled.ours_sha256)


def prove(archive: Archive, survey: "Survey", assembly: Assembly) -> None:
    """Raise FaultyOutput, with every fault, unless the finished chat is what it must be."""
    sources = {key for memory in assembly.section.shown for key in memory.edition.sources}
    faults = verify(
        Finished(
            before=survey.chat,
            after=assembly.assembled.chat,
            places=survey.reading.places,
            entries=assembly.entries,
            section=assembly.section,
            removed=assembly.assembled.removed,
            opening=assembly.words.opening,
            kept=with_sources(archive, survey.chat.chat_id, survey.passages),
            versions=former_versions(archive, survey.chat.chat_id, sources),
        )
    )
    if faults:
        raise FaultyOutput(
            f'The finished chat "{cut_title(survey.plan.title)}" has faults, so it was not '
            f"written: {'; '.join(faults)}.",
            "The old files are as they were. This is a mistake in memproc: please report these "
            "sentences.",
        )


def ready_chat(
    archive: Archive, survey: "Survey", assembly: Assembly, rest: Rest | None, now: str
) -> ReadyChat:
    """Return the chat as it goes out, under a new id where its memories go into a new chat."""
    assembled, chat_id, title = assembly.assembled, survey.chat.chat_id, survey.chat.title
    if assembly.mode == "new-chat":
        title = memories_title(title)
        chat_id = _id_of_new_chat(archive, chat_id, title, assembled)
        assembled = replace(assembled, chat=as_new_chat(assembled.chat, chat_id, title, now))
    shown, counts = tuple(assembly.section.shown), survey.counts.all
    # What TypingMind sends from now on: memories, canned messages and live messages.
    tokens = sum(memory.edition.tokens for memory in shown)
    live = (entry.message for entry in assembly.entries if entry.memory is None)
    tokens += sum(counts[message.digest] for message in live)
    if shown:  # most often the survey has counted both: the tokenizer's tables take time to load
        around = (assembly.words.opening, assembly.words.closing)
        tokens += sum(counts.get(digest_of(text)) or count(text) for text in around)
    return ReadyChat(
        chat=survey.chat,
        plan=survey.plan,
        memories=shown,
        assembled=assembled,
        tokens_after=tokens,
        name=file_name(title, chat_id),
        over_budget=memories_over_budget(survey, shown),
        rest=rest,
    )


def _id_of_new_chat(archive: Archive, chat_id: str, title: str, assembled: Assembled) -> str:
    """Choose the id of the chat that memories go into: never one where the person may talk on.

    Where nothing differs from what was written before, the id stays, and nothing is written twice.
    """
    last = last_output(archive, chat_id)
    is_same = last is not None and assembled.messages_sha256 == last.messages_sha256
    before = Path(last.path).name if last and is_same else None
    for number in numbers(1):
        new = new_chat_id(chat_id, number)
        # One that was never read nor written is free: any other may have been imported.
        is_free = not is_known(archive, new) and not _was_written(archive, new)
        if is_free or file_name(title, new) == before:
            break
    return new


def memories_over_budget(survey: "Survey", shown: Sequence[Memory]) -> str:
    """Return a clause saying why these memories take more than `[fold]` says; else empty."""
    too_large = describe_over_budget(
        as_items(shown, version_in_export), survey.plan.largest_section
    )
    return "; ".join(filter(None, (too_large, survey.too_many_words(shown))))


def _was_written(archive: Archive, chat_id: str) -> bool:
    """Return whether an updated export was ever written under this id, under any title."""
    return was_written(archive, file_name("A", chat_id).removeprefix("A "))


def is_in_place(context: Context, ready: ReadyChat) -> bool:
    """Return whether its updated export holds these very messages, so that no byte is changed.

    The spelling of the messages makes no difference. A new chat that was made of an old one, and
    has gone on by itself since, is never put back to where it began.
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
    """Keep the file of the chat's old title as a version, unless it is shared or was changed."""
    old = Path(last.path)
    if old == path or old.parent != path.parent or sha256_of(old) != last.sha256:
        return
    _keep_replaced(context, ready, old, now)
    if not chats_written_to(context.archive, last.path):
        old.unlink()


def _as_written(ready: ReadyChat, path: Path, backup: str) -> ExportWritten:
    return ExportWritten(
        plan=ready.plan,
        path=str(path),
        memories=len(ready.memories),
        extracted=sum(memory.edition.is_extracted for memory in ready.memories),
        tokens_before=ready.plan.tokens,
        tokens_after=ready.tokens_after,
        backup=backup,
        over_budget=ready.over_budget,
    )


def place_of(context: Context, ready: ReadyChat) -> Path:
    """Return the place of the chat's updated export."""
    return context.folders.updated / ready.name


def _keep_replaced(context: Context, ready: ReadyChat, path: Path, now: str) -> str:
    """Keep the version at `path` before it is replaced. Return where it is kept."""
    backups, plan = context.folders.backups, ready.plan
    return str(keep_version(backups, plan.chat_id, plan.title, path.stem, path, now).path)
