"""Full-text search over the raw messages, memories, facts and titles of all chats.

The index is a file of its own next to the archive, built from it and brought up to date before each
search. It can be deleted at any time; a damaged one is built again.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from datetime import tzinfo
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from daemon.archive.archive import Archive
from daemon.archive.layers import fact_events
from daemon.archive.seals import unpacked
from daemon.archive.search_words import (
    SHORTEST_AT_ALL,
    SHORTEST_BEGINNING,
    index_text,
    match_expression,
    searched_words,
)
from daemon.files.private import make_private
from daemon.files.reasons import file_errors
from rules.errors import ArchiveError
from rules.layers.facts import live_facts
from rules.typingmind.dates import in_zone
from rules.typingmind.message import read_message

SearchKind = Literal["raw", "memories", "facts", "titles"]
KINDS: tuple[SearchKind, ...] = ("raw", "memories", "facts")
"""What was said or is remembered in a chat."""
ANYTHING: tuple[SearchKind, ...] = (*KINDS, "titles")
_Key = tuple[str, str, str]
"""Kind, chat and name of an entry."""

_AT_ONCE = 100
_BUSY_SECONDS = 10.0
_WORDS_IN_MEMORY = 128 << 10
"""Bytes of new words that SQLite buffers before it writes them; its default is 1 MB."""
_VERSION = 3
"""The version of the index's content; an index of another version is emptied and built again."""
_MOST_NEAR = 20_000
_CLOSE = 0.7
_TABLES = """
CREATE TABLE IF NOT EXISTS entry (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, chat_id TEXT NOT NULL, name TEXT NOT NULL,
        version TEXT NOT NULL, said_at TEXT NOT NULL, speaker TEXT NOT NULL, text TEXT NOT NULL,
        UNIQUE (kind, chat_id, name)
    ) STRICT;
CREATE VIRTUAL TABLE IF NOT EXISTS words
USING fts5 (said, tokenize = 'unicode61 remove_diacritics 2');
CREATE TABLE IF NOT EXISTS archive_state (fingerprint TEXT NOT NULL) STRICT;
CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab ('main', 'words', 'row');
"""
_EMPTIED = f"""
DROP TABLE IF EXISTS words;
DROP TABLE IF EXISTS entry;
DROP TABLE IF EXISTS archive_state;
PRAGMA user_version = {_VERSION};
"""
_QUICK_COUNTS = """
SELECT (SELECT max(id) FROM version),
    (SELECT count(*) FROM message WHERE gone_at IS NOT NULL),
    (SELECT total(is_missing) FROM message), (SELECT max(rowid) FROM edition),
    (SELECT total(rowid * coalesce(chosen_edition, 0)) FROM memory),
    (SELECT max(id) FROM fact_event),
    (SELECT group_concat(chat_id || ' ' || title, ' ') FROM chat)
"""
"""Numbers that change whenever anything changes that can be found."""
_MESSAGES = """
SELECT chat_id, key, said_at, created_at, raw, packed, sha256 FROM said
WHERE (chat_id, key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?)) AND is_present
  AND raw IS NOT NULL -- what is lost of one chat must not end the search in all others
"""
_MEMORIES = """
FROM chat JOIN memory ON memory.chat = chat.id JOIN edition ON edition.memory = memory.id
WHERE edition.number = coalesce(chosen_edition,
    (SELECT max(number) FROM edition AS other WHERE other.memory = memory.id AND kind <> 'person'
     AND (kind = 'as-of' OR chat_id NOT IN (SELECT value FROM json_each(?)))))
"""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """Something that can be found."""

    kind: SearchKind
    chat_id: str
    name: str
    """The key of a raw message, the id of a memory, the number of a fact; empty for a title."""
    version: str
    """Changes with the text."""
    said_at: str
    """When it was said, or a memory's chunk begins, in the archive's zone; empty if unknown."""
    speaker: str
    """`user` or `assistant` for raw messages, else empty."""
    text: str


