"""A person compresses a chat for the first time, and again, and again."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.chats import export_bytes, long_chat, texts
from tests.stories.person import Person

pytestmark = pytest.mark.timeout(200)


def kinds(messages: list[dict[str, Any]]) -> list[str]:
    return [message.get("memproc", {}).get("kind", "raw") for message in messages]


def test_an_export_goes_in_and_a_compressed_one_comes_out(ada: Person) -> None:
    dropped = export_bytes(long_chat(6000, tokens_each=200))
    chat = json.loads(dropped)["data"]["chats"][0]
    path = ada.drop(dropped)

    ended = ada.spawn("run")

    assert (ended.code, ended.err) == (0, "")
    assert path.read_bytes() == dropped, "the file that was dropped is never changed"
    found = ada.chat()
    raw = [message for message in found["messages"] if "memproc" not in message]
    assert raw == chat["messages"][-len(raw) :], (
        "the live tail is the newest messages, as they were"
    )
    assert kinds(found["messages"])[0] == "opening"
    memories = kinds(found["messages"]).count("memory")
    assert memories % 6 == 0
    assert kinds(found["messages"])[1 : memories + 2] == ["memory"] * memories + ["closing"]
    assert {**found, "messages": 0, "updatedAt": 0, "syncMetadata": 0} == {
        **chat, "messages": 0, "updatedAt": 0, "syncMetadata": 0,
    }  # fmt: skip
    first_gone = chat["messages"][0]["uuid"]
    assert first_gone in found["syncMetadata"]["deletedMessageUUIDs"]
    assert all(
        message["memproc"].get("made", "extracted") == "extracted"
        for message in found["messages"][:3]
    )


def test_the_first_original_is_kept_and_the_files_are_private(ada: Person) -> None:
    dropped = export_bytes(long_chat(4000, tokens_each=200))
    ada.drop(dropped)
    assert ada.memproc("run").code == 0

    chats = json.loads(ada.memproc("chats", "--json").out)["chats"]
    listed = json.loads(ada.memproc("versions", chats[0]["chat_id"], "--json").out)["versions"]
    assert [(version["number"], version["kind"]) for version in listed] == [(1, "original")]
    for place in ("updated", "backups", "state"):
        for path in (ada.home / place, *(ada.home / place).rglob("*")):
            assert path.stat().st_mode & 0o077 == 0, path


def test_a_second_run_with_nothing_new_makes_no_call_and_changes_no_byte(ada: Person) -> None:
    ada.drop(export_bytes(long_chat(4000, tokens_each=200)))
    assert ada.memproc("run").code == 0
    before = ada.bytes_of_everything()

    ended = ada.memproc("run")

    assert (ended.code, ended.err) == (0, "")
    assert "0 written" in ended.out
    assert ada.bytes_of_everything() == before


def test_our_own_output_dropped_in_again_is_left_alone(ada: Person) -> None:
    ada.drop(export_bytes(long_chat(4000, tokens_each=200)))
    assert ada.memproc("run").code == 0
    ada.drop(ada.updated()[0].read_bytes(), "from-typingmind.json")
    before = ada.bytes_of_everything()

    ended = ada.memproc("run", ada.inbox / "from-typingmind.json")

    assert ended.code == 0
    assert "compressed already" in ended.out
    assert ada.bytes_of_everything() == before


@pytest.mark.full
def test_a_conversation_that_went_on_gets_memories_of_what_is_newly_old(ada: Person) -> None:
    whole = long_chat(9000, tokens_each=200)
    ada.drop(export_bytes({**whole, "messages": whole["messages"][:40]}))
    assert ada.memproc("run").code == 0
    first = ada.chat()

    talked_on = {**first, "messages": first["messages"] + whole["messages"][40:]}
    ada.drop(export_bytes(talked_on), "later.json")
    ended = ada.memproc("run", ada.inbox / "later.json")

    assert (ended.code, ended.err) == (0, "")
    second = ada.chat()
    old = [
        message
        for message in first["messages"]
        if message.get("memproc", {}).get("kind") in ("opening", "memory")
    ]
    assert second["messages"][: len(old)] == old, "memories that stand there keep their bytes"
    assert kinds(second["messages"]).count("memory") > kinds(first["messages"]).count("memory")
    numbers = json.loads(ada.memproc("versions", first["chatID"], "--json").out)["versions"]
    assert [version["kind"] for version in numbers] == ["original", "updated"]


def test_a_memory_that_lost_a_message_gets_it_back_without_a_call(ada: Person) -> None:
    whole = long_chat(9000, tokens_each=200)
    ada.drop(export_bytes({**whole, "messages": whole["messages"][:40]}))
    assert ada.memproc("run").code == 0
    calls = ada.memproc("calls", "--json").out
    first = ada.chat()
    ada.drop(export_bytes({**first, "messages": first["messages"][:3] + first["messages"][4:]}))

    ended = ada.memproc("run")

    assert (ended.code, ended.err) == (0, "")
    assert "1 written" in ended.out
    assert texts(ada.chat()["messages"]) == texts(first["messages"])
    assert ada.memproc("calls", "--json").out == calls


@pytest.mark.full
def test_in_one_go_or_in_two_rounds_the_memories_are_the_same(
    ada: Person, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = long_chat(8000, tokens_each=200)
    bea = Person(tmp_path_factory.mktemp("bea"))
    bea.drop(export_bytes(whole))
    assert bea.memproc("run").code == 0
    ada.drop(export_bytes({**whole, "messages": whole["messages"][:36]}), "1.json")
    assert ada.memproc("run", ada.inbox / "1.json").code == 0
    ada.drop(export_bytes(whole), "2.json")
    assert ada.memproc("run", ada.inbox / "2.json").code == 0

    def memories(person: Person) -> list[dict[str, Any]]:
        return [message for message in person.chat()["messages"] if message.get("memproc")]

    assert memories(ada) == memories(bea)


def test_a_chat_that_is_too_short_is_left_alone_with_the_reason(ada: Person) -> None:
    ada.drop(export_bytes(long_chat(900, tokens_each=200)))
    ended = ada.memproc("run")
    assert ended.code == 0
    assert "unchanged" in ended.out
    assert ada.updated() == []


def test_each_chat_of_an_export_stands_or_falls_by_itself(ada: Person) -> None:
    good = long_chat(4000, tokens_each=200, id="good123456", chatID="good123456", chatTitle="Good")
    bad = {
        **long_chat(4000, tokens_each=200),
        "id": "bad1234567",
        "chatID": "bad1234567",
        "chatTitle": "Bad",
    }
    bad["messages"] = ["not a message", *bad["messages"]]
    binned = long_chat(
        4000,
        id="gone123456",
        chatID="gone123456",
        chatTitle="Gone",
        deletedAt="2026-01-01T00:00:00Z",
    )
    ada.drop(export_bytes(bad, good, binned))

    ended = ada.memproc("run")

    assert ended.code == 1
    assert "Bad, export.json: skipped" in ended.err
    assert "Gone, export.json: unchanged" in ended.out
    assert [path.name for path in ada.updated()] == ["Good (good123456).json"]


def test_include_and_exclude_choose_chats_by_title_id_and_folder(ada: Person) -> None:
    chats = [
        long_chat(
            4000, id=f"{name}1234567", chatID=f"{name}1234567", chatTitle=title, folderID=folder
        )
        for name, title, folder in (
            ("aaa", "Talks with Ada 1", None),
            ("bbb", "Work", "f1"),
            ("ccc", "Talks 2", "f2"),
        )
    ]
    ada.drop(export_bytes(*chats))
    ada.settings('[chats]\ninclude = ["talks*", "f1"]\nexclude = ["ccc1234567"]\n')
    plans = json.loads(ada.memproc("plan", "--json").out)["chats"]
    assert [plan["outcome"] for plan in plans] == ["plan", "plan", "unchanged"]


def test_a_new_title_gives_the_file_a_new_name_and_the_old_one_is_kept(ada: Person) -> None:
    chat = long_chat(4000, tokens_each=200)
    ada.drop(export_bytes(chat))
    assert ada.memproc("run").code == 0
    old = ada.updated()[0].read_bytes()
    ada.drop(export_bytes({**chat, "chatTitle": "Another title"}))
    assert ada.memproc("run").code == 0
    (path,) = ada.updated()
    assert path.name.startswith("Another title")
    kept = json.loads(ada.memproc("versions", chat["chatID"], "--json").out)["versions"]
    assert gzip.decompress(Path(kept[-1]["path"]).read_bytes()) == old


def test_another_folder_for_updated_exports_leaves_the_old_one_alone(ada: Person) -> None:
    ada.drop(export_bytes(long_chat(4000, tokens_each=200)))
    assert ada.memproc("run").code == 0
    old = ada.bytes_of_everything()
    ada.toml.write_text(
        ada.toml.read_text().replace('updated = "updated"', 'updated = "elsewhere"')
    )
    assert ada.memproc("run").code == 0
    (moved,) = (ada.home / "elsewhere").iterdir()
    assert moved.name == ada.updated()[0].name
    now = ada.bytes_of_everything()
    assert {place: now[place] for place in old if place.startswith("updated")} == {
        place: content for place, content in old.items() if place.startswith("updated")
    }
