"""A full export is a ZIP, and a large one has its chats in chunk files."""

import io
import json
import zipfile

import pytest

from tests.chats import export_bytes, long_chat
from tests.exports.files import chunked_zip
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


@pytest.mark.parametrize("chunked", [False, True])
def test_a_zip_can_be_written_back_whole(ada: Person, chunked: bool) -> None:
    dropped = whole_export(chunked)
    ada.drop(dropped, "export.zip")
    ada.settings('[output]\ncontainer = "export"\n')
    ended = ada.memproc("run")
    assert (ended.code, ended.err) == (0, "")
    (path,) = (ada.home / "updated").iterdir()
    with zipfile.ZipFile(path) as new, zipfile.ZipFile(io.BytesIO(dropped)) as old:
        assert new.namelist() == old.namelist()
        changed = [name for name in new.namelist() if new.read(name) != old.read(name)]
        assert len(changed) == 1
        assert b'"memproc"' in new.read(changed[0])
