"""Other chats that an export may come from, and raw messages that a rebuild puts back."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.memories import HAD, editions, memories
from daemon.archive.messages import insert_version, order, past
from daemon.archive.seals import refuse_damage
from rules.conversation.history import UNDER_SOME_MEMORY, history
from rules.conversation.marker import Marker
from rules.conversation.memory import CHUNK_LEVEL
from rules.recognize.adopt import Kin, said_at
from rules.recognize.recognize import Place


def find_kin(archive: Archive, chat_id: str, ids: Collection[str]) -> Kin | None:
    """The other chat that knows most of these memories, with all that it has under them; or None."""
    kin: str | None = archive.value(
        """
        WITH RECURSIVE named (memory, name) AS (
            SELECT id, id FROM memory
            UNION SELECT named.memory, origin FROM named JOIN memory ON memory.id = name WHERE origin <> ''
        )
        SELECT chat_id FROM named JOIN memory ON memory.id = named.memory JOIN chat ON chat.id = memory.chat
        WHERE chat_id <> ? AND name IN (SELECT value FROM json_each(?))
        GROUP BY chat_id ORDER BY count(*) DESC, chat.id LIMIT 1
        """,
        (chat_id, json.dumps(list(ids))),
    )
    if kin is None:
        return None
    refuse_damage(archive.run, kin)
    made = memories(archive, kin)
    kept = {memory.memory_id: editions(archive, memory.memory_id) for memory in made}
    return Kin(kin, made, kept, past(archive, kin))


def nearest_history(archive: Archive, chat_id: str, digests: Collection[str]) -> tuple[tuple[str, str | None], ...]:
    """Digest and date of every raw message of the other chat that says most of this, in order; none where none does."""
    row = archive.one(
        """
        SELECT message.chat FROM version JOIN message ON message.id = version.message
        WHERE digest IN (SELECT value FROM json_each(?)) AND message.chat NOT IN (SELECT id FROM chat WHERE chat_id = ?)
        GROUP BY message.chat ORDER BY count(DISTINCT digest) DESC, message.chat LIMIT 1
        """,
        (json.dumps(list(digests)), chat_id),
    )
    if row is None:
        return ()
    rows = archive.run(
        """
        SELECT digest, coalesce(nullif(said_at, ''), created_at) FROM message
        JOIN version ON version.message = message.id WHERE chat = ? ORDER BY position, version.number
        """,
        row,
    )
    return tuple((digest, date) for digest, date in rows)


def known_memories(archive: Archive, ids: Collection[str]) -> frozenset[str]:
    """Those of these ids that memories of any chat have."""
    known = "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?))"
    return frozenset(archive.column(known, (json.dumps(list(ids)),)))


_WHAT_IT_HAD = """
    LEFT JOIN memory AS own ON own.origin = event.memory AND own.chat = ?1
    WHERE event.chat = ?2 AND event.at <= ?3 AND (event.memory IS NULL OR own.id IS NOT NULL) ORDER BY event.id
