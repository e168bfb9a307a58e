"""Memories, folds and their editions, which are all kept; and the person's decisions on them."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from daemon.archive.archive import Archive
from daemon.archive.chats import chat_row
from daemon.archive.records import row_of
from daemon.archive.seals import refuse_damage
from rules.conversation.memory import (
    CHUNK_LEVEL,
    Edition,
    Memory,
    Preferred,
    edition_in_prompts,
    name_in_chat,
    shown_edition,
)
from rules.errors import NotFound
from rules.plan.work import Round
from rules.typingmind.content import make_printable

if TYPE_CHECKING:  # listing memories needs none of what recognizes them
    from rules.recognize.chat_reading import ChatReading

WITH_PARTS = """
    WITH RECURSIVE part (id) AS (
        VALUES (?) UNION SELECT member FROM fold_member JOIN part ON fold = part.id
    )
"""
"""The beginning of a query about a memory, or about a fold and everything in it."""
_KEYS = f"""
    {WITH_PARTS} SELECT key FROM part JOIN memory ON memory.id = part.id
    JOIN chunk_message ON chunk_message.memory = part.id
    JOIN message ON message.id = chunk_message.message
    ORDER BY memory.number, place
"""  # noqa: S608
"""Selects the keys of the raw messages under a memory, or under all memories in a fold."""
_ORIGINS = """
    WITH RECURSIVE ancestor (id, distance) AS (
        SELECT ?1, 0 WHERE ?1 <> ''
        UNION ALL SELECT origin, distance + 1 FROM ancestor JOIN memory USING (id)
        WHERE origin <> ''
    ) SELECT id FROM ancestor ORDER BY distance
"""
"""Selects a memory's ids in the chats that its chat was forked from, the nearest first."""
_TABLES = ("memory", "edition", "chunk_message", "fold_member")
_NAME = re.compile(r"(f*)([0-9]+)")
"""A name as `short_name` makes it: a letter for each level of a fold, then a number."""
_ID_LENGTH = 16
_MOST_DIGITS = 10
_CHOSEN, HAD = 1, 2
"""Values of the column `hindsight`: chosen for a hindsight edition; its turn is over."""


def memories(
    archive: Archive, chat_id: str, preferred: Preferred = "hindsight"
) -> tuple[Memory, ...]:
    """Return a chat's memories, oldest first, then its folds by level. Raises DamagedChat."""
    refuse_damage(archive.run, chat_id, *_TABLES)
    return _select(
        archive, "WHERE chat = (SELECT id FROM chat WHERE chat_id = ?)", chat_id, preferred
    )


def find_memory(archive: Archive, written: str, chat_id: str = "") -> tuple[str, Memory]:
    """Find a memory by its id, the beginning of its id, its number, or a fold's name.

    Return the id of its chat, and the memory. With `chat_id`, a number or name is never taken for
    the beginning of an id. Raises NotFound where none or several fit, or DamagedChat.
    """
    rows = [row for row in _named(archive, written, chat_id) if chat_id in ("", row[0])]
    if not rows:
        raise NotFound(
            f'The {"chat" if chat_id else "archive"} knows no memory "{written}".',
            "List a chat's memories, with their numbers, with: "
            f"memproc memories {chat_id or 'CHAT'}",
        )
    if len(rows) > 1:
        listed = ", ".join(memory_id for _, memory_id in rows)
        raise NotFound(
            f'"{written}" can be any of {len(rows)} memories: {listed}.',
            f"Name the chat too, as in: memproc show {rows[0][0]} {written}"
            if _name(written)
            else "Write more of its id.",
        )
    of_chat, memory_id = rows[0]
    refuse_damage(archive.run, of_chat, *_TABLES)
    return of_chat, read_memory(archive, memory_id)


def read_memory(archive: Archive, memory_id: str, preferred: Preferred = "hindsight") -> Memory:
    """Return the memory or fold of an id, which must be known."""
    (memory,) = _select(archive, "WHERE id = ?", memory_id, preferred)
    return memory


