"""What was had back of a chat, put into the archive beside what is there."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.chats import is_known
from daemon.archive.exports import Output, last_output, record_output
from daemon.archive.forks import find_kin
from daemon.archive.memories import HAD, editions, insert_edition, insert_fold, insert_memory, memories
from daemon.archive.messages import adopt, insert_version, keep_chat, past, remember
from daemon.archive.rows import unpacked
from daemon.chat.opening import shown_chat
from daemon.chat.reading import dates_of_copies, read_chat
from daemon.chat.survey import canned
from daemon.config.texts import load_texts
from daemon.context import Context
from daemon.files.packed import sha256_of
from daemon.models.tokens import count
from daemon.recovery.evidence import Evidence, Raw, look
from daemon.recovery.restored import Known, Restored, hindsight_question, quotes_in, restored
from daemon.recovery.sources import PassedOver, Source, Sources, chat_in, find_sources, output_of
from daemon.remember.taking_over import take_over
from rules.conversation.history import UNDER_SOME_MEMORY, Entry
from rules.conversation.memory import CHUNK_LEVEL, Memory, Preferred, aliases, shown
from rules.errors import ArchiveError, ChatSetAside, DamagedChat, MemprocError
from rules.recognize.adopt import inherit
from rules.recognize.reading import Reading
from rules.recognize.recognize import Place, recognise
from rules.recognize.true_dates import said_at, with_true_date
from rules.recognize.user_edits import groups
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.compose import drafts_of
from rules.typingmind.copies import new_chat_id
from rules.typingmind.message import read_message


def chat_row_for(archive: Archive, chat: Chat, when: str) -> int:
    """The chat's row. One that is new is as this file has it, until the newest file is read."""
    rows = archive.run("SELECT id FROM chat WHERE chat_id = ?", (chat.chat_id,))
    return int(rows[0][0]) if rows else keep_chat(archive, chat, when)


def archived(archive: Archive, chat_id: str) -> dict[str, Raw]:
    """The raw messages that the archive has of a chat, gone ones too, by their keys and in their order."""
    rows = archive.run(
        """
        SELECT key, left_out, CAST(raw AS BLOB), packed, version.sha256, seen_at
        FROM chat JOIN message ON message.chat = chat.id JOIN version ON version.message = message.id
        LEFT JOIN body ON body.sha256 = version.sha256
        WHERE chat_id = ? ORDER BY position, version.number
        """,
        (chat_id,),
    )
    found: dict[str, Raw] = {}
    for key, left_out, raw, packed, sha256, seen_at in rows:
        message = found.setdefault(key, Raw([], None if left_out == UNDER_SOME_MEMORY else left_out, []))
        message.versions.append(read_message(unpacked(raw, packed, sha256)))
        message.seen_at.append(seen_at)
    return found


def keep_restored(
    archive: Archive, row: int, evidence: Evidence, stored: Collection[str], restored: Restored, when: str
) -> None:
    """Keep it, within a transaction of the caller's. `stored` are the keys of messages that the archive has.

    What stands under no memory counts as gone until the newest file has been read.
    """
    under = {key for memory in (*restored.memories, *restored.found_again) for key in memory.keys}
    staying = under | restored.left_over
    for position, key in enumerate(evidence.order):
        if key in stored:
            archive.run("UPDATE message SET position = ? WHERE chat = ? AND key = ?", (position, row, key))
            if key in under:
                archive.run("UPDATE message SET left_out = NULL, gone_at = NULL WHERE chat = ? AND key = ?", (row, key))
            continue
        left_out = UNDER_SOME_MEMORY if key in restored.left_over else evidence.raw[key].left_out
        newest = evidence.raw[key].versions[-1]
        archive.run(
            "INSERT INTO message (chat, key, position, left_out, gone_at, said_at) VALUES (?, ?, ?, ?, ?, ?)",
            (row, key, position, left_out, None if key in staying else when, said_at(newest)),
        )
        _keep_versions(archive, row, key, evidence.raw[key])
    for memory in restored.memories:
        _keep_memory(archive, row, memory, restored)
    for memory in restored.found_again:
        _keep_chunk(archive, row, memory, restored)
        _keep_found(archive, memory, evidence)


