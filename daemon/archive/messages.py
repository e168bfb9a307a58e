"""Raw messages, for ever: every version of every message, in the order of the conversation, also of adopted ones.

Adds raw messages and memories to a chat: what it takes over from the chat it came from, or a rebuild finds.

All of it within a transaction of the caller's.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.chats import keep_chat
from daemon.archive.memories import HAD, insert_edition, insert_fold, insert_memory, keep_user_edits
from daemon.archive.seals import packed, refuse_damage, unpacked
from rules.conversation.history import UNDER_SOME_MEMORY, Entry, Past
from rules.conversation.marker import MEMORY
from rules.conversation.memory import Edition, Memory
from rules.recognize.absent import Absent, KnownMessage
from rules.recognize.adopt import Adopted, said_at, with_true_date
from rules.recognize.chat_reading import ChatReading
from rules.recognize.recognize import Place
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message, attachments, read_message
from rules.typingmind.splice import with_date

_NEWEST = "version.number = (SELECT max(number) FROM version AS other WHERE other.message = message.id)"


@dataclass(frozen=True, slots=True)
class MessageCounts:
    """The numbers of raw messages that an export has added, changed, or no longer has."""

    new: int
    changed: int
    gone: int


@dataclass(frozen=True, slots=True)
class RawConversation:
    """The full raw conversation: the chat's JSON before its messages, the messages, and what follows them."""

    head: bytes
    messages: tuple[bytes, ...]
    tail: bytes


def remember(archive: Archive, chat: Chat, reading: ChatReading, when: str) -> MessageCounts:
    """Keep every message of the export that is not ours, and what the person did, in one transaction.

    A message whose bytes are new gets another version. One that the archive has, but that is neither in the
    export nor under a memory, is marked as gone, and is marked no more when it comes back.
    """
    with archive.transaction():
        row = keep_chat(archive, chat, when)
        adopt(archive, row, reading.adopted, when)
        known = [key for (key,) in archive.run("SELECT key FROM message WHERE chat = ? ORDER BY position", (row,))]
        raw = {place.key: place for place in reading.places if place.ours is None}
        new = raw.keys() - set(known)
        _place(archive, row, order(known, reading.places, reading.entries), raw)
        changed = _keep_versions(archive, row, list(raw.values()), when)
        under = {entry.key for entry in reading.entries if not entry.gone} - set(reading.edits.deleted)
        gone = _mark_absent(archive, row, set(raw), under, reading.absent, when)
        keep_user_edits(archive, reading, when)
    return MessageCounts(len(new), changed - len(new), gone)


def _place(archive: Archive, row: int, order: Sequence[str], raw: Mapping[str, Place]) -> None:
    """Give every message its position, and those of the export the reason why they are left out, if any.

    Only what changes is written: each row costs a seal, and a long chat has thousands that stay.
    """
    left_out = {key: place.left_out for key, place in raw.items()}
    dates = {key: place.message.created_at or "" for key, place in raw.items() if place.message.is_copy}
    archive.run_many(
        """
        INSERT INTO message (chat, key, position, left_out, said_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (chat, key) DO UPDATE SET position = excluded.position WHERE position <> excluded.position
        """,
        [(row, key, at, left_out.get(key), dates.get(key, "")) for at, key in enumerate(order)],
    )
    archive.run_many(
        "UPDATE message SET left_out = ?1 WHERE chat = ?2 AND key = ?3 AND left_out IS NOT ?1",
        [(reason, row, key) for key, reason in left_out.items()],
    )
    archive.run_many(
        "UPDATE message SET said_at = ?1 WHERE chat = ?2 AND key = ?3 AND said_at <> ?1",
        [(date, row, key) for key, date in dates.items()],
    )


def _keep_versions(archive: Archive, row: int, places: Sequence[Place], when: str) -> int:
    """Keep the bytes that are not the newest version already; how many were kept.

    An original that we keep beside its memory has another version only where it says something else, or has its files
    in another place, as in a fork: a sync may have put its keys in another order, around our own fields.
    """
    newest = {
        key: (message, number, sha256, digest)
        for message, key, number, sha256, digest in archive.run(
            """
            SELECT message.id, key, coalesce(max(number), 0), sha256, digest
            FROM message LEFT JOIN version ON version.message = message.id WHERE chat = ? GROUP BY message.id
            """,
            (row,),
        )
    }
    kept = 0
    for place in places:
        message, number, sha256, digest = newest[place.key]
        is_same = hashlib.sha256(place.message.raw).hexdigest() == sha256
        if not is_same and not (place.original and _says_the_same(archive, place.message, sha256, digest)):
            insert_version(archive, message, number + 1, place.message, when)
            kept += 1
    return kept


