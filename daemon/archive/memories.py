"""What the person did to memories in TypingMind, kept: edited, forgotten, recalled, changed underneath."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict

from daemon.archive.archive import Archive
from daemon.archive.rows import refuse_damage
from rules.conversation.memory import Edition, Kind, Memory, Preferred, Quote, shown, told
from rules.errors import NotFound
from rules.plan.rounds import Round
from rules.recognize.adopt import Adopted
from rules.recognize.reading import Reading


def keep_hand(archive: Archive, reading: Reading, when: str) -> None:
    """Keep it, within a transaction of the caller's."""
    for memory_id, edition in reading.person.items():
        insert_edition(archive, memory_id, edition)
        archive.run("UPDATE memory SET chosen_edition = ?, pinned = 1 WHERE id = ?", (edition.number, memory_id))
    hand = reading.hand
    archive.run_many("UPDATE memory SET forgotten_at = ? WHERE id = ?", [(when, name) for name in hand.forgotten])
    archive.run_many(
        "UPDATE memory SET forgotten_at = NULL, recalled = 0 WHERE id = ?", [(name,) for name in hand.recalled]
    )
    archive.run_many("UPDATE memory SET due = ? WHERE id = ?", [(why, name) for name, why in hand.changed.items()])


_MEMORY = (
    "id, number, level, first_uuid, last_uuid, began_at, ended_at, source_tokens, "
    "chosen_edition, pinned, forgotten_at, due, origin, recalled"
)
_EDITION = "number, kind, texts, quotes, made, agent, context_manager, requests, tokens, written_at"
_TABLES = ("memory", "edition", "chunk_message", "fold_member")
_KINDS: dict[str, Kind] = {"as-of": "as-of", "hindsight": "hindsight", "person": "person"}


def keep_memory(archive: Archive, chat_id: str, memory: Memory) -> None:
    """Keep a chunk's memory with its edition, and freeze its chunk, in one transaction."""
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
    """Keep a fold with its edition; the fold, with the number that it has got among those of its level."""
    with archive.transaction():
        chat = chat_row(archive, chat_id)
        insert_fold(archive, chat, fold)
        insert_edition(archive, fold.memory_id, fold.edition)
    return find_memory(archive, fold.memory_id)[1]


def keep_edition(archive: Archive, memory_id: str, edition: Edition, chosen: bool = False) -> None:
    """Keep one more edition of a memory; where it is `chosen`, it is the one that is shown from now on."""
    with archive.transaction():
        insert_edition(archive, memory_id, edition)
        if chosen:
            archive.run("UPDATE memory SET chosen_edition = ? WHERE id = ?", (edition.number, memory_id))


def renew_chunk(archive: Archive, memory_id: str) -> None:
    """The memory has been written anew from its raw messages as they are: these versions stand under it now."""
    with archive.transaction():
        archive.run(
            """
            UPDATE chunk_message SET version = (
                SELECT id FROM version WHERE version.message = chunk_message.message ORDER BY number DESC LIMIT 1
            ) WHERE memory = ?
            """,
            (memory_id,),
        )
        archive.run("UPDATE memory SET due = '' WHERE id = ?", (memory_id,))


def next_edition(archive: Archive, memory_id: str) -> int:
    """The number that the next edition of a memory gets."""
    return 1 + max(edition.number for edition in editions(archive, memory_id))


def memories(archive: Archive, chat_id: str, preferred: Preferred = "hindsight") -> tuple[Memory, ...]:
    """A chat's memories, oldest first, and then its folds, level by level. Raises DamagedChat."""
    refuse_damage(archive.run, chat_id, *_TABLES)
    return _select(archive, "WHERE chat = (SELECT id FROM chat WHERE chat_id = ?)", chat_id, preferred)


def editions(archive: Archive, memory_id: str) -> tuple[Edition, ...]:
    """All editions of a memory, oldest first."""
    rows = archive.run(f"SELECT {_EDITION} FROM edition WHERE memory = ? ORDER BY number", (memory_id,))  # noqa: S608
    return tuple(_edition(row) for row in rows)


