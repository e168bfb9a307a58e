"""A file is written at once or not at all."""

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from daemon.files.private import make_private
from daemon.files.reasons import trouble
from daemon.files.write import TEMPORARY, WrittenFile, replace_file, sweep
from rules.errors import FileTrouble
from tests.daemon.files.children import (
    in_child,
    kill,
    killed_along,
    needs_fork,
    needs_root,
    small_disk,
    stopped_child,
)

NEW = [b"new ", b"x" * 20_000, b" end"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "Aria (d6a9eafe2b).json"
    path.write_bytes(b"old")
    return path


def only(path: Path) -> bool:
    return list(path.parent.iterdir()) == [path]


def test_a_file_takes_the_place_of_the_old_one(path: Path) -> None:
    written = replace_file(path, NEW)

    content = b"".join(NEW)
    assert path.read_bytes() == content
    assert written == WrittenFile(path, sha256(content).hexdigest(), len(content))
    assert only(path)


def test_a_new_file_needs_no_old_one(tmp_path: Path) -> None:
    assert replace_file(tmp_path / "new", iter([])).size == 0
    assert (tmp_path / "new").read_bytes() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_a_file_is_for_its_owner_alone_from_its_first_byte_on(path: Path) -> None:
    path.chmod(0o644)
    seen: list[int] = []

    def watching() -> Iterator[bytes]:
        yield b"a"
        seen.extend(stat.S_IMODE(file.stat().st_mode) for file in path.parent.glob(f"{TEMPORARY}*"))

    replace_file(path, watching())

    assert seen == [0o600]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_goes_wrong_while_blocks_are_made_leaves_the_old_file(path: Path) -> None:
    def failing() -> Iterator[bytes]:
        yield b"half"
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        replace_file(path, failing())

    assert path.read_bytes() == b"old"
    assert only(path)


def test_a_disk_that_gives_back_other_bytes_is_found(path: Path) -> None:
    def rotting() -> Iterator[bytes]:
        yield b"x" * 1_000_000
        (temp,) = path.parent.glob(f"{TEMPORARY}*")
        with temp.open("r+b") as file:
            file.write(b"y")

    with pytest.raises(FileTrouble, match="what came back from the disk is not what was sent"):
        replace_file(path, rotting())

    assert path.read_bytes() == b"old"
    assert only(path)


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match="it is not there"):
        replace_file(tmp_path / "gone" / "file", [b"a"])


def test_a_folder_in_the_files_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()

    with pytest.raises(FileTrouble, match="file could not be written"):
        replace_file(tmp_path / "file", [b"a"])

    assert only(tmp_path / "file")


def test_a_name_that_is_too_long_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match="the system says: File name too long"):
        replace_file(tmp_path / ("x" * 300), [b"a"])

    assert list(tmp_path.iterdir()) == []


@needs_root
@pytest.mark.parametrize("size", [200_000, 65_000])
def test_a_full_disk_is_told_and_the_old_file_is_whole(size: int) -> None:
    with small_disk("64k") as disk:
        (disk / "file").write_bytes(b"old")

        with pytest.raises(
            FileTrouble, match="file could not be written: the disk is full"
        ) as told:
            replace_file(disk / "file", [b"x" * 1_000] * (size // 1_000))

        assert "Free some space" in told.value.next_step
        assert (disk / "file").read_bytes() == b"old"
        assert only(disk / "file")
        assert replace_file(disk / "file", [b"x" * 1_000]).size == 1_000


@needs_root
def test_a_read_only_disk_is_told() -> None:
    with small_disk("64k") as disk:
        (disk / "file").write_bytes(b"old")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)

        with pytest.raises(FileTrouble, match="file could not be written: the disk is read-only"):
            replace_file(disk / "file", [b"a"])

        assert (disk / "file").read_bytes() == b"old"


@needs_fork
def test_a_limit_on_the_size_of_files_is_told(path: Path) -> None:
    import resource

    def limited() -> str:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, 4_096))
        try:
            replace_file(path, NEW)
        except FileTrouble as fault:
            return fault.message
        return "written"

    code, said = in_child(limited)

    assert (code, said.partition(": ")[2]) == (
        0,
        "the system says: File too large.",
    )
    assert path.read_bytes() == b"old"
    assert only(path)


