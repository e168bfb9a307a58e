"""A model that thinks unasked: after its first answers the others have room, and a kill in between loses nothing."""

import json
import signal
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from subprocess import Popen

import pytest

from tests.chats import export_bytes, long_chat
from tests.server.models import Model
from tests.server.reply import Failure, Reply
from tests.server.request import Request
from tests.server.scribe import scribe
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.stories.person import Person
from tests.stories.wire import made_by, memories

AGENT = "openrouter/anthropic/claude-sonnet-5"
THOUGHTS = "Let me weigh this once more. " * 450  # some 3,000 tokens
OFF = {"enabled": False}
CALLS = 8
"""What two memories take where every answer is good."""


@dataclass
class Thinker:
    """Thinks before each answer, unless it `obeys` the switch or `refuses` it; `at` hears of each arrival."""

    obeys: bool = False
    refuses: bool = False
    at: Callable[[int], None] = field(default=lambda number: None)

    def __call__(self, request: Request) -> Reply:
        self.at(request.number)
        is_told = request.body.get("reasoning") == OFF
        if is_told and self.refuses:
            return Failure(400, "invalid_request_error", "Reasoning is mandatory.")
        thinking = "" if is_told and self.obeys else THOUGHTS
        return replace(scribe(request), thinking=thinking)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)


def serving(thinker: Thinker) -> ModelServer:
    return ModelServer(Setup(script=thinker, models={"anthropic/claude-sonnet-5": Model()}))


def somebody(home: Path, server: ModelServer, at_once: int) -> Person:
    """A person whose short chat becomes two memories, by a model that costs 2 and 15 dollars."""
    person = Person(home, tail=3200, step=800, chunk=800)
    person.settings(
        f'[models]\nagent = "{AGENT}"\ncontext_manager = "{AGENT}"\nconcurrency = {at_once}\n'
        f'[models.options]\napi_base = "{server.url}/v1"\n'
        f'[models.options."{AGENT}"]\nwindow = {Model().window}\n'
        f'[[budget.price]]\nmodel = "{AGENT}"\nas_of = "2026-11-28"\ninput = 2\noutput = 15\n'
    )
    person.drop(export_bytes(long_chat(5400, tokens_each=300)))
    return person


def planned(person: Person) -> tuple[float, float]:
    """The dollars that a plan says, likely and at most."""
    totals = json.loads(person.memproc("plan", "--json").out)["totals"]
    return totals["likely_usd"], totals["at_most_usd"]


@pytest.mark.full
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("thinker", "most_refused"),
    [(Thinker(), 0), (Thinker(obeys=True), 0), (Thinker(refuses=True), 2)],
    ids=["deaf", "obedient", "refusing"],
)
def test_a_model_that_thinks_unasked_has_room_for_it_after_its_first_answers(
    tmp_path: Path, thinker: Thinker, most_refused: int
) -> None:
    with serving(thinker) as server:
        ada = somebody(tmp_path / "ada", server, 6)
        before = planned(ada)
        ended = ada.memproc("run")
        assert (ended.code, ended.err) == (0, "")
        calls = json.loads(ada.memproc("calls", "--json").out)["calls"]
        refused = server.meter.calls - len(calls)
    starved = [call for call in calls if call["finish"] == "length"]
    assert made_by(ada) == {"model"}
    assert len(starved) <= 3, "the first question of one, and what was sent ahead"
    assert (len(calls), refused <= most_refused) == (CALLS + len(starved), True)
    assert ended.out.index(f"{AGENT} thinks before it answers") > ended.out.index("calls: ")
    ada.drop(export_bytes(long_chat(5400, tokens_each=300, id="b", chatID="b")), "another.json")
    likely, at_most = planned(ada)
    assert round(at_most, 5) >= round(before[1] + CALLS * 8192 * 15e-6, 5)
    assert thinker.obeys or likely > before[0] + CALLS * 1500 * 15e-6


@pytest.mark.full
@pytest.mark.parametrize(
    ("number", "forgets"), [(1, False), (2, False), (3, False), (5, False), (5, True)]
)
def test_what_was_learned_before_a_kill_counts_after_it_and_nothing_is_asked_twice(
    tmp_path: Path, number: int, forgets: bool
) -> None:
    """Killed while the call of this number is under way; that one alone is asked once more.

    Where it `forgets` in between, one answer more teaches it again.
    """
    with serving(Thinker()) as server:
        undisturbed = somebody(tmp_path / "undisturbed", server, 1)
        assert undisturbed.memproc("run").code == 0
        calls = server.meter.calls
    assert calls == CALLS + 1, "the first answer has taught it"
    running: list[Popen[str]] = []

    def at(arrival: int) -> None:
        if arrival == number:
            running[0].kill()

    with serving(Thinker(at=at)) as server:
        ada = somebody(tmp_path / "ada", server, 1)
        running.append(ada.start("run"))
        running[0].communicate()
        assert running[0].returncode == -signal.SIGKILL
        if forgets:
            assert ada.memproc("budget", "forget", AGENT).code == 0
        ended = ada.memproc("run")
        assert (ended.code, ended.err) == (0, "")
        assert server.meter.calls == calls + 1 + forgets
        assert f"{AGENT} thinks before it answers" in ended.out
        assert memories(ada) and texts(ada) == texts(undisturbed)


def texts(person: Person) -> list[str]:
    """The texts of the updated chat's messages."""
    return [str(message["content"]) for message in person.chat()["messages"]]
