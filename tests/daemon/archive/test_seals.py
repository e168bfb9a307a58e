"""Every row that a chat is made from has its hash: what anything else changes in the file is noticed.

What was stored comes back as the same bytes, or not at all.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from click import UsageError
from hypothesis import given
from hypothesis import strategies as st

from daemon.archive.archive import Archive, check_integrity
from daemon.archive.chats import Rest, keep_rest, record_processed, rest_of
from daemon.archive.evaluation import keep_answers, keep_questions
from daemon.archive.journal import find_reply, record
from daemon.archive.keeping import store_passages
from daemon.archive.layers import core_events, fact_events, keep_core_events, keep_fact_events
from daemon.archive.memories import end_turn, find_memory, keep_memory, memories
from daemon.archive.messages import raw_conversation
from daemon.archive.seals import (
    SEALED,
    damaged_rows,
    packed,
    refuse_any_damage,
    refuse_damage,
    refuse_lost_name,
    seal_of,
    unpacked,
)
from daemon.archive.trouble import archive_errors
from daemon.files.paths import archive_path
from daemon.models.ask import Unsent
from rules.errors import ArchiveError, DamagedChat, FileTrouble
from rules.layers.core import CoreEvent
from rules.layers.facts import FactEvent
from rules.layers.kept_passages import KeptPassage
from tests.daemon.archive.test_archive import reply
from tests.daemon.archive.test_evaluation import ANSWER, QUESTION
from tests.daemon.archive.test_messages import CHAT, LATER, TALK, WHEN, see
from tests.entries import entries, memory_of


def hashed(raw: bytes) -> str:
    return sha256(raw).hexdigest()


@given(st.binary(max_size=600) | st.binary(max_size=20).map(lambda raw: raw * 100))
def test_every_byte_comes_back_and_nothing_grows(raw: bytes) -> None:
    stored, is_packed = packed(raw)
    assert len(stored) <= len(raw)
    assert unpacked(stored, is_packed, hashed(raw)) == raw


def test_a_long_message_is_packed_and_a_short_one_is_not() -> None:
    assert packed(b"a" * 5000)[1] == 1
    assert packed(b"a" * 20) == (b"a" * 20, 0)


@pytest.mark.parametrize("raw", [b'{"content":"short"}', b'{"content":"' + b"long " * 200 + b'"}'])
@given(data=st.data())
def test_bytes_that_are_no_longer_the_same_are_refused(raw: bytes, data: st.DataObject) -> None:
    stored, is_packed = packed(raw)
    at = data.draw(st.integers(0, len(stored) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != stored[at]))
    damaged = stored[:at] + bytes([other]) + stored[at + 1 :]
    try:
        found = unpacked(damaged, is_packed, hashed(raw))
    except ArchiveError as told:
        assert "memproc verify" in told.next_step
    else:
        assert found == raw, "only zlib's own marks may change unnoticed"


@pytest.fixture(scope="module")
def as_it_was(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chat with two memories, a fact, a line of core memory, and a reply."""
    folder = tmp_path_factory.mktemp("state")
    with Archive.open(folder) as archive:
        see(archive, TALK)
        for number in (1, 2):
            keep_memory(
                archive, CHAT, memory_of(number, entries(TALK)[number * 2 - 2 : number * 2])
            )
        end_turn(archive, "m1")
        fact = FactEvent(1, "ADD", "Ada likes tea", WHEN, "", "person", 0, 0, "", WHEN)
        keep_fact_events(archive, CHAT, [fact], WHEN)
        line = CoreEvent("human", "Likes tea", held=True, by="person", function="set")
        keep_core_events(archive, CHAT, [line], WHEN)
        words = KeptPassage(
            TALK[0].uuid or "", 0, TALK[0].words, WHEN, "user", 1, "person", "kept", digest="d"
        )
        store_passages(archive, CHAT, [words], WHEN)
        record(archive, reply("a"), CHAT, {})
        archive.run("UPDATE message SET gone_at = ?, is_missing = 1 WHERE id = 6", (LATER,))
        record_processed(archive, CHAT, "s" * 64, "f" * 64, 5, WHEN)
        keep_rest(archive, CHAT, Rest("a", "b", {"reason": "nothing new"}))
        keep_questions(archive, CHAT, [QUESTION])
        keep_answers(archive, CHAT, [ANSWER])
    return folder