def _named(archive: Archive, written: str, chat_id: str) -> tuple[tuple[str, str], ...]:
    """Return the memories that may be meant, each once, as pairs of chat id and memory id."""
    ids = "SELECT chat_id, memory.id FROM memory JOIN chat ON chat.id = chat"
    written = make_printable(written)
    name = _name(written)
    rows = []
    if written and not (name and chat_id):
        rows += archive.run(f"{ids} WHERE substr(memory.id, 1, length(?1)) = ?1", (written,))
    if name and len(name[2]) < _MOST_DIGITS:
        level = len(name[1]) + CHUNK_LEVEL
        rows += archive.run(f"{ids} WHERE (level, number) = (?, ?)", (level, int(name[2])))
    return tuple(dict.fromkeys((str(of_chat), str(memory)) for of_chat, memory in rows))


def _name(written: str) -> re.Match[str] | None:
    return _NAME.fullmatch(written) if len(written) < _ID_LENGTH else None


def editions(archive: Archive, memory_id: str) -> tuple[Edition, ...]:
    """Return all editions of a memory, oldest first."""
    sql = """
        SELECT number, kind, texts, quotes, made, agent, context_manager, requests, tokens,
               written_at, form, wishes
        FROM edition WHERE memory = ? ORDER BY number
    """
    return archive.rows(Edition, sql, (memory_id,))


def _select(archive: Archive, where: str, value: str, preferred: Preferred) -> tuple[Memory, ...]:
    """Return memories with their editions, messages and members."""
    # A memory of a lost archive may have been a fold: it keeps its level, but is listed with
    # chunks.
    rows = archive.run(
        f"""
        SELECT id, chosen_edition, origin, number, level, first_uuid, last_uuid, began_at, ended_at,
               source_tokens, pinned, forgotten_at IS NOT NULL, due, recalled
        FROM memory {where} ORDER BY (id IN (SELECT fold FROM fold_member)) * level, number
        """,  # noqa: S608
        (value,),
    )
    members = "SELECT member FROM fold_member WHERE fold = ? ORDER BY place"
    selected = []
    for memory_id, chosen, origin, number, level, first, last, began_at, ended_at, *flags in rows:
        source_tokens, pinned, forgotten, due, recalled = flags
        all_editions = editions(archive, memory_id)
        memory = Memory(
            memory_id=memory_id,
            number=number,
            level=level,
            keys=archive.column(_KEYS, (memory_id,)),
            first=first,
            last=last,
            began_at=began_at,
            ended_at=ended_at,
            source_tokens=source_tokens,
            edition=shown_edition(all_editions, chosen, preferred),
            in_prompts=edition_in_prompts(all_editions, chosen),
            chosen=chosen,
            pinned=bool(pinned),
            forgotten=bool(forgotten),
            due=due,
            recalled=bool(recalled),
            origins=archive.column(_ORIGINS, (origin,)),
            members=archive.column(members, (memory_id,)),
        )
        selected.append(memory)
    return tuple(selected)


def keep_memory(archive: Archive, chat_id: str, memory: Memory) -> None:
    """Store a chunk's memory with its edition, and freeze its chunk, in one transaction."""
    with archive.transaction():
        chat = chat_row(archive, chat_id)
        insert_memory(archive, chat, memory)
        archive.run_many(
            """
            INSERT INTO chunk_message (memory, place, message, version) VALUES (
                :memory, :place,
                (SELECT id FROM message WHERE chat = :chat AND key = :key),
                (SELECT version.id FROM version JOIN message ON message.id = message
                 WHERE chat = :chat AND key = :key ORDER BY number DESC LIMIT 1)
            )
            """,
            [
                {"memory": memory.memory_id, "place": place, "chat": chat, "key": key}
                for place, key in enumerate(memory.keys)
            ],
        )
        insert_edition(archive, memory.memory_id, memory.edition)


