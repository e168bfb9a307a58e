"""Of somebody else's archive the rows are taken over and nothing else, however large or odd they are."""

import json
import sqlite3
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from shutil import copytree

import pytest

from daemon.archive import row_lines, seals
from daemon.archive.archive import Archive, check_integrity
from daemon.archive.journal import raise_cap, raised_cap
from daemon.archive.messages import raw_conversation
from daemon.archive.row_lines import lines_of_rows, store_lines
from daemon.archive.schema import faults_of_schema
from daemon.archive.signs import set_sign
from daemon.files.paths import archive_path
from rules.errors import ArchiveError
from tests.daemon.archive.test_messages import CHAT, TALK, see

NOW, LATER = "2026-03-02T10:00:00.000Z", "2027-03-02T10:00:00.000Z"


@pytest.fixture(scope="module")
def as_it_was(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an archive with a conversation, a raised cap and what a daemon has said of itself."""
    folder = tmp_path_factory.mktemp("archives") / "theirs"
    with Archive.open(folder) as archive:
        see(archive, TALK)
        raise_cap(archive, "day", 10**15, LATER, NOW)
        set_sign(archive, "pid", "123", NOW)
    return folder


@pytest.fixture
def theirs(as_it_was: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return copytree(as_it_was, tmp_path / "theirs")


@pytest.fixture(scope="module")
def lines(as_it_was: Path) -> list[bytes]:
    """Its rows."""
    return packed(as_it_was)


@pytest.fixture(scope="module")
def new() -> Iterator[Archive]:
    """An archive without rows, and so for the next test: what it is given is refused as a whole."""
    with Archive.memory() as archive:
        yield archive


def packed(folder: Path) -> list[bytes]:
    with Archive.read(folder) as archive:
        return list(lines_of_rows(archive))


def taken_over(lines: Iterable[bytes], folder: Path) -> Archive:
    with Archive.open(folder) as archive:
        store(lines, archive)
    return Archive.open(folder)


def store(lines: Iterable[bytes], archive: Archive) -> None:
    store_lines(archive, BytesIO(b"".join(lines)))


def test_the_rows_are_taken_over_and_the_archive_is_sound(
    lines: list[bytes], tmp_path: Path
) -> None:
    with taken_over(lines, tmp_path / "ours") as archive:
        assert check_integrity(archive) == ()
        assert [bytes(raw) for raw in raw_conversation(archive, CHAT).messages] == [
            message.raw for message in TALK
        ]
    assert packed(tmp_path / "ours") == [line for line in lines if b"sign" not in line[:5]] + [
        line for line in lines if line.startswith(b'sign {"name": "zone"')
    ]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest rows are small."""
    monkeypatch.setattr(row_lines, "_LARGEST_MESSAGE", 50_000)
    monkeypatch.setattr(row_lines, "_LARGEST_ROW", 20_000)
    monkeypatch.setattr(row_lines, "MOST_PARTS", 5000)


@pytest.mark.usefixtures("small")
def test_rows_as_memproc_writes_them_are_no_larger_and_of_no_more_parts(
    lines: list[bytes], tmp_path: Path
) -> None:
    with taken_over(lines, tmp_path / "ours") as archive:
        assert check_integrity(archive) == ()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("chat", {"title": "x" * 20_001}),
        ("message", {"key": "x" * 15_000, "left_out": "x" * 15_000}),
        ("message", {"left_out": "x" * 20_001}),
        ("message", {"left_out": "," * 5001}),
        ("message", {"left_out": [[]] * 2501}),
        ("body", {"raw": b64encode(bytes(40_001)).decode()}),
    ],
)
def test_a_row_that_is_larger_or_of_more_parts_is_refused(
    lines: list[bytes], new: Archive, table: str, values: dict[str, object]
) -> None:
    with pytest.raises(ArchiveError, match=f"A row of its table {table} is larger than any"):
        store(edited(lines, table, values), new)


def edited(lines: Iterable[bytes], table: str, values: dict[str, object]) -> list[bytes]:
    """The lines with these values in the rows of a table."""
    rows = [line.partition(b" ") for line in lines]
    return [
        f"{table} {json.dumps(json.loads(row) | values)}\n".encode()
        if name == table.encode()
        else name + b" " + row
        for name, _, row in rows
    ]