@pytest.fixture
def state(as_it_was: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return copytree(as_it_was, tmp_path / "state")


def rot(state: Path, sql: str) -> None:
    """Change the file as nothing of memproc's does."""
    with closing(sqlite3.connect(archive_path(state))) as database:
        database.execute(sql)
        database.commit()


def test_what_memproc_itself_has_written_and_changed_is_sound(state: Path) -> None:
    with Archive.open(state) as archive:
        archive.run("UPDATE memory SET pinned = 1, due = 'edited' WHERE id = 'm2'")
        archive.run("UPDATE chat SET title = 'Another'")
        assert check_integrity(archive) == ()
        refuse_damage(archive.run, CHAT)
        refuse_any_damage(archive.run)


@pytest.mark.parametrize(
    ("sql", "row"),
    [
        (
            "UPDATE edition SET texts = replace(texts, 'a', 'b') WHERE memory = 'm2'",
            "row 2 of edition",
        ),
        ("UPDATE memory SET forgotten_at = 'x' WHERE id = 'm1'", "row 1 of memory"),
        (
            "UPDATE version SET created_at = '1999-01-01T00:00:00.000Z' WHERE id = 4",
            "row 4 of version",
        ),
        ("UPDATE message SET key = 'another' WHERE id = 3", "row 3 of message"),
        ("UPDATE message SET position = 5 - position", "row 1 of message"),
        (
            "UPDATE message SET said_at = '1999-01-01T00:00:00.000Z' WHERE id = 2",
            "row 2 of message",
        ),
        ("UPDATE message SET left_out = 'spoken aside' WHERE id = 5", "row 5 of message"),
        ("UPDATE message SET gone_at = NULL WHERE id = 6", "row 6 of message"),
        ("UPDATE message SET is_missing = 0 WHERE id = 6", "row 6 of message"),
        ("UPDATE chat_state SET accepted_at = '1999-01-01T00:00:00.000Z'", "row 1 of chat_state"),
        ("UPDATE fact_event SET text = 'Ada hates tea'", "row 1 of fact_event"),
        ("UPDATE core_event SET value = '\"Hates tea\"'", "row 1 of core_event"),
        ("UPDATE chat SET tail = x'7d'", "row 1 of chat"),
        ("UPDATE chunk_message SET version = 6 WHERE message = 2", "row 2 of chunk_message"),
        ("UPDATE reply SET text = 'another answer'", "row 1 of reply"),
        ("UPDATE edition SET seal = ''", "row 1 of edition"),
    ],
)
def test_the_row_is_named_and_its_chat_is_refused(state: Path, sql: str, row: str) -> None:
    rot(state, sql)
    with Archive.open(state) as archive:
        assert any(f"{row} is not what was stored" in fault for fault in check_integrity(archive))
        with pytest.raises(DamagedChat, match=row) as told:
            find_reply(archive, "a")
            refuse_damage(archive.run, CHAT)
        assert "memproc rebuild" in told.value.next_step
        refuse_damage(archive.run, "another chat")


def test_no_reader_hands_out_what_is_damaged(state: Path) -> None:
    for table, column in (
        ("edition", "texts"),
        ("fact_event", "text"),
        ("core_event", "value"),
        ("chat", "title"),
    ):
        rot(state, f"UPDATE {table} SET {column} = {column} || ' ROTTEN'")
    with Archive.read(state) as archive:
        for read in (memories, fact_events, core_events, raw_conversation):
            with pytest.raises(DamagedChat):
                read(archive, CHAT)
        with pytest.raises(DamagedChat):
            find_memory(archive, "m1")


def test_the_order_and_the_absence_of_messages_never_come_out_of_expand_changed(
    state: Path,
) -> None:
    for sql, back in (
        ("UPDATE message SET position = 5 - position", "position = 5 - position"),
        ("UPDATE message SET is_missing = 0 WHERE id = 6", "is_missing = 1 WHERE id = 6"),
    ):
        with Archive.open(state) as archive:
            assert len(raw_conversation(archive, CHAT).messages) == 6
        rot(state, sql)
        with Archive.read(state) as archive, pytest.raises(DamagedChat):
            raw_conversation(archive, CHAT)
        rot(state, f"UPDATE message SET {back}")


def test_a_damaged_chat_stops_a_new_one_only_where_it_may_be_that_one(state: Path) -> None:
    rot(state, "UPDATE chat SET title = 'Arya'")
    with Archive.read(state) as archive:
        refuse_lost_name(archive.run, "another chat")
    rot(state, "UPDATE chat SET title = 'Aria'")
    rot(state, "UPDATE chat SET chat_id = 'k3v9xq2m7q'")
    with Archive.read(state) as archive:
        refuse_lost_name(archive.run, "another chat")
        with pytest.raises(
            DamagedChat, match="row 1 of chat is not what was stored, and may be its own"
        ):
            refuse_lost_name(archive.run, CHAT)
    rot(state, "UPDATE chat SET title = 'Arya'")
    with Archive.read(state) as archive, pytest.raises(DamagedChat):
        refuse_lost_name(archive.run, CHAT)


def test_what_is_damaged_about_a_resting_chat_is_found_anew(state: Path) -> None:
    rot(state, "UPDATE rest SET found = 'no json'")
    with Archive.read(state) as archive:
        assert rest_of(archive, CHAT) is None


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE edition SET memory = 'gone' WHERE memory = 'm2'",
        "UPDATE chunk_message SET memory = 'gone' WHERE memory = 'm1' AND place = 0",
        "UPDATE version SET message = 99 WHERE message = 3",
        "UPDATE memory SET chat = 99 WHERE id = 'm2'",
        "UPDATE message SET chat = 99 WHERE id = 5",
        "UPDATE core_event SET chat = 99",
        "UPDATE fact_event SET chat = -1",
        "UPDATE kept_passage SET chat = 99",
        "DELETE FROM message WHERE id = 5",
    ],
)
def test_a_row_that_has_lost_its_chat_is_missed_there(state: Path, sql: str) -> None:
    rot(state, sql)
    with Archive.open(state) as archive, pytest.raises(DamagedChat):
        refuse_damage(archive.run, CHAT)


