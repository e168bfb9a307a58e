"""What was had back of a chat, put into the archive beside what is there."""

import json
from collections.abc import Collection
from dataclasses import asdict

from daemon.archive.archive import Archive
from daemon.archive.memories import editions, insert_edition, insert_fold, insert_memory
from daemon.archive.messages import keep_chat
from daemon.archive.packing import unpacked
from daemon.archive.rounds import HAD
from daemon.archive.versions import insert_version
from daemon.rebuilding.editions import quotes_in
from daemon.rebuilding.evidence import Evidence, Raw
from daemon.rebuilding.restored import Restored
from rules.conversation.history import UNDER_SOME_MEMORY, Entry
from rules.conversation.memory import CHUNK_LEVEL, Memory
from rules.recognize.true_dates import said_at
from rules.typingmind.chat import Chat
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