"""


def inherit_layers(archive: Archive, chat_id: str, shown: str, written: str) -> bool:
    """Take over all that had happened in the other chat when it got the opening that this chat shows.

    `shown` is the digest of that opening, `written` that of the text which it had when memproc wrote it: the person may
    have edited it in the fork. Whether there is such a chat; within a transaction of the caller's.
    """
    row = archive.one(
        """
        SELECT own.id, opening.chat, opening.at FROM opening, chat AS own
        WHERE own.chat_id = ?1 AND opening.chat <> own.id AND digest IN (?2, ?3)
          AND EXISTS (SELECT 1 FROM memory JOIN memory AS origin ON origin.id = memory.origin
                      WHERE memory.chat = own.id AND origin.chat = opening.chat)
        ORDER BY digest = ?2 DESC, opening.at DESC LIMIT 1
        """,
        (chat_id, shown, written),
    )
    if row is None:
        return False
    own, kin, upto = row
    archive.run(
        f"""
        INSERT INTO fact_event (chat, fact, event, text, said_at, source, by, memory, edition, why, at)
        SELECT ?1, fact, event, text, said_at, source, by, own.id, edition, why, event.at
        FROM fact_event AS event {_WHAT_IT_HAD}
        """,  # noqa: S608
        (own, kin, upto),
    )
    _core(archive, own, kin, upto)
    archive.run(
        """
        INSERT INTO opening (chat, digest, text, preface, by, base, at)
        SELECT ?1, digest, text, preface, by, base, at FROM opening WHERE chat = ?2 AND at <= ?3 ORDER BY rowid
        """,
        (own, kin, upto),
    )
    archive.run(
        """
        INSERT INTO layer_step (memory, layer, edition, done_at)
        SELECT own.id, layer, edition, coalesce(done_at, ?2) FROM layer_step
        JOIN memory AS own ON own.origin = layer_step.memory AND own.chat = ?1
        """,
        (own, upto),
    )
    return True


def _core(archive: Archive, own: int, kin: int, upto: str) -> None:
    """One by one, since an event that takes another one back names it by its number."""
    numbers: dict[int | None, int] = {}
    for number, undoes, *said in archive.run(
        f"""
        SELECT event.id, undoes, section, value, held, held_lines, by, function, own.id, edition, event.at
        FROM core_event AS event {_WHAT_IT_HAD}
        """,  # noqa: S608
        (own, kin, upto),
    ):
        numbers[number] = archive.value(
            "INSERT INTO core_event "
            "(chat, section, value, held, held_lines, by, function, memory, edition, at, undoes) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (own, *said, numbers.get(undoes)),
        )


@dataclass(frozen=True, slots=True)
class ChatCounts:
    """How many raw messages and memories the archive has of a chat, and how many memories without their messages."""

    messages: int
    memories: int
    without_messages: int


def count_chat(archive: Archive, row: int) -> ChatCounts:
    """Count what the archive has of the chat in this row; folds of memories that it knows are not counted."""
    counts = archive.run(
        """
        WITH lone AS (
            SELECT id FROM memory WHERE chat = ?1 AND NOT EXISTS (SELECT 1 FROM fold_member WHERE fold = memory.id)
        )
        SELECT (SELECT count(*) FROM message WHERE chat = ?1), (SELECT count(*) FROM lone),
               (SELECT count(*) FROM lone WHERE NOT EXISTS (SELECT 1 FROM chunk_message WHERE memory = lone.id))
        """,
        (row,),
    )
    return ChatCounts(*map(int, counts[0]))


def chat_row(archive: Archive, chat_id: str) -> int | None:
    """The row of a chat that the archive knows, or None."""
    found = archive.one("SELECT id FROM chat WHERE chat_id = ?", (chat_id,))
    return found[0] if found else None


def message_keys(archive: Archive, row: int) -> list[str]:
    """Keys of all messages that the archive has of the chat, in the order of the conversation."""
    return [key for (key,) in archive.run("SELECT key FROM message WHERE chat = ? ORDER BY position", (row,))]


def put_back_messages(archive: Archive, row: int, places: Sequence[Place], known: set[str], when: str) -> None:
    """Keep the raw messages of a file, within a transaction of the caller's; those in `known` stay as they are.

    They count as standing under a memory that nobody knows, until an export holds them or a memory claims them.
    """
    keys = order(message_keys(archive, row), places, history((), places))
    archive.run_many(
        """
        INSERT INTO message (chat, key, position) VALUES (?, ?, ?)
        ON CONFLICT (chat, key) DO UPDATE SET position = excluded.position
        """,
        [(row, key, position) for position, key in enumerate(keys)],
    )
    for place in places:
        if place.key in known:
            continue
        ((message, number, sha256),) = archive.run(
            """
            SELECT message.id, coalesce(max(number), 0), sha256
            FROM message LEFT JOIN version ON version.message = message.id WHERE chat = ? AND key = ?
            """,
            (row, place.key),
        )
        archive.run(
            "UPDATE message SET left_out = ?, said_at = ? WHERE id = ?",
            (place.left_out or UNDER_SOME_MEMORY, said_at(place.message), message),
        )
        if hashlib.sha256(place.message.raw).hexdigest() != sha256:
            insert_version(archive, message, number + 1, place.message, when)


def put_under_memories(archive: Archive, row: int, markers: Mapping[str, Marker]) -> list[str]:
    """Put raw messages under those of these memories that have none, within a transaction of the caller's; their ids.

    A marker names the first and the last message that its memory stands for, and how many they are: only a run of
    free messages of that very length is believed. A memory of more than a chunk is pinned: it cannot be written again.
    """
    free = _free_messages(archive, row)
    without = {
        memory_id
        for (memory_id,) in archive.run(
            """
            SELECT id FROM memory WHERE chat = ? AND NOT EXISTS (SELECT 1 FROM fold_member WHERE fold = memory.id)
            AND NOT EXISTS (SELECT 1 FROM chunk_message WHERE memory = memory.id)
            """,
            (row,),
        )
    }
    completed = []
    for memory_id, marker in markers.items():
        messages = _run(free, marker) if memory_id in without else []
        if messages:
            _put_under(archive, memory_id, messages, is_pinned=marker.level > CHUNK_LEVEL)
            completed.append(memory_id)
            free = [message for message in free if message not in messages]
    return completed


def _put_under(archive: Archive, memory_id: str, messages: Sequence[tuple[int, str]], *, is_pinned: bool) -> None:
    archive.run_many(
        """
        INSERT INTO chunk_message (memory, place, message, version)
        SELECT ?, ?, ?, id FROM version WHERE message = ? ORDER BY number DESC LIMIT 1
        """,
        [(memory_id, place, message, message) for place, (message, _) in enumerate(messages)],
    )
    archive.run_many(
        "UPDATE message SET left_out = NULL, gone_at = NULL WHERE id = ?", [(message,) for message, _ in messages]
    )
    if is_pinned:
        archive.run("UPDATE memory SET pinned = 1 WHERE id = ?", (memory_id,))


def note_hindsight(archive: Archive, memory_id: str) -> None:
    """The memory has had its hindsight edition: no round gives it another one."""
    archive.run("UPDATE memory SET hindsight = ? WHERE id = ?", (HAD, memory_id))


def note_sources(archive: Archive, memory_id: str, tokens: int, began_at: str | None, ended_at: str | None) -> None:
    """What follows for a memory from the raw messages that stand under it again."""
    archive.run(
        "UPDATE memory SET source_tokens = ?, began_at = ?, ended_at = ? WHERE id = ?",
        (tokens, began_at, ended_at, memory_id),
    )


def _free_messages(archive: Archive, row: int) -> list[tuple[int, str]]:
    """Rows and uuids of the lived messages that stand under no memory, in the order of the conversation."""
    rows = archive.run(
        """
        SELECT id, coalesce((SELECT uuid FROM version WHERE message = message.id ORDER BY number DESC LIMIT 1), '')
        FROM message WHERE chat = ? AND (left_out IS NULL OR left_out = ?)
        AND NOT EXISTS (SELECT 1 FROM chunk_message WHERE chunk_message.message = message.id) ORDER BY position
        """,
        (row, UNDER_SOME_MEMORY),
    )
    return [(message, uuid) for message, uuid in rows]


def _run(free: Sequence[tuple[int, str]], marker: Marker) -> list[tuple[int, str]]:
    """The messages from the marker's first to its last, if they are as many as it says; else none."""
    uuids = [uuid for _, uuid in free]
    if not (marker.first and marker.last and marker.first in uuids and marker.last in uuids):
        return []
    start, stop = uuids.index(marker.first), uuids.index(marker.last) + 1
    return list(free[start:stop]) if stop - start == marker.messages else []
