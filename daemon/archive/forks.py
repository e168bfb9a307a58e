"""What a chat takes over: found in the chat that it was forked from, and stored.

A rebuild stores so, too, what an export alone has of a lost archive.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from daemon.archive.archive import Archive
from daemon.archive.keeping import kept_passages, sources
from daemon.archive.memories import HAD, insert_edition, insert_memory
from daemon.archive.messages import message_keys
from daemon.archive.records import write_column
from rules.conversation.history import Past
from rules.conversation.memory import memories_of_chunks
from rules.layers.kept_passages import KeptPassage
from rules.layers.opening import KeptLine
from rules.recognize.adopted import Adopted
from rules.recognize.copies import said_at
from rules.typingmind.message import read_message

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
_TAKE_VERSIONS = """
    INSERT INTO version (message, number, sha256, digest, uuid, role, created_at, seen_at)
    SELECT ?1, version.number, sha256, digest, uuid, role, created_at, ?2
    FROM version JOIN message ON message.id = version.message JOIN chat ON chat.id = message.chat
    WHERE key = ?3 AND chat_id = ?4 ORDER BY version.number
"""
_WHAT_IT_HAD = """
    LEFT JOIN memory AS own ON own.origin = event.memory AND own.chat = ?1
    WHERE event.chat = ?2 AND event.at <= ?3
      AND (event.memory IS NULL OR own.id IS NOT NULL OR NOT ?4)
"""
_KEY_HERE = """
    SELECT here.key FROM message AS there
    JOIN chunk_message AS theirs ON theirs.message = there.id
    JOIN memory AS taken ON taken.origin = theirs.memory AND taken.chat = ?1
    JOIN chunk_message AS mine ON mine.memory = taken.id AND mine.place = theirs.place
    JOIN message AS here ON here.id = mine.message
    WHERE there.chat = ?2 AND there.key = event.source
"""
"""Selects the key that an event's source has here, at the same place under the same memory."""


