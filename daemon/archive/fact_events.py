"""What happened to a chat's facts, kept for ever; and a ranking of texts by the words that they share."""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from unicodedata import normalize

from daemon.archive.archive import Archive
from daemon.archive.seals import refuse_damage
from rules.errors import ArchiveError
from rules.extract.words import terms
from rules.layers.facts import FactEvent


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
