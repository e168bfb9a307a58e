"""A model refuses: nothing is asked twice, and what helps is another model or a word of guidance."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.chats import export_bytes, long_chat
from tests.server.child import ServerProcess, serve
from tests.server.setup import KEY
from tests.stories.person import Person
from tests.stories.wire import exported_texts, made_by, memories, sent

pytestmark = pytest.mark.timeout(200)
SAY = (
    "Speak of the harbour in general words, please, and leave out the argument about the lamp oil."
)
EXTRACTED, WRITTEN = "extracted", "model"
ALL_REFUSED = {"rates": {"refused": 1.0}}


@pytest.fixture
def ines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """A person with a key, and a chat that becomes two memories."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    ines = Person(tmp_path / "ines", tail=3200, step=800, chunk=800)
    ines.drop(export_bytes(long_chat(5400, tokens_each=300)))
    return ines


@pytest.fixture
def refusing(ines: Person) -> Iterator[ServerProcess]:
    """A provider that has refused every question about the chat."""
    with running(ines, "refusing", ALL_REFUSED) as server:
        asks(ines, server)
        ended = ines.memproc("run")
        assert (ended.code, ended.err) == (0, "")
        assert "extracted (no model)" in ended.out
        assert "memory extracted by the engine 2" in ended.out
        yield server


@contextmanager
def running(person: Person, name: str, script: Mapping[str, object]) -> Iterator[ServerProcess]:
    with serve(person.home.parent / name, {"bodies": True, **script}) as server:
        yield server


def asks(person: Person, server: ServerProcess, more: str = "") -> None:
    """memproc.toml sends Claude's questions to this server, one after the other."""
    person.settings(
        f'[models]\nagent = "anthropic/claude-haiku-5-5"\nconcurrency = 1\n{more}'
        f'[models.options."anthropic/*"]\napi_base = "{server.url}"\n'
    )


def numbers(person: Person, memory_id: str) -> list[tuple[int, str]]:
    (memory,) = (each for each in memories(person) if each["memory_id"] == memory_id)
    return [(edition["number"], edition["made"]) for edition in memory["editions"]]


def marks(person: Person) -> set[str]:
    """How the memories of the updated export say that they were made."""
    own = [message["memproc"] for message in person.chat()["messages"] if "memproc" in message]
    return {marker["made"] for marker in own if marker["kind"] == "memory"}


@pytest.mark.full
def test_what_was_refused_is_never_asked_again_and_no_byte_changes(
    ines: Person, refusing: ServerProcess
) -> None:
    assert made_by(ines) == {EXTRACTED}
    assert marks(ines) == {EXTRACTED}
    asked = sent(refusing)
    assert [request.step for request in asked] == [
        "quote",
        "quote",
        "perspective",
        "perspective",
    ] * 2
    assert len(refusing.meter.seen) == len(asked), "each in other words, none as it was"
    before = ines.bytes_of_everything()
    for ended in (ines.memproc("run"), ines.spawn("run")):
        assert (ended.code, ended.err) == (0, "")
        assert "1 unchanged" in ended.out
    assert len(sent(refusing)) == len(asked), "another process knows of the refusals too"
    assert ines.bytes_of_everything() == before
    assert "extracted memories" not in ines.memproc("plan").out


@pytest.mark.full
def test_a_fallback_model_writes_what_was_refused(ines: Person, refusing: ServerProcess) -> None:
    asked = len(sent(refusing))
    with running(ines, "willing", {}) as willing:
        asks(
            ines,
            refusing,
            f'fallback = "openai/gpt-4o"\n[models.options."openai/*"]\napi_base = "{willing.url}/v1"\n',
        )
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("OPENAI_API_KEY", KEY)
            assert "Memories that are written again: 2" in ines.memproc("plan").out
            ended = ines.memproc("run")
        assert (ended.code, ended.err) == (0, "")
        assert "memory by the fallback model 2" in ended.out
        helped = sent(willing)
    assert {memory["edition"]["agent"] for memory in memories(ines)} == {"openai/gpt-4o"}
    assert marks(ines) == {WRITTEN}
    steps = [request.step for request in helped]
    assert steps.count("refinement") == 2
    questions = [request.step for request in sent(refusing)[asked:]]
    assert set(questions) <= {"analysis"}, "of the agent nothing is asked that it has refused"