@needs_fork
def test_a_denied_folder_is_told(path: Path) -> None:
    def denied() -> str:
        if os.geteuid() == 0:
            os.setuid(65_534)
        try:
            replace_file(path, NEW)
        except FileTrouble as fault:
            return fault.message
        return "written"

    path.parent.chmod(0o500)
    try:
        assert in_child(denied) == (
            0,
            f"{path} could not be written: your account is not allowed to.",
        )
    finally:
        path.parent.chmod(0o700)

    assert path.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.EDQUOT, "your share of the disk is used up"),
        (errno.EIO, "the disk reported an error"),
        (errno.EPERM, "the system does not allow it"),
        (errno.EMFILE, "memproc has too many files open"),
        (errno.ENOTTY, f"the system says: {os.strerror(errno.ENOTTY)}"),
    ],
)
def test_every_error_of_the_system_becomes_a_sentence_and_a_next_step(
    number: int, reason: str
) -> None:
    fault = trouble(OSError(number, os.strerror(number)), Path("/data/file"), "written")

    assert fault.message == f"{Path('/data/file')} could not be written: {reason}."
    assert fault.next_step.endswith(".")


@needs_fork
def test_a_kill_at_any_line_leaves_the_old_file_or_the_new_one(path: Path) -> None:
    content = b"".join(NEW)
    found = set()

    def write() -> str:
        return replace_file(path, NEW).sha256

    for _ in killed_along(write):
        found.add(path.read_bytes())
        swept = sweep(path.parent)
        assert len(swept) <= 1
        assert only(path)
        path.write_bytes(b"old")

    assert found == {b"old", content}
    assert path.read_bytes() == content


@needs_fork
def test_a_kill_from_outside_between_two_blocks_leaves_the_old_file(path: Path) -> None:
    for number in range(len(NEW) + 1):
        kill(stopped_child(lambda stop, number=number: write_until(path, number, stop)))  # type: ignore[misc]

        assert path.read_bytes() == b"old"
        assert len(sweep(path.parent)) == 1
        assert only(path)


def write_until(path: Path, number: int, stop: Callable[[], None]) -> None:
    def blocks() -> Iterator[bytes]:
        yield from NEW[:number]
        stop()

    replace_file(path, blocks())


def test_sweeping_takes_nothing_but_our_unfinished_files(tmp_path: Path) -> None:
    (tmp_path / f"{TEMPORARY}abc").write_text("half")
    (tmp_path / f"{TEMPORARY}folder").mkdir()
    (tmp_path / "export.json").write_text("{}")
    (tmp_path / f"{TEMPORARY}link").symlink_to(tmp_path / "export.json")

    assert sweep(tmp_path) == (tmp_path / f"{TEMPORARY}abc",)
    assert {file.name for file in tmp_path.iterdir()} == {
        "export.json",
        f"{TEMPORARY}folder",
        f"{TEMPORARY}link",
    }


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.EIO])
def test_what_cannot_be_asked_whose_it_is_stays_for_now(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unfinished = tmp_path / f"{TEMPORARY}abc"
    unfinished.write_text("half")

    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr("daemon.files.write.os.open", fail)
        assert sweep(tmp_path) == ()
    assert sweep(tmp_path) == (unfinished,)


def test_sweeping_a_folder_that_is_not_there_finds_nothing(tmp_path: Path) -> None:
    assert sweep(tmp_path / "gone") == ()


@needs_fork
def test_what_a_running_process_is_writing_is_not_swept_away(path: Path) -> None:
    child = stopped_child(lambda stop: write_until(path, 2, stop))

    assert sweep(path.parent) == ()
    assert len(list(path.parent.glob(f"{TEMPORARY}*"))) == 1
    kill(child)
    assert len(sweep(path.parent)) == 1
    assert only(path)


def test_a_file_is_on_the_disk_before_it_takes_its_place_and_its_folder_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, flush, steps = tmp_path / "a.json", os.fsync, list[tuple[str, bytes]]()
    path.write_bytes(b"old")

    def flushed(handle: int) -> None:
        steps.append(
            ("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file", path.read_bytes())
        )
        flush(handle)

    monkeypatch.setattr(os, "fsync", flushed)
    replace_file(path, [b"new"])
    assert steps == [("file", b"old"), ("folder", b"new")]


def test_a_new_folder_is_on_the_disk_in_the_folder_that_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flush, flushed = os.fsync, set[int]()

    def fsync(handle: int) -> None:
        flushed.add(os.fstat(handle).st_ino)
        flush(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    make_private(tmp_path / "a" / "b")
    assert {tmp_path.stat().st_ino, (tmp_path / "a").stat().st_ino} <= flushed