def _keep_versions(archive: Archive, row: int, key: str, raw: Raw) -> None:
    (message,) = archive.run("SELECT id FROM message WHERE chat = ? AND key = ?", (row, key))[0]
    for number, (version, seen_at) in enumerate(zip(raw.versions, raw.seen_at, strict=True), 1):
        insert_version(archive, message, number, version, seen_at)


def _keep_memory(archive: Archive, row: int, memory: Memory, restored: Restored) -> None:
    if memory.is_fold:
        insert_fold(archive, row, memory)
    else:
        insert_memory(archive, row, memory)
        _keep_chunk(archive, row, memory, restored)
    kept = restored.editions[memory.memory_id]
    for edition in kept:
        insert_edition(archive, memory.memory_id, edition)
    archive.run(
        "UPDATE memory SET pinned = ?, hindsight = ? WHERE id = ?",
        (
            _is_lone_fold(memory),
            HAD if any(edition.kind == "hindsight" for edition in kept) else 0,
            memory.memory_id,
        ),
    )


def _is_lone_fold(memory: Memory) -> bool:
    """It stands for more messages than a chunk has: nobody can write it again from all of them."""
    return memory.level > CHUNK_LEVEL and not memory.is_fold


def _keep_chunk(archive: Archive, row: int, memory: Memory, restored: Restored) -> None:
    archive.run_many(
        """
        INSERT INTO chunk_message (memory, place, message, version)
        SELECT ?, ?, message.id, version.id FROM message JOIN version ON version.message = message.id
        WHERE chat = ? AND key = ? AND version.number = ?
        """,
        [
            (memory.memory_id, place, row, key, 1 + restored.versions[memory.memory_id][key])
            for place, key in enumerate(memory.keys)
        ],
    )


def _keep_found(archive: Archive, memory: Memory, evidence: Evidence) -> None:
    """What follows for a memory from the raw messages that stand under it again."""
    archive.run(
        "UPDATE memory SET source_tokens = ?, began_at = ?, ended_at = ?, pinned = ? WHERE id = ?",
        (
            memory.source_tokens,
            memory.began_at,
            memory.ended_at,
            memory.pinned or _is_lone_fold(memory),
            memory.memory_id,
        ),
    )
    chunk = [Entry(key, evidence.raw[key].versions[-1], None, None) for key in memory.keys]
    for edition in editions(archive, memory.memory_id):
        quotes = [asdict(quote) for quote in quotes_in(edition.texts[1], chunk)]
        archive.run(
            "UPDATE edition SET quotes = ? WHERE memory = ? AND number = ?",
            (json.dumps(quotes, ensure_ascii=False), memory.memory_id, edition.number),
        )


_NEW_CHATS = 9
_SLOTS = range(1, 7)


@dataclass(frozen=True, slots=True)
class RebuiltChat:
    """What was added to the archive of one chat."""

    chat_id: str
    title: str
    messages: int
    memories: int
    """Folds are not among them."""
    without_messages: int
    """Those of the memories of which the raw messages were not found: they stay as they are."""
    folds: int
    found_again: int
    """Memories that the archive had without their raw messages, and has with them now."""
    unplaced: int
    """Memories that were not added: they are in a fold of which others are lost, or between the archive's own."""


def new_ids(chat_id: str) -> list[str]:
    """The ids of the new chats that this chat's memories may have been put into (`output.mode`)."""
    return [new_chat_id(chat_id, number) for number in range(1, _NEW_CHATS + 1)]


