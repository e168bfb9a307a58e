"""Rebuild a lost archive from backups and updated exports: raw messages put back, memories adopted.

Every file is read twice: once for the ids in it, and again when its chat has its turn, so that
there is never more than one chat's worth of them in memory.

    original   m1 m2 m3 m4 m5
    version    [opening][memory: m1 to m3, 3 messages][closing] m4 m5 m6
    archive    m1 m2 m3 m4 m5 m6, and the memory as it is, with m1 m2 m3 under it

A memory whose messages no file holds any more stays as it is, without them. What the archive knows
stays as it is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.chats import chat_row, is_known, keep_chat, keep_fold_limits
from daemon.archive.forks import count_chat, note_sources, put_under_memories
from daemon.archive.memories import end_turn, memories
from daemon.archive.message_versions import adopt, message_keys, put_back, remember
from daemon.archive.messages import past
from daemon.archive.outputs import Output, last_output, record_output
from daemon.chat.holding import limits_before
from daemon.chat.opening import canned, shown_chat
from daemon.chat.opening_edits import take_over
from daemon.chat.reading import dates_of_copies, read_chat
from daemon.config.loading import load_texts
from daemon.files.backup import Version, all_versions, read_version
from daemon.files.backup_index import INDEX, UnreadableLine, read_index
from daemon.files.candidates import exports_in
from daemon.files.packing import sha256_of
from daemon.files.paths import Folders, file_name
from daemon.files.read import chats_in, read_export
from daemon.files.removal import as_its_file_says, changed_at
from daemon.models.context import Context
from daemon.models.tokens import count
from primer.prompt import question
from rules.conversation.history import Place
from rules.conversation.memory import aliases
from rules.errors import ArchiveError, ChatSkipped, DamagedChat, FileTrouble, MemprocError
from rules.output.assemble import hash_of_messages
from rules.recognize.adopted import as_dated
from rules.recognize.chat_reading import ChatReading
from rules.recognize.recognize import recognise
from rules.recognize.user_edits import groups
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.document import chat_container
from rules.typingmind.message import read_message
from rules.typingmind.new_chat import as_new_chat, new_chat_id
from rules.typingmind.originals import is_original, plain_original

_NEW_CHATS = 9


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A file that shows chats. `version` is None for one that is not in the backups."""

    path: Path
    kept_at: str
    version: Version | None
    is_output: bool
    """Whether it lies among the updated exports."""

    def age(self) -> tuple[bool, str, bool, str]:
        """Return the key that sorts files, the oldest first."""
        is_original = self.version is not None and self.version.kind == "original"
        return self.is_output, self.kept_at, not is_original, str(self.path)


@dataclass(frozen=True, slots=True)
class UnusedFile:
    """A file, or a chat in one, that could not be used, and why."""

    path: Path
    reason: str


def find_files(
    folders: Folders, more: Sequence[Path]
) -> tuple[dict[str, list[BackupFile]], list[UnusedFile]]:
    """Find backups, updated exports, and the exports that the person names.

    Return them by chat id, oldest first, and those that cannot be used. A file among the updated
    exports is the newest of its chat, at any date. Chats that only a named export shows are none of
    memproc's yet. Raise FileTrouble where a folder is unreadable.
    """
    unused = [
        UnusedFile(folders.backups / INDEX, f"Line {line.number} cannot be read.")
        for line in read_index(folders.backups)
        if isinstance(line, UnreadableLine)
    ]
    files: dict[str, list[BackupFile]] = {}
    for file in sorted(_all_files(folders, more), key=BackupFile.age):
        readable, faults = _readable_chats(file)
        unused += faults
        for chat_id in dict.fromkeys(readable):
            files.setdefault(chat_id, []).append(file)
    ours = {
        chat_id: versions
        for chat_id, versions in files.items()
        if any(file.version or file.is_output for file in versions)
    }
    return ours, unused


def _all_files(folders: Folders, more: Sequence[Path]) -> Iterator[BackupFile]:
    """Yield all backups, updated exports and named exports, in no order."""
    for versions in all_versions(folders.backups).values():
        for version in versions:
            yield BackupFile(version.path, version.written_at, version, is_output=False)
    for path in exports_in(folders.updated) if folders.updated.is_dir() else ():
        yield BackupFile(path, changed_at(path), None, is_output=True)
    for place in more:
        for path in exports_in(place):
            yield BackupFile(path, changed_at(path), None, is_output=False)


def _readable_chats(file: BackupFile) -> tuple[list[str], list[UnusedFile]]:
    """Return the ids of a file's chats, and what of it cannot be read."""
    try:
        chats = chats_in_file(file)
    except MemprocError as trouble:
        return [], [UnusedFile(file.path, trouble.message)]
    readable: list[str] = []
    unused: list[UnusedFile] = []
    for chat in chats:
        chat_id = _readable_id(chat)
        if chat_id is None:
            reason = f'The chat "{chat.title}" in it cannot be read.'
            unused.append(UnusedFile(file.path, reason))
        else:
            readable.append(chat_id)
    return readable, unused


