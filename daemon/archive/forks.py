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
    marks = ", ".join("?" * len(ids))
    row = archive.one(
        f"""
        WITH RECURSIVE named (memory, name) AS (
            SELECT id, id FROM memory
            UNION SELECT named.memory, origin FROM named JOIN memory ON memory.id = name WHERE origin <> ''
        )
        SELECT chat_id FROM named JOIN memory ON memory.id = named.memory JOIN chat ON chat.id = memory.chat
        WHERE chat_id <> ? AND name IN ({marks}) GROUP BY chat_id ORDER BY count(*) DESC, chat.id LIMIT 1
        """,  # noqa: S608
        (chat_id, *ids),
    )
    if row is None:
        return None
    refuse_damage(archive.run, row[0])
    found = memories(archive, row[0])
    return Kin(row[0], found, {one.memory_id: editions(archive, one.memory_id) for one in found}, past(archive, row[0]))


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
    return tuple(
        archive.run(
            """
            SELECT digest, coalesce(nullif(said_at, ''), created_at) FROM message
            JOIN version ON version.message = message.id WHERE chat = ? ORDER BY position, version.number
            """,
            row,
        )
    )


def known_memories(archive: Archive, ids: Collection[str]) -> frozenset[str]:
    """Those of these ids that memories of any chat have."""
    rows = archive.run("SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),))
    return frozenset(name for (name,) in rows)


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
        kept = archive.run(
            "INSERT INTO core_event "
            "(chat, section, value, held, held_lines, by, function, memory, edition, at, undoes) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (own, *said, numbers.get(undoes)),
        )
        numbers[number] = int(kept[0][0])
