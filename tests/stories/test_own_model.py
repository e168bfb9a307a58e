"""No model is configured: the chat's own writes its memories, as far as there is a key; and a key may come later."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chats import CHAT_ID, Json, assistant, export_bytes, long_chat
from tests.server.child import ServerProcess, serve
from tests.server.setup import KEY
from tests.stories.person import Person
from tests.stories.wire import exported_texts, made_by, memories, sent

pytestmark = pytest.mark.timeout(200)
RETIRED = "anthropic/claude-3-5-sonnet-20241022 was retired on 2025-10-28; anthropic/claude-sonnet-5-5 takes its place."
NO_KEY = "There is no key for anthropic/claude-sonnet-5-5"
KEY_COMMAND = "memproc key set anthropic"
EXTRACTED, WRITTEN = "extracted", "model"
CUSTOM = "8f14e45f-ceea-467f-a9ab-d1d0a1b2c3d4"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerProcess]:
    """Anthropic's address is this server's; there is no key yet."""
    with serve(tmp_path / "server", {"bodies": True}) as running:
        monkeypatch.setenv("ANTHROPIC_API_BASE", running.url)
        yield running


@pytest.fixture
def noor(tmp_path: Path) -> Person:
    """A person who has configured sizes for short chats, and no models at all."""
    return Person(tmp_path / "noor", tail=3200, step=800, chunk=800)


def talk(tokens: int = 5400, **fields: Any) -> Json:
    return long_chat(tokens, tokens_each=300, **fields)


def run(person: Person) -> str:
    """Run well; what was said."""
    ended = person.memproc("run")
    assert (ended.code, ended.err) == (0, "")
    return ended.out


def plan(person: Person) -> str:
    ended = person.memproc("plan")
    assert (ended.code, ended.err) == (0, "")
    return ended.out


def numbered(person: Person) -> list[tuple[int, str]]:
    """Number and making of every edition that the archive holds, memory by memory."""
    return [
        (edition["number"], edition["made"])
        for memory in memories(person)
        for edition in memory["editions"]
    ]


def canned(chat: Json) -> list[Json]:
    return [
        message
        for message in chat["messages"]
        if message.get("memproc", {}).get("kind") in ("opening", "closing")
    ]


def test_a_chat_in_which_nothing_is_due_is_told_nothing_of_a_missing_key(
    noor: Person, server: ServerProcess
) -> None:
    noor.drop(export_bytes(talk(1200)))
    assert NO_KEY not in plan(noor)


def test_a_run_that_makes_no_memory_is_told_nothing_of_a_missing_key(
    noor: Person, server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = talk()
    noor.drop(export_bytes(chat))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    run(noor)
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    words = chat["messages"][0]["content"].split(".")[0]
    assert noor.memproc("keep", CHAT_ID, words).code == 0
    said = run(noor)
    assert "1 written" in said and NO_KEY not in said


def test_a_plan_without_a_key_says_what_the_chats_own_model_would_cost(
    noor: Person, server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    noor.drop(export_bytes(talk()))
    assert "Costs nothing" in plan(noor)
    assert "With a key for anthropic, its own model writes: likely $" in plan(noor)
    (without,) = json.loads(noor.memproc("plan", "--json").out)["chats"]
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    (priced,) = json.loads(noor.memproc("plan", "--json").out)["chats"]
    assert "with_key" not in priced
    assert without["with_key"]["likely_usd"] == priced["money"]["likely_usd"] > 0


def test_a_retired_model_gives_way_to_its_successor_and_that_is_said_once(
    noor: Person, server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    noor.drop(export_bytes(talk()))
    assert plan(noor).count(RETIRED) == 1
    assert run(noor).count(RETIRED) == 1
    assert made_by(noor) == {WRITTEN}
    requests = sent(server)
    agent = {request.model for request in requests if request.step != "analysis"}
    manager = {request.model for request in requests if request.step == "analysis"}
    assert (agent, manager) == ({"claude-sonnet-5-5"}, {"claude-haiku-5-5"})

    noor.drop(export_bytes(talk(7200)))
    assert plan(noor).count(RETIRED) == 1, "a plan says all that there is to say"
    later = run(noor)
    assert "become memories" in later or "becomes a memory" in later, "there was new work"
    assert "takes its place" not in later
    assert len(sent(server)) > len(requests)


def test_without_a_key_the_built_in_engine_steps_in_and_says_so_once(
    noor: Person, server: ServerProcess
) -> None:
    noor.drop(export_bytes(talk()))
    for said in (plan(noor), run(noor)):
        assert said.count(NO_KEY) == 1
        assert KEY_COMMAND in said
        assert "so its memories are extracted from what was said." in said
    assert made_by(noor) == {EXTRACTED}
    noor.drop(export_bytes(talk(7200)))
    assert NO_KEY not in run(noor)
    assert sent(server) == []


def test_a_name_that_is_only_a_uuid_gives_way_to_the_newest_known_one(
    noor: Person, server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    source = talk(model=CUSTOM, modelInfo={"id": CUSTOM, "title": "My own"})
    answers = [message for message in source["messages"] if message["role"] == "assistant"]
    for at, message in enumerate(answers):
        message["model"] = (
            CUSTOM if at >= 4 else "claude-haiku-5-5" if at >= 2 else "claude-3-opus-20240229"
        )
    noor.drop(export_bytes(source))
    assert "takes its place" not in run(noor), "the newest known model still answers"
    assert {request.model for request in sent(server)} == {"claude-haiku-5-5"}


def test_a_chat_without_any_known_model_is_left_to_the_engine_with_what_to_do(
    noor: Person, server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    source = talk(model=CUSTOM, modelInfo={"id": CUSTOM, "title": "My own"})
    for message in source["messages"]:
        if message["role"] == "assistant":
            message["model"] = CUSTOM
    noor.drop(export_bytes(source))
    for said in (plan(noor), run(noor)):
        assert "A chat names no model that memproc knows" in said
        assert "set agent in [models]" in said
    assert made_by(noor) == {EXTRACTED}
    assert sent(server) == []


@pytest.mark.full
def test_when_a_key_arrives_extracted_memories_are_written_again(
    noor: Person, server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    noor.drop(export_bytes(talk()))
    run(noor)
    before = noor.chat()
    number = len(memories(noor))
    assert numbered(noor) == [(1, EXTRACTED)] * number
    first = {memory["memory_id"]: memory["edition"]["texts"] for memory in memories(noor)}

    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    assert f"Memories that are written again: {number}" in plan(noor)
    planned = json.loads(noor.memproc("plan", "--json").out)["chats"][0]
    assert [chunk["number"] for chunk in planned["again"]] == [1, 2]
    assert planned["calls"] == 4 * number
    run(noor)
    assert numbered(noor) == [(1, EXTRACTED), (2, WRITTEN)] * number
    shown = {memory["memory_id"]: memory["edition"] for memory in memories(noor)}
    assert {edition["number"] for edition in shown.values()} == {2}
    assert {
        memory["memory_id"]: memory["editions"][0]["texts"] for memory in memories(noor)
    } == first, "nothing is overwritten"

    after = noor.chat()
    assert exported_texts(after) == {one: edition["texts"] for one, edition in shown.items()}
    assert canned(after) == canned(before)
    live = [message for message in before["messages"] if "memproc" not in message]
    assert [message for message in after["messages"] if "memproc" not in message] == live
    assert noor.memproc("verify").code == 0

    calls, everything = len(sent(server)), noor.bytes_of_everything()
    assert calls == 4 * number
    assert "1 unchanged" in run(noor)
    assert len(sent(server)) == calls
    assert noor.bytes_of_everything() == everything
    assert "extracted memories" not in plan(noor)


def test_a_memory_that_the_person_has_edited_stays_as_they_wrote_it(
    noor: Person, server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    noor.drop(export_bytes(talk()))
    run(noor)
    theirs = "We agreed on the blue door, and that nobody is to be told before May."
    chat = noor.chat()
    edited = next(
        message for message in chat["messages"] if message.get("memproc", {}).get("slot") == 6
    )
    edited["content"] = (
        theirs if isinstance(edited["content"], str) else [{"type": "text", "text": theirs}]
    )
    chat["messages"].append(assistant("That is agreed.", 9001))
    noor.drop(export_bytes(chat))

    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    assert "are written again: 1" in plan(noor)
    run(noor)
    assert len(sent(server)) == 4
    texts = exported_texts(noor.chat())
    assert texts[edited["memproc"]["memory"]][5] == theirs
    made = {memory["memory_id"]: memory["edition"]["made"] for memory in memories(noor)}
    assert made.pop(edited["memproc"]["memory"]) == EXTRACTED
    assert set(made.values()) == {WRITTEN}
    assert noor.memproc("verify").code == 0
    noor.drop(export_bytes(noor.chat()))
    run(noor)
    assert exported_texts(noor.chat()) == texts, "and in the rounds to come"
    assert len(sent(server)) == 4


def test_the_updated_export_itself_can_be_what_is_dropped_when_the_key_arrives(
    noor: Person, server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    noor.drop(export_bytes(talk()))
    run(noor)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    noor.drop(export_bytes(noor.chat()))
    run(noor)
    assert made_by(noor) == {WRITTEN}
    shown = {memory["memory_id"]: memory["edition"]["texts"] for memory in memories(noor)}
    assert exported_texts(noor.chat()) == shown
    assert noor.memproc("expand", CHAT_ID).code == 0
    assert noor.memproc("verify").code == 0