def chats_in_file(file: BackupFile) -> tuple[Chat, ...]:
    """Return all chats of a file.

    Raise FileTrouble where it is gone or damaged, NotAnExport where it is something else.
    """
    if file.version is None:
        return tuple(read_export(file.path).chats())
    try:
        content = read_version(file.version)
    except FileTrouble:
        version = as_its_file_says(file.version)
        if version is None:
            raise
        content = read_version(version)
    return chats_in(file.path.name, content)


def chat_in(file: BackupFile, chat_id: str) -> Chat:
    """Return the chat of that id in a file that has it. Raise as `chats_in_file` does."""
    return next(chat for chat in chats_in_file(file) if _readable_id(chat) == chat_id)


def updated_export(files: Sequence[BackupFile], chat_id: str) -> BackupFile | None:
    """Return the chat's updated export: the newest named by its id, else one of a whole export.

    What `memproc expand` once wrote may lie in the same folder, under another name.
    """
    ending = file_name("", chat_id).removeprefix("Untitled")
    outputs = [file for file in files if file.is_output]
    named = [file for file in outputs if file.path.name.endswith(ending)]
    return next(reversed(named or [file for file in outputs if len(chats_in_file(file)) > 1]), None)


def _readable_id(chat: Chat) -> str | None:
    """Return the id of a chat whose messages can be read; None for others."""
    try:
        read_messages(chat)
    except ChatSkipped:
        return None
    return chat.id_if_any or None


@dataclass(frozen=True, slots=True)
class RebuiltChat:
    """The numbers of messages and memories that were added to the archive for one chat."""

    chat_id: str
    title: str
    messages: int
    memories: int
    without_messages: int
    """Memories whose raw messages were not found: they stay as they are."""
    found_again: int
    """Memories that the archive had without their raw messages, and has with them now."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """All that was added, and the files and chats that could not be used."""

    chats: tuple[RebuiltChat, ...]
    passed_over: tuple[UnusedFile, ...]


def rebuild(context: Context, more: Sequence[Path] = ()) -> Rebuilt:
    """Read all backups and updated exports, and `more` exports; add what the archive lacks.

    Raise ArchiveError, and FileTrouble where a folder or the index of the backups cannot be read.
    """
    files, unused = find_files(context.folders, more)
    chats: list[RebuiltChat] = []
    untouched = _untouched_new_chats(files)
    for chat_id in (name for name in files if name not in untouched):
        try:
            with context.archive.transaction():
                rebuilt = _rebuild_chat(context, chat_id, files)
        except MemprocError as trouble:
            if isinstance(trouble, ArchiveError) and not isinstance(trouble, DamagedChat):
                raise
            reason = str(trouble) if isinstance(trouble, DamagedChat) else trouble.message
            unused.append(UnusedFile(files[chat_id][-1].path, reason))
        else:
            chats += [rebuilt] if rebuilt else []
    return Rebuilt(tuple(chats), tuple(unused))


def _untouched_new_chats(files: Mapping[str, Sequence[BackupFile]]) -> set[str]:
    """Return the ids of new chats with another's memories, in which nothing was said yet.

    A new chat that has been worked on has an original of its own.
    """
    worked_on = {
        chat_id
        for chat_id, own in files.items()
        if any(file.version and file.version.chat_id == chat_id for file in own)
    }
    return {name for chat_id in files for name in _new_ids(chat_id)} - worked_on


def _new_ids(chat_id: str) -> list[str]:
    """Return the ids of the new chats that may hold this chat's memories (`output.mode`)."""
    return [new_chat_id(chat_id, number) for number in range(1, _NEW_CHATS + 1)]


def _rebuild_chat(
    context: Context, chat_id: str, files: Mapping[str, Sequence[BackupFile]]
) -> RebuiltChat | None:
    """Add what the archive lacks of a chat; `files` are those of all chats, by id.

    Return None where nothing was lacking. Raise ChatSkipped where the newest file cannot be read as
    a state of the chat, and FileTrouble.
    """
    archive, own = context.archive, files[chat_id]
    is_new = not is_known(archive, chat_id)
    if is_new:
        keep_chat(archive, chat_in(own[0], chat_id), own[0].kept_at)
    row = chat_row(archive, chat_id)
    before = count_chat(archive, row)
    newest = updated_export(own, chat_id) or own[-1]
    _fill(context, newest, chat_id, files, is_new=is_new)
    after = count_chat(archive, row)
    if after == before:
        return None
    raw, added, without = (now - then for now, then in zip(after, before, strict=True))
    title = chat_in(newest, chat_id).title
    return RebuiltChat(chat_id, title, raw, added, max(0, without), max(0, -without))


