"""kill -9 at random moments: no answer that was kept is asked for again, and the end is that of an undisturbed run."""

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from logging import getLogger
from math import ceil
from pathlib import Path
from random import Random
from time import monotonic, sleep, time
from typing import Any, Literal

import pytest

from primer.models import EXTRACTIVE
from tests.chats import export_bytes, long_chat
from tests.server.faults import Faulty
from tests.server.log import read_events
from tests.server.rates import FAILING, SPOILT
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.stories.person import Person

MODELS = """
[models]
agent = "anthropic/claude-haiku-5-5"
context_manager = "anthropic/claude-haiku-5-5"
fallback = "anthropic/claude-sonnet-5-5"
concurrency = {at_once}
[models.options]
timeout = 3
"""
LATENCY_SECONDS = 0.01
CALL_SECONDS = 0.03  # about what a call takes from its arrival to the arrival of the next
WRITING_SECONDS = 0.015
START_SECONDS = 4.0
STARTING = 0.15  # of the kills come before the first call
EARLY = 0.8  # of a stage's calls lie, on average, before the last of its kills
LOOK_SECONDS = 0.0003


@dataclass(frozen=True)
class Moment:
    """When a run is killed: so many seconds after its start, or after so many calls, or after it begins to write."""

    after: Literal["start", "calls", "writing"]
    seconds: float
    calls: int = 0


@dataclass
class Judge:
    """What the archive had kept at each kill, held against what reached the server afterwards."""

    person: Person
    log: Path
    at_once: int
    kills: list[float] = field(default_factory=list)
    """When they were, in seconds since 1970."""
    kept: dict[str, int] = field(default_factory=dict)
    """Requests by the server's keys, each with the number of the newest arrival when it was first seen kept."""
    too_late: set[int] = field(default_factory=set)
    """Numbers of requests that were answered just before a kill, and not kept any more."""

    def look(self) -> None:
        """Note which requests have their answers in the journal by now: all that were answered, or nearly all."""
        events = list(read_events(self.log))
        arrived = {event["number"]: event for event in events if event["event"] == "arrived"}
        answered = {
            arrived[event["number"]]["key"]: event
            for event in events
            if event["event"] == "answered"
        }
        facts = {
            key: self._facts(arrived[answer["number"]], answer["usage"])
            for key, answer in answered.items()
        }
        calls, alike = self._calls(), Counter(facts.values())
        assert calls <= alike, "the journal holds what was answered, and each answer once"
        assert len(answered) - calls.total() <= 2 * self.at_once
        for key, answer in answered.items():
            if alike[facts[key]] > 1:
                continue  # another answer looks just like it
            if facts[key] in calls:
                self.kept.setdefault(key, len(arrived))
            elif answer["at"] < self.kills[-1]:
                self.too_late.add(answer["number"])

    def _facts(self, asked: dict[str, Any], usage: dict[str, int]) -> tuple[object, ...]:
        sent = usage["fresh"] + usage["written"] + usage["read"]
        return asked["step"], f"anthropic/{asked['model']}", sent, usage["output"]

    def calls(self) -> int:
        """How many answers the journal holds."""
        return self._calls().total()

    def _calls(self) -> Counter[tuple[object, ...]]:
        found = json.loads(self.person.memproc("calls", "--json").out)["calls"]
        parts = ("step", "model", "tokens_in", "tokens_out")
        return Counter(
            tuple(call[part] for part in parts) for call in found if call["model"] != EXTRACTIVE
        )

    def nothing_kept_came_again(self) -> None:
        """No arrival after the kill at which its answer was seen in the journal."""
        arrivals = [event for event in read_events(self.log) if event["event"] == "arrived"]
        assert [
            one["number"]
            for one in arrivals
            if one["number"] > self.kept.get(one["key"], len(arrivals))
        ] == []


def moments(chance: Random, kills: int, calls: int) -> Iterator[Moment]:
    """Random moments spread over a run of so many calls; the last few are while it writes."""
    most = 2 * EARLY * calls / (kills * (1 - STARTING))
    for _ in range(kills):
        if chance.random() < STARTING:
            yield Moment("start", chance.uniform(0, START_SECONDS))
        else:
            yield Moment("calls", chance.uniform(0, CALL_SECONDS), ceil(chance.uniform(0, most)))
    for _ in range(3):
        yield Moment("writing", chance.uniform(0, WRITING_SECONDS))


def stages(tokens: Sequence[int]) -> list[bytes]:
    """The same conversation, exported again and again while it grows."""
    return [export_bytes(long_chat(size, tokens_each=300)) for size in tokens]


