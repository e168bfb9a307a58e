"""Backups that the index does not name are listed again or put aside, whatever became of it; none is ever lost."""

import errno
import shutil
import stat
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from daemon.files.backup import check_backups, keep_original, keep_version, versions_of
from daemon.files.backup_index import INDEX, IndexLine, append, read_index
from daemon.files.removal import UNLISTED, finish_removals, list_again, remove_version
from daemon.files.write import sweep
from rules.errors import FileTrouble
from tests.chats import export_bytes, long_chat
from tests.daemon.files.children import killed_along, needs_fork

CHAT = {**long_chat(3000), "chatID": "d6a9eafe2b", "chatTitle": "Aria"}
FIRST, SECOND, THIRD = (
    export_bytes({**CHAT, "messages": CHAT["messages"][:size]}) for size in (2, 4, 6)
)
TIMES = [f"2026-03-0{day}T12:00:00.123Z" for day in range(1, 5)]
STEM = "Aria (d6a9eafe2b)"


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    """The original of a chat and two versions of it."""
    backups = tmp_path / "backups"
    keep_original(backups, "d6a9eafe2b", "Aria", [FIRST], TIMES[0])
    for content, when in ((SECOND, TIMES[1]), (THIRD, TIMES[2])):
        keep(backups, content, when)
    return backups


def keep(backups: Path, content: bytes, when: str) -> None:
    updated = backups.parent / f"{STEM}.json"
    updated.write_bytes(content)
    keep_version(backups, "d6a9eafe2b", "Aria", STEM, updated, when)


def kept(backups: Path) -> set[str]:
    """The hashes of all packed files, wherever they lie."""
    return {sha256(path.read_bytes()).hexdigest() for path in backups.rglob("*.gz*")}


def gone(index: Path) -> None:
    index.unlink()


def empty(index: Path) -> None:
    index.write_bytes(b"")


def cut_off(index: Path) -> None:
    index.write_bytes(index.read_bytes()[:-200])


def garbage(index: Path) -> None:
    index.write_bytes(b"\xff\x00\n" * 50 + b"\x1f\x8b")


@pytest.mark.parametrize("happens", [gone, empty, cut_off, garbage])
def test_whatever_becomes_of_the_index_its_whole_versions_are_listed_again(
    backups: Path, happens: Callable[[Path], None]
) -> None:
    before, files = versions_of(backups, "d6a9eafe2b"), kept(backups)
    happens(backups / INDEX)
    for _ in range(2):
        list_again(backups)
        again = versions_of(backups, "d6a9eafe2b")
        assert {(one.kind, one.sha256, one.size, one.path) for one in again} == {
            (one.kind, one.sha256, one.size, one.path) for one in before
        }
        assert [one.written_at for one in again if one.kind == "updated"] == TIMES[1:3]
        assert kept(backups) == files
    assert [damage for damage in check_backups(backups) if damage.path.name != INDEX] == []
    assert not (backups / UNLISTED).exists()


def test_what_is_damaged_or_named_otherwise_is_put_aside_and_kept(backups: Path) -> None:
    (original, version, other) = [one.path for one in versions_of(backups, "d6a9eafe2b")]
    (backups / INDEX).unlink()
    version.write_bytes(version.read_bytes()[:-9])
    shutil.move(other, other.with_name(other.name.replace("-", "-0", 1)))
    stranger = original.parent / "notes.gz"
    stranger.write_bytes(b"mine")
    files = kept(backups)
    list_again(backups)
    assert [one.path for one in versions_of(backups, "d6a9eafe2b")] == [original]
    assert kept(backups) == files
    aside = [path for path in (backups / UNLISTED).rglob("*") if path.is_file()]
    assert len(aside) == 3
    for folder in (backups / UNLISTED, *{path.parent for path in aside}):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_one_file_that_cannot_be_read_stops_no_other_and_is_named(
    backups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = versions_of(backups, "d6a9eafe2b")
    (backups / INDEX).unlink()
    read = Path.read_bytes

    def unreadable(path: Path) -> bytes:
        if path == before[1].path:
            raise OSError(errno.EIO, "Input/output error")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", unreadable)
    (told,) = list_again(backups)
    assert told.message == f"{before[1].path} could not be read: the disk reported an error."
    assert {one.path for one in versions_of(backups, "d6a9eafe2b")} == {
        before[0].path,
        before[2].path,
    }
    monkeypatch.undo()
    assert list_again(backups) == ()
    assert len(versions_of(backups, "d6a9eafe2b")) == 3


def test_nothing_that_lies_aside_is_ever_written_over(backups: Path) -> None:
    for content in (b"one", b"other"):
        (backups / "versions" / STEM / "x.gz").write_bytes(content)
        list_again(backups)
    aside = (backups / UNLISTED / "versions" / STEM).iterdir()
    assert {path.read_bytes() for path in aside} == {b"one", b"other"}


def test_a_whole_index_is_left_as_it_is(backups: Path) -> None:
    before = (backups / INDEX).read_bytes()
    list_again(backups)
    assert (backups / INDEX).read_bytes() == before


def test_a_version_that_was_removed_stays_so(backups: Path) -> None:
    version = versions_of(backups, "d6a9eafe2b")[1]
    content = version.path.read_bytes()
    remove_version(backups, version, TIMES[3])
    version.path.write_bytes(content)  # a kill came before the file was gone
    list_again(backups)
    assert len(versions_of(backups, "d6a9eafe2b")) == 2
    assert finish_removals(backups) == (version.path,)


def test_a_file_that_is_not_the_removed_one_is_not_removed(backups: Path) -> None:
    """A clock that was set back gave it the same name, and the index has lost its line."""
    version = versions_of(backups, "d6a9eafe2b")[1]
    line = next(
        one
        for one in read_index(backups)
        if isinstance(one, IndexLine) and backups / one.file == version.path
    )
    append(backups, replace(line, kind="removed", packed_sha256="0" * 64))
    assert finish_removals(backups) == ()
    list_again(backups)
    assert version.sha256 in {one.sha256 for one in versions_of(backups, "d6a9eafe2b")}


def test_an_index_that_cannot_be_read_moves_nothing(backups: Path) -> None:
    (backups / INDEX).unlink()
    (backups / INDEX).mkdir()
    files = kept(backups)
    with pytest.raises(FileTrouble):
        list_again(backups)
    assert kept(backups) == files
    assert not (backups / UNLISTED).exists()


@needs_fork
@pytest.mark.full
def test_a_version_whose_keeping_was_killed_is_listed_or_not_there(tmp_path: Path) -> None:
    lost = 0
    backups = tmp_path / "backups"

    def work() -> str:
        keep(backups, SECOND, TIMES[1])
        return ""

    for _ in killed_along(work):
        named = {line.file for line in read_index(backups) if isinstance(line, IndexLine)}
        lost += len(
            {path.relative_to(backups).as_posix() for path in backups.glob("versions/*/*.gz")}
            - named
        )
        for folder in (backups, *backups.glob("versions/*")):
            sweep(folder)
        list_again(backups)
        assert check_backups(backups) == ()
        assert (
            len(versions_of(backups, "d6a9eafe2b"))
            == len(list(backups.glob("versions/*/*.gz")))
            <= 1
        )
        assert not list(backups.rglob(".memproc-*"))
        shutil.rmtree(backups, ignore_errors=True)
    assert lost > 0