def rebuild_chat(context: Context, chat_id: str, sources: Sources) -> RebuiltChat | None:
    """Add what the archive lacks of a chat; None where that is nothing.

    Raises ChatSetAside where not one of its files can be read as a state of the chat, and FileTrouble.
    """
    archive = context.archive
    own = _newest_last(chat_id, sources.of[chat_id])
    others = [(one, name) for name in new_ids(chat_id) for one in sources.of.get(name, ())]
    newest = chat_in(own[-1], chat_id)
    was_known = is_known(archive, chat_id)
    with archive.transaction():
        row = chat_row_for(archive, chat_in(own[0], chat_id), own[0].kept_at)
        before = _counted(archive, row)
        is_fork = not was_known and _inherits(archive, row, chat_id, own)
        evidence = _begun(context, newest)
        stored = tuple(evidence.raw)
        files = [(one, chat_id) for one in own[:-1]] + others
        for source, name in [*sorted(files, key=_age), (own[-1], chat_id)]:
            look(evidence, chat_in(source, name), source.kept_at, is_own=name == chat_id)
        _date_truly(archive, evidence, stored, is_fork=is_fork)
        found = restored(evidence, _known(context, evidence, newest, row))
        if was_known and not found.memories and not found.found_again:
            return None
        keep_restored(archive, row, evidence, stored, found, own[-1].kept_at)
        _read_newest(context, chat_id, own, found, was_known=was_known)
        _record_output(archive, chat_id, own, [one for one in others if not sources.is_of_its_own(one[1])])
        after = _counted(archive, row)
    messages, added, without, folds = (now - then for now, then in zip(after, before, strict=True))
    again = len(found.found_again)
    return RebuiltChat(chat_id, newest.title, messages, added, without + again, folds, again, len(found.unplaced))


def _newest_last(chat_id: str, own: Sequence[Source]) -> list[Source]:
    """The updated export behind all others, whatever else lies in its folder."""
    output = output_of(chat_in(own[-1], chat_id), own)
    return [*(one for one in own if one != output), *([output] if output else [])]


def _age(file: tuple[Source, str]) -> tuple[bool, str]:
    return file[0].is_output, file[0].kept_at


def _inherits(archive: Archive, row: int, chat_id: str, own: Sequence[Source]) -> bool:
    """A fork, or a new chat, takes over what the chat that it came from has in the archive by now; whether it did."""
    for source in own:
        shown_there = groups(recognise(read_messages(chat_in(source, chat_id)), {}))
        if shown_there:
            kin = find_kin(archive, chat_id, shown_there)
            if kin is not None:
                adopt(archive, row, inherit(chat_id, shown_there, kin), source.kept_at)
            return kin is not None
    return False


def _begun(context: Context, newest: Chat) -> Evidence:
    """What the archive knows of the chat already."""
    archive, chat_id = context.archive, newest.chat_id
    words = canned(load_texts(context.config.of(newest).texts.path))
    kept = memories(archive, chat_id)
    raw = archived(archive, chat_id)
    digests = {old.key: old.message.digest for old in past(archive, chat_id)}
    every = {one.memory_id: editions(archive, one.memory_id) for one in kept}
    return Evidence(
        chat_id,
        raw=raw,
        order=list(raw),
        under={one.memory_id: {key: digests[key] for key in one.keys} for one in kept if one.keys},
        ours=drafts_of(chat_id, kept, every, words.opening, words.closing),
        aliases=aliases(kept),
    )


def _date_truly(archive: Archive, evidence: Evidence, stored: Collection[str], *, is_fork: bool) -> None:
    """Give messages that a fork has dated anew the dates on which they were said, as far as the archive has them."""
    new = [key for key in evidence.order if key not in stored]
    places = [Place(at, evidence.raw[key].versions[0], key, None, None) for at, key in enumerate(new)]
    for key, date in dates_of_copies(archive, evidence.chat_id, places, is_fork=is_fork).items():
        raw = evidence.raw[key]
        raw.versions = [with_true_date(version, date) for version in raw.versions]


def _known(context: Context, evidence: Evidence, newest: Chat, row: int) -> Known:
    places = recognise(read_messages(newest), evidence.ours, evidence.under, evidence.aliases)
    texts = load_texts(context.config.of(newest).texts.path)
    others = context.archive.run("SELECT id FROM memory WHERE chat <> ?", (row,))
    return Known(
        memories=memories(context.archive, evidence.chat_id),
        elsewhere=frozenset(name for (name,) in others),
        shown=list(groups(places)),
        hindsight=hindsight_question(texts),
        standing=frozenset(_texts(group) for group in groups(places).values()),
        live=frozenset(place.key for place in places if place.ours is None),
        count=count,
    )


def _texts(group: Mapping[int, Place]) -> tuple[str, ...]:
    return tuple(group[slot].message.text for slot in _SLOTS if slot in group)


