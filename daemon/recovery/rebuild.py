"""Rebuild a lost archive from backups and exports: raw messages put back, memories adopted.

The exports are updated ones. Every file is read twice: first for the ids in it, and again when its
chat is rebuilt, so that only one chat is in memory at a time.

    original   m1 m2 m3 m4 m5
    version    [opening][memory: m1 to m3, 3 messages][closing] m4 m5 m6
    archive    m1 m2 m3 m4 m5 m6, and the memory as it is, with m1 m2 m3 under it

A memory whose messages are in no file stays as it is, without them. What the archive has is not
changed.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import sub
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.chats import chat_row, is_known, keep_chat
from daemon.archive.forks import adopt
from daemon.archive.memories import end_turn, memories, replace_edition
from daemon.archive.message_versions import put_back, remember
from daemon.archive.messages import message_keys, past
from daemon.archive.outputs import Output, last_output, record_output
from daemon.archive.rebuilding import (
    count_chat,
    mark_deleted,
    note_sources,
    put_under_memories,
)
from daemon.chat.opening_edits import take_over
from daemon.chat.reading import dates_of_copies, read_chat
from daemon.config.loading import load_texts
from daemon.files.packing import sha256_of
from daemon.files.read import chats_in
from daemon.models.context import Context
from daemon.models.tokens import count
from daemon.recovery.kept_files import (
    BackupFile,
    UnusedFile,
    chat_in,
    find_files,
    updated_export,
)
from daemon.remember.quotes import stated_in
from primer.prompt import question
from rules.conversation.history import Entry, Group, group_by_memory
from rules.conversation.kept_wishes import with_listed_wishes
from rules.conversation.memory import Memory, map_aliases
from rules.errors import ArchiveError, DamagedChat, MemprocError
from rules.output.assemble import hash_of_messages
from rules.recognize.adopted import with_cited_sources
from rules.recognize.copies import as_dated
from rules.recognize.recognize import recognize
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.dates import in_zone
from rules.typingmind.document import chat_container
from rules.typingmind.message import Message, read_message
from rules.typingmind.new_chat import as_new_chat, new_chat_id
from rules.typingmind.originals import deleted_uuids, is_original, plain_original

_NEW_CHATS = 9


@dataclass(frozen=True, slots=True)
class RebuiltChat:
    """The numbers of messages and memories that were added to the archive for one chat."""

    chat_id: str
    title: str
    messages: int
    memories: int
    without_messages: int
    """Memories whose raw messages were not found; they stay as they are."""
    found_again: int
    """Memories that the archive had without their raw messages, and now has with them."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """All that was added, and the files and chats that could not be used."""

    chats: tuple[RebuiltChat, ...]
    passed_over: tuple[UnusedFile, ...]


def rebuild(context: Context, more: Sequence[Path] = ()) -> Rebuilt:
    """Read all backups, updated exports, and `more` exports, and add what the archive lacks.

    Raise ArchiveError, and FileTrouble where a folder or the index of the backups cannot be read.
    """
    found_files = find_files(context.folders, more)
    files, unused = found_files.by_chat, list(found_files.unused)
    chats: list[RebuiltChat] = []
    new_ids = {new_id for chat_id in files for new_id in _new_ids(chat_id)}
    for chat_id, chat_files in files.items():
        # In a new chat with another's memories nothing was said yet, unless it has backups of its
        # own.
        is_processed = any(file.version and file.version.chat_id == chat_id for file in chat_files)
        if chat_id in new_ids and not is_processed:
            continue
        try:
            with context.archive.transaction():
                rebuilt = _rebuild_chat(context, chat_id, files)
        except DamagedChat as damage:
            unused.append(UnusedFile(chat_files[-1].path, str(damage)))
        except ArchiveError:
            raise
        except MemprocError as trouble:
            unused.append(UnusedFile(chat_files[-1].path, trouble.message))
        else:
            chats += [rebuilt] if rebuilt else []
    return Rebuilt(tuple(chats), tuple(unused))


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
    archive, chat_files = context.archive, files[chat_id]
    is_new = not is_known(archive, chat_id)
    if is_new:
        oldest = chat_files[0]
        keep_chat(archive, chat_in(oldest, chat_id), oldest.kept_at)
    row = chat_row(archive, chat_id)
    before = count_chat(archive, row)
    newest = updated_export(chat_files, chat_id) or chat_files[-1]
    _fill(context, newest, chat_id, files, is_new=is_new)
    after = count_chat(archive, row)
    if after == before:
        return None
    messages, added, without = map(sub, after, before)
    return RebuiltChat(
        chat_id,
        chat_in(newest, chat_id).title,
        messages,
        added,
        without_messages=max(0, without),
        found_again=max(0, -without),
    )


def _fill(
    context: Context,
    newest: BackupFile,
    chat_id: str,
    files: Mapping[str, Sequence[BackupFile]],
    *,
    is_new: bool,
) -> None:
    """Add memories, then raw messages, and at last the state of the newest file, if that is new.

    Messages that the person has deleted, by the newest file's list of deletions, count as deleted.
    """
    archive, row = context.archive, chat_row(context.archive, chat_id)
    file, with_memories = _with_memories(chat_id, newest, files)
    shown = group_by_memory(recognize(read_messages(with_memories), {}))
    known = {name for memory in memories(archive, chat_id) for name in memory.ids}
    lacks_memories = not shown.keys() <= known
    is_fork = False
    if lacks_memories:
        config = context.config.of(with_memories)
        adopted = read_chat(archive, with_memories, config, file.kept_at).reading.adopted
        adopt(archive, row, adopted, file.kept_at)
        is_fork = bool(adopted.past)
    taken_out = _put_back(archive, row, chat_id, files[chat_id], is_fork=is_fork)
    _complete(context, row, with_memories, shown, taken_out)
    named = deleted_uuids(chat_in(newest, chat_id))
    mark_deleted(archive, row, taken_out, named, newest.kept_at)
    if is_new or lacks_memories:
        _take_newest_state(context, chat_id, newest)
        _note_output(archive, file, with_memories)


def _take_newest_state(context: Context, chat_id: str, newest: BackupFile) -> None:
    """Read the newest file as a run reads an export: live messages, core memory, facts."""
    chat, when = chat_in(newest, chat_id), newest.kept_at
    shown = read_chat(context.archive, chat, context.config.of(chat), when)
    remember(context.archive, chat, shown.reading, when)
    take_over(context.archive, shown, when)


def _note_output(archive: Archive, file: BackupFile, chat: Chat) -> None:
    """Record an updated export as this chat's output, so that the same export changes nothing."""
    if not file.is_output:
        return
    sha256 = sha256_of(file.path) or ""
    last = last_output(archive, chat.chat_id)
    if last is None or last.sha256 != sha256:
        messages = hash_of_messages(chat.slice(span) for span in chat.messages)
        output = Output(chat.chat_id, str(file.path), sha256, messages, "", file.kept_at)
        record_output(archive, output)


