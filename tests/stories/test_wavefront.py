"""Several chunks at once: the same bytes with any number of calls, nothing lost when it ends early, and sooner done."""

import json
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from tests.chats import CHAT_ID, export_bytes, long_chat
from tests.server.child import ServerProcess, serve
from tests.server.faults import Faulty
from tests.server.log import read_events
from tests.server.rates import SPOILT
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.stories.person import Person
from tests.stories.test_kills import output
from tests.waiting import LIMIT_SECONDS, until

pytestmark = pytest.mark.timeout(300)
MODELS = """
[models]
agent = "anthropic/claude-haiku-5-5"
context_manager = "anthropic/claude-haiku-5-5"
concurrency = {most}
[fold]
budget = 2500
"""
ROUNDS = [export_bytes(long_chat(tokens, tokens_each=300)) for tokens in (15_000, 24_000)]
WRITTEN_AT = re.compile(r'(?<="written_at": ")[^"]*')


@dataclass(frozen=True)
class Lived:
    """What came of two rounds: the outputs, what the archive says of the memories, and all that was asked."""

    outputs: list[bytes]
    memories: list[list[dict[str, Any]]]
    asked: dict[str, str]
    """Which question each request put, by the server's keys."""
    at_once: int


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


def somebody(folder: Path, most: int) -> Person:
    person = Person(folder, tail=3200, step=800, chunk=800)
    person.settings(MODELS.format(most=most))
    return person


def lived(folder: Path, most: int, monkeypatch: pytest.MonkeyPatch) -> Lived:
    person, log = somebody(folder, most), folder / "server.jsonl"
    outputs, kept = [], []
    with ModelServer(Setup(script=Faulty(rates=SPOILT), seconds=0.02), log) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        for export in ROUNDS:
            person.drop(export)
            ended = person.memproc("run")
            assert (ended.code, ended.err) == (0, "")
            outputs.append(output(person))
            kept.append(memories(person))
    asked = {
        event["key"]: event["step"] for event in read_events(log) if event["event"] == "arrived"
    }
    return Lived(outputs, kept, asked, under_way(log))


def memories(person: Person) -> list[dict[str, Any]]:
    """All that the archive says of the memories and folds, but the time of day."""
    found = json.loads(WRITTEN_AT.sub("", person.memproc("memories", CHAT_ID, "--json").out))[
        "memories"
    ]
    assert isinstance(found, list)
    return found


def under_way(log: Path) -> int:
    """How many calls were under way at most at the same time, as the server saw them."""
    steps = [1 if event["event"] == "arrived" else -1 for event in read_events(log)]
    return max(accumulate(steps))


@pytest.mark.long
@pytest.mark.parametrize("most", [4, 16])
def test_the_bytes_the_memories_and_the_questions_are_the_same_with_any_number_of_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    alone, other = (lived(tmp_path / str(number), number, monkeypatch) for number in (1, most))
    assert alone.at_once == 1
    assert any(b'"level":2' in content for content in alone.outputs)
    assert 1 < other.at_once <= most
    assert other.outputs == alone.outputs
    assert other.memories == alone.memories
    assert other.asked.items() >= alone.asked.items()
    more = {step for key, step in other.asked.items() if key not in alone.asked}
    assert more <= {"analysis"}, "asked ahead, where the agent then refused to answer"


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerProcess]:
    with serve(tmp_path / "server", {"seconds": 0.5}) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        yield server


@pytest.mark.parametrize("wish", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.long
def test_who_ends_it_loses_no_answer_that_is_under_way(
    tmp_path: Path, slow: ServerProcess, wish: signal.Signals
) -> None:
    eve = somebody(tmp_path / "eve", 6)
    eve.drop(ROUNDS[0])
    running = eve.start("run")
    until(lambda: slow.meter.calls >= 4)
    running.send_signal(wish)
    out, err = running.communicate(timeout=LIMIT_SECONDS)
    assert (running.returncode, "Interrupted" in err) == (130, True)
    assert "under way and are waited for" in out
    meter = slow.meter
    kept = len(json.loads(eve.memproc("calls", "--json").out)["calls"])
    assert kept == len(meter.answered) == meter.calls
    ended = eve.memproc("run")
    assert (ended.code, ended.err) == (0, "")
    assert slow.meter.finished_and_seen_again == []


@pytest.mark.full
def test_a_chunk_that_does_not_fit_sets_the_chat_aside_when_those_before_it_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window said is twice the server's, so that it is the server that refuses the chunk."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    kept = []
    for most in (1, 16):
        olu = Person(tmp_path / str(most), tail=12_000, step=0, chunk=3000)
        olu.drop(export_bytes(long_chat(30_000, tokens_each=600)))
        with ModelServer(Setup(seconds=0.02)) as server:
            olu.settings(
                f'[models]\nagent = "openai/local-8k"\nconcurrency = {most}\n'
                f'[models.options."openai/*"]\napi_base = "{server.url}/v1"\nwindow = 16_384\n'
            )
            assert "chunk 3: " in olu.memproc("run").err
        kept.append(memories(olu))
    assert kept[0] == kept[1]
    assert len(kept[0]) == 2