def test_a_fault_that_nobody_foresaw_is_damage_where_there_is_some(state: Path) -> None:
    with pytest.raises(KeyError), Archive.open(state):
        raise KeyError
    rot(state, "UPDATE edition SET kind = 'odd'")
    with pytest.raises(ArchiveError, match="row 1 of edition"), Archive.open(state):
        raise KeyError


@pytest.mark.parametrize(
    "fault", [Unsent(), UsageError("?"), KeyboardInterrupt(), OSError(), FileTrouble("?", "?")]
)
def test_damage_is_not_looked_for_behind_what_it_cannot_raise(
    state: Path, fault: BaseException
) -> None:
    rot(state, "UPDATE edition SET kind = 'odd'")
    with pytest.raises(type(fault)), Archive.open(state):
        raise fault


@pytest.mark.parametrize(
    "table", sorted(SEALED.keys() - {"fold_member", "layer_step", "opening", "output"})
)
def test_a_change_of_any_sealed_column_is_found(state: Path, table: str) -> None:
    for column in SEALED[table].columns:
        with closing(sqlite3.connect(archive_path(state), isolation_level=None)) as database:
            database.execute("BEGIN")
            changed = f"CASE typeof({column}) WHEN 'integer' THEN {column} + 7 WHEN 'blob' THEN x'00' ELSE 'x' END"
            with suppress(
                sqlite3.IntegrityError
            ):  # of another type, or there twice: SQLite itself would tell
                database.execute(
                    f"UPDATE {table} SET {column} = {changed} WHERE rowid = (SELECT min(rowid) FROM {table})"
                )
                assert list(damaged_rows(partial(rows, database))), column
            database.execute("ROLLBACK")


def test_every_column_of_a_sealed_table_is_sealed_but_where_a_file_lies_and_when_and_marks() -> (
    None
):
    with Archive.memory() as archive:
        for table, sealed in SEALED.items():
            columns = {
                name for (name,) in archive.run("SELECT name FROM pragma_table_info(?)", (table,))
            }
            assert columns - {*sealed.columns} <= {
                "seal",
                "path",
                "written_at",
                "last_seen",
                "form",
            }, table


def rows(
    database: sqlite3.Connection, sql: str, values: Sequence[object] = ()
) -> list[tuple[Any, ...]]:
    database.create_function("seal_of", -1, seal_of, deterministic=True)
    return database.execute(sql, tuple(values)).fetchall()


def test_an_interrupt_while_a_row_is_sealed_is_an_interrupt(tmp_path: Path) -> None:
    def interrupted(*row: object) -> str:
        raise KeyboardInterrupt

    connection = sqlite3.connect(":memory:")
    connection.create_function("seal_of", -1, interrupted)
    with pytest.raises(KeyboardInterrupt), archive_errors(tmp_path):
        connection.execute("SELECT seal_of(1)").fetchall()
    connection.close()


@pytest.mark.parametrize("fault", [MemoryError(), OSError("the disk"), KeyboardInterrupt()])
def test_what_is_raised_while_a_row_is_sealed_stays_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    def fail(*_: object) -> str:
        raise fault

    with Archive.open(tmp_path) as archive:
        monkeypatch.setattr("daemon.archive.seals.seal_of", fail)
        with pytest.raises(type(fault)):
            archive.run("SELECT seal_of('t', 1)")