def _with_memories(
    chat_id: str, newest: BackupFile, files: Mapping[str, Sequence[BackupFile]]
) -> tuple[BackupFile, Chat]:
    """Return the file with the chat's memories, and the chat in it: the newest, or a new chat's."""
    chat = chat_in(newest, chat_id)
    if group_by_memory(recognize(read_messages(chat), {})):
        return newest, chat
    for name in _new_ids(chat_id):
        if name in files:
            oldest = files[name][0]
            new_chat = chat_in(oldest, name)  # read as the chat that it was made from
            text = new_chat.slice(new_chat.span)
            renamed = as_new_chat(text, chat_id, chat.title, oldest.kept_at)
            return oldest, chats_in(oldest.path.name, chat_container(renamed))[0]
    return newest, chat


def _put_back(
    archive: Archive, row: int, chat_id: str, chat_files: Sequence[BackupFile], *, is_fork: bool
) -> set[str]:
    """Store the raw messages of all files, oldest file first; known messages stay as they are.

    Return the keys of those that the person has taken out of the live conversation.
    """
    known = set(message_keys(archive, row))
    live: list[str] = []
    taken_out: set[str] = set()
    for file in chat_files:
        messages = read_messages(chat_in(file, chat_id))
        places = recognize([_as_raw(message) for message in messages], {})
        raw = [place for place in places if place.ours is None]
        dates = dates_of_copies(archive, chat_id, raw, is_fork=is_fork)
        dated = [as_dated(place, dates) for place in raw]
        put_back(archive, row, dated, known, file.kept_at)
        originals = {at for at, message in enumerate(messages) if is_original(message.marker)}
        now = [place.key for place in raw if place.lived and place.at not in originals]
        taken_out = (taken_out | _taken_out(live, now)) - {place.key for place in raw}
        live = now
    return taken_out


def _taken_out(before: Sequence[str], now: Sequence[str]) -> set[str]:
    """Return the keys that were live before and are not now, though an older one still is.

    Messages go under memories from the oldest on, so these are under none.
    """
    oldest = next((at for at, key in enumerate(before) if key in now), len(before))
    return {*before[oldest:]} - {*now}


def _as_raw(message: Message) -> Message:
    """Return a message as it was before memproc marked it as an original."""
    return read_message(plain_original(message.raw)) if is_original(message.marker) else message


def _complete(
    context: Context,
    row: int,
    newest: Chat,
    shown: Mapping[str, Group],
    taken_out: Collection[str],
) -> None:
    """Link raw messages to the memories that the newest file shows; store what follows from them.

    That is sizes and dates, the sources of quotes and wishes, and whether a memory has had its turn
    of hindsight. Messages in `taken_out` may be under none.
    """
    archive, chat_id = context.archive, newest.chat_id
    own_names = map_aliases(memories(archive, chat_id))
    shown = {own_names.get(name, name): group for name, group in shown.items()}
    markers = {
        name: place.ours for name, group in shown.items() for place in group.values() if place.ours
    }
    completed = put_under_memories(archive, row, markers, taken_out)
    # A hindsight edition is recognized by the words of its third message: markers of earlier
    # versions did not have the kind, and a forged marker could have any.
    texts = load_texts(context.config.of(newest).texts.path)
    around = question(texts.perspective_hindsight).content.split("{words}")
    looking_back = re.compile(r"\d+".join(map(re.escape, around)))
    messages = past(archive, chat_id)
    for memory in memories(archive, chat_id):
        if memory.memory_id in completed:
            under = {old.key: old.message for old in messages if old.memory == memory.number}
            _note_what_is_under(archive, memory, shown[memory.memory_id], under)
            if looking_back.fullmatch(memory.edition.texts[2]):
                end_turn(archive, memory.memory_id)


def _note_what_is_under(
    archive: Archive, memory: Memory, group: Group, under: Mapping[str, Message]
) -> None:
    """Store a memory's size and dates, its quotes' sources, and the wishes in its raw messages."""
    messages = list(under.values())
    tokens = sum(count(message.text) for message in messages)
    began, ended = (in_zone(end.created_at, archive.zone) for end in (messages[0], messages[-1]))
    note_sources(archive, memory.memory_id, tokens, began or None, ended or None)
    parts = {key: message.spoken for key, message in under.items()}
    chunk = [Entry(key, message, memory.number, None) for key, message in under.items()]
    cited = with_cited_sources(memory.edition, group, parts)
    edition = with_listed_wishes(cited, stated_in(chunk, archive.zone), count)
    replace_edition(archive, memory.memory_id, edition)
