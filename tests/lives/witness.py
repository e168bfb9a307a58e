"""What the archive holds, read with plain SQL and the standard library, so that no mistake of memproc's is shared."""

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.lives.ledger import Ledger, ledger
from tests.typingmind.texts import text_of

Six = tuple[str, ...]


@dataclass(frozen=True)
class Edition:
    """One edition of a memory: its six texts, and its quotes with the keys of the messages they are from."""

    memory: str
    number: int
    kind: str
    texts: Six
    quotes: tuple[tuple[str, str], ...]
    tokens_beside_quotes: int
    """All of them where the person has edited it: nothing of that is known to be a quote."""


@dataclass(frozen=True)
class Kept:
    """One memory, or a fold of the memories in `members`."""

    name: str
    number: int
    level: int
    forgotten: bool
    pinned: bool
    """The person has pinned or edited it."""
    members: tuple[str, ...]
    chunk: tuple[int, ...]
    """The rows of the messages that stand under it, in order."""
    editions: tuple[Edition, ...]


@dataclass(frozen=True)
class Raw:
    """One raw message at its place in the history, in all its versions."""

    row: int
    key: str
    position: int
    left_out: bool
    gone: bool
    hashes: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Account:
    """What the archive knows of one chat."""

    memories: dict[str, Kept] = field(default_factory=dict)
    raw: dict[int, Raw] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    """Of core memory and facts."""

    @cached_property
    def chunks(self) -> dict[str, tuple[int, ...]]:
        """The messages under each memory that is no fold, oldest first."""
        plain = sorted(
            (one for one in self.memories.values() if not one.members), key=lambda one: one.number
        )
        return {one.name: one.chunk for one in plain}

    @cached_property
    def under(self) -> frozenset[str]:
        """Everything that was ever said in the messages that stand under memories."""
        return frozenset(
            text for chunk in self.chunks.values() for row in chunk for text in self.raw[row].texts
        )

    @cached_property
    def by_texts(self) -> dict[Six, Edition]:
        """Every edition by its six texts."""
        return {
            edition.texts: edition for one in self.memories.values() for edition in one.editions
        }

    @cached_property
    def standing(self) -> frozenset[str]:
        """Names of the memories of chunks that are not forgotten."""
        return frozenset(name for name in self.chunks if not self.memories[name].forgotten)

    def told_of(self, texts: set[str]) -> frozenset[str]:
        """The memories of chunks of which these texts surely have some: a raw message, two answers, a fold's quotes.

        A fold's other answers may say what its members say.
        """
        found = {
            name
            for name, chunk in self.chunks.items()
            for row in chunk
            if set(self.raw[row].texts) & texts
        }
        for one in self.memories.values():
            if any(_is_told(one, edition, texts) for edition in one.editions):
                found |= self.covered(one.name)
        return frozenset(found)

    def begun(self, texts: set[str]) -> dict[str, str]:
        """What is said now under the memories of which these texts have raw messages alone, by uuid.

        Not of forgotten ones: the person has deleted all that is under them.
        """
        found: dict[str, str] = {}
        for name in self.standing:
            memory, raw = self.memories[name], [self.raw[row] for row in self.chunks[name]]
            is_shown = any(_is_told(memory, edition, texts) for edition in memory.editions)
            if not is_shown and any(texts.intersection(one.texts) for one in raw):
                found |= {one.key: one.texts[-1] for one in raw if not one.gone}
        return found

    def folded(self, texts: set[str]) -> frozenset[str]:
        """The memories of chunks that are only seen in a fold which these texts show, but one for each fold."""
        inside: set[str] = set()
        for one in self.memories.values():
            if one.members and any(_is_told(one, edition, texts) for edition in one.editions):
                inside |= set(sorted(self.covered(one.name))[1:])
        return frozenset(inside)

    def hinted_at(self, texts: set[str]) -> frozenset[str]:
        """The memories of chunks of which these texts may have something.

        The first question of a memory names it, and counts like an answer. The others ask the same of all.
        """
        said = {
            name
            for name, one in self.memories.items()
            for e in one.editions
            if texts.intersection((e.texts[0], *e.texts[1::2]))
        }
        return self.told_of(texts).union(*(self.covered(name) for name in said))

    def covered(self, name: str) -> frozenset[str]:
        """The memories of chunks that a memory stands for."""
        members = self.memories[name].members
        return (
            frozenset(inner for one in members for inner in self.covered(one))
            if members
            else frozenset([name])
        )


