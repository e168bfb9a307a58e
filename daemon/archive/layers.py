"""The events of core memory and facts, the openings that show them, and steps that are due."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Literal
from unicodedata import normalize

from daemon.archive.archive import Archive
from daemon.archive.chats import chat_row
from daemon.archive.records import list_columns, row_of
from daemon.archive.seals import is_sound, refuse_damage
from rules.conversation.marker import text_digest
from rules.errors import ArchiveError
from rules.extract.words import split_terms
from rules.layers.core import CoreEvent
from rules.layers.facts import FactEvent

Layer = Literal["core", "facts"]


def core_events(archive: Archive, chat_id: str) -> tuple[CoreEvent, ...]:
    """Return all events of a chat's core memory, in their order. Raises DamagedChat."""
    refuse_damage(archive.run, chat_id, "core_event")

    events = """
        SELECT section, value, held, by, function, coalesce(memory.number, 0), edition,
               core_event.id, coalesce(undoes, 0), at, held_lines
        FROM core_event JOIN chat ON chat.id = core_event.chat
        LEFT JOIN memory ON memory.id = core_event.memory
        WHERE chat_id = ? ORDER BY core_event.id
    """
    return archive.rows(CoreEvent, events, (chat_id,))


def keep_core_events(
    archive: Archive, chat_id: str, events: Sequence[CoreEvent], now: str, memory: str = ""
) -> None:
    """Store events in one transaction; the agent wrote them after the memory of this id."""
    with archive.transaction():
        chat = chat_row(archive, chat_id)
        for event in events:
            told = {
                "chat": chat,
                "memory": memory or None,
                "undoes": event.undoes or None,
                "at": now,
            }
            row = row_of(event) | told
            del row["number"]
            archive.insert("core_event", row)


def begin_steps(archive: Archive, memory_id: str, edition: int, layers: Iterable[Layer]) -> None:
    """Note in the caller's transaction what is due after a memory has got this edition."""
    archive.run_many(
        "INSERT OR IGNORE INTO layer_step (memory, layer, edition) VALUES (?, ?, ?)",
        [(memory_id, layer, edition) for layer in layers],
    )


def end_step(archive: Archive, memory_id: str, layer: Layer, now: str) -> None:
    """Note in the caller's transaction that the layer's step after a memory is done."""
    archive.run(
        "UPDATE layer_step SET done_at = ? WHERE memory = ? AND layer = ?", (now, memory_id, layer)
    )


def due_steps(archive: Archive, chat_id: str, layer: Layer) -> tuple[int, ...]:
    """Return the numbers of a chat's memories after which the layer's step is due, oldest first."""
    return archive.column(
        """
        SELECT memory.number FROM layer_step JOIN memory ON memory.id = layer_step.memory
        JOIN chat ON chat.id = memory.chat
        WHERE chat_id = ? AND layer = ? AND done_at IS NULL ORDER BY 1
        """,
        (chat_id, layer),
    )


def last_step(archive: Archive, chat_id: str, layer: Layer) -> int:
    """Return the number of the last memory with a step, due or done; earlier ones get none."""
    last = """
        SELECT coalesce(max(memory.number), 0)
        FROM layer_step JOIN memory ON memory.id = layer_step.memory
        JOIN chat ON chat.id = memory.chat WHERE chat_id = ? AND layer = ?
    """
    return int(archive.value(last, (chat_id, layer)))


def has_step(archive: Archive, memory_ids: Collection[str], layer: Layer) -> bool:
    """Return whether one of these memories, of any chat, has a step, due or done."""
    steps = """
        SELECT 1 FROM layer_step
        WHERE layer = ? AND memory IN (SELECT value FROM json_each(?)) LIMIT 1
    """
    return archive.value(steps, (layer, json.dumps(list(memory_ids)))) is not None


def fact_events(
    archive: Archive, chat_id: str, *, forgotten: bool = False
) -> tuple[FactEvent, ...]:
    """Return all events of a chat's facts, in their order. Raises DamagedChat.

    Without `forgotten`, those taken from the chunks of memories that the person has deleted in
    TypingMind are left out: what they forgot stays forgotten, and comes back with its memory.
    """
    refuse_damage(archive.run, chat_id, "fact_event")
    events = """
        SELECT fact, event, text, said_at, source, by, coalesce(memory.number, 0), edition, why, at
        FROM fact_event JOIN chat ON chat.id = fact_event.chat
        LEFT JOIN memory ON memory.id = fact_event.memory
        WHERE chat_id = ?1 AND (?2 OR memory.forgotten_at IS NULL) ORDER BY fact_event.id
    """
    return archive.rows(FactEvent, events, (chat_id, forgotten))


def next_fact(archive: Archive, chat_id: str) -> int:
    """Return the number for the next fact of a chat: no number is ever given twice."""
    last = """
        SELECT coalesce(max(fact), 0)
        FROM fact_event JOIN chat ON chat.id = fact_event.chat WHERE chat_id = ?
    """
    return 1 + int(archive.value(last, (chat_id,)))


def keep_fact_events(
    archive: Archive, chat_id: str, events: Sequence[FactEvent], now: str, memory: str = ""
) -> None:
    """Store events in one transaction; they were taken from the chunk of the memory of this id."""
    with archive.transaction():
        told = {"chat": chat_row(archive, chat_id), "memory": memory or None, "at": now}
        for event in events:
            archive.insert("fact_event", row_of(event) | told)


