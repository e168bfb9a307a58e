"""Read the archive with plain SQL and the standard library, so as not to share any mistake of memproc's."""

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
    """One edition of a memory: its six texts, and its quotes, each with the key of its message."""

    memory: str
    number: int
    kind: str
    texts: Six
    quotes: tuple[tuple[str, str], ...]
    tokens_beside_quotes: int
    """The tokens of its texts without the quotes; all of them if the person edited it, since no quote is known then."""


@dataclass(frozen=True)
class Kept:
    """One memory, or a fold of the memories in `members`."""

    name: str
    number: int
    level: int
    forgotten: bool
    pinned: bool
    """Whether the person has pinned or edited it."""
    recalled: bool
    """Whether it was recalled, and no run has noted it in an export since."""
    members: tuple[str, ...]
    chunk: tuple[int, ...]
    """The rows of the messages under it, in order."""
    editions: tuple[Edition, ...]


@dataclass(frozen=True)
class Raw:
    """A raw message at its place in the history, with all its versions."""

    row: int
    key: str
    position: int
    left_out: bool
    gone: bool
    hashes: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Account:
    """All that the archive knows about one chat."""

    memories: dict[str, Kept] = field(default_factory=dict)
    raw: dict[int, Raw] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    """What the archive holds of core memory, facts and kept passages."""

    @cached_property
    def chunks(self) -> dict[str, tuple[int, ...]]:
        """Return the rows of the messages under each memory that is no fold, oldest memory first."""
        plain = sorted(
            (one for one in self.memories.values() if not one.members), key=lambda one: one.number
        )
        return {one.name: one.chunk for one in plain}

    @cached_property
    def under(self) -> frozenset[str]:
        """Return every text, in any version, of the messages under memories."""
        return frozenset(
            text for chunk in self.chunks.values() for row in chunk for text in self.raw[row].texts
        )

    @cached_property
    def by_texts(self) -> dict[Six, Edition]:
        """Return every edition by its six texts."""
        return {
            edition.texts: edition for one in self.memories.values() for edition in one.editions
        }

    @cached_property
    def standing(self) -> frozenset[str]:
        """Return the names of the memories of chunks that are not forgotten."""
        return frozenset(name for name in self.chunks if not self.memories[name].forgotten)

    def told_of(self, texts: set[str]) -> frozenset[str]:
        """Return the memories of chunks of which these texts surely have something.

        That is a raw message, two answers, or the quotes of a fold; a fold's other answers may be those of its members.
        """
        names = {
            name
            for name, chunk in self.chunks.items()
            for row in chunk
            if set(self.raw[row].texts) & texts
        }
        for one in self.memories.values():
            if any(_is_told(one, edition, texts) for edition in one.editions):
                names |= self.covered(one.name)
        return frozenset(names)

    def begun(self, texts: set[str]) -> dict[str, str]:
        """Return the present texts, by uuid, under memories of which these texts have only raw messages.

        Forgotten memories are left out: the person has deleted all that is under them.
        """
        texts_by_key: dict[str, str] = {}
        for name in self.standing:
            memory, raw = self.memories[name], [self.raw[row] for row in self.chunks[name]]
            is_shown = any(_is_told(memory, edition, texts) for edition in memory.editions)
            if not is_shown and any(texts.intersection(one.texts) for one in raw):
                texts_by_key |= {one.key: one.texts[-1] for one in raw if not one.gone}
        return texts_by_key

    def folded(self, texts: set[str]) -> frozenset[str]:
        """Return the memories of chunks that are in folds which these texts show, all but the first of each fold."""
        inside: set[str] = set()
        for one in self.memories.values():
            if one.members and any(_is_told(one, edition, texts) for edition in one.editions):
                inside |= set(sorted(self.covered(one.name))[1:])
        return frozenset(inside)

    def hinted_at(self, texts: set[str]) -> frozenset[str]:
        """Return the memories of chunks of which these texts may have something.

        A memory's first question names it, and counts like an answer; its other questions are the same in all memories.
        """
        said = {
            name
            for name, one in self.memories.items()
            for e in one.editions
            if texts.intersection((e.texts[0], *e.texts[1::2]))
        }
        return self.told_of(texts).union(*(self.covered(name) for name in said))

    def covered(self, name: str) -> frozenset[str]:
        """Return the memories of chunks that a memory stands for: itself, or all below a fold."""
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
    """Reads the file of an archive; unpacked texts are cached by their hashes."""

    def __init__(self, archive: Path) -> None:
        self._archive = archive
        self._said: dict[str, str] = {}

    def chats(self) -> dict[str, Account]:
        """Return every chat that the archive knows."""
        with closing(sqlite3.connect(self._archive)) as connection:
            rows = connection.execute("SELECT id, chat_id FROM chat").fetchall()
            return {
                chat_id: Account(
                    _memories(connection, row), self._raw(connection, row), ledger(connection, row)
                )
                for row, chat_id in rows
            }

    def answered(self) -> frozenset[str]:
        """Return the keys of the requests whose answers the archive has."""
        with closing(sqlite3.connect(self._archive)) as connection:
            return frozenset(key for (key,) in connection.execute("SELECT request FROM reply"))

    def _raw(self, connection: sqlite3.Connection, chat: int) -> dict[int, Raw]:
        messages: dict[int, Raw] = {}
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
            messages[row] = Raw(row, key, position, bool(left_out), bool(gone), hashes, texts)
        return messages

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
            bool(recalled),
            tuple(member for (member,) in members.get(name, ())),
            tuple(message for (message,) in chunks.get(name, ())),
            tuple(_edition(name, *row) for row in editions[name]),
        )
        for name, number, level, forgotten, pinned, recalled in connection.execute(
            "SELECT id, number, level, forgotten_at IS NOT NULL, pinned, recalled FROM memory "
            "WHERE chat = ?",
            (chat,),
        )
    }


def _edition(name: str, number: int, kind: str, texts: str, quotes: str, tokens: int) -> Edition:
    cited = json.loads(quotes)
    outside = 0 if kind == "person" else sum(quote["tokens"] for quote in cited)
    quoted = tuple((quote["text"], quote["source"]) for quote in cited)
    return Edition(name, number, kind, tuple(json.loads(texts)), quoted, tokens - outside)


def _grouped(rows: Iterator[tuple[Any, ...]]) -> dict[str, list[tuple[Any, ...]]]:
    groups: dict[str, list[tuple[Any, ...]]] = {}
    for name, *rest in rows:
        groups.setdefault(name, []).append(tuple(rest))
    return groups
