"""The pace of calls: who waits, for what, and what ends the waiting. Limits come in real headers, through LiteLLM."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import sleep

import pytest

from daemon.models.completion import Completion, complete
from daemon.models.pace import NothingMoreLeaves, Pace
from daemon.models.patience import patiently
from primer.prompt import Turn
from primer.request import ENGINE, Model, Request
from rules.errors import NotNow
from rules.rate_limits import Limit
from tests.scripted import ended
from tests.server.limits import Limits
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup

CLAUDE, GPT = "anthropic/claude-haiku-5-5", "openai/gpt-4o"


@dataclass
class Time:
    """A clock that sleeping moves on."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    @property
    def pace(self) -> Pace:
        return Pace(lambda: self.now, self.sleep)


def asked(name: str = CLAUDE, said: str = "And then?", **options: object) -> Request:
    return Request("quote", Model(name, options), (Turn("user", said),), 20)


def telling(*limits: Limit) -> Callable[[Request], Completion]:
    return lambda request: replace(ended("Said."), limits=limits)


@pytest.mark.parametrize("name", [CLAUDE, GPT])
def test_the_limits_in_a_reply_s_headers_are_waited_for(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    time = Time()
    with ModelServer(Setup(limits=Limits(requests=2, seconds=8.0), clock=lambda: time.now)) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_BASE", f"{server.url}/v1")
        for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.setenv(variable, KEY)
        ask = time.pace.keeping(complete)
        for number in range(5):
            ask(asked(name, f"{number}: and then?"))
        meter = server.meter
    assert (meter.calls, len(meter.answered)) == (5, 5)
    assert 12.0 <= time.now < 25.0


@pytest.mark.parametrize("name", [CLAUDE, GPT])
def test_a_refusal_tells_limits_too(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with ModelServer(Setup(limits=Limits(tokens=1, seconds=9.0))) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_BASE", f"{server.url}/v1")
        for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.setenv(variable, KEY)
        with pytest.raises(NotNow) as told:
            complete(asked(name))
    (limit,) = told.value.limits
    assert (limit.kind, limit.limit) == ("tokens", 1)


def test_another_key_and_another_provider_have_limits_of_their_own() -> None:
    time = Time()
    ask = time.pace.keeping(telling(Limit("requests", 5, 0, 60.0)))
    ask(asked(api_key="mine"))
    ask(asked(api_key="yours"))
    ask(asked(GPT, api_key="mine"))
    assert time.slept == []
    ask(asked(api_key="mine"))
    assert time.now == 60.0


def test_the_built_in_engine_waits_for_nobody() -> None:
    time = Time()
    ask = time.pace.keeping(telling(Limit("requests", 5, 0, 60.0)))
    for _ in range(3):
        ask(Request("quote", ENGINE, (Turn("user", "And then?"),), 20))
    assert time.slept == []


def test_the_pause_that_one_call_is_asked_for_holds_the_others_back() -> None:
    time = Time()
    refusals = [NotNow("Busy.", "Wait.", 40.0)]

    def busy_once(request: Request) -> Completion:
        if refusals:
            raise refusals.pop()
        return ended("Said.")

    ask = time.pace.keeping(busy_once)
    with pytest.raises(NotNow):
        ask(asked())
    ask(asked(said="Another."))
    assert time.now == 40.0


def test_who_waits_to_be_asked_again_waits_no_longer_for_the_pace() -> None:
    time = Time()
    refusals = [NotNow("Busy.", "Wait.", 40.0)]

    def busy_once(request: Request) -> Completion:
        if refusals:
            raise refusals.pop()
        return ended("Said.")

    patiently(time.pace.keeping(busy_once), time.sleep, lambda: 0.0)(asked())
    assert time.now == 40.0


def test_nothing_leaves_while_the_pace_is_closed_and_all_may_leave_after_it() -> None:
    pace, left = Time().pace, []
    ask = pace.keeping(lambda request: left.append(request) or ended("Said."))  # type: ignore[func-returns-value]
    with pace.closed(), pytest.raises(NothingMoreLeaves):
        ask(asked())
    assert left == []
    ask(asked())
    assert len(left) == 1


def test_who_waits_when_the_pace_is_closed_does_not_leave_any_more() -> None:
    slept = threading.Semaphore(0)
    pace = Pace(lambda: 0.0, lambda seconds: slept.release())
    ask = pace.keeping(telling(Limit("requests", 5, 0, 60.0)))
    ask(asked())
    faults: list[BaseException] = []

    def wait() -> None:
        try:
            ask(asked())
        except NothingMoreLeaves as fault:
            faults.append(fault)

    waiting = threading.Thread(target=wait)
    waiting.start()
    slept.acquire()
    with pace.closed():
        waiting.join()
    assert len(faults) == 1


def test_calls_of_many_threads_leave_one_after_the_other_where_one_at_a_time_is_left() -> None:
    under_way, most, lock = [0], [0], threading.Lock()

    def slow(request: Request) -> Completion:
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        sleep(0.005)
        with lock:
            under_way[0] -= 1
        return replace(ended("Said."), limits=(Limit("requests", 1, 1, 0.0),))

    ask = Pace(sleep=lambda seconds: sleep(0.001)).keeping(slow)
    ask(asked())
    threads = [threading.Thread(target=ask, args=(asked(said=str(number)),)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]
