"""Which files of a folder may be exports."""

import os
from pathlib import Path

import pytest

from daemon.files.candidates import exports_in
from rules.errors import FileTrouble


def put(folder: Path, *names: str) -> None:
    """Files of these names, each written a second after the one before."""
    for second, name in enumerate(names):
        (folder / name).write_bytes(b"{}")
        os.utime(folder / name, (second, second))


def names(folder: Path) -> list[str]:
    return [path.name for path in exports_in(folder)]


def test_exports_come_oldest_first(tmp_path: Path) -> None:
    put(tmp_path, "c.json", "a.zip", "b.JSON", "d.Zip")
    assert names(tmp_path) == ["c.json", "a.zip", "b.JSON", "d.Zip"]


def test_what_was_written_at_one_moment_comes_by_name(tmp_path: Path) -> None:
    put(tmp_path, "b.json", "a.json")
    for name in ("a.json", "b.json"):
        os.utime(tmp_path / name, (1, 1))
    assert names(tmp_path) == ["a.json", "b.json"]


def test_downloads_that_go_on_and_other_files_are_passed_over(tmp_path: Path) -> None:
    put(
        tmp_path,
        "a.json.crdownload",
        "b.json.part",
        ".c.json",
        ".d.json.swp",
        "e.txt",
        "desktop.ini",
        "json",
    )
    assert names(tmp_path) == []


def test_folders_links_and_pipes_are_passed_over(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "folder.json").mkdir(parents=True)
    put(tmp_path, "a.json")
    (elsewhere / "link.json").symlink_to(tmp_path / "a.json")
    (elsewhere / "broken.json").symlink_to(tmp_path / "nothing")
    os.mkfifo(elsewhere / "pipe.json")
    assert names(elsewhere) == []


def test_a_file_that_is_named_is_taken_whatever_its_name(tmp_path: Path) -> None:
    put(tmp_path, ".export.txt")
    assert exports_in(tmp_path / ".export.txt") == (tmp_path / ".export.txt",)


def test_a_path_that_is_not_there_is_left_to_the_reader(tmp_path: Path) -> None:
    assert exports_in(tmp_path / "nothing.json") == (tmp_path / "nothing.json",)


def test_an_empty_folder_holds_nothing(tmp_path: Path) -> None:
    assert exports_in(tmp_path) == ()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o000)
    try:
        with pytest.raises(FileTrouble, match="cannot be read: Permission denied"):
            exports_in(tmp_path)
    finally:
        tmp_path.chmod(0o700)