def find_memory(archive: Archive, wanted: str, preferred: Preferred = "hindsight") -> tuple[str, Memory]:
    """The memory of that id, or the only one whose id begins so, with its chat's id. Raises NotFound."""
    rows = archive.run(
        "SELECT chat_id, memory.id FROM memory JOIN chat ON chat.id = memory.chat "
        "WHERE substr(memory.id, 1, length(?)) = ?",
        (wanted, wanted),
    )
    if not wanted or not rows:
        raise NotFound(
            f'The archive knows no memory "{wanted}".',
            "List a chat's memories, with their ids, with: memproc memories CHAT",
        )
    if len(rows) > 1:
        raise NotFound(
            f'"{wanted}" can be any of {len(rows)} memories: {", ".join(str(row[1]) for row in rows)}.',
            "Write more of its id.",
        )
    chat_id, memory_id = rows[0]
    refuse_damage(archive.run, chat_id, *_TABLES)
    (found,) = _select(archive, "WHERE id = ?", memory_id, preferred)
    return str(chat_id), found


def chat_row(archive: Archive, chat_id: str) -> int:
    """The number of a chat's row. The chat must be known."""
    return int(archive.run("SELECT id FROM chat WHERE chat_id = ?", (chat_id,))[0][0])


def insert_memory(archive: Archive, chat: int, memory: Memory) -> None:
    """Keep what a memory says of itself, within a transaction of the caller's."""
    archive.run(
        """
        INSERT INTO memory (chat, id, number, level, first_uuid, last_uuid, began_at, ended_at, source_tokens, origin)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            chat, memory.memory_id, memory.number, memory.level, memory.first, memory.last, memory.began_at,
            memory.ended_at, memory.source_tokens, next(iter(memory.origins), ""),
        ),
    )  # fmt: skip


def insert_fold(archive: Archive, chat: int, fold: Memory) -> None:
    """Keep what a fold says of itself and which memories it stands for, within a transaction of the caller's."""
    insert_memory(archive, chat, fold)
    archive.run(
        """
        UPDATE memory SET number = (
            SELECT 1 + coalesce(max(number), 0) FROM memory AS other
            WHERE other.chat = memory.chat AND other.level = memory.level AND other.id <> memory.id
        ) WHERE id = ?
        """,
        (fold.memory_id,),
    )
    archive.run_many(
        "INSERT INTO fold_member (fold, place, member) VALUES (?, ?, ?)",
        [(fold.memory_id, place, member) for place, member in enumerate(fold.members)],
    )


def insert_edition(archive: Archive, memory_id: str, edition: Edition) -> None:
    """Keep an edition, within a transaction of the caller's."""
    archive.run(
        f"INSERT INTO edition (memory, {_EDITION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
        (
            memory_id, edition.number, edition.kind, json.dumps(edition.texts, ensure_ascii=False),
            json.dumps([asdict(quote) for quote in edition.quotes], ensure_ascii=False), edition.made,
            edition.agent, edition.context_manager, json.dumps(edition.requests), edition.tokens, edition.written_at,
        ),
    )  # fmt: skip


def _select(archive: Archive, where: str, value: str, preferred: Preferred) -> tuple[Memory, ...]:
    # A memory of a lost archive can have been a fold: it has its level, and stands among the chunks' memories.
    rows = archive.run(
        f"""
        SELECT {_MEMORY} FROM memory {where}
        ORDER BY (id IN (SELECT fold FROM fold_member)) * level, number
        """,  # noqa: S608
        (value,),
    )
    return tuple(_memory(archive, row, preferred) for row in rows)


def _memory(archive: Archive, row: Sequence[object], preferred: Preferred) -> Memory:
    memory_id, number, level, first, last, began_at, ended_at, source_tokens, chosen, *marks = row
    pinned, forgotten, due, origin, recalled = marks
    wanted = None if chosen is None else int(str(chosen))
    every = editions(archive, str(memory_id))
    members = archive.run("SELECT member FROM fold_member WHERE fold = ? ORDER BY place", (memory_id,))
    return Memory(
        memory_id=str(memory_id),
        number=int(str(number)),
        level=int(str(level)),
        keys=_keys(archive, str(memory_id)),
        first=str(first),
        last=str(last),
        began_at=None if began_at is None else str(began_at),
        ended_at=None if ended_at is None else str(ended_at),
        source_tokens=int(str(source_tokens)),
        edition=shown(every, wanted, preferred),
        told=told(every, wanted),
        chosen=wanted,
        pinned=bool(pinned),
        forgotten=forgotten is not None,
        due=str(due),
        recalled=bool(recalled),
        origins=_origins(archive, str(origin)),
        members=tuple(member for (member,) in members),
    )


def _origins(archive: Archive, origin: str) -> tuple[str, ...]:
    """The ids that a memory has in the chats that its own was forked from, the nearest first."""
    found: list[str] = []
    while origin:
        found.append(origin)
        row = archive.one("SELECT origin FROM memory WHERE id = ?", (origin,))
        origin = "" if row is None else str(row[0])
    return tuple(found)


def _keys(archive: Archive, memory_id: str) -> tuple[str, ...]:
    """Keys of the raw messages under a memory, or under all the memories that a fold stands for."""
    rows = archive.run(
        """
        WITH RECURSIVE part (id) AS (VALUES (?) UNION SELECT member FROM fold_member JOIN part ON fold = part.id)
        SELECT key FROM part JOIN memory ON memory.id = part.id
        JOIN chunk_message ON chunk_message.memory = part.id JOIN message ON message.id = chunk_message.message
        ORDER BY memory.number, place
        """,
        (memory_id,),
    )
    return tuple(key for (key,) in rows)


def _edition(row: Sequence[object]) -> Edition:
    number, kind, texts, quotes, made, agent, manager, requests, tokens, written_at = row
    return Edition(
        number=int(str(number)),
        kind=_KINDS[str(kind)],
        texts=tuple(json.loads(str(texts))),
        quotes=tuple(Quote(**quote) for quote in json.loads(str(quotes))),
        made=str(made),
        agent=str(agent),
        context_manager=str(manager),
        requests=tuple(json.loads(str(requests))),
        tokens=int(str(tokens)),
        written_at=str(written_at),
    )


_CHOSEN, HAD = 1, 2
"""Marks of a memory: it was chosen for hindsight; its turn is over."""


def round_of(archive: Archive, chat_id: str, adopted: Adopted) -> Round:
    """The round that was begun last; an empty one where there was none. `adopted` memories may have had theirs."""
    row = archive.one("SELECT id, round_to FROM chat WHERE chat_id = ?", (chat_id,))
    if row is None:
        return Round(had=adopted.had_hindsight)
    marks = dict(archive.run("SELECT id, hindsight FROM memory WHERE chat = ?", (row[0],)))
    chosen, had = (frozenset(name for name, mark in marks.items() if mark == wanted) for wanted in (_CHOSEN, HAD))
    return Round(row[1], chosen, had | adopted.had_hindsight)


def begin_round(archive: Archive, chat_id: str, begun: Round) -> None:
    """Keep which memories were chosen, in one transaction."""
    with archive.transaction():
        archive.run("UPDATE chat SET round_to = ? WHERE chat_id = ?", (begun.upto, chat_id))
        _mark(archive, begun.chosen, _CHOSEN)


def end_turn(archive: Archive, memory_id: str) -> None:
    """The memory has had its turn: it gets no further hindsight edition by itself."""
    with archive.transaction():
        _mark(archive, [memory_id], HAD)


def _mark(archive: Archive, names: Collection[str], mark: int) -> None:
    archive.run_many("UPDATE memory SET hindsight = ? WHERE id = ?", [(mark, name) for name in names])
