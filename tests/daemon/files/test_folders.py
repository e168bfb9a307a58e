"""Private folders."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.files.private import make_private
from rules.errors import FileTrouble
from tests.daemon.files.children import in_child, needs_fork, needs_root, small_disk

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")


def rights(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_folder_and_its_parents_are_for_their_owner_alone(tmp_path: Path) -> None:
    make_private(tmp_path / "memproc" / "state" / "archive")

    assert rights(tmp_path / "memproc") == 0o700
    assert rights(tmp_path / "memproc" / "state") == 0o700
    assert rights(tmp_path / "memproc" / "state" / "archive") == 0o700


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_the_umask_makes_no_difference(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        make_private(tmp_path / "a" / "b")
    finally:
        os.umask(before)

    assert (rights(tmp_path / "a"), rights(tmp_path / "a" / "b")) == (0o700, 0o700)


def test_a_folder_that_exists_keeps_its_rights(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)

    make_private(shared)
    make_private(shared / "memproc")

    assert (rights(shared), rights(shared / "memproc")) == (0o755, 0o700)


def test_a_file_in_the_folders_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "updated").write_text("mine")

    with pytest.raises(FileTrouble, match="updated is not a folder"):
        make_private(tmp_path / "updated")
    with pytest.raises(FileTrouble, match=r"is not a folder|part of its path is a file"):
        make_private(tmp_path / "updated" / "deeper")

    assert (tmp_path / "updated").read_text() == "mine"


def test_a_link_to_nowhere_is_told(tmp_path: Path) -> None:
    (tmp_path / "updated").symlink_to(tmp_path / "gone")

    with pytest.raises(FileTrouble, match="updated is not a folder"):
        make_private(tmp_path / "updated")


@needs_root
def test_a_read_only_disk_is_told_for_new_and_for_old_folders() -> None:
    with small_disk("64k") as disk:
        (disk / "old").mkdir()
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)

        with pytest.raises(FileTrouble, match="new could not be made: the disk is read-only"):
            make_private(disk / "new")
        with pytest.raises(FileTrouble, match="old cannot be written to"):
            make_private(disk / "old")


@needs_fork
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else"
)
def test_a_denied_folder_is_told(tmp_path: Path) -> None:
    def as_nobody() -> str:
        os.setuid(65_534)
        try:
            make_private(Path("/memproc-of-nobody"))
        except FileTrouble as trouble:
            return str(trouble)
        return "made"

    assert in_child(as_nobody) == (
        0,
        "/memproc-of-nobody could not be made: your account is not allowed to. "
        "Give your account the right to do so, or choose another folder in memproc.toml, under [folders].",
    )
