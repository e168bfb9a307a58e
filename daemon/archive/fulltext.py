"""Texts in order of how well they match some words, by SQLite's full-text index and its bm25.

The index lives in memory for one question, so that the order depends on these texts alone. What a word is, is said by
rules/extract for any script; SQLite sees numbers in the place of words, and nobody's text is ever read as a query.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from unicodedata import normalize

from rules.errors import ArchiveError
from rules.extract.words import terms


def ranked(texts: Sequence[str], words: str) -> Sequence[int]:
    """The places of the texts that share a word with `words`, best first; of equals the one that stands first.

    Raises ArchiveError where this Python's SQLite has no full-text index.
    """
    numbers: dict[str, int] = {}
    documents = [" ".join(_numbered(_words(text), numbers)) for text in texts]
    wanted = [f"w{numbers[word]}" for word in dict.fromkeys(_words(words)) if word in numbers]
    return _matching(documents, " OR ".join(wanted)) if wanted else ()


def _words(text: str) -> Iterable[str]:
    return terms(normalize("NFKC", text))


def _numbered(words: Iterable[str], numbers: dict[str, int]) -> list[str]:
    return [f"w{numbers.setdefault(word, len(numbers))}" for word in words]


def _matching(documents: Sequence[str], query: str) -> list[int]:
    with closing(sqlite3.connect(":memory:")) as index:
        _make(index)
        index.executemany("INSERT INTO document (rowid, words) VALUES (?, ?)", enumerate(documents))
        rows = index.execute(
            "SELECT rowid FROM document WHERE document MATCH ? ORDER BY bm25(document), rowid", (query,)
        )
        return [int(row[0]) for row in rows]


def _make(index: sqlite3.Connection) -> None:
    try:
        index.execute("CREATE VIRTUAL TABLE document USING fts5 (words, tokenize = 'ascii')")
    except sqlite3.OperationalError as fault:
        raise ArchiveError(
            "Facts cannot be compared: the SQLite of this Python has no full-text index (FTS5).",
            "Install memproc with another Python, or set facts.enabled = false in memproc.toml.",
        ) from fault
