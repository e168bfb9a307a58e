"""What goes wrong under the archive ends in one clear sentence, and the archive goes on as soon as it can."""

import errno
import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from daemon.archive.archive import Archive, check_integrity
from daemon.archive.chats import known_chats
from daemon.archive.journal import find_reply, record, replies
from daemon.archive.memories import keep_memory
from daemon.archive.message_versions import insert_version
from daemon.archive.messages import past, raw_conversation
from daemon.archive.trouble import archive_errors
from daemon.files.paths import archive_path
from rules.errors import ArchiveError, FileTrouble, MemprocError
from tests.daemon.archive.test_archive import reply
from tests.daemon.archive.test_messages import CHAT, TALK, WHEN, see
from tests.daemon.files.children import in_child, needs_root, small_disk
from tests.entries import entries, memory_of, said


def fill(archive: Archive, replies: int = 2000) -> None:
    for number in range(replies):
        record(archive, reply(f"long {number}", "words " * 800), "chat", {})


def test_a_full_disk_is_said_to_be_full_and_what_was_recorded_stays(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        record(archive, reply("a"), "chat", {})
        (pages,) = archive.run("PRAGMA page_count")[0]
        archive.run(f"PRAGMA max_page_count = {pages + 8}")
        with pytest.raises(
            ArchiveError, match=r"The disk of the archive .*archive\.sqlite3 is full"
        ):
            fill(archive)
        assert find_reply(archive, "a") == reply("a")
        archive.run(f"PRAGMA max_page_count = {pages + 800}")
        record(archive, reply("b"), "chat", {})
        assert check_integrity(archive) == ()


@needs_root
def test_a_small_disk_that_really_fills_up_is_said_to_be_full() -> None:
    with small_disk("900k") as disk:
        with Archive.open(disk / "state") as archive:
            record(archive, reply("a"), "chat", {})
            with pytest.raises(ArchiveError, match="is full"):
                fill(archive)
            assert find_reply(archive, "a") == reply("a")
        with Archive.read(disk / "state") as archive:
            assert find_reply(archive, "a") == reply("a")


@needs_root
def test_a_disk_without_room_for_the_archive_is_named() -> None:
    with small_disk("4k") as disk, pytest.raises(MemprocError, match="full"):
        Archive.open(disk / "state")


def test_a_damaged_page_in_the_middle_is_told_when_it_is_read(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        fill(archive, 100)
    path = archive_path(tmp_path)
    with Archive.read(tmp_path) as archive:
        (page,) = archive.run("PRAGMA page_size")[0]
        (root,) = archive.run("SELECT rootpage FROM sqlite_master WHERE name = 'reply'")[0]
    sound = path.read_bytes()
    path.write_bytes(sound[: (root - 1) * page] + b"\xa5" * page + sound[root * page :])
    with Archive.read(tmp_path) as archive:
        for number in range(100):
            with pytest.raises(
                ArchiveError, match=r"archive\.sqlite3 is damaged"
            ) as archive_errors:
                find_reply(archive, f"long {number}")
            assert "Copy the whole folder away first" in archive_errors.value.next_step


def test_a_text_that_is_no_longer_text_is_damage(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        record(archive, reply("a"), "chat", {})
        archive.run("UPDATE reply SET text = CAST(x'ff41ff' AS TEXT)")
        with pytest.raises(ArchiveError, match="is damaged"):
            find_reply(archive, "a")


def test_a_raw_message_whose_bytes_have_changed_is_never_handed_out() -> None:
    with Archive.memory() as archive:
        see(archive, TALK)
        keep_memory(archive, CHAT, memory_of(1, entries(TALK)[:2]))
        archive.run(
            "UPDATE body SET raw = CAST(replace(CAST(raw AS TEXT), 'number', 'nunber') AS BLOB), packed = 0"
        )
        for read in (past, raw_conversation):
            with pytest.raises(ArchiveError, match="raw message in the archive is damaged"):
                read(archive, CHAT)


def test_a_damaged_version_among_many_is_the_only_one_named(tmp_path: Path) -> None:
    with Archive.memory() as archive:
        see(archive, TALK)
        for number in range(2, 900):
            insert_version(archive, 1, number, said("user", f"wording {number}"), WHEN)
        archive.run(
            "UPDATE body SET raw = x'00' WHERE sha256 = (SELECT sha256 FROM version WHERE id = 777)"
        )
        assert check_integrity(archive) == (
            "archive: version 777 of a raw message is not what was stored",
        )


def test_an_archive_that_has_lost_a_table_is_damaged(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        archive.run("DROP TABLE reply")
        with pytest.raises(ArchiveError, match="is damaged"):
            find_reply(archive, "a")


def test_a_folder_in_the_place_of_the_archive_is_named(tmp_path: Path) -> None:
    archive_path(tmp_path).mkdir()
    for opened in (Archive.open, Archive.read):
        with pytest.raises(ArchiveError, match="cannot be read or written"):
            opened(tmp_path)


@needs_root
def test_a_folder_that_the_account_may_not_look_into_is_named(tmp_path: Path) -> None:
    state = tmp_path / "state"
    Archive.open(state).close()
    for path in (tmp_path, *list(tmp_path.parents)[:2]):
        path.chmod(0o755)

    def look() -> str:
        os.setuid(65534)
        try:
            Archive.read(state)
        except FileTrouble as archive_errors:
            return archive_errors.message
        return "it was let in"

    code, said = in_child(look)
    assert (code, said) == (
        0,
        f"{archive_path(state)} could not be read: your account is not allowed to.",
    )


def test_a_transaction_that_cannot_begin_says_that_the_archive_is_locked(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as first, Archive.open(tmp_path, busy_seconds=0.05) as second:
        with first.transaction():
            with pytest.raises(ArchiveError, match="locked"):
                record(second, reply("b"), "chat", {})
            first.run("INSERT INTO notice VALUES ('a')")
        assert record(second, reply("b"), "chat", {}) == reply("b")


def test_a_mistake_in_our_own_sql_is_no_trouble_of_the_person(tmp_path: Path) -> None:
    with Archive.memory() as archive, pytest.raises(sqlite3.OperationalError, match="syntax"):
        archive.run("SELEC")


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "Free some space"), (errno.EROFS, "Make it writable"), (errno.EMFILE, "limit of open files"),
        (errno.EACCES, "right to do so"), (errno.EIO, "Check the disk"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "name", ["SQLITE_IOERR_FSYNC", "SQLITE_IOERR_SHMSIZE", "SQLITE_CANTOPEN", "SQLITE_READONLY"]
)
def test_what_sqlite_does_not_say_is_asked_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, remedy: str, name: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    fault = sqlite3.OperationalError("disk I/O error")
    fault.sqlite_errorname = name
    (tmp_path / "archive.sqlite3").touch()
    monkeypatch.setattr("daemon.archive.trouble.TemporaryFile", fail)
    with pytest.raises(ArchiveError) as caught, archive_errors(tmp_path / "archive.sqlite3"):
        raise fault
    assert remedy in caught.value.next_step


def test_where_the_system_finds_nothing_all_that_may_be_wrong_is_named(tmp_path: Path) -> None:
    fault = sqlite3.OperationalError("disk I/O error")
    fault.sqlite_errorname = "SQLITE_IOERR_FSYNC"
    (tmp_path / "archive.sqlite3").touch()
    with (
        pytest.raises(ArchiveError, match=r"\(SQLITE_IOERR_FSYNC\)") as caught,
        archive_errors(tmp_path / "archive.sqlite3"),
    ):
        raise fault
    for word in ("full", "read-only", "failing", "may write"):
        assert word in caught.value.next_step
    assert [path.name for path in tmp_path.iterdir()] == ["archive.sqlite3"]


def test_a_page_that_the_disk_does_not_give_is_no_damage(tmp_path: Path) -> None:
    rows = [("*** in database main ***\nPage 4: unable to get the page. error code=266",)]

    class Failing(Archive):
        def run(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
            return rows if "integrity_check" in sql else super().run(sql, values)

    with (
        Failing.open(tmp_path) as archive,
        pytest.raises(ArchiveError, match="cannot be read or written"),
    ):
        check_integrity(archive)


def test_rot_in_the_text_of_the_tables_is_told_as_damage(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "sound") as archive:
        archive.fold_log()
    data = (tmp_path / "sound" / "archive.sqlite3").read_bytes()
    dice = Random(20261123)
    printable = [at for at in range(100, len(data)) if 32 <= data[at] < 127]
    for at in dice.sample(printable, 60):
        rotten = bytearray(data)
        rotten[at] = dice.choice([0xFF, 0xC3, 0, data[at] ^ 1, data[at] ^ 0x20])
        folder = tmp_path / str(at)
        folder.mkdir()
        (folder / "archive.sqlite3").write_bytes(rotten)
        with suppress(ArchiveError), Archive.read(folder) as archive:
            known_chats(archive)
            replies(archive, None)
            check_integrity(archive)


def test_a_table_whose_name_is_no_text_is_told_as_damage(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        archive.fold_log()
    path = tmp_path / "archive.sqlite3"
    path.write_bytes(
        path.read_bytes().replace(b"CREATE TABLE reply", b"CREATE TABLE \xff\xfe\xfd\xfcy")
    )
    with pytest.raises(ArchiveError, match="is damaged"), Archive.read(tmp_path) as archive:
        replies(archive, None)
