"""Other chats that an export may come from, and raw messages put under memories by a rebuild."""

import json
from collections.abc import Collection, Mapping

from daemon.archive.archive import Archive
from rules.conversation.history import UNDER_SOME_MEMORY
from rules.conversation.marker import Marker

_CORE_COLUMNS = (
    "section",
    "value",
    "held",
    "held_lines",
    "by",
    "function",
    "memory",
    "edition",
    "at",
)
_WITHOUT_MESSAGES = (
    "NOT EXISTS (SELECT 1 FROM chunk_message WHERE chunk_message.memory = memory.id)"
)
_WHAT_IT_HAD = """
    LEFT JOIN memory AS own ON own.origin = event.memory AND own.chat = ?1
    WHERE event.chat = ?2 AND event.at <= ?3 AND (event.memory IS NULL OR own.id IS NOT NULL)
    ORDER BY event.id
"""


def find_kin(
    archive: Archive, chat_id: str, ids: Collection[str], openings: Collection[str]
) -> str | None:
    """Return the id of the other chat that knows most of these memories, or None.

    Of several, as a fork and the chat that it was forked from, it is the one that has had an
    opening with one of these digests: core memory and facts are inherited from it.
    """
    kin = archive.value(
        """
        WITH RECURSIVE named (memory, name) AS (
            SELECT id, id FROM memory
                UNION SELECT named.memory, origin FROM named JOIN memory ON memory.id = name
                WHERE origin <> ''
        )
        SELECT chat_id FROM named JOIN memory ON memory.id = named.memory
        JOIN chat ON chat.id = memory.chat
        WHERE chat_id <> ? AND name IN (SELECT value FROM json_each(?))
        GROUP BY chat_id
        ORDER BY count(*) DESC, chat.id IN (
            SELECT chat FROM opening WHERE digest IN (SELECT value FROM json_each(?))
        ) DESC, chat.id LIMIT 1
        """,
        (chat_id, json.dumps(list(ids)), json.dumps(list(openings))),
    )
    return None if kin is None else str(kin)


def nearest_history(
    archive: Archive, chat_id: str, digests: Collection[str]
) -> tuple[tuple[str, str | None], ...]:
    """Return digest and date of each raw message, in order, of the chat that shares most of this.

    Empty where no other chat shares any of it.
    """
    row = archive.one(
        """
        SELECT message.chat FROM version JOIN message ON message.id = version.message
        WHERE digest IN (SELECT value FROM json_each(?))
          AND message.chat NOT IN (SELECT id FROM chat WHERE chat_id = ?)
        GROUP BY message.chat ORDER BY count(DISTINCT digest) DESC, message.chat LIMIT 1
        """,
        (json.dumps(list(digests)), chat_id),
    )
    if row is None:
        return ()
    history = """
        SELECT digest, coalesce(nullif(said_at, ''), created_at) FROM message
        JOIN version ON version.message = message.id WHERE chat = ?
        ORDER BY position, version.number
    """
    return tuple(archive.run(history, row))


def known_memories(archive: Archive, ids: Collection[str]) -> frozenset[str]:
    """Return the ids among these that memories of any chat have."""
    known = "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?))"
    return frozenset(archive.column(known, (json.dumps(list(ids)),)))


def inherit_layers(archive: Archive, chat_id: str, shown: str, written: str) -> bool:
    """Copy what had happened in the other chat up to the opening that this chat shows.

    `shown` is the digest of that opening, `written` that of its text as memproc wrote it: the
    person may have edited it in the fork. Return whether there is such a chat. Needs the caller's
    transaction.
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
        INSERT INTO fact_event
            (chat, fact, event, text, said_at, source, by, memory, edition, why, at)
        SELECT ?1, fact, event, text, said_at, source, by, own.id, edition, why, event.at
        FROM fact_event AS event {_WHAT_IT_HAD}
        """,  # noqa: S608
        (own, kin, upto),
    )
    numbers: dict[int | None, int] = {}
    # One by one, since an event that takes another one back names it by its number.
    for number, undoes, *event in archive.run(
        f"""
        SELECT event.id, undoes, section, value, held, held_lines, by, function, own.id,
               edition, event.at
        FROM core_event AS event {_WHAT_IT_HAD}
        """,  # noqa: S608
        (own, kin, upto),
    ):
        copied = dict(zip(_CORE_COLUMNS, event, strict=True))
        numbers[number] = archive.insert(
            "core_event", {**copied, "chat": own, "undoes": numbers.get(undoes)}
        )
    archive.run(
        """
        INSERT INTO opening (chat, digest, text, preface, by, base, at)
        SELECT ?1, digest, text, preface, by, base, at FROM opening
        WHERE chat = ?2 AND at <= ?3 ORDER BY rowid
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


def count_chat(archive: Archive, row: int) -> tuple[int, ...]:
    """Return a chat's numbers of messages, memories, and memories without their messages.

    Folds of memories that it knows are not counted. `row` is the number of the chat's row.
    """
    counts = f"""
        SELECT (SELECT count(*) FROM message WHERE chat = ?1), count(*),
               count(*) FILTER (WHERE {_WITHOUT_MESSAGES})
        FROM memory WHERE chat = ?1
          AND NOT EXISTS (SELECT 1 FROM fold_member WHERE fold = memory.id)
    """  # noqa: S608
    return archive.run(counts, (row,))[0]


def put_under_memories(archive: Archive, row: int, markers: Mapping[str, Marker]) -> list[str]:
    """Put raw messages under those of these memories that have none. Return the memories' ids.

    A marker names its memory's first and last message, and their number: only a run of free
    messages of that very length is believed. Needs a transaction of the caller's.
    """
    free = archive.run(
        """
        SELECT message, version, coalesce(uuid, '') FROM said
        WHERE chat = ? AND (left_out IS NULL OR left_out = ?)
            AND NOT EXISTS (SELECT 1 FROM chunk_message WHERE chunk_message.message = said.message)
          ORDER BY position
        """,
        (row, UNDER_SOME_MEMORY),
    )
    without = archive.column(
        f"""
        SELECT id FROM memory WHERE chat = ? AND {_WITHOUT_MESSAGES}
        AND NOT EXISTS (SELECT 1 FROM fold_member WHERE fold = memory.id)
        """,  # noqa: S608
        (row,),
    )
    completed = []
    for memory_id, marker in markers.items():
        uuids = [uuid for *_, uuid in free]
        if memory_id not in without or not {marker.first, marker.last} <= set(filter(None, uuids)):
            continue
        start, stop = uuids.index(marker.first), uuids.index(marker.last) + 1
        if stop - start != marker.messages:
            continue
        for place, (message, version, _) in enumerate(free[start:stop]):
            under = {"memory": memory_id, "place": place, "message": message, "version": version}
            archive.insert("chunk_message", under)
            archive.run(
                "UPDATE message SET left_out = NULL, gone_at = NULL WHERE id = ?", (message,)
            )
        completed.append(memory_id)
        del free[start:stop]
    return completed


def note_sources(
    archive: Archive, memory_id: str, tokens: int, began_at: str | None, ended_at: str | None
) -> None:
    """Store a memory's size and dates, as its raw messages are under it again."""
    archive.run(
        "UPDATE memory SET source_tokens = ?, began_at = ?, ended_at = ? WHERE id = ?",
        (tokens, began_at, ended_at, memory_id),
    )