def _is_told(memory: Kept, edition: Edition, texts: set[str]) -> bool:
    if memory.members:
        return edition.texts[1] in texts
    return len(texts.intersection(edition.texts[1::2])) >= 2


class Witness:
    """Reads an archive's file; what has been unpacked once is remembered by its hash."""

    def __init__(self, archive: Path) -> None:
        self._archive = archive
        self._said: dict[str, str] = {}

    def chats(self) -> dict[str, Account]:
        """Every chat that the archive knows."""
        with closing(sqlite3.connect(self._archive)) as connection:
            rows = connection.execute("SELECT id, chat_id FROM chat").fetchall()
            return {
                chat_id: Account(
                    _memories(connection, row), self._raw(connection, row), ledger(connection, row)
                )
                for row, chat_id in rows
            }

    def answered(self) -> frozenset[str]:
        """The requests of which the archive has an answer."""
        with closing(sqlite3.connect(self._archive)) as connection:
            return frozenset(key for (key,) in connection.execute("SELECT request FROM reply"))

    def _raw(self, connection: sqlite3.Connection, chat: int) -> dict[int, Raw]:
        found: dict[int, Raw] = {}
        versions: dict[int, list[str]] = {}
        for message, sha256 in connection.execute(
            "SELECT message, sha256 FROM version JOIN message ON message.id = message WHERE chat = ? ORDER BY number",
            (chat,),
        ):
            versions.setdefault(message, []).append(sha256)
        for row, key, position, left_out, gone in connection.execute(
            "SELECT id, key, position, left_out IS NOT NULL, gone_at IS NOT NULL FROM message WHERE chat = ?",
            (chat,),
        ):
            hashes = tuple(versions[row])
            texts = tuple(self._text(connection, sha256) for sha256 in hashes)
            found[row] = Raw(row, key, position, bool(left_out), bool(gone), hashes, texts)
        return found

    def _text(self, connection: sqlite3.Connection, sha256: str) -> str:
        if sha256 not in self._said:
            raw, packed = connection.execute(
                "SELECT raw, packed FROM body WHERE sha256 = ?", (sha256,)
            ).fetchone()
            plain = zlib.decompress(raw) if packed else raw
            assert hashlib.sha256(plain).hexdigest() == sha256, "a raw message is not what it was"
            self._said[sha256] = text_of(json.loads(plain).get("content"))
        return self._said[sha256]


def _memories(connection: sqlite3.Connection, chat: int) -> dict[str, Kept]:
    of_chat = "SELECT id FROM memory WHERE chat = ?"
    editions = _grouped(
        connection.execute(
            "SELECT memory, number, kind, texts, quotes, tokens FROM edition "
            f"WHERE memory IN ({of_chat}) ORDER BY number",
            (chat,),
        )
    )
    members = _grouped(
        connection.execute(
            f"SELECT fold, member FROM fold_member WHERE fold IN ({of_chat}) ORDER BY place",
            (chat,),
        )
    )
    chunks = _grouped(
        connection.execute(
            f"SELECT memory, message FROM chunk_message WHERE memory IN ({of_chat}) ORDER BY place",
            (chat,),
        )
    )
    return {
        name: Kept(
            name,
            number,
            level,
            bool(forgotten),
            bool(pinned),
            tuple(member for (member,) in members.get(name, ())),
            tuple(message for (message,) in chunks.get(name, ())),
            tuple(_edition(name, *row) for row in editions[name]),
        )
        for name, number, level, forgotten, pinned in connection.execute(
            "SELECT id, number, level, forgotten_at IS NOT NULL, pinned FROM memory WHERE chat = ?",
            (chat,),
        )
    }


def _edition(name: str, number: int, kind: str, texts: str, quotes: str, tokens: int) -> Edition:
    cited = json.loads(quotes)
    outside = 0 if kind == "person" else sum(quote["tokens"] for quote in cited)
    said = tuple((quote["text"], quote["source"]) for quote in cited)
    return Edition(name, number, kind, tuple(json.loads(texts)), said, tokens - outside)


def _grouped(rows: Iterator[tuple[Any, ...]]) -> dict[str, list[tuple[Any, ...]]]:
    found: dict[str, list[tuple[Any, ...]]] = {}
    for name, *rest in rows:
        found.setdefault(name, []).append(tuple(rest))
    return found
