"""Which entries of the inbox may be exports."""

import os
import socket
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from daemon.files.candidates import Candidate, UnusableFile, candidates
from daemon.inbox.intake import sighting_of


def found(folder: Path, subfolders: bool = False) -> list[str]:
    return sorted(
        Path(entry.path).relative_to(folder).as_posix()
        for entry in candidates(folder, subfolders)
        if isinstance(entry, Candidate)
    )


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"{}")


def test_json_and_zip_count_however_their_endings_are_written(tmp_path: Path) -> None:
    put(tmp_path, "a.json", "b.JSON", "c.zip", "D.Zip")
    assert found(tmp_path) == ["D.Zip", "a.json", "b.JSON", "c.zip"]


@pytest.mark.parametrize(
    "name",
    [
        ".hidden.json",
        "._a.json",
        ".DS_Store",
        "Thumbs.db",
        "desktop.ini",
        ".memproc-cookie-12-345",
        ".syncthing.a.json.tmp",
        "a.json.part",
        "a.json.crdownload",
        "a.json.tmp",
        "a.json.download",
        "a.json~",
        "a.txt",
        "json",
    ],
)
def test_files_of_systems_and_browsers_do_not_count(tmp_path: Path, name: str) -> None:
    put(tmp_path, name)
    assert list(candidates(tmp_path, subfolders=True)) == []


def test_links_pipes_and_folders_do_not_count(tmp_path: Path) -> None:
    outside, inbox = tmp_path / "outside", tmp_path / "inbox"
    put(outside, "secret.json")
    (inbox / "folder.json").mkdir(parents=True)
    (inbox / "link.json").symlink_to(outside / "secret.json")
    (inbox / "linked").symlink_to(outside, target_is_directory=True)
    os.mkfifo(inbox / "pipe.json")
    assert list(candidates(inbox, subfolders=True)) == []


def test_a_socket_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.json")
        assert list(candidates(tmp_path)) == []


def test_sub_folders_count_only_when_wanted(tmp_path: Path) -> None:
    put(tmp_path, "a.json", "2026/b.json", "2026/may/c.zip")
    assert found(tmp_path) == ["a.json"]
    assert found(tmp_path, subfolders=True) == ["2026/b.json", "2026/may/c.zip", "a.json"]


@pytest.mark.parametrize("folder", [".stfolder", ".stversions", "@eaDir", "__MACOSX", "b.json.download", ".Trash"])
def test_folders_of_systems_and_browsers_are_not_gone_into(tmp_path: Path, folder: str) -> None:
    put(tmp_path, f"{folder}/a.json")
    assert list(candidates(tmp_path, subfolders=True)) == []


def test_a_placeholder_of_the_cloud_is_told(tmp_path: Path) -> None:
    put(tmp_path, ".a.json.icloud", ".b.txt.icloud")
    assert list(candidates(tmp_path)) == [
        UnusableFile(str(tmp_path / ".a.json.icloud"), "it is in the cloud, not on this disk")
    ]


@pytest.mark.parametrize("away", [{"st_file_attributes": 0x400000}, {"st_flags": 0x40000000}])
def test_a_file_that_the_system_would_have_to_fetch_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, away: dict[str, int]
) -> None:
    put(tmp_path, "a.json")
    monkeypatch.setattr(os, "lstat", lambda path: SimpleNamespace(st_mode=stat.S_IFREG, **away))
    assert [type(entry) for entry in candidates(tmp_path)] == [UnusableFile]


@pytest.mark.skipif(sys.platform != "linux", reason="only there names are any bytes")
def test_a_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9.json"
    Path(os.fsdecode(name)).write_bytes(b"{}")
    (told,) = candidates(tmp_path)
    assert isinstance(told, UnusableFile)
    assert "UTF-8" in told.reason
    assert told.path.isascii()


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(candidates(tmp_path / "nothing"))


def test_a_file_that_goes_away_during_the_look_is_no_error(tmp_path: Path) -> None:
    put(tmp_path, *(f"{number}.json" for number in range(5)))
    entries: Iterator[Candidate | UnusableFile] = candidates(tmp_path)
    next(entries)
    for file in tmp_path.iterdir():
        file.unlink()
    assert list(entries) == []


def test_the_numbers_of_every_file_system_fit_into_the_archive() -> None:
    odd = SimpleNamespace(st_dev=2**64 - 1, st_ino=2**64 - 2, st_size=1, st_mtime_ns=-1)
    sighting = sighting_of(cast("os.stat_result", odd))
    assert max(sighting.device, sighting.inode) < 2**63
