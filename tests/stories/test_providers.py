"""Models of every kind of provider, behind real HTTP: what reaches the wire, and what never reaches a memory."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.chats import CHAT_ID, Json, assistant, export_bytes, long_chat
from tests.server.child import ServerProcess, serve
from tests.server.setup import KEY
from tests.stories.person import Person
from tests.stories.wire import Sent, exported_texts, made_by, memories, sent

pytestmark = pytest.mark.timeout(200)
GARDEN = "gardenchat"
GREETING = "Good morning, I am Ada. Before you ask: the lamp burns, and the sea is calm today."
THOUGHT = "PRIVATE THOUGHT"
# Where a provider's interface wants a key and there is none, this word goes along; the second is LiteLLM's own.
NO_KEY, LITELLMS = "none", "fake-api-key"


@pytest.fixture
def mira(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """A person whose short chat becomes two memories, and who has keys for two providers."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return Person(tmp_path / "mira", tail=3200, step=800, chunk=800)


def talk(**fields: Any) -> Json:
    return long_chat(5400, tokens_each=300, **fields)


@contextmanager
def running(person: Person, script: Mapping[str, Any] | None = None) -> Iterator[ServerProcess]:
    with serve(person.home.parent / "server", {"bodies": True, **(script or {})}) as server:
        yield server


def settings(
    person: Person, server: ServerProcess, agent: str, manager: str = "", general: str = ""
) -> None:
    """Models on this server; `general` are options for all of them."""
    person.settings(
        f'[models]\nagent = "{agent}"\ncontext_manager = "{manager or agent}"\n[models.options]\n{general}\n'
        f'[models.options."openai/*"]\napi_base = "{server.url}/v1"\n[models.options."*/local-model"]\nwindow = 128000\n'
        f'[models.options."lm_studio/*"]\napi_base = "{server.url}/v1"\n'
        f'[models.options."hosted_vllm/*"]\napi_base = "{server.url}/v1"\n'
        f'[models.options."ollama*/*"]\napi_base = "{server.url}"\nnum_ctx = 16384\n'
        f'[models.options."anthropic/*"]\napi_base = "{server.url}"\n'
    )


def run_well(person: Person) -> None:
    ended = person.memproc("run")
    assert (ended.code, ended.err) == (0, ""), ended.err


def memories_of_models(person: Person, number: int = 2) -> None:
    """Every memory was written by a model, and stands in the updated export."""
    assert len(memories(person)) == number
    assert made_by(person) == {"model"}
    assert len(exported_texts(person.chat())) == number


