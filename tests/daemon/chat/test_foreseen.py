"""`plan` says of every file what `run` then does with it."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.chats import export_bytes, long_chat
from tests.daemon.recovery.test_one_file import put_into_one_file
from tests.stories.person import Person


def talk(chat_id: str, tokens: int, **fields: Any) -> dict[str, Any]:
    return long_chat(
        tokens,
        tokens_each=200,
        **{"id": chat_id, "chatID": chat_id, "chatTitle": chat_id, **fields},
    )


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    person = Person(tmp_path / "ada")
    person.settings(
        '[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n'
    )
    return person


def in_file(path: Path) -> dict[str, Any]:
    chats = json.loads(path.read_bytes())["data"]["chats"]
    return {chat["chatID"]: chat["messages"] for chat in chats}


def plans_and_runs(person: Person) -> tuple[bool, bool]:
    """Whether `plan` announces that something is written, and whether `run` then writes."""
    plan = json.loads(person.memproc("plan", "--json").out)["chats"]
    run = json.loads(person.memproc("run", "--json").out)
    announced = any(row.get("calls") or row.get("anew") for row in plan)
    return announced, any(row["outcome"] == "written" for row in run["outcomes"])


@pytest.mark.full
def test_plan_announces_the_new_file_of_a_chat_that_was_only_renamed(ada: Person) -> None:
    ada.drop(export_bytes(talk("aaa", 4000)))
    assert plans_and_runs(ada) == (True, True)
    assert plans_and_runs(ada) == (False, False)
    ada.drop(export_bytes(talk("aaa", 4000, chatTitle="Another title")))
    assert plans_and_runs(ada) == (True, True)
    assert plans_and_runs(ada) == (False, False)
    (path,) = ada.updated()
    assert path.name == "Another title (aaa).json"


def test_plan_knows_messages_that_another_client_has_spelled_in_its_own_way(ada: Person) -> None:
    ada.drop(export_bytes(talk("aaa", 4000)))
    assert plans_and_runs(ada) == (True, True)
    indented = json.dumps(json.loads(export_bytes(talk("aaa", 4000))), indent=1).encode()
    ada.drop(indented)
    assert plans_and_runs(ada) == (False, False)


@pytest.mark.full
def test_a_restored_chat_stays_when_another_chat_of_its_export_goes_on(ada: Person) -> None:
    for tokens in (4000, 5200):
        ada.drop(export_bytes(talk("aaa", tokens), talk("bbb", tokens)))
        assert ada.memproc("run").code == 0
    restored, other = ada.updated()
    assert ada.memproc("restore", "aaa", "2", "--yes").code == 0
    before = in_file(restored), in_file(other)
    ada.drop(export_bytes(talk("aaa", 5200), talk("bbb", 6400)))
    ended = ada.memproc("run")
    assert (ended.code, "1 written" in ended.out) == (0, True)
    assert in_file(restored) == before[0]
    assert in_file(other) != before[1]
    assert ada.memproc("accept", "aaa").code == 0
    assert ada.memproc("run").code == 0
    assert in_file(restored) != before[0]


@pytest.mark.full
def test_the_chats_of_one_updated_file_get_files_of_their_own_and_that_file_becomes_a_version(
    ada: Person,
) -> None:
    ada.drop(export_bytes(talk("aaa", 4000), talk("bbb", 4000)))
    assert ada.memproc("run").code == 0
    whole = put_into_one_file(ada, "aaa", "bbb")
    in_one = whole.read_bytes()
    ada.drop(export_bytes(talk("aaa", 5200)))
    assert ada.memproc("run").code == 0
    assert {path.name for path in ada.updated()} == {whole.name, "aaa (aaa).json"}
    assert whole.read_bytes() == in_one, "the other chat is in it"
    ada.drop(export_bytes(talk("bbb", 5200)))
    assert plans_and_runs(ada) == (True, True)
    assert {path.name for path in ada.updated()} == {"aaa (aaa).json", "bbb (bbb).json"}
    kept = json.loads(ada.memproc("versions", "bbb", "--json").out)["versions"]
    assert hashlib.sha256(in_one).hexdigest() in {version["sha256"] for version in kept}
    assert ada.memproc("verify").code == 0
    assert plans_and_runs(ada) == (False, False)


@pytest.mark.full
def test_with_the_default_sizes_a_long_chat_fits_below_the_step_of_its_model_s_price(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-none")
    person = Person(tmp_path / "ada", tail=30_000, step=24_000, chunk=4_000)
    model = '"anthropic/claude-haiku-5-5"'
    person.settings(f"[models]\nagent = {model}\ncontext_manager = {model}\n")
    person.drop(export_bytes(long_chat(420_000, tokens_each=500)))
    (plan,) = json.loads(person.memproc("plan", "--json").out)["chats"]
    assert plan["outcome"] == "plan", plan
