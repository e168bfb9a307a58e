"""Memories written by a model behind a real HTTP interface, on good days and on bad ones."""

import json
from pathlib import Path

import pytest

from daemon.config.settings import Config
from tests.chats import export_bytes, long_chat
from tests.server.child import serve
from tests.server.setup import KEY
from tests.stories.person import Person

pytestmark = pytest.mark.timeout(200)
CHAT = long_chat(9000, tokens_each=300)
MOST_AT_ONCE = Config().models.concurrency
MODELS = '[models]\nagent = "anthropic/claude-haiku-5-5"\ncontext_manager = "anthropic/claude-haiku-5-5"\n'


@pytest.fixture
def eve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """A person who has configured a model and its key."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    eve = Person(tmp_path / "eve", tail=3200, step=800, chunk=800)
    eve.settings(MODELS)
    eve.drop(export_bytes(CHAT))
    return eve


def memories(person: Person) -> list[dict[str, object]]:
    found = json.loads(person.memproc("memories", CHAT["chatID"], "--json").out)["memories"]
    assert isinstance(found, list)
    return found


def quotes_are_verbatim(person: Person) -> None:
    said = {
        message["uuid"]: json.dumps(message, ensure_ascii=False) for message in CHAT["messages"]
    }
    for memory in memories(person):
        quote = memory["edition"]["quotes"][0]  # type: ignore[index]
        assert json.dumps(quote["text"], ensure_ascii=False)[1:-1] in said[quote["source"]]


def test_a_model_writes_the_memories(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(tmp_path, None) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        ended = eve.memproc("run")
        assert (ended.code, ended.err) == (0, "")
        made = memories(eve)
        assert {memory["edition"]["made"] for memory in made} == {"model"}  # type: ignore[index]
        assert len(server.meter.answered) == 4 * len(made)
        quotes_are_verbatim(eve)
        assert eve.memproc("run").code == 0
        assert len(server.meter.answered) == 4 * len(made), "nothing new, no call"


@pytest.mark.full
def test_faults_on_the_way_and_invented_quotes_leave_no_trace_in_the_output(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = {"fabricated": 0.3, "forged tags": 0.1, "overloaded": 0.05, "drop": 0.05}
    with serve(tmp_path, {"rates": rates, "seed": 3}) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        ended = eve.memproc("run")
        assert (ended.code, ended.err) == (0, "")
        assert server.meter.finished_and_seen_again == []
    quotes_are_verbatim(eve)
    for message in eve.chat()["messages"]:
        if message.get("memproc", {}).get("slot") in (2, 4, 6):
            assert "</context_manager>" not in json.dumps(message)


def test_a_wrong_key_stops_everything_with_one_sentence(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(tmp_path, None) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "wrong")
        ended = eve.memproc("run")
        assert ended.code == 1
        assert "does not accept the key" in ended.err
        assert eve.updated() == []
        assert 1 <= len(server.meter.seen) <= MOST_AT_ONCE, (
            "what was under way already, and nothing after that"
        )
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        assert eve.memproc("run").code == 0


@pytest.mark.full
def test_calls_tells_what_was_asked_and_never_the_words_unless_they_are_wanted(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(tmp_path, None) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        assert eve.memproc("run").code == 0
        billed = server.meter.usage
    quote = memories(eve)[0]["edition"]["texts"][1]  # type: ignore[index]
    calls = json.loads(eve.memproc("calls", CHAT["chatID"], "--json").out)["calls"]
    assert len(calls) == 4 * len(memories(eve))
    assert sum(call["tokens_in"] for call in calls) == billed.prompt
    assert sum(call["tokens_cached"] for call in calls) == billed.read
    assert sum(call["tokens_out"] for call in calls) == billed.output
    table = eve.memproc("calls")
    assert table.code == 0
    assert "refinement" in table.out
    assert quote not in table.out
    assert quote not in json.dumps(calls)
    assert quote in eve.memproc("calls", "--text").out
