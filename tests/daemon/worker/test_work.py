"""The work on an arrival, inside the worker: what it tells on the way, and where it can be ended."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from daemon.inbox.events import Alive, Answered, OutcomeOf, Planned, Remembered
from daemon.inbox.orders import Work
from daemon.inbox.stopping import ToldToStop
from daemon.inbox.work import work
from daemon.models.completion import Completion
from primer.request import Request
from rules.errors import NotNow
from tests.chats import CHAT_ID, export_bytes, long_chat
from tests.daemon.worker.told import Told, copied, settled
from tests.scripted import ScriptedModel
from tests.stories.person import Person

SMALL = export_bytes(long_chat(4400))
MODELS = """
[models]
agent = "anthropic/claude-haiku-5-5"
context_manager = "anthropic/claude-haiku-5-5"
[models.options."anthropic/claude-haiku-5-5"]
timeout = 40
"""


@dataclass
class Busy:
    """A model that is busy at first, so many times, and then answers."""

    times: int
    model: ScriptedModel = field(default_factory=ScriptedModel)

    def __call__(self, request: Request) -> Completion:
        if self.times:
            self.times -= 1
            raise NotNow("The provider is busy.", "Wait.")
        return self.model(request)


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    return Person(tmp_path / "ada", tail=3200, step=800, chunk=800)


@pytest.fixture
def order(ada: Person) -> Work:
    return copied(ada, SMALL, arrival=5)


@pytest.fixture
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-a-test")


def test_everything_on_the_way_of_an_arrival_is_told_with_its_number(ada: Person, order: Work) -> None:
    told = Told()
    work(order, settled(ada), told.line)
    (planned,) = told.of(Planned)
    assert (planned.arrival, planned.chat_id, planned.title) == (5, CHAT_ID, "The lighthouse")
    assert [(event.done, event.of) for event in told.of(Remembered)] == [
        (number, planned.chunks) for number in range(1, planned.chunks + 1)
    ]
    (outcome,) = told.of(OutcomeOf)
    assert (outcome.arrival, outcome.kind, [outcome.path]) == (5, "written", [str(path) for path in ada.updated()])


def test_the_built_in_engine_needs_no_signs_of_life_and_its_answers_are_not_told(ada: Person, order: Work) -> None:
    told = Told()
    work(order, settled(ada), told.line)
    assert (told.of(Alive), told.of(Answered)) == ([], [])


def test_what_is_set_aside_is_named_as_the_person_does(ada: Person) -> None:
    told = Told()
    work(copied(ada, b"a letter", name="letter.json"), settled(ada), told.line)
    (outcome,) = told.of(OutcomeOf)
    assert (outcome.title, outcome.kind) == ("letter.json", "set aside")
    assert "0000" not in outcome.detail + outcome.next_step


def test_a_chat_that_was_finished_before_is_left_alone(ada: Person, order: Work) -> None:
    told = Told()
    for _ in range(2):
        work(order, settled(ada), told.line)
    assert [event.kind for event in told.of(OutcomeOf)] == ["written", "left alone"]


@pytest.mark.usefixtures("keyed")
def test_before_each_call_the_worker_says_how_long_it_may_be_silent(
    ada: Person, order: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, told = ScriptedModel(), Told()
    monkeypatch.setattr("daemon.inbox.work.complete", model)
    work(order, settled(ada, MODELS), told.line)
    assert len(told.of(Alive)) == len(model.asked) == len(told.of(Answered)) > 0
    assert {event.silence for event in told.of(Alive)} == {80.0}
    assert {(event.arrival, event.model) for event in told.of(Answered)} == {(5, "anthropic/claude-haiku-5-5")}
    assert "own words" not in str(told.events)


@pytest.mark.usefixtures("keyed")
def test_a_busy_provider_is_waited_for_with_signs_of_life(
    ada: Person, order: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told()
    monkeypatch.setattr("daemon.inbox.work.complete", Busy(2))
    work(order, settled(ada, MODELS), told.line)
    assert len(told.stopping.pauses) == 2
    assert set(told.stopping.pauses) < {event.silence for event in told.of(Alive)}
    assert [event.kind for event in told.of(OutcomeOf)] == ["written"]


@pytest.mark.usefixtures("keyed")
def test_during_a_pause_for_a_busy_provider_the_worker_can_be_ended(
    ada: Person, order: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told()
    told.stop_at(Alive)
    monkeypatch.setattr("daemon.inbox.work.complete", Busy(99))
    with pytest.raises(ToldToStop):
        work(order, settled(ada, MODELS), told.line)
    assert told.of(OutcomeOf) == []


@pytest.mark.usefixtures("keyed")
def test_work_that_was_ended_between_two_calls_goes_on_there(
    ada: Person, order: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, told = ScriptedModel(), Told()
    monkeypatch.setattr("daemon.inbox.work.complete", model)
    told.stop_at(Answered)
    with pytest.raises(ToldToStop):
        work(order, settled(ada, MODELS), told.line)
    assert len(told.of(Answered)) == len(model.asked) > 0, "what was under way is answered, and told"
    work(order, settled(ada, MODELS), Told().line)
    assert len({request.key for request in model.asked}) == len(model.asked) > 1


def test_a_key_that_is_missing_sets_the_chat_aside_with_the_way_to_set_one(ada: Person, order: Work) -> None:
    told = Told()
    work(order, settled(ada, MODELS), told.line)
    (outcome,) = told.of(OutcomeOf)
    assert (outcome.kind, outcome.later) == ("set aside", False)
    assert "ANTHROPIC_API_KEY" in outcome.detail
    assert outcome.next_step == "To set one: memproc key set anthropic"