def somebody(folder: Path, at_once: int) -> Person:
    person = Person(folder, tail=3200, step=800, chunk=800)
    person.settings(MODELS.format(at_once=at_once))
    return person


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


def undisturbed(
    person: Person, exports: Sequence[bytes], server: ModelServer
) -> Iterator[tuple[bytes, int]]:
    """The output of each stage, and how many calls it took."""
    for export in exports:
        before = server.meter.calls
        person.drop(export)
        ended = person.memproc("run")
        assert (ended.code, ended.err) == (0, "")
        yield output(person), server.meter.calls - before


def output(person: Person) -> bytes:
    """The updated export without the one date that comes from the clock; empty where there is none yet."""
    if not person.updated():
        return b""
    (path,) = person.updated()
    content = path.read_bytes()
    (chat,) = json.loads(content)["data"]["chats"]
    dated = f'"updatedAt":"{chat["updatedAt"]}"'.encode()
    assert content.count(dated) == 1
    return content.replace(dated, b'"updatedAt":""')


def killed(person: Person, server: ModelServer, moment: Moment) -> float | None:
    """Run memproc, kill it at the moment, and say when that was; None where it has ended by then, its work done."""
    arrived, stood = len(server.requests), files(person)
    running = person.start("run")
    began = monotonic()
    while running.poll() is None and not has_come(
        moment, began, len(server.requests) - arrived, person, stood
    ):
        sleep(LOOK_SECONDS)
    if moment.after != "start":
        sleep(moment.seconds)
    running.kill()
    when = time()
    _, err = running.communicate()
    assert (running.returncode, err) in [(-signal.SIGKILL, ""), (0, "")]
    return when if running.returncode else None


def has_come(moment: Moment, began: float, calls: int, person: Person, stood: set[Path]) -> bool:
    """Whether the moment is there, but for its last few milliseconds."""
    if moment.after == "start":
        return calls > 0 or monotonic() - began >= moment.seconds
    if moment.after == "calls":
        return calls >= moment.calls
    return not files(person) <= stood


def files(person: Person) -> set[Path]:
    """All that stands in the folders that memproc writes to."""
    places = [person.home / name for name in ("updated", "backups")]
    return {
        Path(folder, name)
        for place in places
        for folder, _, names in os.walk(place)
        for name in names
    }


@pytest.mark.parametrize(
    ("sizes", "kills", "at_once"),
    [
        pytest.param(
            [9_000],
            4,
            1,
            id="a few, one at a time",
            marks=[pytest.mark.long, pytest.mark.timeout(200)],
        ),
        pytest.param([9_000], 4, 6, id="a few", marks=[pytest.mark.long, pytest.mark.timeout(200)]),
        pytest.param(
            [12_000, 22_000, 32_000, 42_000],
            50,
            6,
            id="200",
            marks=[pytest.mark.long, pytest.mark.timeout(3600)],
        ),
    ],
)
def test_a_run_that_is_killed_again_and_again_ends_as_an_undisturbed_one(
    tmp_path: Path, sizes: list[int], kills: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    exports = stages(sizes)
    with ModelServer(Setup(script=Faulty(rates=SPOILT))) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        expected = list(undisturbed(somebody(tmp_path / "undisturbed", 1), exports, server))
    ada = somebody(tmp_path / "ada", at_once)
    judge = Judge(ada, tmp_path / "server.jsonl", at_once)
    chance = Random(3)
    script = Faulty(rates={**SPOILT, **FAILING})
    with ModelServer(Setup(script=script, seconds=LATENCY_SECONDS), judge.log) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        whole = b""
        for export, (finished, calls) in zip(exports, expected, strict=True):
            ada.drop(export)
            for moment in moments(chance, kills, calls):
                when = killed(ada, server, moment)
                if when is None:
                    break
                judge.kills.append(when)
                judge.look()
                assert output(ada) in (whole, finished), (
                    "the updated export is the old one or the new one, whole"
                )
            ended = ada.spawn("run")
            assert (ended.code, ended.err) == (0, "")
            judge.look()
            assert output(ada) == finished
            whole = finished
        again = server.meter.finished_and_seen_again
        told = len(judge.kills), server.meter.calls, len(again), len(judge.too_late)
        getLogger(__name__).info(
            "%d kills, %d calls, %d asked again, %d of them answered before the kill", *told
        )
        assert len(judge.kills) >= kills * len(sizes)
        judge.nothing_kept_came_again()
        assert len(again) <= len(judge.kills) * at_once
        assert ada.memproc("verify").code == 0
        assert judge.calls() == len(server.meter.answered), (
            "nothing was answered that was not kept in the end"
        )
