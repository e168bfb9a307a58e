"""Which entries of the inbox may be exports."""

import errno
import os
import socket
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn, cast

import pytest

from daemon.files.candidates import (
    Candidate,
    UnusableFile,
    candidates,
    export_parts,
    is_named_as_export,
    others_in,
    sighting_at,
    sighting_of,
)

FOREIGN = {
    "book.pdf": b"%PDF-1.7 ...",
    "Aria.jsonl": b'{"user_name":"Ada","character_name":"Aria"}\n{"name":"Ada","mes":"Hello"}\n',
    "lines.jsonl": b'{"prompt":"a"}\n{"prompt":"b"}\n',
    "notes.md": b"# My day\n\nIt was good.\n",
    "notes.txt": b"It was good.\n",
    "me.jpeg": b"\xff\xd8\xff\xe0",
    "chats": b'[{"title":"Aria","mapping":{}}]',
    "claude.txt": b'[{"uuid":"1","name":"Aria","chat_messages":[]}]',
    "noise": bytes(range(1, 32)) * 9,
    "nothing": b"",
}


def found(folder: Path, subfolders: bool = False) -> list[str]:
    return sorted(
        Path(entry.path).relative_to(folder).as_posix()
        for entry in candidates(folder, subfolders)
        if isinstance(entry, Candidate) and is_named_as_export(entry.path)
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
    ],
)
def test_files_of_systems_and_browsers_do_not_count(tmp_path: Path, name: str) -> None:
    put(tmp_path, name)
    assert list(candidates(tmp_path, subfolders=True)) == []


def test_files_that_are_called_otherwise_are_told_with_what_they_look_like(tmp_path: Path) -> None:
    put(tmp_path, "a.json", "json", ".hidden.txt", "b.zip.part")
    for name, content in FOREIGN.items():
        (tmp_path / name).write_bytes(content)
    others = [entry for entry in candidates(tmp_path) if not is_named_as_export(entry.path)]
    assert all(isinstance(entry, Candidate) for entry in others)
    told = {path.name: (reason, next_step) for path, reason, next_step in others_in(tmp_path)}
    assert told.keys() == {*FOREIGN, "json"}
    assert all(next_step for _, next_step in told.values())
    assert told["book.pdf"][0] == "book.pdf is a PDF."
    assert told["Aria.jsonl"][0] == "Aria.jsonl is a chat of SillyTavern (JSONL)."
    assert told["lines.jsonl"][0] == "lines.jsonl is a list of JSON lines (JSONL)."
    assert told["notes.md"][0] == "notes.md is a Markdown text, not JSON."
    assert told["notes.txt"][0] == "notes.txt is plain text, not JSON."
    assert told["me.jpeg"][0] == "me.jpeg is not a TypingMind export."
    assert told["chats"][0] == "chats is a ChatGPT export."
    assert told["claude.txt"][0] == "claude.txt is an export of Claude's own app."
    assert told["noise"][0] == "noise is not a TypingMind export."
    assert told["nothing"][0] == "nothing is empty."
    assert told["json"][0] == "json has a name that does not end in .json or .zip."
    assert others_in(tmp_path / "nowhere") == ()


def test_a_file_that_the_disk_does_not_give_is_told_with_the_disk_s_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: Path) -> NoReturn:
        raise OSError(errno.EIO, "Input/output error")

    put(tmp_path, "notes.pdf")
    monkeypatch.setattr("daemon.files.candidates.open_file", fails)
    (told,) = others_in(tmp_path)
    assert told[1] == "notes.pdf cannot be read: Input/output error."
    assert "Check the disk" in told[2]


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


@pytest.mark.parametrize(
    "folder", [".stfolder", ".stversions", "@eaDir", "__MACOSX", "b.json.download", ".Trash"]
)
def test_folders_of_systems_and_browsers_are_not_gone_into(tmp_path: Path, folder: str) -> None:
    put(tmp_path, f"{folder}/a.json")
    assert list(candidates(tmp_path, subfolders=True)) == []


def test_a_folder_with_an_index_directly_in_it_counts_as_its_zip(tmp_path: Path) -> None:
    put(tmp_path, "One/data.json", "Two/conversations.json", "Three/a.json", "Four/x/data.json")
    put(tmp_path, ".hidden/data.json", "__MACOSX/data.json", "Five.download/data.json")
    assert found(tmp_path) == ["One", "Two"]
    assert found(tmp_path, subfolders=True) == [
        "Four/x/data.json",
        "One/data.json",
        "Three/a.json",
        "Two/conversations.json",
    ]


def test_no_link_leads_out_of_the_inbox_neither_to_a_folder_nor_within_one(tmp_path: Path) -> None:
    put(tmp_path, "elsewhere/data.json", "elsewhere/chunks/a.json", "inbox/Own/data.json")
    inbox = tmp_path / "inbox"
    (inbox / "Linked").symlink_to(tmp_path / "elsewhere")
    (inbox / "Inside").mkdir()
    (inbox / "Inside" / "data.json").symlink_to(tmp_path / "elsewhere" / "data.json")
    (inbox / "Own" / "chunks").symlink_to(tmp_path / "elsewhere" / "chunks")
    assert found(inbox) == ["Own"]
    assert export_parts(inbox / "Own") == (inbox / "Own" / "data.json",)


def test_a_change_of_any_part_of_a_folder_is_seen(tmp_path: Path) -> None:
    put(tmp_path, "One/data.json", "One/chunks/a.json")
    before = sighting_at(tmp_path / "One")
    (tmp_path / "One/chunks/a.json").write_bytes(b"{ }")
    assert sighting_at(tmp_path / "One") != before


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
    with monkeypatch.context() as cloud:
        cloud.setattr(os, "lstat", lambda path: SimpleNamespace(st_mode=stat.S_IFREG, **away))
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
