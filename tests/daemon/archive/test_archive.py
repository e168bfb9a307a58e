"""The archive is durable, private and shared, and says clearly what is wrong with it."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.archive.archive import Archive, check_integrity
from daemon.archive.journal import Reply, find_reply, record
from daemon.archive.message_versions import insert_version
from daemon.archive.schema import VERSION
from daemon.files.paths import archive_path
from rules.errors import ArchiveError
from tests.entries import said

WHEN = "2026-03-03T00:00:00.000Z"


def reply(request: str, text: str = "said") -> Reply:
    return Reply(request, "test/model", "quote", text, "stop", 1, 2, 0, 0, None, WHEN, WHEN)


def test_a_new_archive_is_private_and_says_whose_it_is(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "state") as archive:
        record(archive, reply("a"), "chat", {})
        for path in (tmp_path / "state", *(tmp_path / "state").iterdir()):
            assert path.stat().st_mode & 0o077 == 0, path
    assert "memproc" in (tmp_path / "state" / "README.txt").read_text()


def test_every_commit_is_on_the_disk_before_it_counts(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        assert archive.one("PRAGMA journal_mode") == ("wal",)
        assert archive.one("PRAGMA synchronous") == (2,)
        assert archive.one("PRAGMA foreign_keys") == (1,)


def test_reading_where_there_is_no_archive_makes_none(tmp_path: Path) -> None:
    with Archive.read(tmp_path / "state") as archive:
        assert find_reply(archive, "a") is None
    assert list(tmp_path.iterdir()) == []


def test_reading_changes_nothing(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        record(archive, reply("a"), "chat", {})
    with Archive.read(tmp_path) as archive:
        assert find_reply(archive, "a") == reply("a")
        with pytest.raises(ArchiveError, match="cannot be read or written"):
            record(archive, reply("b"), "chat", {})


def test_a_new_archive_is_made_once_with_all_of_the_schema(tmp_path: Path) -> None:
    for _ in range(2):
        with Archive.open(tmp_path) as archive:
            assert archive.value("PRAGMA user_version") == VERSION


def test_an_archive_from_a_newer_memproc_is_refused(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        archive.run("PRAGMA user_version = 999")
    for opened in (Archive.open, Archive.read):
        with pytest.raises(ArchiveError, match="newer memproc"):
            opened(tmp_path)


def test_what_fails_in_the_middle_leaves_nothing_behind(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        with pytest.raises(ZeroDivisionError), archive.transaction():
            archive.run("INSERT INTO notice VALUES ('a')")
            raise ZeroDivisionError
        assert archive.run("SELECT * FROM notice") == []


def test_a_locked_archive_is_said_to_be_locked(tmp_path: Path) -> None:
    with Archive.open(tmp_path):
        pass
    other = sqlite3.connect(archive_path(tmp_path), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with (
        pytest.raises(ArchiveError, match="keeps the archive"),
        Archive.open(tmp_path, busy_seconds=0.05) as archive,
    ):
        record(archive, reply("a"), "chat", {})
    other.close()


@pytest.mark.parametrize(
    "damage", [b"no database at all, but long enough to be read" * 60, b"\xff" * 5000]
)
def test_a_damaged_archive_is_said_to_be_damaged(tmp_path: Path, damage: bytes) -> None:
    archive_path(tmp_path).write_bytes(damage)
    for opened in (Archive.open, Archive.read):
        with pytest.raises(ArchiveError, match="damaged"):
            opened(tmp_path)


def test_a_raw_message_that_was_tampered_with_is_found(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        archive.run(
            "INSERT INTO chat (id, chat_id, title, head, tail, last_seen) VALUES (1, 'c', 't', ?, ?, ?)",
            (b"", b"", WHEN),
        )
        archive.run("INSERT INTO message (id, chat, key, position) VALUES (1, 1, 'k', 0)")
        insert_version(archive, 1, 1, said("user", "hello"), WHEN)
        assert check_integrity(archive) == ()
        for tampering in (
            "UPDATE body SET raw = x'7b7d', packed = 0",
            "UPDATE body SET packed = 1",
            "DELETE FROM body",
        ):
            archive.run(tampering)
            assert check_integrity(archive) == (
                "archive: version 1 of a raw message is not what was stored",
            )


@pytest.mark.full
def test_two_processes_write_to_one_archive(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from daemon.archive.archive import Archive\nfrom tests.daemon.archive.test_archive import reply\n"
        "from daemon.archive.journal import record\n"
        "with Archive.open(Path(sys.argv[1])) as archive:\n"
        "    for number in range(40): record(archive, reply(f'{sys.argv[2]}{number}'), 'chat', {})\n"
    )
    with Archive.open(tmp_path) as archive:
        root = Path(__file__).parents[3]
        running = [
            subprocess.Popen([sys.executable, "-c", script, str(tmp_path), name], cwd=root)
            for name in "ab"
        ]
        assert [process.wait(60) for process in running] == [0, 0]
        assert archive.one("SELECT count(*) FROM reply") == (80,)


def test_a_kill_loses_no_reply_that_was_recorded(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from daemon.archive.archive import Archive\nfrom tests.daemon.archive.test_archive import reply\n"
        "from daemon.archive.journal import record\n"
        "with Archive.open(Path(sys.argv[1])) as archive:\n"
        "    for number in range(10**6):\n"
        "        record(archive, reply(str(number)), 'chat', {})\n"
        "        print(number, flush=True)\n"
    )
    root = Path(__file__).parents[3]
    running = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], cwd=root, stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    seen = [int(running.stdout.readline()) for _ in range(30)]
    running.kill()
    seen += [int(line) for line in running.communicate()[0].split()]
    with Archive.open(tmp_path) as archive:
        assert all(find_reply(archive, str(number)) == reply(str(number)) for number in seen)
        assert check_integrity(archive) == ()


def test_of_two_replies_to_one_request_the_first_stays(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        assert record(archive, reply("a", "first"), "chat", {}).text == "first"
        assert record(archive, reply("a", "second"), "chat", {}).text == "first"
        assert find_reply(archive, "a") == reply("a", "first")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    with pytest.raises(Exception, match="not a folder"):
        Archive.open(tmp_path / "state")
    assert os.listdir(tmp_path) == ["state"]  # noqa: PTH208
