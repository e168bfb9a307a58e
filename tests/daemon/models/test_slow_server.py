"""A slow server of one's own: no more calls than it has slots, time that grows, and an end to asking alike."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import pytest

from daemon.archive.archive import Archive
from daemon.archive.journal import find_reply
from daemon.archive.trials import Trial, keep_trial
from daemon.events import Alive, Note, TriesAgain
from daemon.models import direct
from daemon.models.completion import TIMEOUT_SECONDS, Completion
from daemon.models.patience import SECOND_TIME, timeout_of, with_time
from daemon.models.scheduler import RunningDialogue, Scheduler
from primer.models import Model
from primer.prompt import Turn
from primer.reply import TOO_SLOW, TRIAL, Request
from rules.errors import AnswerTooSlow, MemprocError, OutOfReach, TimedOut
from tests.daemon.models.test_scheduler import WHEN, Counting, Told, all_of, asks, context_of
from tests.known import known

BASE = "http://127.0.0.1:8080/v1"
LONG = "a passage that takes long"
LATE = TimedOut("hosted_vllm/small at 127.0.0.1 has not answered in time.", "Later.")


def at_home(slots: int = 1, base: str = BASE) -> Model:
    return replace(known("hosted_vllm/small", {"api_base": base}), slots=slots)


def question(text: str, model: Model, step: str = "quote") -> Request:
    return Request(step, model, (Turn("user", text),), 60)


@dataclass
class Slow:
    """A server that never answers what is long in time, and answers the smallest request by `trial`."""

    trial: Callable[[], Completion] = lambda: Completion("Yes", "stop")
    fault: MemprocError = LATE
    asked: list[Request] = field(default_factory=list)

    def __call__(self, request: Request) -> Completion:
        self.asked.append(request)
        if request.step == TRIAL:
            return self.trial()
        if LONG in request.turns[-1].content:
            raise self.fault
        return Completion("An answer.", "stop")


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive.memory() as archive:
        yield archive


def test_no_more_is_asked_at_once_than_an_address_has_slots(archive: Archive) -> None:
    two = threading.Barrier(2)

    def answer(request: Request) -> Completion:
        two.wait(20)
        return Completion("An answer.", "stop")

    model, elsewhere = Counting(answer), Counting()

    def both(request: Request) -> Completion:
        return (model if request.model.base == BASE else elsewhere)(request)

    talks = [RunningDialogue(asks(question(f"{at}", at_home(2)))) for at in range(8)]
    other = at_home(0, "http://127.0.0.1:9999/v1")
    talks += [RunningDialogue(asks(question(f"elsewhere {at}", other))) for at in range(8)]
    with Scheduler(context_of(archive, both), "chat", 6) as scheduler:
        all_of(scheduler, talks)
    assert model.most == 2
    assert len(model.asked) == len(elsewhere.asked) == 8


def test_one_slot_is_asked_about_one_chunk_after_another_the_analysis_first(
    archive: Archive,
) -> None:
    model, one = Counting(), at_home()
    talks = [
        RunningDialogue(
            asks(*(question(f"{name}{at}", one) for at in (1, 2)), question(f"{name}0", one)),
            rank,
            ahead=question(f"{name}0", one),
        )
        for rank, name in enumerate("abc")
    ]
    with Scheduler(context_of(archive, model), "chat", 6) as scheduler:
        all_of(scheduler, talks)
    assert model.said() == ["a0", "a1", "a2", "b0", "b1", "b2", "c0", "c1", "c2"]


def test_the_time_grows_with_room_and_with_the_measured_speed(archive: Archive) -> None:
    short = question("the ferry", at_home())
    assert timeout_of(with_time(archive, short, 1, 0)) == TIMEOUT_SECONDS
    assert timeout_of(with_time(archive, short, 1, 1)) == SECOND_TIME * TIMEOUT_SECONDS
    roomy = replace(short, room=8)
    unmeasured = timeout_of(with_time(archive, roomy, 1, 0))
    assert unmeasured > TIMEOUT_SECONDS
    trial = Trial(BASE, 8192, 20.0, 1.0, copies_a_quote=True, keeps_apart=True)
    keep_trial(archive, short.model.name, trial, WHEN)
    assert timeout_of(with_time(archive, roomy, 1, 0)) > 2 * unmeasured
    assert with_time(archive, roomy, 1, 0).key == roomy.key
    in_line = [
        timeout_of(with_time(archive, replace(roomy, model=at_home(0)), at, 0)) for at in (1, 6)
    ]
    assert in_line[1] == 6 * in_line[0], "the five before it may be answered first"
    cloud = question("the ferry", known("anthropic/claude-haiku-5-5"))
    assert with_time(archive, cloud, 6, 1) == cloud


@pytest.mark.parametrize("fault", [LATE, AnswerTooSlow("It had not ended.", "Later.")])
def test_after_one_longer_time_it_is_done_without_the_answer(
    archive: Archive, fault: MemprocError
) -> None:
    server, told = Slow(fault=fault), Told()
    context = context_of(archive, server, told)
    long = question(LONG, at_home())
    with Scheduler(context, "chat", 1) as scheduler:
        assert scheduler.finish(RunningDialogue(asks(long))) == [""]
    assert [request.step for request in server.asked] == ["quote", "quote", TRIAL]
    first, second, _ = map(timeout_of, server.asked)
    assert second == SECOND_TIME * first
    (again,) = [event for event in told.events if isinstance(event, TriesAgain)]
    assert (again.attempt, again.of) == (1, 2)
    (note,) = [event.text for event in told.events if isinstance(event, Note)]
    assert "memproc retry" in note
    kept = find_reply(archive, long.key)
    assert kept and (kept.finish, kept.tries) == (TOO_SLOW, 2)
    with Scheduler(context, "chat", 1) as scheduler:
        assert scheduler.finish(RunningDialogue(asks(long))) == [""]
    assert len(server.asked) == 3, "no later run asks for it again"
    with Scheduler(context, "chat", 1, asks_again=True) as scheduler:
        scheduler.finish(RunningDialogue(asks(long)))
    assert len(server.asked) == 6, "a retry does"


def test_a_server_that_answers_nothing_at_all_is_out_of_reach(archive: Archive) -> None:
    def silent() -> Completion:
        raise LATE

    server = Slow(trial=silent)
    long = question(LONG, at_home())
    with pytest.raises(OutOfReach), Scheduler(context_of(archive, server), "chat", 1) as scheduler:
        scheduler.finish(RunningDialogue(asks(long)))
    assert len(server.asked) == 3
    assert find_reply(archive, long.key) is None


def test_while_a_call_is_waited_for_that_is_told(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(direct, "_TELL_SECONDS", 0.001)
    told = Told()

    def once_told(request: Request) -> Completion:
        while not told.events:
            pass
        return Completion("An answer.", "stop")

    with Scheduler(context_of(archive, once_told, told), "chat", 1) as scheduler:
        scheduler.finish(RunningDialogue(asks(question("the ferry", at_home()))))
    assert told.events[0] == Alive(0.0)