@pytest.mark.full
def test_facts_are_taken_once_from_a_chunk_that_only_later_finds_a_model(
    ines: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first agent refuses it, so the engine's memory stays; the facts were taken all the same."""
    ines.settings('[models]\nagent = "memproc/extractive"\n')
    ended = ines.memproc("run")
    assert ended.code == 0, ended
    assert made_by(ines) == {EXTRACTED}
    ines = replace(ines, layers=True)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with (
        running(ines, "refusing", ALL_REFUSED) as refusing,
        running(ines, "willing", {}) as willing,
    ):
        openai = f'[models.options."openai/*"]\napi_base = "{willing.url}/v1"\n'
        asks(ines, refusing, f'context_manager = "openai/gpt-4o"\n{openai}')
        assert ines.memproc("run").code == 0
        assert made_by(ines) == {EXTRACTED}
        assert [request.step for request in sent(willing)].count("facts") == 2
        ines.settings(f'[models]\nagent = "openai/gpt-4o"\n{openai}')
        assert ines.memproc("run").code == 0
        assert made_by(ines) == {WRITTEN}
        assert [request.step for request in sent(willing)].count("facts") == 2


def test_one_refusal_is_healed_by_other_words(ines: Person) -> None:
    with running(ines, "server", {"at": {"1": "refused"}}) as server:
        asks(ines, server)
        ended = ines.memproc("run")
        assert (ended.code, ended.err) == (0, "")
        asked = sent(server)
    assert "refused 1" in ended.out
    assert "good in other words 1" in ended.out
    assert made_by(ines) == {WRITTEN}
    assert [request.step for request in asked][:3] == ["quote", "quote", "perspective"]
    assert asked[0].body != asked[1].body


@pytest.mark.full
def test_a_retry_without_a_word_asks_nothing_that_was_asked_before(
    ines: Person, refusing: ServerProcess
) -> None:
    asked = len(sent(refusing))
    memory = memories(ines)[0]["memory_id"]
    ended = ines.memproc("retry", memory)
    assert (ended.code, ended.out) == (1, "")
    assert "Memory 1 stays as it was. All this has been asked before" in ended.err
    assert "--say" in ended.err
    told = json.loads(ines.memproc("retry", memory, "--json").out)
    assert (told["outcome"], told["memory_id"], told["run"]["calls"]) == ("kept", memory, 0)
    assert len(sent(refusing)) == asked
    assert numbers(ines, memory) == [(1, EXTRACTED)]


@pytest.mark.full
def test_a_word_of_guidance_makes_a_new_edition_that_the_next_run_writes(
    ines: Person, refusing: ServerProcess
) -> None:
    one, other = (memory["memory_id"] for memory in memories(ines))
    before = ines.bytes_of_everything()
    with running(ines, "willing", {}) as willing:
        asks(ines, willing)
        changed = ines.bytes_of_everything()
        ended = ines.memproc("retry", one[:8], "--say", SAY)
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.endswith(" run\n")
        assert ines.bytes_of_everything() == changed, "a retry touches no export"
        asked = sent(willing)
        assert [request.step for request in asked] == [
            "quote",
            "perspective",
            "analysis",
            "refinement",
        ]
        for request in asked:
            said = request.body["messages"][-1]["content"][-1]["text"]
            assert (SAY in said) == (request.step != "analysis"), "guidance is for the agent"
        assert numbers(ines, one) == [(1, EXTRACTED), (2, WRITTEN)]
        assert numbers(ines, other) == [(1, EXTRACTED)]
        shown = next(memory["edition"] for memory in memories(ines) if memory["memory_id"] == one)
        assert SAY not in str(shown)

        asks(ines, refusing)
        ended = ines.memproc("run")
        assert (ended.code, ended.err) == (0, "")
        assert len(sent(willing)) == len(asked)
    texts = exported_texts(ines.chat())
    assert texts[one] == shown["texts"]
    assert SAY not in str(texts)
    assert marks(ines) == {EXTRACTED, WRITTEN}
    assert ines.bytes_of_everything() != before
    assert ines.memproc("verify").code == 0


@pytest.mark.full
def test_a_retry_as_json_says_which_edition_came_of_it(
    ines: Person, refusing: ServerProcess
) -> None:
    memory = memories(ines)[1]["memory_id"]
    with running(ines, "willing", {}) as willing:
        asks(ines, willing)
        told = json.loads(ines.memproc("retry", memory, "--say", SAY, "--json").out)
    assert (told["outcome"], told["memory_id"], told["run"]["calls"]) == ("written", memory, 4)
    assert (told["edition"]["number"], told["edition"]["made"]) == (2, WRITTEN)


@pytest.mark.full
def test_guidance_that_is_refused_too_leaves_the_memory_as_it_was(
    ines: Person, refusing: ServerProcess
) -> None:
    memory = memories(ines)[0]["memory_id"]
    asked = len(sent(refusing))
    ended = ines.memproc("retry", memory, "--say", SAY)
    assert ended.code == 1
    assert "4 new questions were asked, and no new memory came of it" in ended.err
    assert "models.fallback" in ended.err
    assert len(sent(refusing)) == asked + 4
    assert numbers(ines, memory) == [(1, EXTRACTED)]
    assert ines.memproc("retry", memory, "--say", SAY).code == 1
    assert len(sent(refusing)) == asked + 4, "the same words are not sent twice"


def test_a_memory_that_nobody_knows_cannot_be_retried(
    ines: Person, refusing: ServerProcess
) -> None:
    ended = ines.memproc("retry", "m0000")
    assert (ended.code, ended.out) == (2, "")
    assert 'The archive knows no memory "m0000"' in ended.err
    assert "memproc memories CHAT" in ended.err