class FullText:
    """The open index."""

    def __init__(self, connection: sqlite3.Connection, zone: tzinfo) -> None:
        self._connection = connection
        connection.create_function("in_zone", 1, lambda said_at: in_zone(said_at, zone))

    def bring_up_to_date(self, archive: Archive, as_of: Sequence[str]) -> None:
        """Index what has changed in the archive since the last update.

        `as_of` are the ids of the chats that show as-of editions, though there is hindsight.
        """
        shown = json.dumps(as_of)
        counts = json.dumps([archive.run(_QUICK_COUNTS), shown])
        fingerprint = hashlib.sha256(counts.encode()).hexdigest()
        if self._connection.execute("SELECT fingerprint FROM archive_state").fetchone() == (
            fingerprint,
        ):
            return
        self._connection.execute("BEGIN IMMEDIATE")
        with self._connection:
            self._connection.execute(
                "INSERT INTO words (words, rank) VALUES ('hashsize', ?)", (_WORDS_IN_MEMORY,)
            )
            known = {
                (kind, chat_id, name): (number, version)
                for number, kind, chat_id, name, version in self._connection.execute(
                    "SELECT id, kind, chat_id, name, version FROM entry"
                )
            }
            new = set[_Key]()
            for kind, chat_id, name, version in _present(archive, shown):
                key = (kind, chat_id, name)
                if known.get(key, (0, ""))[1] == version:
                    del known[key]
                else:
                    new.add(key)
            self._remove([number for number, _ in known.values()])
            for entry in _entries(archive, new, shown):
                self._add(entry)
            self._connection.execute("DELETE FROM archive_state")
            self._connection.execute("INSERT INTO archive_state VALUES (?)", (fingerprint,))

    def find(
        self,
        query: str,
        *,
        kinds: Collection[SearchKind] = KINDS,
        chat_id: str = "",
        since: str = "",
        until: str = "",
        limit: int = 20,
        any_word: bool = False,
    ) -> tuple[IndexEntry, ...]:
        """Return the best matches first. `since` and `until` are inclusive days, or empty.

        Short words match as beginnings of longer ones only if nothing is found otherwise.
        """
        marks = ", ".join("?" * len(kinds))
        # The day of a message is computed in the zone; memories and facts are stored with theirs.
        matching = f"""
            SELECT kind, chat_id, name, version,
                   iif(kind = 'raw', in_zone(said_at), said_at) AS told_at, speaker, text
            FROM words JOIN entry ON entry.id = words.rowid
            WHERE words MATCH ? AND kind IN ({marks}) AND (? = '' OR chat_id = ?)
                AND (? = '' OR substr(told_at, 1, 10) >= ?)
                AND (? = '' OR substr(told_at, 1, 10) <= ?)
            ORDER BY bm25(words), entry.id LIMIT ?
        """  # noqa: S608  question marks
        others = (*kinds, chat_id, chat_id, since, since, until, until, limit)
        for shortest in (SHORTEST_BEGINNING, SHORTEST_AT_ALL):
            expression = match_expression(query, any_word=any_word, shortest=shortest)
            if not expression:
                return ()
            if rows := self._connection.execute(matching, (expression, *others)).fetchall():
                return tuple(IndexEntry(*row) for row in rows)
        return ()

    def best(
        self, query: str, find: Callable[[str], Sequence[IndexEntry]]
    ) -> tuple[str, Sequence[IndexEntry]]:
        """Return the query that finds something, and what it finds.

        If `query` itself finds nothing, each unknown word is replaced by the nearest known one, if
        every word has one.
        """
        entries = find(query)
        words = () if entries else searched_words(query)
        nearest = {word: self._nearest_word(word) for word in words}
        known_words = tuple(nearest[word] for word in words)
        if known_words == words or not all(known_words):
            return query, entries
        return " ".join(known_words), find(" ".join(known_words))

    def _nearest_word(self, word: str) -> str:
        """Return the word if the index has it, else the nearest one with the same first letter."""
        rows = self._connection.execute(
            """
            SELECT term FROM temp.vocabulary
            WHERE term >= ?1 AND term < ?2 AND length(term) BETWEEN ?3 - 2 AND ?3 + 2
            ORDER BY doc DESC LIMIT ?4
            """,
            (word[0], chr(ord(word[0]) + 1), len(word), _MOST_NEAR),
        )
        terms = [term for (term,) in rows]
        return word if word in terms else next(iter(get_close_matches(word, terms, 1, _CLOSE)), "")

    def _remove(self, numbers: Collection[int]) -> None:
        for table, column in (("entry", "id"), ("words", "rowid")):
            self._connection.executemany(
                f"DELETE FROM {table} WHERE {column} = ?",  # noqa: S608
                [(number,) for number in numbers],
            )

    def _add(self, entry: IndexEntry) -> None:
        row = self._connection.execute(
            """
            INSERT INTO entry (kind, chat_id, name, version, said_at, speaker, text)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            astuple(entry),
        )
        self._connection.execute(
            "INSERT INTO words (rowid, said) VALUES (?, ?)", (row.lastrowid, index_text(entry.text))
        )


def index_path(state: Path) -> Path:
    """Return the path of the index."""
    return state / "search.sqlite3"


@contextmanager
def full_text(state: Path, archive: Archive, as_of: Sequence[str]) -> Iterator[FullText]:
    """Open the index, brought up to date with the archive.

    Raises ArchiveError; removes a damaged one.

    `as_of` are the ids of the chats that show as-of editions, though there is hindsight.
    """
    make_private(state)
    path = index_path(state)
    with file_errors(path, "made"):
        path.touch(mode=0o600)
    try:
        opened = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
        with closing(opened) as connection:
            for setting in (
                "journal_mode = WAL",
                "synchronous = FULL",
                "secure_delete = ON",
                "cache_size = -500",
            ):
                connection.execute(f"PRAGMA {setting}")
            if connection.execute("PRAGMA user_version").fetchone() != (_VERSION,):
                connection.executescript(_EMPTIED)
            connection.executescript(_TABLES)
            index = FullText(connection, archive.zone)
            index.bring_up_to_date(archive, as_of)
            yield index
    except sqlite3.OperationalError as fault:
        raise ArchiveError(
            f"The search index {path} cannot be used now: {fault}.",
            "Try again in a moment, or look whether the disk is full.",
        ) from fault
    except sqlite3.DatabaseError as fault:
        forget_index(state)
        raise ArchiveError(
            "The search index was damaged, and is removed.", "Search again: it is made anew."
        ) from fault


def forget_index(state: Path) -> None:
    """Remove the index; the next search builds it again."""
    path = index_path(state)
    for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with file_errors(file, "removed"):
            file.unlink(missing_ok=True)


def _present(archive: Archive, as_of: str) -> Iterator[tuple[SearchKind, str, str, str]]:
    """Yield kind, chat, name and version of all that can be found now."""
    for chat_id, key, sha256 in archive.run(
        "SELECT chat_id, key, sha256 FROM said WHERE is_present"
    ):
        yield "raw", chat_id, key, sha256
    for chat_id, name, number in archive.run(
        f"SELECT chat_id, memory.id, edition.number {_MEMORIES}", (as_of,)
    ):
        yield "memories", chat_id, name, str(number)
    for entry in (*_facts(archive), *_titles(archive)):
        yield entry.kind, entry.chat_id, entry.name, entry.version


def _entries(archive: Archive, keys: Collection[_Key], as_of: str) -> Iterator[IndexEntry]:
    """Yield the entries of these kinds, chats and names."""
    names = sorted((chat_id, name) for kind, chat_id, name in keys if kind == "raw")
    for begin in range(0, len(names), _AT_ONCE):  # a few at a time, to save memory
        named = json.dumps(names[begin : begin + _AT_ONCE])
        rows = archive.run(_MESSAGES, (named,))
        for chat_id, key, said_at, created_at, raw, packed, sha256 in rows:
            message = read_message(unpacked(raw, packed, sha256))
            when = said_at or created_at or ""
            yield IndexEntry("raw", chat_id, key, sha256, when, message.speaker, message.words)
    for chat_id, name, number, began_at, texts in archive.run(
        f"SELECT chat_id, memory.id, edition.number, began_at, texts {_MEMORIES}",
        (as_of,),
    ):
        if ("memories", chat_id, name) in keys:
            own_words = "\n\n".join(json.loads(texts)[1::2])
            yield IndexEntry("memories", chat_id, name, str(number), began_at or "", "", own_words)
    for entry in (*_facts(archive), *_titles(archive)):
        if (entry.kind, entry.chat_id, entry.name) in keys:
            yield entry


def _facts(archive: Archive) -> Iterator[IndexEntry]:
    for chat_id in archive.column("SELECT chat_id FROM chat"):
        for fact in live_facts(fact_events(archive, chat_id)):
            version = hashlib.sha256(f"{fact.said_at}\n{fact.text}".encode()).hexdigest()
            yield IndexEntry(
                "facts", chat_id, str(fact.number), version, fact.said_at, "", fact.text
            )


def _titles(archive: Archive) -> Iterator[IndexEntry]:
    for chat_id, title in archive.run("SELECT chat_id, title FROM chat"):
        yield IndexEntry("titles", chat_id, "", title, "", "", title)