def _says_the_same(archive: Archive, message: Message, sha256: str, digest: str) -> bool:
    """Whether the stored version with these hashes says what the message says, and names the same files."""
    if message.digest != digest:
        return False
    files = attachments(message.raw)
    stored = archive.run("SELECT raw, packed FROM body WHERE sha256 = ?", (sha256,)) if files else ()
    return all(attachments(unpacked(raw, packed, sha256)) == files for raw, packed in stored)


def _mark_absent(archive: Archive, row: int, here: set[str], under: set[str], absent: Absent, when: str) -> int:
    """Mark what is in no export and under no memory as gone, and take the mark from what came back; how many are new.

    What the person has not deleted is marked as missing, until an export holds it, or names it as deleted.
    """
    rows = archive.run(
        """
        SELECT message.id, key, gone_at, missing.message IS NOT NULL, uuid FROM message
        LEFT JOIN missing ON missing.message = message.id JOIN version ON version.message = message.id
             AND version.number = (SELECT max(number) FROM version AS other WHERE other.message = message.id)
        WHERE chat = ? AND left_out IS NOT ?
        """,
        (row, UNDER_SOME_MEMORY),
    )
    gone = {number for number, key, *_ in rows if key not in here and key not in under}
    new = [(when, number) for number, _, gone_at, *_ in rows if number in gone and gone_at is None]
    back = [(number,) for number, _, gone_at, *_ in rows if number not in gone and gone_at is not None]
    archive.run_many("UPDATE message SET gone_at = ? WHERE id = ?", new)
    archive.run_many("UPDATE message SET gone_at = NULL WHERE id = ?", back)
    before = {number for number, _, _, is_missing, _ in rows if is_missing}
    missing = {row[0] for row in rows if _is_missing(row[1], row[4], row[0] in before, here, absent)}
    archive.run_many(
        "INSERT INTO missing (message, since) VALUES (?, ?)", [(number, when) for number in missing - before]
    )
    archive.run_many("DELETE FROM missing WHERE message = ?", [(number,) for number in before - missing])
    return len(new)


def _is_missing(key: str, uuid: str | None, before: bool, here: set[str], absent: Absent) -> bool:
    return key not in here and (key in absent.keys or (before and uuid not in absent.named))


def order(known: Sequence[str], places: Sequence[Place], entries: Sequence[Entry]) -> list[str]:
    """All keys of a chat in the order of the conversation, each once.

    `known` are the archive's, in their order until now. The history gives the order of what was lived. What
    was left out, or is gone, stands behind the message that it stood behind until now; where it is new,
    behind the one that it stands behind in the export.
    """
    placed = {entry.key for entry in entries}
    behind: dict[str, list[str]] = {}
    for before, key in [*_known_neighbours(known), *_new_neighbours(places, entries)]:
        if key not in placed:
            placed.add(key)
            behind.setdefault(before, []).insert(0, key)
    keys = []
    waiting = [*(entry.key for entry in reversed(entries)), ""]
    while waiting:
        key = waiting.pop()
        keys.append(key)
        waiting += reversed(behind.get(key, []))
    return keys[1:]


def _known_neighbours(known: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(["", *known], known, strict=False))