def _fill(
    context: Context,
    newest: BackupFile,
    chat_id: str,
    files: Mapping[str, Sequence[BackupFile]],
    *,
    is_new: bool,
) -> None:
    """Add memories, then raw messages, and last the state of the newest file, if that is news."""
    archive, row = context.archive, chat_row(context.archive, chat_id)
    file, with_memories = _with_memories(chat_id, newest, files)
    shown = groups(recognise(read_messages(with_memories), {}))
    lacks_memories = not shown.keys() <= _known_names(archive, chat_id)
    is_fork = lacks_memories and _adopt_memories(context, row, file, with_memories)
    _put_back(archive, row, chat_id, files[chat_id], is_fork=is_fork)
    _complete(context, row, with_memories, shown)
    if is_new or lacks_memories:
        _take_newest_state(context, chat_id, newest)
        _note_output(archive, file, with_memories)


def _known_names(archive: Archive, chat_id: str) -> set[str]:
    """Return the ids of the chat's memories, those in the chat that it was forked from included."""
    return {
        name
        for memory in memories(archive, chat_id)
        for name in (memory.memory_id, *memory.origins)
    }


def _adopt_memories(context: Context, row: int, file: BackupFile, chat: Chat) -> bool:
    """Adopt the memories that a file shows. Return whether they came from another chat."""
    adopted = _read(context, chat, file.kept_at).adopted
    kept = limits_before(context.archive, chat.chat_id, adopted)
    adopt(context.archive, row, adopted, file.kept_at)
    if adopted.memories:
        keep_fold_limits(context.archive, chat.chat_id, kept)
    return bool(adopted.past)


def _take_newest_state(context: Context, chat_id: str, newest: BackupFile) -> None:
    """Read the newest file as an export of the chat is read: live messages, core memory, facts."""
    chat, when = chat_in(newest, chat_id), newest.kept_at
    reading = _read(context, chat, when)
    remember(context.archive, chat, reading, when)
    take_over(context.archive, shown_chat(chat, reading.places, context.config.of(chat)), when)


def _note_output(archive: Archive, file: BackupFile, chat: Chat) -> None:
    """Record an updated export as this chat's output, so that the same export changes nothing."""
    sha256, last = sha256_of(file.path) or "", last_output(archive, chat.chat_id)
    if file.is_output and (last is None or last.sha256 != sha256):
        messages = hash_of_messages(chat.slice(span) for span in chat.messages)
        output = Output(chat.chat_id, str(file.path), sha256, messages, "", file.kept_at)
        record_output(archive, output)


def _with_memories(
    chat_id: str, newest: BackupFile, files: Mapping[str, Sequence[BackupFile]]
) -> tuple[BackupFile, Chat]:
    """Return the file with the chat's memories, and the chat in it: its newest, or a new chat's."""
    chat = chat_in(newest, chat_id)
    if groups(recognise(read_messages(chat), {})):
        return newest, chat
    for name in _new_ids(chat_id):
        for file in files.get(name, ())[:1]:
            new_chat = chat_in(file, name)
            renamed = as_new_chat(new_chat.slice(new_chat.span), chat_id, chat.title, file.kept_at)
            return file, chats_in(file.path.name, chat_container(renamed))[0]
    return newest, chat


def _read(context: Context, chat: Chat, when: str) -> ChatReading:
    config = context.config.of(chat)
    words = canned(load_texts(config.texts.path))
    return read_chat(context.archive, chat, words, config.memory.editions, when)


def _put_back(
    archive: Archive, row: int, chat_id: str, own: Sequence[BackupFile], *, is_fork: bool
) -> None:
    """Put the raw messages of all files back, the oldest first; known ones stay as they are."""
    known = set(message_keys(archive, row))
    for file in own:
        messages = [
            read_message(plain_original(message.raw)) if is_original(message.marker) else message
            for message in read_messages(chat_in(file, chat_id))
        ]
        raw = [place for place in recognise(messages, {}) if place.ours is None]
        dates = dates_of_copies(archive, chat_id, raw, is_fork=is_fork)
        put_back(archive, row, [as_dated(place, dates) for place in raw], known, file.kept_at)


def _complete(
    context: Context, row: int, newest: Chat, shown: Mapping[str, Mapping[int, Place]]
) -> None:
    """Put raw messages under the memories that the newest file shows, and note sizes and dates."""
    archive, chat_id = context.archive, newest.chat_id
    own_names = aliases(memories(archive, chat_id))
    markers = {
        own_names.get(name, name): place.ours
        for name, group in shown.items()
        for place in group.values()
        if place.ours
    }
    completed = put_under_memories(archive, row, markers)
    looking_back = _hindsight_question(context, newest)
    messages = past(archive, chat_id)
    for memory in memories(archive, chat_id):
        if memory.memory_id in completed:
            under = [message.message for message in messages if message.memory == memory.number]
            tokens = sum(count(message.text) for message in under)
            first, last = under[0].created_at, under[-1].created_at
            note_sources(archive, memory.memory_id, tokens, first, last)
            if looking_back.fullmatch(memory.edition.texts[2]):
                end_turn(archive, memory.memory_id)


def _hindsight_question(context: Context, chat: Chat) -> re.Pattern[str]:
    """Return what the third message of a hindsight edition says.

    A marker does not tell which kind an edition is.
    """
    texts = load_texts(context.config.of(chat).texts.path)
    around = question(texts.perspective_hindsight).content.split("{words}")
    return re.compile(r"\d+".join(map(re.escape, around)))
