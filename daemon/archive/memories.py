"""Memories and their editions. What is kept here is added to, and never changed."""

import json
from collections.abc import Sequence

from daemon.archive.archive import Archive
from rules.errors import NotFound
from rules.memory.memory import Edition, Memory, Quote

_MEMORY = "id, number, level, first_uuid, last_uuid, began_at, ended_at, source_tokens"
_EDITION = (
    "number, kind, texts, quote, quote_source, quote_chosen, made, agent, context_manager, requests, tokens, written_at"
)


def keep_memory(archive: Archive, chat_id: str, memory: Memory) -> None:
    """Keep a memory with its edition, and freeze its chunk, in one transaction."""
    with archive.transaction():
        (chat,) = archive.run("SELECT id FROM chat WHERE chat_id = ?", (chat_id,))[0]
        archive.run(
            f"INSERT INTO memory (chat, shown_edition, {_MEMORY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            (
                chat, memory.edition.number, memory.memory_id, memory.number, memory.level, memory.first,
                memory.last, memory.began_at, memory.ended_at, memory.source_tokens,
            ),
        )  # fmt: skip
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
        _keep_edition(archive, memory.memory_id, memory.edition)


def keep_edition(archive: Archive, memory: Memory) -> None:
    """Keep one more edition of a memory, which is the one that is shown from now on; the others stay."""
    with archive.transaction():
        _keep_edition(archive, memory.memory_id, memory.edition)
        archive.run("UPDATE memory SET shown_edition = ? WHERE id = ?", (memory.edition.number, memory.memory_id))


def next_edition(archive: Archive, memory_id: str) -> int:
    """The number that the next edition of a memory gets."""
    return 1 + max(edition.number for edition in editions(archive, memory_id))


def memories(archive: Archive, chat_id: str) -> tuple[Memory, ...]:
    """A chat's memories, oldest first, each in the edition that is shown."""
    rows = archive.run(
        f"SELECT {_MEMORY} FROM memory WHERE chat = (SELECT id FROM chat WHERE chat_id = ?) ORDER BY level, number",  # noqa: S608
        (chat_id,),
    )
    return tuple(_memory(archive, row) for row in rows)


def editions(archive: Archive, memory_id: str) -> tuple[Edition, ...]:
    """All editions of a memory, oldest first."""
    rows = archive.run(f"SELECT {_EDITION} FROM edition WHERE memory = ? ORDER BY number", (memory_id,))  # noqa: S608
    return tuple(_edition(row) for row in rows)


def find_memory(archive: Archive, wanted: str) -> tuple[str, Memory]:
    """The memory of that id, or the only one whose id begins so, with its chat's id. Raises NotFound."""
    rows = archive.run(
        f"SELECT chat_id, memory.{_MEMORY} FROM memory JOIN chat ON chat.id = memory.chat "  # noqa: S608
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
    return str(rows[0][0]), _memory(archive, rows[0][1:])


def _keep_edition(archive: Archive, memory_id: str, edition: Edition) -> None:
    archive.run(
        f"INSERT INTO edition (memory, {_EDITION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
        (
            memory_id, edition.number, edition.kind, json.dumps(edition.texts, ensure_ascii=False),
            edition.quote.text, edition.quote.source, edition.quote.chosen, edition.made, edition.agent,
            edition.context_manager, json.dumps(edition.requests), edition.tokens, edition.written_at,
        ),
    )  # fmt: skip


def _memory(archive: Archive, row: Sequence[object]) -> Memory:
    memory_id, number, level, first, last, began_at, ended_at, source_tokens = row
    keys = archive.run(
        "SELECT key FROM chunk_message JOIN message ON message.id = message WHERE memory = ? ORDER BY place",
        (memory_id,),
    )
    (shown,) = archive.run("SELECT shown_edition FROM memory WHERE id = ?", (memory_id,))[0]
    edition = next(edition for edition in editions(archive, str(memory_id)) if edition.number == shown)
    return Memory(
        memory_id=str(memory_id),
        number=int(str(number)),
        level=int(str(level)),
        keys=tuple(key for (key,) in keys),
        first=str(first),
        last=str(last),
        began_at=None if began_at is None else str(began_at),
        ended_at=None if ended_at is None else str(ended_at),
        source_tokens=int(str(source_tokens)),
        edition=edition,
    )


def _edition(row: Sequence[object]) -> Edition:
    number, kind, texts, quote, source, chosen, made, agent, manager, requests, tokens, written_at = row
    return Edition(
        number=int(str(number)),
        kind=str(kind),
        texts=tuple(json.loads(str(texts))),
        quote=Quote(str(quote), str(source), str(chosen)),
        made=str(made),
        agent=str(agent),
        context_manager=str(manager),
        requests=tuple(json.loads(str(requests))),
        tokens=int(str(tokens)),
        written_at=str(written_at),
    )
