"""Of somebody else's archive the rows are taken over and nothing else, however it says that they come about."""

import sqlite3
import zlib
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from daemon.archive import copying, seals
from daemon.archive.archive import Archive, check_integrity
from daemon.archive.copying import copy_archive, foreign_objects
from daemon.archive.journal import raise_cap, raised_cap
from daemon.archive.messages import raw_conversation
from daemon.archive.signs import set_sign
from daemon.files.paths import archive_path
from rules.errors import ArchiveError
from tests.daemon.archive.test_messages import CHAT, TALK, see

NOW, LATER = "2026-03-02T10:00:00.000Z", "2027-03-02T10:00:00.000Z"


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """The file of an archive with a conversation, a raised cap and what a daemon has said of itself."""
    folder = tmp_path / "theirs"
    with Archive.open(folder) as archive:
        see(archive, TALK)
        raise_cap(archive, "day", 10**15, LATER, NOW)
        set_sign(archive, "pid", "123", NOW)
        archive.fold_log()
    return archive_path(folder)


def taken_over(source: Path, folder: Path) -> Archive:
    folder.mkdir()
    copy_archive(source, archive_path(folder))
    return Archive.open(folder)


def test_the_rows_are_taken_over_and_the_archive_is_sound(theirs: Path, tmp_path: Path) -> None:
    with taken_over(theirs, tmp_path / "ours") as archive, Archive.memory() as new:
        assert check_integrity(archive) == ()
        assert shape(archive) == shape(new)
        assert [bytes(raw) for raw in raw_conversation(archive, CHAT).messages] == [
            message.raw for message in TALK
        ]


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("chat", "title = printf('%.20001c', 'x')"),
        ("chat", "title = printf('%.15000c', 'x'), folder_id = printf('%.15000c', 'x')"),
        ("message", "left_out = printf('%.15001c', 'x')"),
    ],
)
def test_a_large_message_is_copied_block_by_block_and_no_other_row_is_large(
    theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, values: str
) -> None:
    monkeypatch.setattr(copying, "BLOCK", 100)
    monkeypatch.setattr(copying, "_LARGEST_ROW", 20_000)
    monkeypatch.setattr(copying, "_LARGEST_TEXT", 15_000)
    with taken_over(theirs, tmp_path / "ours") as archive:
        assert check_integrity(archive) == ()
    with Archive.open(theirs.parent) as archive:
        archive.run(f"UPDATE {table} SET {values}")
        archive.fold_log()
    with pytest.raises(ArchiveError, match=f"A row of its table {table} is larger than any"):
        copy_archive(theirs, tmp_path / "again.sqlite3")


def test_a_message_that_unpacks_to_more_than_memproc_reads_is_damage(
    theirs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = b"a" * 5000
    with Archive.open(theirs.parent) as archive:
        body = (sha256(raw).hexdigest(), zlib.compress(raw))
        archive.run("INSERT INTO body VALUES (?, ?, 1)", body)
        archive.run("UPDATE version SET sha256 = ? WHERE id = 1", body[:1])
        assert check_integrity(archive) == ()
        monkeypatch.setattr(seals, "LARGEST_BYTES", 4000)
        assert check_integrity(archive) == (
            "archive: version 1 of a raw message is not what was stored",
        )


def test_no_sign_of_a_daemon_and_no_raised_cap_comes_along(theirs: Path, tmp_path: Path) -> None:
    with taken_over(theirs, tmp_path / "ours") as archive:
        assert archive.run("SELECT name FROM sign") == [("zone",)]
        assert raised_cap(archive, "day", NOW) == 0


@pytest.mark.parametrize(("name", "kept"), [("Asia/Tokyo", "Asia/Tokyo"), ("Mars/Olympus", "UTC")])
def test_the_zone_comes_along_where_this_computer_knows_it(
    theirs: Path, tmp_path: Path, name: str, kept: str
) -> None:
    with Archive.open(theirs.parent) as archive:
        set_sign(archive, "zone", name, NOW)
        archive.fold_log()
    with taken_over(theirs, tmp_path / "ours") as archive:
        assert str(archive.zone) == kept


def shape(archive: Archive) -> dict[tuple[str, str], str]:
    """The text of every table, index and trigger."""
    things = archive.run("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {(kind, name): " ".join(str(sql).split()) for kind, name, sql in things}


HOSTILE = {
    "a trigger": "CREATE TRIGGER bad AFTER INSERT ON edition BEGIN UPDATE edition SET texts = '[]'; END",
    "a view": "CREATE VIEW shown AS SELECT * FROM chat",
    "a view in the place of a table": "DROP TABLE missing; CREATE VIEW missing AS SELECT 1 AS message, 'x' AS since",
    "a table": "CREATE TABLE extra (x)",
    "a virtual table": "CREATE VIRTUAL TABLE extra USING fts5 (x)",
    "an index on an expression": "CREATE INDEX bad ON chat (upper(title))",
    "a lost table": "DROP TABLE odd_usage",
    "a lost column": "ALTER TABLE odd_usage DROP COLUMN said",
    "values of another type": (
        "DROP TABLE odd_usage; CREATE TABLE odd_usage (request, said); INSERT INTO odd_usage VALUES (x'00', NULL)"
    ),
    "another version": "PRAGMA user_version = 999",
    "another program": "PRAGMA application_id = 1",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_whatever_else_its_schema_holds_is_refused(theirs: Path, tmp_path: Path, what: str) -> None:
    with closing(sqlite3.connect(theirs)) as database:
        database.executescript(HOSTILE[what])
    (tmp_path / "ours").mkdir()
    with pytest.raises(ArchiveError):
        copy_archive(theirs, archive_path(tmp_path / "ours"))


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"x" * 500])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    source = tmp_path / "theirs"
    source.write_bytes(content)
    with pytest.raises(ArchiveError):
        copy_archive(source, tmp_path / "ours")


def test_a_trigger_under_one_of_our_names_does_nothing_to_the_rows(
    theirs: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(theirs)) as database:
        (name,) = database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' LIMIT 1"
        ).fetchone()
        database.executescript(
            f"DROP TRIGGER {name}; CREATE TRIGGER {name} AFTER INSERT ON chat BEGIN DELETE FROM message; END"
        )
        with Archive.open(theirs.parent) as archive:
            assert foreign_objects(archive) == (f"the trigger {name!r} is not memproc's",)
            archive.fold_log()
    with taken_over(theirs, tmp_path / "ours") as archive, Archive.memory() as new:
        assert foreign_objects(archive) == ()
        assert shape(archive) == shape(new)


def test_verify_names_only_what_is_not_of_memproc(theirs: Path) -> None:
    with Archive.open(theirs.parent) as archive:
        archive.run("ANALYZE")
        assert foreign_objects(archive) == ()
        archive.run("CREATE TRIGGER bad AFTER INSERT ON chat BEGIN DELETE FROM message; END")
        archive.run("CREATE TABLE extra (x)")
        assert foreign_objects(archive) == (
            "the trigger 'bad' is not memproc's",
            "the table 'extra' is not memproc's",
        )
