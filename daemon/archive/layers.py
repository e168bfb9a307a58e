"""The events of core memory and facts, kept for ever; and which steps of the two layers are due."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from typing import Literal
from unicodedata import normalize

from daemon.archive.archive import Archive
from daemon.archive.seals import refuse_damage
from rules.errors import ArchiveError
from rules.extract.sentences import terms
from rules.layers.core import CoreEvent, Value
from rules.layers.facts import FactEvent


def core_events(archive: Archive, chat_id: str) -> tuple[CoreEvent, ...]:
    """All events of a chat's core memory, in the order in which they happened. Raises DamagedChat."""
    refuse_damage(archive.run, chat_id, "core_event")
    rows = archive.run(
        """
        SELECT section, value, held, by, function, coalesce(memory.number, 0), edition, core_event.id,
               coalesce(undoes, 0), at, held_lines
        FROM core_event JOIN chat ON chat.id = core_event.chat LEFT JOIN memory ON memory.id = core_event.memory
        WHERE chat_id = ? ORDER BY core_event.id
        """,
        (chat_id,),
    )
    return tuple(
        CoreEvent(*[section, _value(value), bool(held), *known, tuple(json.loads(held_lines))])
        for section, value, held, *known, held_lines in rows
    )


def keep_core_events(archive: Archive, chat_id: str, events: Sequence[CoreEvent], now: str, memory: str = "") -> None:
    """Keep what was written, in one transaction; `memory` is the id of the memory after which the agent wrote it."""
    with archive.transaction():
        archive.run_many(
            """
            INSERT INTO core_event (chat, section, value, held, held_lines, by, function, memory, edition, undoes, at)
            VALUES ((SELECT id FROM chat WHERE chat_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                (
                    chat_id, event.section, json.dumps(event.value, ensure_ascii=False), event.held,
                    json.dumps(event.held_lines, ensure_ascii=False), event.by, event.function, memory or None,
                    event.edition, event.undoes or None, now,
                )
                for event in events
            ],
        )  # fmt: skip


def _value(kept: str) -> Value:
    value = json.loads(kept)
    return value if isinstance(value, str) else tuple(value)


Layer = Literal["core", "facts"]


def begin_steps(archive: Archive, memory_id: str, edition: int, layers: Iterable[Layer]) -> None:
    """Note, within a transaction of the caller's, what is due after a memory has got this edition."""
    archive.run_many(
        "INSERT OR IGNORE INTO layer_step (memory, layer, edition) VALUES (?, ?, ?)",
        [(memory_id, layer, edition) for layer in layers],
    )


def end_step(archive: Archive, memory_id: str, layer: Layer, now: str) -> None:
    """Note, within a transaction of the caller's, that the layer's step after a memory is done."""
    archive.run("UPDATE layer_step SET done_at = ? WHERE memory = ? AND layer = ?", (now, memory_id, layer))


def due_steps(archive: Archive, chat_id: str, layer: Layer) -> tuple[int, ...]:
    """Numbers of the memories of a chat after which the layer's step is due, oldest first."""
    return archive.column(
        """
        SELECT memory.number FROM layer_step JOIN memory ON memory.id = layer_step.memory
        JOIN chat ON chat.id = memory.chat WHERE chat_id = ? AND layer = ? AND done_at IS NULL ORDER BY 1
        """,
        (chat_id, layer),
    )


def last_step(archive: Archive, chat_id: str, layer: Layer) -> int:
    """Number of the last memory that has a step, due or done; 0: none has. Earlier ones without one get none."""
    number = archive.value(
        """
        SELECT max(memory.number) FROM layer_step JOIN memory ON memory.id = layer_step.memory
        JOIN chat ON chat.id = memory.chat WHERE chat_id = ? AND layer = ?
        """,
        (chat_id, layer),
    )
    return number or 0


def has_step(archive: Archive, memory_ids: Collection[str], layer: Layer) -> bool:
    """Whether one of these memories, of whatever chat, has a step, due or done."""
    steps = archive.run(
        "SELECT 1 FROM layer_step WHERE layer = ? AND memory IN (SELECT value FROM json_each(?)) LIMIT 1",
        (layer, json.dumps(list(memory_ids))),
    )
    return bool(steps)


def fact_events(archive: Archive, chat_id: str, *, forgotten: bool = False) -> tuple[FactEvent, ...]:
    """All events of a chat's facts, in the order in which they happened.

    Without `forgotten`, those that were taken from the chunks of memories which the person has deleted in TypingMind
    are not among them: what they have forgotten stays forgotten, and comes back with its memory.
    Raises DamagedChat.
    """
    refuse_damage(archive.run, chat_id, "fact_event")
    rows = archive.run(
        """
        SELECT fact, event, text, said_at, source, by, coalesce(memory.number, 0), edition, why, at
        FROM fact_event JOIN chat ON chat.id = fact_event.chat LEFT JOIN memory ON memory.id = fact_event.memory
        WHERE chat_id = ?1 AND (?2 OR memory.forgotten_at IS NULL) ORDER BY fact_event.id
        """,
        (chat_id, forgotten),
    )
    return tuple(FactEvent(*row) for row in rows)


def next_fact(archive: Archive, chat_id: str) -> int:
    """The number that the next fact of a chat gets: no number is ever given twice."""
    last = "SELECT coalesce(max(fact), 0) FROM fact_event JOIN chat ON chat.id = fact_event.chat WHERE chat_id = ?"
    return 1 + int(archive.value(last, (chat_id,)))


def keep_fact_events(archive: Archive, chat_id: str, events: Sequence[FactEvent], now: str, memory: str = "") -> None:
    """Keep what happened, in one transaction; `memory` is the id of the memory whose chunk it was taken from."""
    with archive.transaction():
        archive.run_many(
            """
            INSERT INTO fact_event (chat, fact, event, text, said_at, source, by, memory, edition, why, at)
            VALUES ((SELECT id FROM chat WHERE chat_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                (
                    chat_id, event.fact, event.event, event.text, event.said_at, event.source, event.by, memory or None,
                    event.edition, event.why, now,
                )
                for event in events
            ],
        )  # fmt: skip


def ranked(texts: Sequence[str], words: str) -> Sequence[int]:
    """The places of the texts that share a word with `words`, best first; of equals the one that stands first.

    Raises ArchiveError where this Python's SQLite has no full-text index.
    """
    numbers: dict[str, int] = {}
    documents = [" ".join(_numbered(_words(text), numbers)) for text in texts]
    asked = [f"w{numbers[word]}" for word in dict.fromkeys(_words(words)) if word in numbers]
    return _matching(documents, " OR ".join(asked)) if asked else ()


def _words(text: str) -> Iterable[str]:
    return terms(normalize("NFKC", text))


def _numbered(words: Iterable[str], numbers: dict[str, int]) -> list[str]:
    return [f"w{numbers.setdefault(word, len(numbers))}" for word in words]


def _matching(documents: Sequence[str], query: str) -> list[int]:
    with closing(sqlite3.connect(":memory:")) as index:
        try:
            index.execute("CREATE VIRTUAL TABLE document USING fts5 (words, tokenize = 'ascii')")
        except sqlite3.OperationalError as fault:
            raise ArchiveError(
                "Facts cannot be compared: the SQLite of this Python has no full-text index (FTS5).",
                "Install memproc with another Python, or set facts.enabled = false in memproc.toml.",
            ) from fault
        index.executemany("INSERT INTO document (rowid, words) VALUES (?, ?)", enumerate(documents))
        rows = index.execute(
            "SELECT rowid FROM document WHERE document MATCH ? ORDER BY bm25(document), rowid", (query,)
        )
        return [int(row[0]) for row in rows]