def marked(request: Sent) -> list[Json]:
    """The blocks behind which the provider's cache may break off."""
    parts = [
        *request.body.get("system", []),
        *(block for said in request.body["messages"] for block in said["content"]),
    ]
    return [part for part in parts if isinstance(part, dict) and "cache_control" in part]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("model", "key"),
    [
        ("ollama/local-model", ""),
        ("ollama_chat/local-model", ""),
        ("openai/local-model", NO_KEY),
        ("lm_studio/local-model", LITELLMS),
        ("hosted_vllm/local-model", LITELLMS),
    ],
)
def test_a_server_of_ones_own_needs_no_key(
    mira: Person, model: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    mira.drop(export_bytes(talk()))
    with running(mira, {"key": key}) as server:
        settings(mira, server, model)
        run_well(mira)
        memories_of_models(mira)
        requests = sent(server)
    assert len(requests) == 8
    for request in requests:
        assert "temperature" not in request.body.get("options", request.body)
        assert request.body.get("stream", False) is False
        assert "cache_control" not in request.text


@pytest.mark.full
def test_the_small_model_of_a_server_of_ones_own_is_the_agent(mira: Person) -> None:
    mira.drop(export_bytes(talk()))
    with running(mira) as server:
        settings(mira, server, "openai/local-model", "small")
        run_well(mira)
        memories_of_models(mira)
        requests = sent(server)
    assert {request.model for request in requests} == {"local-model"}, (
        "nobody has chosen another model there"
    )


@pytest.mark.full
def test_ollama_is_told_what_window_to_make_and_not_to_think(mira: Person) -> None:
    mira.drop(export_bytes(talk()))
    with running(mira) as server:
        settings(mira, server, "ollama_chat/local-model", general="temperature = 0.4")
        run_well(mira)
        requests = sent(server)
    assert {request.dialect for request in requests} == {"ollama"}
    for request in requests:
        assert request.body["think"] is False
        assert request.body["options"]["num_ctx"] == 16384
        assert request.body["options"]["temperature"] == 0.4
        assert request.body["options"]["num_predict"] > 0
        assert request.roles[-1] == "user"


@pytest.mark.full
def test_an_anthropic_agent_with_an_openai_context_manager_sends_each_what_it_takes(
    mira: Person,
) -> None:
    mira.drop(export_bytes(talk()))
    with running(mira, {"models": {"gpt-6-luna": {}}}) as server:
        settings(mira, server, "anthropic/claude-haiku-5-5", "openai/gpt-6-luna")
        run_well(mira)
        memories_of_models(mira)
        requests = sent(server)
    agent = [request for request in requests if request.model == "claude-haiku-5-5"]
    manager = [request for request in requests if request.model == "gpt-6-luna"]
    assert Counter(request.step for request in agent) == {
        "quote": 2,
        "perspective": 2,
        "refinement": 2,
    }
    assert [request.step for request in manager] == ["analysis"] * 2
    for request in agent:
        assert request.dialect == "anthropic"
        assert request.body["thinking"] == {"type": "disabled"}
        assert 1 <= len(marked(request)) <= 4
        assert not [block for block in marked(request) if "<context_manager>" in block["text"]], (
            "questions come after"
        )
    for request in manager:
        assert request.dialect == "openai"
        assert request.body["reasoning_effort"] == "none"
        assert "cache_control" not in request.text
    for request in requests:
        assert "temperature" not in request.body
        assert request.body.get("stream", False) is False
        assert request.roles[-1] == "user", "no model is given the beginning of its answer"
    shown = memories(mira)[0]["edition"]
    assert (shown["agent"], shown["context_manager"]) == (
        "anthropic/claude-haiku-5-5",
        "openai/gpt-6-luna",
    )


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("agent", "manager", "taking"),
    [
        ("anthropic/claude-sonnet-4-6", "anthropic/claude-haiku-5-5", {"claude-sonnet-4-6"}),
        ("anthropic/claude-sonnet-5-5", "openai/gpt-4o-mini", {"gpt-4o-mini"}),
        ("openai/local-model", "anthropic/claude-haiku-5-5", {"local-model"}),
    ],
)
def test_a_temperature_goes_to_those_that_take_it_and_to_no_other(
    mira: Person, agent: str, manager: str, taking: set[str]
) -> None:
    mira.drop(export_bytes(talk()))
    with running(mira) as server:
        settings(mira, server, agent, manager, general="temperature = 0.4")
        run_well(mira)
        memories_of_models(mira)
        requests = sent(server)
        assert server.meter.failures == {}
    for request in requests:
        assert request.body.get("temperature") == (0.4 if request.model in taking else None)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "agent", ["anthropic/claude-haiku-5-5", "openai/gpt-4o", "ollama_chat/local-model"]
)
def test_a_chat_that_begins_with_the_persona_gets_through(mira: Person, agent: str) -> None:
    source = talk()
    source["messages"].insert(0, assistant(GREETING, 9001))
    mira.drop(export_bytes(source))
    with running(mira) as server:
        settings(mira, server, agent)
        run_well(mira)
        memories_of_models(mira)
        requests = sent(server)
        assert server.meter.failures == {}
    first = next(
        request for request in requests if request.step == "quote" and GREETING in request.text
    )
    assert first.roles[0] == "user"
    kept = [exported for texts in exported_texts(mira.chat()).values() for exported in texts]
    assert not any("The conversation begins with your own words" in text for text in kept)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "agent", ["anthropic/claude-haiku-5-5", "openai/local-model", "ollama_chat/local-model"]
)
def test_what_a_model_thinks_is_in_no_memory(mira: Person, agent: str) -> None:
    mira.drop(export_bytes(talk()))
    with running(mira, {"rates": {"thinking": 1.0}}) as server:
        settings(mira, server, agent)
        run_well(mira)
        memories_of_models(mira)
        requests = sent(server)
        assert server.meter.usage.output > 0
    assert len(requests) == 8, "an answer with thinking in front is a good answer"
    assert not any(THOUGHT in request.text for request in requests), (
        "nor is it told to the next question"
    )
    assert THOUGHT not in str(memories(mira))
    assert not any(THOUGHT.encode() in content for content in mira.bytes_of_everything().values())
    assert THOUGHT not in mira.memproc("calls", "--text").out


