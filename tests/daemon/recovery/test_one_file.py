"""One updated file of several chats, as memproc wrote it on request before each chat had a file of its own."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.outputs import last_output, record_output
from daemon.files.backup import check_backups
from tests.chats import export_bytes, long_chat
from tests.stories.erasing import OTHER, SECRET, contents, secret_chat
from tests.stories.person import Person


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    return Person(tmp_path / "ada")


def put_into_one_file(person: Person, *chat_ids: str) -> Path:
    """Put the updated exports of these chats into one file, and take their own files away."""
    with Archive.open(person.home / "state") as archive:
        outputs = [last_output(archive, chat_id) for chat_id in chat_ids]
        paths = [Path(output.path) for output in outputs if output is not None]
        chats = [chat for path in paths for chat in json.loads(path.read_bytes())["data"]["chats"]]
        content, whole = export_bytes(*chats), paths[0].with_name("All chats (0123456789).json")
        whole.write_bytes(content)
        for output in outputs:
            assert output is not None
            record_output(
                archive,
                replace(output, path=str(whole), sha256=hashlib.sha256(content).hexdigest()),
            )
    for path in paths:
        path.unlink()
    return whole


@pytest.mark.full
def test_a_file_of_many_chats_loses_this_chat_alone(ada: Person) -> None:
    chat = secret_chat()
    for part in (30, len(chat["messages"])):
        ada.drop(
            export_bytes(
                OTHER | {"messages": OTHER["messages"][:part]},
                chat | {"messages": chat["messages"][:part]},
            )
        )
        assert ada.memproc("run").code == 0
    path = put_into_one_file(ada, "other12345", "secret1234")
    before = json.loads(path.read_bytes())["data"]["chats"]
    versions = json.loads(ada.memproc("versions", "other12345", "--json").out)["versions"]
    assert ada.memproc("erase", "secret1234", "--yes").code == 0
    assert json.loads(path.read_bytes())["data"]["chats"] == before[:1]
    after = json.loads(ada.memproc("versions", "other12345", "--json").out)["versions"]
    assert [kept["number"] for kept in after] == [kept["number"] for kept in versions]
    for place, content in contents(ada.home):
        assert SECRET.encode() not in content, place
    assert check_backups(ada.home / "backups") == ()


@pytest.mark.full
def test_one_chat_never_drives_the_others_out_of_a_file_of_many(ada: Person) -> None:
    two = [
        long_chat(5000, tokens_each=200, chatID=name, id=name, chatTitle=name)
        for name in ("chatnumber1", "chatnumber2")
    ]
    ada.drop(export_bytes(*two))
    assert ada.memproc("run").code == 0
    whole = put_into_one_file(ada, "chatnumber1", "chatnumber2")
    before = whole.read_bytes()
    difference = ada.memproc("diff", "chatnumber2").out
    assert "version 1 (original" in difference and "Compressed into memory 1, " in difference
    assert "Restored." in ada.memproc("restore", "chatnumber2", "1", "--yes").out
    assert whole.read_bytes() == before
    (own,) = (path for path in ada.updated() if path != whole)
    assert json.loads(own.read_bytes())["data"]["chats"] == [
        json.loads(export_bytes(two[1]))["data"]["chats"][0]
    ]
