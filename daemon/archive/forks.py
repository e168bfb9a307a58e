"""Other chats of the archive that an export may come from: a fork's memories are those of its origin."""

import json
from collections.abc import Collection

from daemon.archive.archive import Archive
from daemon.archive.memories import editions, memories
from daemon.archive.messages import past
from daemon.archive.seals import refuse_damage
from rules.recognize.adopt import Kin


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
