"""Adds raw messages and memories to a chat: what it takes over from the chat it came from, or a rebuild finds.

All of it within a transaction of the caller's.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.bodies import packed
from daemon.archive.memories import HAD, insert_edition, insert_fold, insert_memory
from rules.conversation.memory import Edition, Memory
from rules.recognize.adopt import Adopted
from rules.recognize.true_dates import said_at
from rules.typingmind.message import Message


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


@dataclass(frozen=True, slots=True)
class ChatCounts:
    """How much the archive has of a chat."""

    messages: int
    memories: int
    """Folds are not among them."""
    without_messages: int
    """Those of the memories under which no raw message lies."""
    folds: int


def count_chat(archive: Archive, row: int) -> ChatCounts:
    """What the archive has of the chat in this row."""
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
    return ChatCounts(*counts[0])