def find_kin(
    archive: Archive,
    chat_id: str,
    texts: Mapping[str, Sequence[str]],
    openings: Collection[str],
) -> str | None:
    """Return the id of the other chat that an export comes from, or None.

    It is the one that knows most of the memories whose six texts, as the export has them, are
    `texts`, by id. Of several, as a fork and the chat that it was forked from, it is the one that
    has most of them in these words; and of such, or where none knows any, one that has had an
    opening with one of these digests.
    """
    as_stored = {name: write_column(six) for name, six in texts.items()}
    kin = archive.value(
        """
        WITH RECURSIVE named (chat, name) AS (
            SELECT chat, id FROM memory
                UNION SELECT named.chat, origin FROM named JOIN memory ON memory.id = name
                WHERE origin <> ''
        )
        SELECT chat_id, chat.id IN (
            SELECT chat FROM opening WHERE digest IN (SELECT value FROM json_each(?3))
        ) AS has_opening
        FROM chat LEFT JOIN named
            ON named.chat = chat.id AND name IN (SELECT key FROM json_each(?2))
        WHERE chat_id <> ?1 GROUP BY chat.id HAVING count(name) OR has_opening
        ORDER BY count(name) DESC, (
            SELECT count(DISTINCT texts) FROM edition JOIN memory ON memory.id = edition.memory
            WHERE memory.chat = chat.id AND texts IN (SELECT value FROM json_each(?2))
        ) DESC, has_opening DESC, chat.id LIMIT 1
        """,
        (chat_id, json.dumps(as_stored), json.dumps(list(openings))),
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


def inherit_layers(
    archive: Archive, chat_id: str, shown: str, written: str, *, is_telling: bool
) -> bool:
    """Copy what had happened in the other chat up to the opening that this chat shows.

    `shown` is the digest of that opening, `written` that of its text as memproc wrote it: the
    person may have edited it in the fork. What came after memories that the fork lacks is left out,
    unless it has none of that chat's: then an opening that shows anything, and so `is_telling`,
    tells what it comes from. Return whether there is such a chat. Needs the caller's transaction.
    """
    row = archive.one(
        """
        SELECT own.id, opening.chat, opening.at, EXISTS (
            SELECT 1 FROM memory JOIN memory AS origin ON origin.id = memory.origin
            WHERE memory.chat = own.id AND origin.chat = opening.chat
        ) AS is_cut
        FROM opening, chat AS own
        WHERE own.chat_id = ?1 AND opening.chat <> own.id AND digest IN (?2, ?3)
          AND (is_cut OR ?4)
        ORDER BY is_cut DESC, digest = ?2 DESC, opening.at DESC, opening.chat LIMIT 1
        """,
        (chat_id, shown, written, is_telling),
    )
    if row is None:
        return False
    own, kin, upto, is_cut = row
    archive.run(
        f"""
        INSERT INTO fact_event
            (chat, fact, event, text, said_at, source, by, memory, edition, why, at)
        SELECT ?1, fact, event, text, said_at, coalesce(({_KEY_HERE}), source), by, own.id, edition,
               why, event.at
        FROM fact_event AS event {_WHAT_IT_HAD} AND NOT EXISTS (
            SELECT 1 FROM memory
            WHERE id = event.memory AND own.id IS NULL AND forgotten_at <= ?3
        ) ORDER BY event.id
        """,  # noqa: S608
        (own, kin, upto, is_cut),
    )
    numbers: dict[int | None, int] = {}
    # One by one, since an event that takes another one back names it by its number.
    for number, undoes, *event in archive.run(
        f"""
        SELECT event.id, undoes, section, value, held, held_lines, by, function, own.id,
               edition, event.at
        FROM core_event AS event {_WHAT_IT_HAD} ORDER BY event.id
        """,  # noqa: S608
        (own, kin, upto, is_cut),
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


def passages_of_kin(
    archive: Archive, kin: str, digests: Mapping[str, str], shown: Collection[KeptLine]
) -> tuple[KeptPassage, ...]:
    """Return what a fork inherits: the passages whose messages it has, under its own keys.

    `kin` is the chat that it was forked from, `digests` the keys of the fork's messages by what
    they say. Of a passage whose message the fork lacks, the words alone are kept, where the opening
    that it was forked with has `shown` them.
    """
    lines = {line.compared for line in shown}
    raw, inherited = sources(archive, kin), []
    for passage in kept_passages(archive, kin):
        source = raw.get(passage.number)
        key = digests.get(read_message(source).digest, "") if source else ""
        if key or passage.line.compared in lines:
            inherited.append(replace(passage, number=0, key=key))
    return tuple(inherited)


def adopt(archive: Archive, row: int, adopted: Adopted, when: str) -> None:
    """Store what the chat in this row takes over, in a transaction of the caller's."""
    chunks: dict[int, list[tuple[int, int]]] = {}
    for position, old in enumerate(adopted.past, len(message_keys(archive, row))):
        chunk = chunks.setdefault(old.memory, [])
        chunk.append(_adopt_message(archive, row, position, old, adopted, when))
    decided = """
        UPDATE memory SET chosen_edition = ?, pinned = ?, forgotten_at = ?, due = ?, hindsight = ?
        WHERE id = ?
    """
    for memory in adopted.memories:
        name = memory.memory_id
        insert_memory(archive, row, memory)
        for edition in adopted.editions[name]:
            insert_edition(archive, name, edition)
        forgotten_at = when if memory.forgotten else None
        hindsight = HAD if name in adopted.had_hindsight else 0
        values = (memory.chosen, memory.pinned, forgotten_at, memory.due, hindsight)
        archive.run(decided, (*values, name))
    for memory in memories_of_chunks(adopted.memories):
        for place, (message, version) in enumerate(chunks.get(memory.number, ())):
            under = {"place": place, "message": message, "version": version}
            archive.insert("chunk_message", {"memory": memory.memory_id, **under})


def _adopt_message(
    archive: Archive, row: int, position: int, old: Past, adopted: Adopted, when: str
) -> tuple[int, int]:
    """Store a message under a memory, in all versions of the other chat, which may be erased later.

    Return the numbers of its row and of the version there.
    """
    columns = {
        "chat": row, "key": old.key, "position": position,
        "gone_at": when if old.newest is None else None,
        "said_at": said_at(old.newest or old.message),
    }  # fmt: skip
    message = archive.insert("message", columns)
    key_there = adopted.keys_of_kin.get(old.key, old.key)
    archive.run(_TAKE_VERSIONS, (message, when, key_there, adopted.kin))
    sha256 = hashlib.sha256(old.message.raw).hexdigest()
    under = "SELECT max(id) FROM version WHERE message = ? AND sha256 = ?"
    return message, archive.value(under, (message, sha256))