@dataclass(frozen=True, slots=True)
class KeptOpening:
    """An opening's whole text, in its tag; and the text before its sections, without a tag."""

    text: str
    preface: str
    by: Literal["memproc", "person"]
    base: str = ""
    """Digest of the text that memproc wrote, where the person has edited it."""
    at: str = ""
    """When it was stored last."""

    @property
    def is_as_written(self) -> bool:
        """Return whether the person's words are those that memproc wrote."""
        return self.base == text_digest(self.text)

    def goes_back_to(self, written: str) -> bool:
        """Return whether it is the opening with this digest, or an edit of it."""
        return written == self.base or written == text_digest(self.text)


def openings(archive: Archive, chat_id: str) -> tuple[KeptOpening, ...]:
    """Return all openings of a chat, the one that was stored last at the end."""
    kept = f"""
        SELECT {list_columns(KeptOpening)} FROM opening JOIN chat ON chat.id = opening.chat
        WHERE chat_id = ? ORDER BY opening.at, opening.rowid
    """  # noqa: S608
    return archive.rows(KeptOpening, kept, (chat_id,))


def reworded(kept: Sequence[KeptOpening]) -> str | None:
    """Return the preface as the person last reworded it; None where it is memproc's own."""
    preface = None
    for at, opening in enumerate(kept):
        if opening.by == "person":
            before = edited_from(kept[:at], opening.base)
            if before is None or before.preface != opening.preface:
                preface = opening.preface
    return preface


def edited_from(kept: Sequence[KeptOpening], written: str) -> KeptOpening | None:
    """Return the newest opening with this digest, or an edit of it; `kept` has the oldest first."""
    return next((opening for opening in reversed(kept) if opening.goes_back_to(written)), None)


def keep_opening(archive: Archive, chat_id: str, opening: KeptOpening) -> None:
    """Store an opening that is in an export, or about to be.

    A second time changes nothing, but that one of the person's is the newest from then on.
    """
    chat, digest = chat_row(archive, chat_id), text_digest(opening.text)
    archive.insert("opening", {"chat": chat, "digest": digest} | row_of(opening), "OR IGNORE")
    if opening.by == "person":
        again = "UPDATE opening SET at = ? WHERE chat = ? AND digest = ? AND base = ?"
        archive.run(again, (opening.at, chat, digest, opening.base))


def openings_by_chat(
    archive: Archive, chat_id: str, origins: Sequence[str], named: Sequence[str]
) -> dict[str, list[str]]:
    """Return the openings that a chat may show, by the id of the chat that each was written for.

    These are its own, those of the chats that it was forked from, and one of any chat with each of
    the digests `named`: a fork shows them before its memories are known. `origins` are the ids that
    its memories have in the chats that it was forked from.
    """
    rows = f"""
        WITH lineage AS (
            SELECT id, chat_id FROM chat WHERE chat_id = ?1
                OR id IN (SELECT chat FROM memory WHERE id IN (SELECT value FROM json_each(?2)))
        )
        SELECT chat_id, '' FROM lineage
        UNION ALL SELECT (SELECT chat_id FROM chat WHERE id = opening.chat), text FROM opening
        WHERE {is_sound("opening")} AND (
            chat IN (SELECT id FROM lineage)
            OR rowid IN (SELECT min(rowid) FROM opening
                         WHERE digest IN (SELECT value FROM json_each(?3)) GROUP BY digest)
        )
    """  # noqa: S608
    written: dict[str, list[str]] = {chat_id: []}
    for name, text in archive.run(rows, (chat_id, json.dumps(origins), json.dumps(named))):
        texts = written.setdefault(name, [])
        if text:
            texts.append(text)
    return written


def rank_texts(texts: Sequence[str], words: str) -> Sequence[int]:
    """Return the places of the texts that share a word with `words`, best first, else in order.

    Raises ArchiveError where this Python's SQLite has no full-text index.
    """
    numbers: dict[str, int] = {}
    documents = []
    for text in texts:
        spelled = [
            f"w{numbers.setdefault(word, len(numbers))}"
            for word in split_terms(normalize("NFKC", text))
        ]
        documents.append(" ".join(spelled))
    asked = [
        f"w{numbers[word]}"
        for word in dict.fromkeys(split_terms(normalize("NFKC", words)))
        if word in numbers
    ]
    if not asked:
        return ()
    with closing(sqlite3.connect(":memory:")) as index:
        try:
            index.execute("CREATE VIRTUAL TABLE document USING fts5 (words, tokenize = 'ascii')")
        except sqlite3.OperationalError as fault:
            raise ArchiveError(
                "Facts cannot be compared: the SQLite of this Python has no full-text index "
                "(FTS5).",
                "Install memproc with another Python, or set facts.enabled = false in "
                "memproc.toml.",
            ) from fault
        index.executemany("INSERT INTO document (rowid, words) VALUES (?, ?)", enumerate(documents))
        matching = (
            "SELECT rowid FROM document WHERE document MATCH ? ORDER BY bm25(document), rowid"
        )
        return [int(row[0]) for row in index.execute(matching, (" OR ".join(asked),))]