def _read_newest(context: Context, chat_id: str, own: Sequence[Source], found: Restored, *, was_known: bool) -> None:
    """Read the newest file that is a state of the chat, as an export of it is read."""
    new = {memory.memory_id for memory in found.memories}
    for source in reversed(own):
        chat = chat_in(source, chat_id)
        config = context.config.of(chat)
        words = canned(load_texts(config.texts.path))
        try:
            reading = read_chat(context.archive, chat, words, config.memory.editions, source.kept_at)
        except ChatSetAside:
            # An older version was put back, or most of the chat was gone: an older file may be whole.
            if source == own[0]:
                raise
            continue
        if not was_known or new & groups(reading.places).keys():
            remember(context.archive, chat, reading, source.kept_at)
            take_over(context.archive, shown_chat(chat, reading.places, config), source.kept_at)
            _choose(context.archive, reading, new, config.memory.editions)
        return


def _choose(archive: Archive, reading: Reading, new: set[str], preferred: Preferred) -> None:
    """Where the file shows another edition than it would by itself, the person had chosen that one."""
    for name, group in groups(reading.places).items():
        every = editions(archive, name) if name in new and name not in reading.person else ()
        standing = next((one for one in every if one.texts == _texts(group)), None)
        if standing is not None and standing != shown(every, None, preferred):
            archive.run(
                "UPDATE memory SET chosen_edition = ?, pinned = ? WHERE id = ?",
                (standing.number, standing.kind == "person", name),
            )


def _record_output(archive: Archive, chat_id: str, own: Sequence[Source], others: Sequence[tuple[Source, str]]) -> None:
    """The updated export that stands in its place is this chat's, so the same export again changes nothing."""
    standing = [(one, chat_id) for one in own if one.is_output][-1:] or [one for one in others if one[0].is_output]
    for source, name in standing[-1:]:
        chat, sha256 = chat_in(source, name), sha256_of(source.path) or ""
        last = last_output(archive, chat_id)
        if output_of(chat, [source]) and (last is None or last.sha256 != sha256):
            messages = hashlib.sha256(b"\n".join(chat.slice(span) for span in chat.messages)).hexdigest()
            record_output(archive, Output(chat_id, str(source.path), sha256, messages, "", source.kept_at))


def _counted(archive: Archive, row: int) -> tuple[int, ...]:
    counts = archive.run(
        """
        WITH lone AS (
            SELECT id FROM memory WHERE chat = ?1 AND NOT EXISTS (SELECT 1 FROM fold_member WHERE fold = memory.id)
        )
        SELECT (SELECT count(*) FROM message WHERE chat = ?1), (SELECT count(*) FROM lone),
               (SELECT count(*) FROM lone WHERE NOT EXISTS (SELECT 1 FROM chunk_message WHERE memory = lone.id)),
               (SELECT count(*) FROM memory WHERE chat = ?1 AND id NOT IN (SELECT id FROM lone))
        """,
        (row,),
    )
    return tuple(int(number) for number in counts[0])


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """All that was added, and the files and chats that could not be used."""

    chats: tuple[RebuiltChat, ...]
    passed_over: tuple[PassedOver, ...]


def rebuild(context: Context, more: Sequence[Path] = ()) -> Rebuilt:
    """Read all backups and updated exports, and `more` exports that the person still has; add what is missing.

    Raises ArchiveError, and FileTrouble where a folder or the index of the backups cannot be read.
    """
    sources = find_sources(context.folders, more)
    passed_over = list(sources.passed_over)
    outputs = {name for chat_id in sources.of for name in new_ids(chat_id) if not sources.is_of_its_own(name)}
    chats: list[RebuiltChat] = []
    for chat_id in sources.of:
        if chat_id in outputs:
            continue  # memories of another chat, which the person has not talked on in yet
        try:
            found = rebuild_chat(context, chat_id, sources)
        except MemprocError as trouble:
            if isinstance(trouble, ArchiveError) and not isinstance(trouble, DamagedChat):
                raise
            reason = str(trouble) if isinstance(trouble, DamagedChat) else trouble.message
            passed_over.append(PassedOver(sources.of[chat_id][-1].path, reason))
        else:
            chats += [found] if found else []
    return Rebuilt(tuple(chats), tuple(passed_over))