def _new_neighbours(places: Sequence[Place], entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """Each message of the export with the one before it; a memory counts as the last message under one."""
    last_under = next((entry.key for entry in reversed(entries) if entry.memory is not None), "")
    neighbours, before = [], ""
    for place in places:
        if place.ours is None:
            neighbours.append((before, place.key))
            before = place.key
        elif place.ours.kind == MEMORY:
            before = last_under
    return neighbours


def past(archive: Archive, chat_id: str) -> tuple[Past, ...]:
    """The raw messages under memories, oldest first: as each was when its memory was made, and as it is now."""
    rows = archive.run(
        """
        SELECT message.key, memory.number, gone_at IS NOT NULL, CAST(body.raw AS BLOB), body.packed, version.sha256,
               now.sha256, CAST(newest.raw AS BLOB), newest.packed, message.said_at
        FROM chat JOIN memory ON memory.chat = chat.id
        JOIN chunk_message ON chunk_message.memory = memory.id
        JOIN message ON message.id = chunk_message.message
        JOIN version ON version.id = chunk_message.version
        JOIN version AS now ON now.message = message.id
             AND now.number = (SELECT max(number) FROM version AS other WHERE other.message = message.id)
        LEFT JOIN body ON body.sha256 = version.sha256
        LEFT JOIN body AS newest ON newest.sha256 = now.sha256 AND now.id <> version.id
        WHERE chat.chat_id = ? ORDER BY memory.number, chunk_message.place
        """,
        (chat_id,),
    )
    return tuple(_past(*row) for row in rows)


def _past(
    key: str,
    memory: int,
    gone: int,
    raw: bytes,
    packed: int,
    sha256: str,
    now: str,
    newer: bytes,
    newer_packed: int,
    said_at: str,
) -> Past:
    message = with_true_date(read_message(unpacked(raw, packed, sha256)), said_at)
    newest = message
    if newer is not None:
        newest = with_true_date(read_message(unpacked(newer, newer_packed, now)), said_at)
    return Past(key, message, memory, None if gone else newest)


def dates_said(archive: Archive, chat_id: str) -> dict[str, str]:
    """The dates on which copied messages of a chat were said, by key, as far as they are known."""
    rows = archive.run(
        "SELECT key, said_at FROM message WHERE said_at <> '' AND chat = (SELECT id FROM chat WHERE chat_id = ?)",
        (chat_id,),
    )
    return dict(rows)


def live_messages(archive: Archive, chat_id: str, *, left_out: bool = False) -> tuple[KnownMessage, ...]:
    """The lived messages that the chat's last export had, and that are under no memory; oldest first.

    With `left_out`, those that are left out of memories instead.
    """
    rows = archive.run(
        """
        SELECT key, uuid, digest, role, created_at,
               (SELECT seen_at FROM version AS first WHERE first.message = message.id AND number = 1)
        FROM chat JOIN message ON message.chat = chat.id
        JOIN version ON version.message = message.id
        WHERE chat_id = ? AND gone_at IS NULL AND (left_out IS NOT NULL) = ?
          AND version.number = (SELECT max(number) FROM version AS other WHERE other.message = message.id)
          AND NOT EXISTS (SELECT 1 FROM chunk_message WHERE chunk_message.message = message.id)
        ORDER BY position
        """,
        (chat_id, left_out),
    )
    return tuple(KnownMessage(*row) for row in rows)


def first_seen(archive: Archive, chat_id: str) -> dict[str, str]:
    """The times when the raw messages of a chat were first seen, by key; gone ones too."""
    rows = archive.run(
        """
        SELECT key, seen_at FROM message JOIN version ON version.message = message.id AND number = 1
        WHERE chat = (SELECT id FROM chat WHERE chat_id = ?)
        """,
        (chat_id,),
    )
    return dict(rows)


def missing_keys(archive: Archive, chat_id: str) -> frozenset[str]:
    """Keys of the messages that exports lack, though nothing says that the person deleted them."""
    rows = archive.run(
        "SELECT key FROM missing JOIN message ON message.id = missing.message "
        "WHERE chat = (SELECT id FROM chat WHERE chat_id = ?)",
        (chat_id,),
    )
    return frozenset(key for (key,) in rows)


def raw_conversation(archive: Archive, chat_id: str) -> RawConversation:
    """The full raw conversation, without what the person has deleted; missing messages are in it, dates are true.

    Raises DamagedChat.
    """
    refuse_damage(archive.run, chat_id, "chat", "message", "version", "missing")
    head, tail = archive.run("SELECT head, tail FROM chat WHERE chat_id = ?", (chat_id,))[0]
    rows = archive.run(
        """
        SELECT CAST(raw AS BLOB), packed, version.sha256, said_at FROM chat JOIN message ON message.chat = chat.id
        JOIN version ON version.message = message.id LEFT JOIN body ON body.sha256 = version.sha256
        WHERE chat_id = ? AND (gone_at IS NULL OR message.id IN (SELECT message FROM missing))
          AND version.number = (SELECT max(number) FROM version AS other WHERE other.message = message.id)
        ORDER BY position
        """,
        (chat_id,),
    )
    return RawConversation(head, tuple(with_date(unpacked(*stored), said_at) for *stored, said_at in rows), tail)


@dataclass(frozen=True, slots=True)
class MessageVersions:
    """A raw message with all its versions, oldest first, and when each was first seen."""

    key: str
    left_out: str | None
    versions: tuple[Message, ...]
    seen_at: tuple[str, ...]


def insert_version(archive: Archive, message: int, number: int, said: Message, when: str) -> int:
    """Keep what a message says now, its bytes once however many chats have them; the number of the version's row."""
    sha256 = hashlib.sha256(said.raw).hexdigest()
    archive.run("INSERT OR IGNORE INTO body (sha256, raw, packed) VALUES (?, ?, ?)", (sha256, *packed(said.raw)))
    row = archive.value(
        """
        INSERT INTO version (message, number, sha256, digest, uuid, role, created_at, seen_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
        """,
        (message, number, sha256, said.digest, said.uuid, said.role, said.created_at, when),
    )
    return int(row)


def add_message(archive: Archive, row: int, position: int, found: MessageVersions, gone_at: str | None) -> None:
    """Keep a message that the archive lacks, in all its versions."""
    message = archive.value(
        "INSERT INTO message (chat, key, position, left_out, gone_at, said_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
        (row, found.key, position, found.left_out, gone_at, said_at(found.versions[-1])),
    )
    for number, (version, seen_at) in enumerate(zip(found.versions, found.seen_at, strict=True), 1):
        insert_version(archive, int(message), number, version, seen_at)


def add_memory(archive: Archive, row: int, memory: Memory, editions: Sequence[Edition]) -> None:
    """Keep a memory, or a fold of memories, that the archive lacks, with all its editions."""
    if memory.is_fold:
        insert_fold(archive, row, memory)
    else:
        insert_memory(archive, row, memory)
    for edition in editions:
        insert_edition(archive, memory.memory_id, edition)


def add_chunk(archive: Archive, row: int, memory_id: str, versions: Mapping[str, int]) -> None:
    """Put raw messages under a memory, in the order of their keys; `versions` says which of each, from 0."""
    archive.run_many(
        """
        INSERT INTO chunk_message (memory, place, message, version)
        SELECT ?, ?, message.id, version.id FROM message JOIN version ON version.message = message.id
        WHERE chat = ? AND key = ? AND version.number = ?
        """,
        [(memory_id, place, row, key, 1 + version) for place, (key, version) in enumerate(versions.items())],
    )


def mark_memory(
    archive: Archive, memory: Memory, *, had_hindsight: bool, pinned: bool, chosen: int | None, forgotten_at: str | None
) -> None:
    """Note what the person has decided about a memory, and whether it has had its hindsight edition."""
    archive.run(
        "UPDATE memory SET chosen_edition = ?, pinned = ?, forgotten_at = ?, hindsight = ? WHERE id = ?",
        (chosen, pinned, forgotten_at, HAD if had_hindsight else 0, memory.memory_id),
    )


def adopt(archive: Archive, row: int, adopted: Adopted, when: str) -> None:
    """Keep what the chat in this row takes over."""
    for position, old in enumerate(adopted.past):
        now = () if old.newest is None or old.newest.raw == old.message.raw else (old.newest,)
        versions = MessageVersions(old.key, None, (old.message, *now), (when,) * (1 + len(now)))
        add_message(archive, row, position, versions, when if old.newest is None else None)
    for memory in adopted.memories:
        name = memory.memory_id
        add_memory(archive, row, memory, adopted.editions[name])
        mark_memory(
            archive,
            memory,
            had_hindsight=name in adopted.had_hindsight,
            pinned=memory.pinned,
            chosen=memory.chosen,
            forgotten_at=when if memory.forgotten else None,
        )
        if not memory.is_fold:
            add_chunk(archive, row, name, {old.key: 0 for old in adopted.past if old.memory == memory.number})


def around(archive: Archive, chat_id: str, key: str, before: int, after: int) -> tuple[tuple[str, Message], ...]:
    """A raw message of a chat and its neighbours as they are now, with their keys; empty where it is unknown."""
    rows = archive.run(
        """
        WITH present AS (
            SELECT key, row_number() OVER (ORDER BY position) AS place, version.sha256, said_at
            FROM chat JOIN message ON message.chat = chat.id JOIN version ON version.message = message.id
            WHERE chat_id = ? AND (gone_at IS NULL OR message.id IN (SELECT message FROM missing))
              AND version.number = (SELECT max(number) FROM version AS other WHERE other.message = message.id)
        ), asked AS (SELECT place FROM present WHERE key = ?)
        SELECT key, CAST(raw AS BLOB), packed, present.sha256, said_at
        FROM present, asked JOIN body ON body.sha256 = present.sha256
        WHERE present.place BETWEEN asked.place - ? AND asked.place + ? ORDER BY present.place
        """,
        (chat_id, key, before, after),
    )
    return tuple(
        (name, with_true_date(read_message(unpacked(raw, packed, sha256)), said_at))
        for name, raw, packed, sha256, said_at in rows
    )
