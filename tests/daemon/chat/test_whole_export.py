"""`plan` says of every file what `run` then does with it; a restored chat stays as it was restored among others."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.chats import export_bytes, long_chat
from tests.stories.person import Person

EXTRACTED = '[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n'
WHOLE = EXTRACTED + '[output]\ncontainer = "export"\n'


def talk(chat_id: str, tokens: int, **fields: Any) -> dict[str, Any]:
    return long_chat(tokens, tokens_each=200, **{"id": chat_id, "chatID": chat_id, "chatTitle": chat_id, **fields})


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    person = Person(tmp_path / "ada")
    person.settings(WHOLE)
    return person


def in_file(path: Path) -> dict[str, Any]:
    chats = json.loads(path.read_bytes())["data"]["chats"]
    return {chat["chatID"]: chat["messages"] for chat in chats}


def plans_and_runs(person: Person) -> tuple[bool, bool]:
    """Whether `plan` announces that something is written, and whether `run` then writes."""
    plan = json.loads(person.memproc("plan", "--json").out)["chats"]
    run = json.loads(person.memproc("run", "--json").out)
    announced = any(row.get("calls") or "is written anew" in row.get("reason", "") for row in plan)
    return announced, any(row["outcome"] == "written" for row in run["outcomes"])


def restored(ada: Person) -> tuple[Path, dict[str, Any]]:
    """Two chats in one file, worked on twice; then aaa is restored to what it was after the first time."""
    for tokens in (4000, 5200):
        ada.drop(export_bytes(talk("aaa", tokens), talk("bbb", tokens)))
        assert ada.memproc("run").code == 0
    (path,) = ada.updated()
    assert ada.memproc("restore", "aaa", "2", "--yes").code == 0
    return path, in_file(path)


def test_a_restored_chat_stays_when_another_chat_of_its_export_goes_on(ada: Person) -> None:
    path, before = restored(ada)
    ada.drop(export_bytes(talk("aaa", 5200), talk("bbb", 6400)))
    ended = ada.memproc("run")
    assert (ended.code, "1 written" in ended.out) == (0, True)
    assert in_file(path)["aaa"] == before["aaa"]
    assert in_file(path)["bbb"] != before["bbb"]
    assert ada.memproc("accept", "aaa").code == 0
    assert ada.memproc("run").code == 0
    assert in_file(path)["aaa"] != before["aaa"]


def test_plan_announces_the_file_that_is_written_after_a_restore(ada: Person) -> None:
    restored(ada)
    assert plans_and_runs(ada) == (True, True)
    assert plans_and_runs(ada) == (False, False)


@pytest.mark.parametrize("settings", [EXTRACTED, WHOLE])
def test_plan_announces_the_new_file_of_a_chat_that_was_only_renamed(ada: Person, settings: str) -> None:
    ada.settings(settings)
    ada.drop(export_bytes(talk("aaa", 4000)))
    assert plans_and_runs(ada) == (True, True)
    assert plans_and_runs(ada) == (False, False)
    ada.drop(export_bytes(talk("aaa", 4000, chatTitle="Another title")))
    assert plans_and_runs(ada) == (True, True)
    assert plans_and_runs(ada) == (False, False)


def test_plan_knows_messages_that_another_client_has_spelled_in_its_own_way(ada: Person) -> None:
    ada.settings(EXTRACTED)
    ada.drop(export_bytes(talk("aaa", 4000)))
    assert plans_and_runs(ada) == (True, True)
    indented = json.dumps(json.loads(export_bytes(talk("aaa", 4000))), indent=1).encode()
    ada.drop(indented)
    assert plans_and_runs(ada) == (False, False)
