"""An archive of an older memproc becomes one of today, and nothing that was in it is lost."""

import json
import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest

from daemon.archive.archive import Archive, check
from daemon.archive.journal import recall
from daemon.archive.memories import editions, memories, round_of
from daemon.archive.messages import past, standing, whole
from daemon.archive.rows import packed
from daemon.archive.schema import STEPS
from daemon.files.paths import archive_path
from rules.recognize.adopt import Adopted
from rules.typingmind.message import Message
from tests.daemon.archive.test_archive import reply
from tests.daemon.archive.test_messages import CHAT, LATER, TALK, WHEN
from tests.entries import chat_of, entries, memory_of, said

BEFORE = 3
"""Steps that the older memproc had: it kept bytes with each version, and one quote with each edition."""
EDITED = said("assistant", "message number 5, edited", 5)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """The state folder of an older memproc: six messages, the last one edited, two under a memory, and a reply."""
    connection = sqlite3.connect(archive_path(tmp_path))
    for number, (name, script) in enumerate(STEPS[:BEFORE], 1):
        connection.executescript(script)
        connection.execute("INSERT INTO migration (number, name) VALUES (?, ?)", (number, name))
    chat = chat_of([])
    head, tail = chat.slice(chat.span).split(b"[]")
    connection.execute(
        "INSERT INTO chat VALUES (1, ?, 'Aria', NULL, ?, ?, ?, ?)", (CHAT, head + b"[", b"]" + tail, WHEN, LATER)
    )
    for at, message in enumerate(TALK):
        connection.execute(
            "INSERT INTO message (id, chat, key, position) VALUES (?, 1, ?, ?)", (at + 1, message.uuid, at)
        )
        _version(connection, at + 1, at + 1, 1, message)
    _version(connection, 7, 6, 2, EDITED)
    _memory(connection)
    asked = reply("a")
    connection.execute(
        "INSERT INTO reply VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, NULL, ?, ?, 'chat', '{}')",
        (asked.request, asked.model, asked.step, asked.text, asked.finish, 1, 2, WHEN, WHEN),
    )
    connection.commit()
    connection.close()
    return tmp_path


def _version(connection: sqlite3.Connection, row: int, message: int, number: int, what: Message) -> None:
    stored, is_packed = packed(what.raw)
    hashed = sha256(what.raw).hexdigest()
    connection.execute(
        "INSERT INTO version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (row, message, number, stored, is_packed, hashed, what.digest, what.uuid, what.role, what.created_at, WHEN),
    )


def _memory(connection: sqlite3.Connection) -> None:
    made = memory_of(1, entries(TALK)[:2])
    edition, (quote,) = made.edition, made.edition.quotes
    connection.execute(
        "INSERT INTO memory VALUES ('m1', 1, 1, 1, ?, ?, ?, ?, 100, 1, 0, NULL)",
        (made.first, made.last, made.began_at, made.ended_at),
    )
    connection.executemany("INSERT INTO chunk_message VALUES ('m1', ?, ?, ?)", [(0, 1, 1), (1, 2, 2)])
    connection.execute(
        "INSERT INTO edition VALUES ('m1', 1, 'as-of', ?, ?, ?, 'agent', 'model', ?, ?, '[]', 10, ?)",
        (
            json.dumps(edition.texts), quote.text, quote.source, edition.agent, edition.context_manager,
            edition.written_at,
        ),
    )  # fmt: skip


def test_every_message_is_there_byte_for_byte_in_every_version(older: Path) -> None:
    with Archive.open(older) as archive:
        assert [bytes(raw) for raw in whole(archive, CHAT).messages] == [*(one.raw for one in TALK[:5]), EDITED.raw]
        assert archive.one("SELECT count(*) FROM version") == (7,)
        assert archive.one("SELECT count(*) FROM body") == (7,)
        assert [old.key for old in standing(archive, CHAT)] == [message.uuid for message in TALK[2:]]
        assert check(archive) == ()


def test_memories_keep_their_chunks_and_their_quotes(older: Path) -> None:
    made = memory_of(1, entries(TALK)[:2])
    with Archive.open(older) as archive:
        assert memories(archive, CHAT) == (made,)
        assert editions(archive, "m1") == (made.edition,)
        assert [(old.key, old.message.raw) for old in past(archive, CHAT)] == [(one.uuid, one.raw) for one in TALK[:2]]


def test_what_was_paid_for_is_not_paid_again(older: Path) -> None:
    with Archive.open(older) as archive:
        assert recall(archive, "a") == reply("a")


def test_no_round_was_ever_begun_in_it(older: Path) -> None:
    with Archive.open(older) as archive:
        begun = round_of(archive, CHAT, Adopted())
    assert (begun.upto, set(begun.chosen), set(begun.had)) == (0, set(), set())


def test_it_can_be_read_as_it_will_be_and_is_not_touched_by_that(older: Path) -> None:
    before = archive_path(older).read_bytes()
    with Archive.read(older) as archive:
        assert memories(archive, CHAT) == (memory_of(1, entries(TALK)[:2]),)
        assert check(archive) == ()
    assert archive_path(older).read_bytes() == before


def test_a_message_that_two_chats_have_is_kept_once_from_then_on(older: Path) -> None:
    connection = sqlite3.connect(archive_path(older))
    connection.execute("INSERT INTO chat SELECT 2, 'fork', title, NULL, head, tail, first_seen, last_seen FROM chat")
    for at, message in enumerate(TALK):
        connection.execute(
            "INSERT INTO message (id, chat, key, position) VALUES (?, 2, ?, ?)", (at + 11, message.uuid, at)
        )
        _version(connection, at + 11, at + 11, 1, message)
    connection.commit()
    connection.close()
    with Archive.open(older) as archive:
        assert archive.one("SELECT count(*) FROM body") == (7,)
        assert [bytes(raw) for raw in whole(archive, "fork").messages] == [message.raw for message in TALK]
        assert check(archive) == ()


def test_what_it_held_has_hashes_from_then_on(older: Path) -> None:
    Archive.open(older).close()
    connection = sqlite3.connect(archive_path(older))
    connection.execute("UPDATE edition SET texts = replace(texts, 'a', 'b')")
    connection.commit()
    connection.close()
    with Archive.read(older) as archive:
        assert check(archive) == ("archive: row 1 of edition is not what was stored",)
