"""How the worker is ended: what is under way may finish, nothing new is begun, and it does not take for ever."""

from queue import SimpleQueue
from time import monotonic

import pytest

from daemon.inbox.stopping import LIMIT_SECONDS, TOO_LATE, Stopping, ToldToStop

WAIT_SECONDS = 10.0


@pytest.fixture
def exits(monkeypatch: pytest.MonkeyPatch) -> "SimpleQueue[int]":
    """The exit codes with which the process would have ended at once."""
    codes: SimpleQueue[int] = SimpleQueue()
    monkeypatch.setattr("daemon.inbox.stopping.os._exit", codes.put)
    return codes


class Ending:
    """A worker that can be asked to end; `begun` gets a word once it is told."""

    def __init__(self, limit_seconds: float) -> None:
        self.begun: SimpleQueue[str] = SimpleQueue()
        self.stopping = Stopping(lambda: self.begun.put("begun"), limit_seconds)


def test_until_it_is_told_the_worker_goes_on() -> None:
    worker = Ending(LIMIT_SECONDS)
    worker.stopping.check()
    worker.stopping.pause(0.0)
    assert worker.begun.empty()


def test_once_it_is_told_each_good_place_ends_it(exits: "SimpleQueue[int]") -> None:
    worker = Ending(0.05)
    worker.stopping.ask()
    assert worker.begun.get(timeout=WAIT_SECONDS)
    with pytest.raises(ToldToStop):
        worker.stopping.check()
    with pytest.raises(ToldToStop):
        worker.stopping.pause(0.0)
    assert exits.get(timeout=WAIT_SECONDS) == TOO_LATE


def test_a_pause_ends_as_soon_as_it_is_told(exits: "SimpleQueue[int]") -> None:
    worker, began = Ending(0.05), monotonic()
    worker.stopping.ask()
    with pytest.raises(ToldToStop):
        worker.stopping.pause(WAIT_SECONDS * 10)
    assert monotonic() - began < WAIT_SECONDS
    assert exits.get(timeout=WAIT_SECONDS) == TOO_LATE


def test_a_second_signal_ends_it_at_once(exits: "SimpleQueue[int]") -> None:
    worker = Ending(LIMIT_SECONDS)
    for _ in range(2):
        worker.stopping.ask(by_signal=True)
    assert exits.get(timeout=WAIT_SECONDS) == TOO_LATE


def test_the_end_of_the_orders_and_one_signal_let_the_call_finish(exits: "SimpleQueue[int]") -> None:
    worker, began = Ending(0.3), monotonic()
    worker.stopping.ask(by_signal=True)
    worker.stopping.ask()
    assert exits.get(timeout=WAIT_SECONDS) == TOO_LATE
    assert monotonic() - began >= 0.3
