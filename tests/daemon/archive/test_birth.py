"""An archive that is made: killed at any moment of it, by several processes at once, or by a later memproc."""

import os
import signal
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from daemon.archive import archive as module
from daemon.archive.archive import Archive, check_integrity
from daemon.archive.chats import known_chats
from daemon.archive.journal import record
from daemon.archive.schema import VERSION
from daemon.files.paths import archive_path
from rules.errors import ArchiveError
from tests.daemon.archive.test_archive import reply
from tests.daemon.files.children import in_child, needs_fork


def open_and_die(folder: Path, at: int) -> str:
    """Make an archive, and be killed (-9) before its statement number `at`."""
    left = at
    run = Archive.run

    def mortal(archive: Archive, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return run(archive, sql, values)

    Archive.run = mortal  # type: ignore[assignment, method-assign]
    Archive.open(folder).close()
    return "made"


@needs_fork
@pytest.mark.full
def test_killed_in_the_middle_of_its_making_it_reads_as_empty_and_opens_again(
    tmp_path: Path,
) -> None:
    for at in count(1, 13):
        folder = tmp_path / str(at)
        code, _ = in_child(lambda folder=folder, at=at: open_and_die(folder, at))  # type: ignore[misc]
        with Archive.read(folder) as archive:
            assert known_chats(archive) == ()
        with Archive.open(folder) as archive:
            record(archive, reply("a"), "chat", {})
            assert check_integrity(archive) == ()
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert at > 30


def test_killed_while_its_first_page_is_written_it_reads_as_empty_and_opens_again(
    tmp_path: Path,
) -> None:
    whole, cut_off = archive_path(tmp_path / "whole"), archive_path(tmp_path / "cut off")
    for path in (whole, cut_off):
        path.parent.mkdir(mode=0o700)
    connection = sqlite3.connect(whole, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("BEGIN")
    connection.execute("CREATE TABLE much (text TEXT)")
    connection.executemany("INSERT INTO much VALUES (?)", [("word " * 1000,)] * 20)
    for ending in ("", "-journal"):
        there = cut_off.with_name(f"{cut_off.name}{ending}")
        there.write_bytes(whole.with_name(f"{whole.name}{ending}").read_bytes())
    connection.close()

    with Archive.read(cut_off.parent) as archive:
        assert known_chats(archive) == ()
    with Archive.open(cut_off.parent) as archive:
        record(archive, reply("a"), "chat", {})
        assert check_integrity(archive) == ()


def open_at_once(folder: Path, start: int) -> None:
    """Wait for the pipe's end, then open the archive; end with 0 where it opened or was said to be locked."""
    code = 1
    try:
        os.read(start, 1)
        Archive.open(folder).close()
        code = 0
    except ArchiveError as told:
        code = 0 if "locked" in told.message else 2
    finally:
        os._exit(code)


@pytest.mark.sampled
@needs_fork
@pytest.mark.parametrize("number", range(5))
def test_several_processes_that_make_one_archive_do_each_step_once(
    tmp_path: Path, number: int
) -> None:
    reading, writing = os.pipe()
    children = []
    for _ in range(4):
        if (child := os.fork()) == 0:
            os.close(writing)
            open_at_once(tmp_path, reading)
        children.append(child)
    os.close(reading)
    os.close(writing)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert codes == [0] * 4
    with Archive.open(tmp_path) as archive:
        assert archive.value("PRAGMA user_version") == VERSION


def test_one_from_before_the_first_release_is_told_with_the_way_on_and_left_as_it_is(
    tmp_path: Path,
) -> None:
    with closing(sqlite3.connect(archive_path(tmp_path))) as database:
        database.execute("CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT)")
        database.execute("INSERT INTO migration VALUES (22, 'the whole schema')")
        database.commit()
    before = archive_path(tmp_path).read_bytes()
    for opened in (Archive.open, Archive.read):
        with pytest.raises(ArchiveError, match=r"from before 0\.1\.0") as fault:
            opened(tmp_path)
        assert "memproc rebuild" in fault.value.next_step
    assert archive_path(tmp_path).read_bytes() == before


def test_a_python_with_an_old_sqlite_is_said_to_be_too_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "OLDEST_SQLITE", (99, 0))
    with pytest.raises(ArchiveError, match=r"needs SQLite 99\.0 or newer"):
        Archive.open(tmp_path)
