"""The archive is copied every day, whole and for its owner alone."""

import os
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.outputs import record_export
from daemon.files.paths import arrivals_folder
from daemon.inbox.jobs import maintain
from rules.errors import ArchiveError
from tests.daemon.files.children import needs_root, small_disk

NOW = datetime(2026, 7, 15, 12, tzinfo=UTC)
WHEN = "2026-07-15T12:00:00.000Z"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path / "state") as archive:
        yield archive


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def copy_of_today(state: Path) -> Path:
    return state / "copies" / "archive-2026-07-15.sqlite3"


def test_the_copy_holds_all_that_the_archive_holds(archive: Archive, state: Path) -> None:
    record_export(archive, "a" * 64, "/x.json", 7, WHEN)

    assert maintain(archive, state, NOW) == ""

    copy = copy_of_today(state)
    with closing(sqlite3.connect(copy)) as opened:
        assert opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert opened.execute("SELECT sha256 FROM file_seen").fetchall() == [("a" * 64,)]
    assert (state / "archive.sqlite3-wal").stat().st_size == 0
    assert [path.name for path in (state / "copies").iterdir()] == [copy.name]
    if sys.platform != "win32":
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700


def test_a_second_copy_of_a_day_takes_the_place_of_the_first(archive: Archive, state: Path) -> None:
    maintain(archive, state, NOW)
    record_export(archive, "b" * 64, "/x.json", 7, WHEN)

    maintain(archive, state, NOW)

    copy = copy_of_today(state)
    with closing(sqlite3.connect(copy)) as opened:
        assert opened.execute("SELECT sha256 FROM file_seen").fetchall() == [("b" * 64,)]


def test_seven_copies_are_kept(archive: Archive, state: Path) -> None:
    for day in range(9):
        maintain(archive, state, NOW + timedelta(days=day))

    names = sorted(path.name for path in (state / "copies").iterdir())
    assert names == [f"archive-2026-07-{day}.sqlite3" for day in range(17, 24)]


def test_a_damaged_archive_is_not_copied_and_no_copy_goes(archive: Archive, state: Path) -> None:
    for day in range(7):
        maintain(archive, state, NOW + timedelta(days=day))
    before = sorted((state / "copies").iterdir())
    archive.run("PRAGMA foreign_keys = OFF")
    archive.run("INSERT INTO layer_step (memory, layer, edition) VALUES ('m', 'core', 1)")

    problem = maintain(archive, state, NOW + timedelta(days=30))

    assert "row 1 of layer_step refers to a row of memory that is missing" in problem
    assert sorted((state / "copies").iterdir()) == before


def test_what_a_kill_left_of_a_copy_is_swept_away(archive: Archive, state: Path) -> None:
    maintain(archive, state, NOW)
    left = state / "copies" / ".memproc-left"
    left.write_bytes(b"half a copy")

    maintain(archive, state, NOW)

    assert not left.exists()


@needs_root
def test_a_full_disk_leaves_the_copies_of_the_days_before(archive: Archive, state: Path) -> None:
    archive.run("CREATE TABLE filling (some BLOB)")
    with small_disk("400k") as disk:
        (state / "copies").symlink_to(disk)
        maintain(archive, state, NOW)
        first = copy_of_today(state)
        archive.run("INSERT INTO filling VALUES (randomblob(1000000))")

        with pytest.raises(ArchiveError, match="full"):
            maintain(archive, state, NOW + timedelta(days=1))

        assert [path.name for path in disk.iterdir()] == [first.name]
        (state / "copies").unlink()


def test_a_forgotten_copy_of_a_dropped_file_goes_after_a_day_unless_it_is_needed(
    archive: Archive, state: Path
) -> None:
    folder = arrivals_folder(state)
    folder.mkdir()
    ages = {"a": 2, "b": 2, "c": 0, "d": 2}
    for letter, days in ages.items():
        path = folder / f"{letter * 64}.json"
        path.write_text("{}")
        at = (NOW - timedelta(days=days)).timestamp()
        os.utime(path, (at, at))
    for letter, status in (("a", "written"), ("b", "skipped"), ("c", "written")):
        archive.run(
            "INSERT INTO arrival (path, device, inode, size, mtime_ns, sha256, state, seen_at, changed_at) "
            "VALUES ('/x', 1, 1, 1, 1, ?, ?, ?, ?)",
            (letter * 64, status, WHEN, WHEN),
        )

    maintain(archive, state, NOW)

    assert sorted(path.name[0] for path in folder.iterdir()) == ["b", "c"]