def test_a_message_that_unpacks_to_more_than_memproc_reads_is_damage(
    theirs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = b"a" * 5000
    with Archive.open(theirs) as archive:
        body = (sha256(raw).hexdigest(), zlib.compress(raw))
        archive.run("INSERT INTO body VALUES (?, ?, 1)", body)
        archive.run("UPDATE version SET sha256 = ? WHERE id = 1", body[:1])
        assert check_integrity(archive) == ()
        monkeypatch.setattr(seals, "LARGEST_BYTES", 4000)
        assert check_integrity(archive) == (
            "archive: version 1 of a raw message is not what was stored",
        )


def test_no_sign_of_a_daemon_and_no_raised_cap_comes_along(
    lines: list[bytes], tmp_path: Path
) -> None:
    with taken_over(lines, tmp_path / "ours") as archive:
        assert archive.run("SELECT name FROM sign") == [("zone",)]
        assert raised_cap(archive, "day", NOW) == 0


@pytest.mark.parametrize(("name", "kept"), [("Asia/Tokyo", "Asia/Tokyo"), ("Mars/Olympus", "UTC")])
def test_the_zone_comes_along_where_this_computer_knows_it(
    theirs: Path, tmp_path: Path, name: str, kept: str
) -> None:
    with Archive.open(theirs) as archive:
        set_sign(archive, "zone", name, NOW)
    with taken_over(packed(theirs), tmp_path / "ours") as archive:
        assert str(archive.zone) == kept


HOSTILE = {
    "no line": b"\n",
    "no row": b"notice\n",
    "no JSON": b"notice {\n",
    "a database": b"SQLite format 3\0" + b"x" * 500,
    "another table": b'extra {"x": 1}\n',
    "a table of SQLite's": b'sqlite_master {"type": "trigger"}\n',
    "a table that stays": b'job {"name": "x", "due_at": "2026-03-02T10:00:00.000Z"}\n',
    "a name that is SQL": b'notice(text)--x {"text": "x"}\n',
    "another column": b'notice {"text": "x", "x": 1}\n',
    "a column that is SQL": b'notice {"text) VALUES (1);--": "x"}\n',
    "a seal of its own": b'opening {"seal": "x"}\n',
    "no columns": b"notice {}\n",
    "a lost column": b'odd_usage {"request": "x"}\n',
    "a list": b'notice ["text"]\n',
    "a value that is a list": b'notice {"text": ["x"]}\n',
    "a value of another type": b'odd_usage {"request": "x", "said": null}\n',
    "a number without end": b'odd_usage {"request": "x", "said": 1' + b"0" * 5000 + b"}\n",
    "a number beyond 64 bits": b'odd_usage {"request": "x", "said": 18446744073709551616}\n',
    "half a letter": rb'odd_usage {"request": "x", "said": "\ud800"}' + b"\n",
    "no text": b'odd_usage {"request": "x", "said": "\xff"}\n',
    "brackets without end": b'odd_usage {"request": "x", "said": ' + b"[" * 100_000 + b"\n",
    "bytes that are none": b'body {"sha256": "x", "raw": 5, "packed": 0}\n',
    "the same twice": b'odd_usage {"request": "x", "said": "x"}\n' * 2,
    "a reference to nothing": b'layer_step {"memory": "m", "layer": "core", "edition": 1}\n',
    "a sign without a name": b'sign {"value": "x"}\n',
    "a sign that is a number": b'sign {"name": 5, "value": "x"}\n',
    "a zone that is a list": b'sign {"name": "zone", "value": ["UTC"]}\n',
}


@pytest.mark.parametrize("what", HOSTILE)
def test_whatever_else_a_line_holds_is_refused(lines: list[bytes], new: Archive, what: str) -> None:
    refused = (
        r"^A row of its table \w+ is not one of memproc's\.|, a table that never comes along\."
    )
    with pytest.raises(ArchiveError, match=refused):
        store([*lines, HOSTILE[what]], new)
    assert [line for line in lines_of_rows(new) if not line.startswith(b"sign")] == []


def test_verify_names_only_what_is_not_of_memproc(theirs: Path) -> None:
    with Archive.open(theirs) as archive:
        archive.run("ANALYZE")
        assert list(faults_of_schema(archive.run)) == []
        archive.run("CREATE TRIGGER bad AFTER INSERT ON chat BEGIN DELETE FROM message; END")
        archive.run("CREATE TABLE extra (x)")
        assert list(faults_of_schema(archive.run)) == [
            "the trigger 'bad' is not memproc's",
            "the table 'extra' is not memproc's",
        ]


def test_verify_names_a_trigger_of_other_words_under_one_of_our_names(theirs: Path) -> None:
    with closing(sqlite3.connect(archive_path(theirs))) as database:
        (name,) = database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' LIMIT 1"
        ).fetchone()
        database.executescript(
            f"DROP TRIGGER {name}; CREATE TRIGGER {name} AFTER INSERT ON chat BEGIN DELETE FROM message; END"
        )
    with Archive.open(theirs) as archive:
        assert list(faults_of_schema(archive.run)) == [f"the trigger {name!r} is not memproc's"]


def test_verify_names_each_trigger_and_index_that_another_program_has_dropped(theirs: Path) -> None:
    with Archive.open(theirs) as archive:
        archive.run("DROP TRIGGER rest_ends_with_insert_of_core_event")
        archive.run("DROP INDEX opening_digest")
        assert list(faults_of_schema(archive.run)) == [
            "the index 'opening_digest' is missing",
            "the trigger 'rest_ends_with_insert_of_core_event' is missing",
        ]
