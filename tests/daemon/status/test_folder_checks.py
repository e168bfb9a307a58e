"""Folders: there, private, and with room."""

import os
import sys
from pathlib import Path

import pytest

from daemon.status.folder_checks import disk, folders, rights
from tests.chats import long_chat
from tests.daemon.status.places import archived, levels, machine, one, place

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")


def test_four_folders_that_are_there_are_well(tmp_path: Path) -> None:
    assert one(list(folders(place(tmp_path)))).level == "ok"


def test_an_inbox_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    at = place(tmp_path)
    at.folders.inbox.rmdir()
    found = one(list(folders(at)))
    assert (found.level, found.name) == ("error", "folder inbox")
    assert "memproc init" in found.remedy


def test_a_folder_that_the_first_run_makes_is_a_warning_until_then_and_an_error_after(
    tmp_path: Path,
) -> None:
    at = place(tmp_path)
    at.folders.backups.rmdir()
    assert one(list(folders(at))).level == "warning"
    archived(at, long_chat(300))
    assert one(list(folders(at))).level == "error"


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    at = place(tmp_path)
    at.folders.updated.rmdir()
    at.folders.updated.touch()
    assert "not a folder" in one(list(folders(at))).text


@posix
def test_folders_and_files_of_the_owner_alone_are_well(tmp_path: Path) -> None:
    at = place(tmp_path)
    archived(at, long_chat(300))
    assert one(list(rights(at))).level == "ok"


@posix
def test_a_folder_that_others_can_look_into_is_told_with_the_command_that_closes_it(
    tmp_path: Path,
) -> None:
    at = place(tmp_path)
    at.folders.state.chmod(0o755)
    found = one(list(rights(at)))
    assert (found.level, found.remedy) == ("warning", f"chmod 700 {at.folders.state}")


@posix
def test_a_file_that_others_can_read_is_told_by_name(tmp_path: Path) -> None:
    at = place(tmp_path)
    file = at.folders.updated / "chat.json"
    file.touch()
    file.chmod(0o640)
    found = one(list(rights(at)))
    assert found.level == "warning"
    assert str(file) in found.text


@posix
def test_what_the_person_drops_into_the_inbox_may_have_the_rights_it_came_with(
    tmp_path: Path,
) -> None:
    at = place(tmp_path)
    (at.folders.inbox / "export.json").touch(mode=0o644)
    assert one(list(rights(at))).level == "ok"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may do everything")
def test_a_folder_that_cannot_be_written_to_is_an_error(tmp_path: Path) -> None:
    at = place(tmp_path)
    at.folders.backups.chmod(0o500)
    found = one(list(rights(at)))
    assert (found.level, found.remedy) == ("error", f"chmod u+rwx {at.folders.backups}")


def test_on_windows_rights_are_not_judged_by_these_bits(tmp_path: Path) -> None:
    at = place(tmp_path, machine=machine(tmp_path, system="win32"))
    at.folders.state.chmod(0o755)
    assert one(list(rights(at))).level == "ok"


@posix
def test_folders_of_another_account_are_errors(tmp_path: Path) -> None:
    at = place(tmp_path, machine=machine(tmp_path, user=os.getuid() + 1))
    found = list(rights(at))
    assert levels(found) == ["error"] * 4
    assert "chown" in found[0].remedy


@pytest.mark.parametrize(("free", "level"), [(5e9, "ok"), (9e8, "warning"), (1.9e8, "error")])
def test_a_disk_is_judged_by_what_is_free_and_told_once_for_all_folders_on_it(
    tmp_path: Path, free: float, level: str
) -> None:
    found = one(list(disk(place(tmp_path, free=lambda folder: int(free)))))
    assert found.level == level
    assert "inbox, updated, backups, state" in found.text