def keep_fold(archive: Archive, chat_id: str, fold: Memory) -> Memory:
    """Store a fold with its edition. Return it with its number among those of its level."""
    with archive.transaction():
        insert_memory(archive, chat_row(archive, chat_id), fold)
        insert_edition(archive, fold.memory_id, fold.edition)
        return read_memory(archive, fold.memory_id)


def keep_edition(archive: Archive, memory_id: str, edition: Edition, chosen: bool = False) -> int:
    """Store one more edition of a memory, and return its number.

    A `chosen` one is shown from now on.
    """
    with archive.transaction():
        last = archive.value("SELECT max(number) FROM edition WHERE memory = ?", (memory_id,))
        number = int(last) + 1
        insert_edition(archive, memory_id, replace(edition, number=number))
        if chosen:
            archive.run("UPDATE memory SET chosen_edition = ? WHERE id = ?", (number, memory_id))
    return number


def keep_user_edits(archive: Archive, reading: "ChatReading", when: str) -> None:
    """Store the person's edits of memories in TypingMind, in the caller's transaction."""
    for memory_id, edition in reading.person.items():
        insert_edition(archive, memory_id, edition)
        archive.run(
            "UPDATE memory SET chosen_edition = ?, pinned = 1 WHERE id = ?",
            (edition.number, memory_id),
        )
    edits = reading.edits
    archive.run_many(
        "UPDATE memory SET forgotten_at = ? WHERE id = ?",
        [(when, name) for name in edits.forgotten],
    )
    archive.run_many(
        "UPDATE memory SET forgotten_at = NULL, recalled = 0 WHERE id = ?",
        [(name,) for name in edits.recalled],
    )
    archive.run_many(
        "UPDATE memory SET due = ? WHERE id = ?",
        [(why, name) for name, why in edits.changed.items()],
    )


def renew_chunk(archive: Archive, memory_id: str) -> None:
    """Link a rewritten memory to the newest versions of its raw messages, as it was made of them.

    A message that the person has deleted was not read, so its link stays as it is.
    """
    with archive.transaction():
        archive.run(
            """
            UPDATE chunk_message SET version = (
                SELECT id FROM version WHERE version.message = chunk_message.message
                ORDER BY number DESC LIMIT 1
            ) WHERE memory = ? AND message IN (SELECT id FROM message WHERE gone_at IS NULL)
            """,
            (memory_id,),
        )
        archive.run("UPDATE memory SET due = '' WHERE id = ?", (memory_id,))


def insert_memory(archive: Archive, chat: int, memory: Memory) -> None:
    """Store a memory without its chunk and editions, in the caller's transaction.

    A fold is stored with its members, and gets the next number of its level.
    """
    last = "SELECT coalesce(max(number), 0) FROM memory WHERE chat = ? AND level = ?"
    number = memory.number
    if memory.is_fold:
        number = 1 + archive.value(last, (chat, memory.level))
    row = {
        "chat": chat, "id": memory.memory_id, "level": memory.level, "first_uuid": memory.first,
        "number": number, "last_uuid": memory.last, "began_at": memory.began_at,
        "ended_at": memory.ended_at,
        "source_tokens": memory.source_tokens, "origin": next(iter(memory.origins), ""),
    }  # fmt: skip
    archive.insert("memory", row)
    for place, member in enumerate(memory.members):
        archive.insert("fold_member", {"fold": memory.memory_id, "place": place, "member": member})


def insert_edition(archive: Archive, memory_id: str, edition: Edition) -> None:
    """Store an edition, in the caller's transaction."""
    row = {**row_of(edition), "memory": memory_id}
    del row["is_short"], row["lacks_wishes"]
    archive.insert("edition", row)


def replace_edition(archive: Archive, memory_id: str, edition: Edition) -> None:
    """Store an edition in place of the one with its number, in the caller's transaction."""
    archive.run("DELETE FROM edition WHERE memory = ? AND number = ?", (memory_id, edition.number))
    insert_edition(archive, memory_id, edition)