def test_options_in_a_table_are_for_the_models_of_that_name_alone(mira: Person) -> None:
    mira.drop(export_bytes(talk()))
    with running(mira) as server:
        settings(mira, server, "openai/gpt-4o", "openai/local-model", general="seed = 7")
        with mira.toml.open("a") as toml:
            toml.write('[models.options."openai/local-*"]\nseed = 11\ntop_p = 0.9\n')
        run_well(mira)
        requests = sent(server)
    told = {
        (request.model, request.body.get("seed"), request.body.get("top_p")) for request in requests
    }
    assert told == {("gpt-4o", 7, None), ("local-model", 11, 0.9)}


@pytest.mark.full
def test_one_chat_of_an_export_can_have_models_of_its_own(mira: Person) -> None:
    garden = talk(id=GARDEN, chatID=GARDEN, chatTitle="The garden")
    mira.drop(export_bytes(talk(), garden))
    with running(mira) as server:
        settings(mira, server, "anthropic/claude-haiku-5-5")
        with mira.toml.open("a") as toml:
            toml.write(
                '[[chats.override]]\nchat = "The garden"\n[chats.override.models]\nagent = "openai/gpt-4o"\n'
                '[chats.override.models.options."openai/*"]\ntemperature = 0.2\n'
            )
        run_well(mira)
        requests = sent(server)
    assert len(mira.updated()) == 2
    writers = {
        chat: {memory["edition"]["agent"] for memory in memories(mira, chat)}
        for chat in (CHAT_ID, GARDEN)
    }
    assert writers == {CHAT_ID: {"anthropic/claude-haiku-5-5"}, GARDEN: {"openai/gpt-4o"}}
    assert {(request.model, request.body.get("temperature")) for request in requests} == {
        ("claude-haiku-5-5", None),
        ("gpt-4o", 0.2),
    }


@pytest.mark.parametrize(
    ("agent", "provider"),
    [("openai/gpt-4o", "openai"), ("anthropic/claude-haiku-5-5", "anthropic")],
)
def test_without_a_key_for_a_configured_model_nothing_is_sent_and_the_remedy_is_said(
    mira: Person, agent: str, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    mira.drop(export_bytes(talk()))
    mira.settings(f'[models]\nagent = "{agent}"\n')
    planned, ended = mira.memproc("plan"), mira.memproc("run")
    for said in (planned.out, ended.err):
        assert f"There is no key for {agent} (" in said
        assert f"memproc key set {provider}" in said
    assert (planned.code, ended.code) == (1, 1)
    assert mira.updated() == []


def test_an_ollama_model_whose_window_nobody_knows_is_not_asked(mira: Person) -> None:
    mira.drop(export_bytes(talk()))
    with running(mira) as server:
        mira.settings(
            f'[models]\nagent = "ollama_chat/local-8k"\n[models.options."ollama_chat/*"]\napi_base = "{server.url}"\n'
        )
        ended = mira.memproc("run")
        assert ended.code == 1
        assert "not known how many tokens ollama_chat/local-8k reads" in ended.err
        assert f"memproc init --local {server.url}" in ended.err
        assert sent(server) == []
        mira.settings(
            '[models]\nagent = "ollama_chat/local-8k"\n'
            f'[models.options."ollama_chat/*"]\napi_base = "{server.url}"\nnum_ctx = 8192\n'
        )
        assert (
            "whose window holds 8,192 tokens" in mira.memproc("plan").out + mira.memproc("plan").err
        )
