"""A full export is a ZIP, and a large one has its chats in chunk files."""

import io
import json
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from tests.chats import Json, export_bytes, long_chat
from tests.exports.files import chunked_zip, zip_bytes
from tests.stories.daemon import QUICK, running
from tests.stories.person import Person

LONG = long_chat(4000, tokens_each=200, id="long123456", chatID="long123456", chatTitle="Long")
SHORT = long_chat(600, tokens_each=200, id="short12345", chatID="short12345", chatTitle="Short")


def whole_export(chunked: bool) -> bytes:
    if chunked:
        return chunked_zip([SHORT], [LONG])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        package.writestr("data.json", json.dumps(json.loads(export_bytes(SHORT, LONG)), indent=2))
        package.writestr("attachments/b1.blob", b"\x00\x01")
    return buffer.getvalue()


@pytest.mark.sampled
@pytest.mark.parametrize("chunked", [False, True])
def test_the_chats_of_a_zip_are_compressed_one_by_one(ada: Person, chunked: bool) -> None:
    ada.drop(whole_export(chunked), "export.zip")
    ended = ada.memproc("run")
    assert (ended.code, ended.err) == (0, "")
    assert [path.name for path in ada.updated()] == ["Long (long123456).json"]
    assert ada.chat()["messages"][0]["memproc"]["kind"] == "opening"
    before = ada.bytes_of_everything()
    assert ada.memproc("run").code == 0
    assert ada.bytes_of_everything() == before


def test_a_file_that_only_has_the_name_of_a_zip_is_no_export_and_another_is_asked_for(
    ada: Person,
) -> None:
    ada.drop(b"MZ\x90\x00\xff\xfe of some program", "program.zip")
    ended = ada.memproc("run")
    assert ended.code == 1
    assert (
        "program.zip: skipped. It is neither a ZIP file nor JSON, so it is no TypingMind export. "
        "In TypingMind open the chat's menu, choose Export, and drop that file as it is."
    ) in " ".join(ended.err.split())


def unpack(content: bytes, folder: Path) -> None:
    """What Safari makes of a ZIP that it has loaded."""
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        package.extractall(folder)


@pytest.mark.full
@pytest.mark.parametrize("chunked", [False, True])
def test_a_zip_that_was_unpacked_is_read_like_the_zip_and_named(ada: Person, chunked: bool) -> None:
    unpack(whole_export(chunked), ada.inbox / "My export")
    for command in ("plan", "run"):
        ended = ada.memproc(command)
        assert (ended.code, ended.err) == (0, "")
        assert "My export is a folder, and is read like the ZIP" in ended.out
    assert [path.name for path in ada.updated()] == ["Long (long123456).json"]
    for command in ("status", "doctor"):
        assert "My export is a folder" in " ".join(ada.memproc(command).out.split())
    before = ada.bytes_of_everything()
    assert ada.memproc("run").code == 0
    assert ada.bytes_of_everything() == before


@pytest.mark.parametrize("chunked", [False, True])
def test_a_folder_of_an_export_that_was_zipped_again_is_read(ada: Person, chunked: bool) -> None:
    with zipfile.ZipFile(io.BytesIO(whole_export(chunked))) as package:
        inside = {f"My export/{name}": package.read(name) for name in package.namelist()}
    added = {"__MACOSX/My export/._data.json": b"\0\5\x16\7", "My export/.DS_Store": b"\0"}
    ada.drop(zip_bytes({**inside, **added}), "My export.zip")
    ended = ada.memproc("run")
    assert (ended.code, ended.err) == (0, "")
    assert [path.name for path in ada.updated()] == ["Long (long123456).json"]


def test_a_conversation_of_another_program_in_an_unpacked_folder_waits_for_the_person(
    ada: Person,
) -> None:
    folder = ada.inbox / "From ChatGPT"
    folder.mkdir()
    (folder / "conversations.json").write_bytes(b'[{"title":"Aria","mapping":{}}]')
    (folder / "user.json").write_bytes(b"{}")
    ended = ada.memproc("run")
    assert ended.code == 1
    assert "From ChatGPT: skipped. It is a ChatGPT export." in ended.err
    assert "memproc bring 'From ChatGPT'" in ended.err


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="the story looks into /proc")
def test_the_daemon_takes_an_unpacked_zip_once_it_has_stood_still(ada: Person) -> None:
    ada.settings(QUICK)
    with running(ada) as daemon:
        folder = ada.inbox / "My export"
        (folder / "chunks").mkdir(parents=True)
        unpack(chunked_zip([SHORT], [LONG]), ada.home / "loaded")
        for name in ("data.json", "chunks/chats_part_1.json"):
            shutil.copyfile(ada.home / "loaded" / name, folder / name)
        half = (ada.home / "loaded/chunks/chats_part_2.json").read_bytes()
        (folder / "chunks/chats_part_2.json").write_bytes(half[:1])
        daemon.comes_to("My export", "settling", saying="JSON not closed")
        (folder / "chunks/chats_part_2.json").write_bytes(half)
        daemon.comes_to("My export", "written")
        assert "My export" in ada.memproc("logs").out
    assert [path.name for path in ada.updated()] == ["Long (long123456).json"]


def as_others_spell_it(*chats: Json) -> dict[str, bytes]:
    """The same chats in every container, as other clients write them, and as they are after a sync."""
    synced = {"syncedAt": "2026-11-01T00:00:00.000Z", "updatedAt": "2026-11-21T00:00:00.000Z"}
    moved = [
        chat | synced | {"messages": [dict(reversed(one.items())) for one in chat["messages"]]}
        for chat in chats
    ]
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as new:
        new.writestr("data.json", export_bytes(*chats, indent=2))
    return {
        "indented.json": export_bytes(*chats, indent=2),
        "escaped.json": export_bytes(*chats, ascii_only=True),
        "synced.json": export_bytes(*moved),
        "whole.zip": package.getvalue(),
        "chunked.zip": chunked_zip([], chats),
    }


@pytest.mark.full
@pytest.mark.variants
@pytest.mark.parametrize("mode", ["new-chat", "keep-originals", "replace"])
def test_a_processed_chat_that_comes_again_in_another_container_changes_no_byte(
    ada: Person, mode: str
) -> None:
    ada.settings(f'[output]\nmode = "{mode}"\n')
    ada.drop(export_bytes(LONG, SHORT))
    assert ada.memproc("run").code == 0
    (path,) = ada.updated()
    imported = json.loads(path.read_bytes())["data"]["chats"]
    for chats in [(LONG, SHORT), (imported[0], SHORT)]:
        for name, content in as_others_spell_it(*chats).items():
            ada.drop(content, name)
            before = ada.bytes_of_everything()
            ended = ada.memproc("run", ada.inbox / name, "--json")
            outcomes = {outcome["outcome"] for outcome in json.loads(ended.out)["outcomes"]}
            assert (ended.code, outcomes) == (0, {"unchanged"}), name
            assert ada.bytes_of_everything() == before, name