def round_of(archive: Archive, chat_id: str, adopted: frozenset[str]) -> Round:
    """Return the hindsight round begun last, or an empty one; `adopted` memories had their turn."""
    row = archive.one("SELECT id, round_to FROM chat WHERE chat_id = ?", (chat_id,))
    if row is None:
        return Round(had=adopted)
    marks = dict(archive.run("SELECT id, hindsight FROM memory WHERE chat = ?", (row[0],)))
    chosen = frozenset(name for name, mark in marks.items() if mark == _CHOSEN)
    had = frozenset(name for name, mark in marks.items() if mark == HAD)
    return Round(row[1], chosen, had | adopted)


def begin_round(archive: Archive, chat_id: str, new: Round) -> None:
    """Store which memories were chosen for hindsight, in one transaction."""
    with archive.transaction():
        archive.run("UPDATE chat SET round_to = ? WHERE chat_id = ?", (new.upto, chat_id))
        for name in new.chosen:
            archive.run("UPDATE memory SET hindsight = ? WHERE id = ?", (_CHOSEN, name))


def end_turn(archive: Archive, memory_id: str) -> None:
    """Record that the memory gets no further hindsight edition unless it is asked for."""
    archive.run("UPDATE memory SET hindsight = ? WHERE id = ?", (HAD, memory_id))


def memory_ids(archive: Archive, begun: str) -> list[tuple[str, str]]:
    """Return up to 200 ids of memories that begin with `begun`, each with chat title and day.

    The newest memory of the newest chat comes first.
    """
    return archive.run(
        """
        SELECT memory.id, title || coalesce(', ' || substr(began_at, 1, 10), '') FROM memory
        JOIN chat ON chat.id = memory.chat WHERE substr(memory.id, 1, length(?1)) = ?1
        ORDER BY last_seen DESC, level, number DESC LIMIT 200
        """,
        (begun,),
    )


def short_names(archive: Archive, chat_id: str) -> list[tuple[str, str]]:
    """Return the short names of a chat's memories, each with its first day, folds at the end."""
    rows = archive.run(
        """
        SELECT level, number, coalesce(substr(began_at, 1, 10), '') FROM memory
        WHERE chat = (SELECT id FROM chat WHERE chat_id = ?) ORDER BY level, number
        """,
        (chat_id,),
    )
    return [(name_in_chat(level, number), day) for level, number, day in rows]


def memories_by_message(archive: Archive, chat_id: str) -> dict[str, str]:
    """Return the short name of each memory of a chat by its id, and by its raw messages' keys."""
    rows = archive.run(
        """
        SELECT memory.id, level, memory.number FROM memory
        JOIN chat ON chat.id = memory.chat WHERE chat_id = ?1
        UNION ALL
        SELECT key, level, memory.number FROM memory
        JOIN chat ON chat.id = memory.chat
        JOIN chunk_message ON chunk_message.memory = memory.id
        JOIN message ON message.id = chunk_message.message WHERE chat_id = ?1
        """,
        (chat_id,),
    )
    return {name: name_in_chat(level, number) for name, level, number in rows}


def forgotten_names(archive: Archive) -> frozenset[tuple[str, str]]:
    """Return the memories that the person deleted in TypingMind, and the raw messages under them.

    Each is a pair of chat id and memory id, or of chat id and message key.
    """
    names = """
        SELECT chat_id, memory.id FROM memory JOIN chat ON chat.id = chat
        WHERE forgotten_at IS NOT NULL
        UNION ALL
        SELECT chat_id, key FROM memory JOIN chunk_message ON chunk_message.memory = memory.id
        JOIN message ON message.id = chunk_message.message JOIN chat ON chat.id = message.chat
        WHERE forgotten_at IS NOT NULL
    """
    return frozenset((chat_id, name) for chat_id, name in archive.run(names))
