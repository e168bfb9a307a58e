"""The worker's main function, called in this process with pipes of the test's own in the place of its standard ones.

What only a process can show, such as its death, stands in test_child.py.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace
from typing import TypeVar

import pytest

from daemon.files.lock import hold
from daemon.inbox import child
from daemon.inbox.entering import enter
from daemon.inbox.events import (
    Alive,
    Begun,
    Done,
    Event,
    Failed,
    OutcomeOf,
    Ready,
    Remembered,
    Reported,
    SettingsAre,
    SettingsWrong,
    Stopped,
    read_event,
)
from daemon.inbox.lines import to_line
from daemon.inbox.orders import Order, Prune, Settings, Stop, Use
from daemon.inbox.stopping import TOO_LATE, Stopping
from tests.chats import export_bytes, long_chat
from tests.daemon.worker.told import ENGINE, copied
from tests.stories.person import Person

_Kind = TypeVar("_Kind")
END = b"no more\n"
WAIT_SECONDS = 20.0
EMPTY = b'{"data": {"chats": []}}'


@dataclass
class Worker:
    """The worker, seen from the daemon: orders go in at one end, events come out at the other."""

    toml: Path
    idle_seconds: float = WAIT_SECONDS
    after: Callable[["Worker", Event], None] = lambda worker, event: None
    """Called after each event, in the thread that hears them."""
    heard: list[Event] = field(default_factory=list)
    orders: int = -1

    def run(self, *orders: Order | bytes) -> None:
        """Give these orders, hear what is said, and say that no more will come once each of them has ended."""
        (taken, self.orders), (said, says) = os.pipe(), os.pipe()
        before = os.dup(0), os.dup(1)
        os.dup2(taken, 0)
        os.dup2(says, 1)
        listener = threading.Thread(target=self._listen, args=(said, len(orders)))
        os.write(self.orders, b"".join(one if isinstance(one, bytes) else to_line(one) for one in orders))
        listener.start()
        try:
            with patch_argv(["worker", "--config", str(self.toml)]):
                child.main(self.idle_seconds)
        finally:
            self.close()
            os.write(says, END)
            listener.join(WAIT_SECONDS)
            for kept, place in zip(before, (0, 1), strict=True):
                os.dup2(kept, place)
            for handle in (taken, said, says, *before):
                os.close(handle)

    def close(self) -> None:
        """No order will come any more."""
        orders, self.orders = self.orders, -1
        if orders >= 0:
            os.close(orders)

    def of(self, kind: type[_Kind]) -> list[_Kind]:
        """The events of one kind, in their order."""
        return [event for event in self.heard if isinstance(event, kind)]

    def _listen(self, said: int, orders: int) -> None:
        with os.fdopen(os.dup(said), "rb") as lines:
            for line in iter(lines.readline, END):
                self.heard.append(read_event(line))
                self.after(self, self.heard[-1])
                if sum(isinstance(event, Done | Failed | Stopped) for event in self.heard) == orders:
                    self.close()


@contextmanager
def patch_argv(argv: list[str]) -> Iterator[None]:
    before, sys.argv = sys.argv, argv
    try:
        yield
    finally:
        sys.argv = before


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    person = Person(tmp_path / "ada")
    person.settings(ENGINE)
    return person


@pytest.fixture
def worker(ada: Person, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    """A worker whose end, which is due at once, is only noted: this process goes on."""
    ended: SimpleQueue[int] = SimpleQueue()
    monkeypatch.setattr("daemon.inbox.stopping.os._exit", ended.put)
    monkeypatch.setattr(child, "Stopping", partial(Stopping, limit_seconds=0.0))
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield Worker(ada.toml)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    assert ended.get(timeout=WAIT_SECONDS) == TOO_LATE


def test_orders_are_carried_out_one_by_one_until_there_are_no_more(worker: Worker, ada: Person) -> None:
    worker.run(Settings(), copied(ada, EMPTY), Prune())
    kinds = [type(event) for event in worker.heard]
    assert kinds == [Ready, Begun, SettingsAre, Done, Begun, OutcomeOf, Done, Begun, Alive, Reported, Done]
    assert [event.order for event in worker.of(Done)] == ["Settings", "Work", "Prune"]


def test_an_order_to_stop_ends_the_worker(worker: Worker) -> None:
    worker.run(Stop())
    assert [type(event) for event in worker.heard] == [Ready]


def test_a_worker_without_orders_goes(worker: Worker) -> None:
    worker.idle_seconds = 0.05
    worker.run()
    assert [type(event) for event in worker.heard] == [Ready]


def test_an_order_that_nobody_knows_is_told_and_the_next_one_is_carried_out(worker: Worker) -> None:
    worker.run(b"make tea\n", Settings())
    assert [event.order for event in worker.of(Failed)] == [""]
    assert len(worker.of(SettingsAre)) == 1


def test_wrong_settings_are_an_answer_and_for_work_the_end_of_everything(worker: Worker, ada: Person) -> None:
    ada.settings("[watch]\nsettle_seconds = 'soon'\n")
    worker.run(Settings(), copied(ada, EMPTY))
    ((wrong,), (failed,)) = worker.of(SettingsWrong), worker.of(Failed)
    assert (failed.order, failed.fatal, failed.message) == ("Work", True, wrong.message)


def test_settings_that_were_handed_over_count_for_the_work(worker: Worker, ada: Person) -> None:
    good = ada.toml.read_text()
    ada.settings("[watch]\nsettle_seconds = 'soon'\n")
    order = copied(ada, EMPTY)
    worker.run(to_line(Use(str(ada.toml), good)) + to_line(order))
    assert [event.order for event in worker.of(Done)] == ["Work"]


def test_another_memproc_that_does_not_end_fails_the_order_alone(
    worker: Worker, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.inbox.work.enter", partial(enter, busy_seconds=0.0))
    order = copied(ada, EMPTY)
    with hold(ada.home / "state" / "lock"):
        worker.run(order)
    (failed,) = worker.of(Failed)
    assert not failed.fatal
    assert "Another memproc" in failed.message


def test_a_mistake_of_ours_is_told_with_a_note_in_which_no_value_stands(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(given: Path | None) -> None:
        raise KeyError("secret words")

    monkeypatch.setattr(child, "read", mistaken)
    worker.run(Settings())
    (failed,) = worker.of(Failed)
    assert not failed.fatal
    note = Path(failed.next_step.removeprefix("Please report the file "))
    assert "KeyError" in failed.message + note.read_text()
    assert "secret" not in failed.message + note.read_text()
    note.unlink()


def test_at_a_sigterm_the_work_is_left_at_the_next_good_place(worker: Worker, ada: Person) -> None:
    def end(hearing: Worker, event: Event) -> None:
        if isinstance(event, Remembered):
            os.kill(os.getpid(), signal.SIGTERM)

    worker.after = end
    worker.run(copied(ada, export_bytes(long_chat(6000))))
    assert worker.of(Stopped) == [Stopped("Work")]
    assert worker.of(OutcomeOf) == []


def test_a_worker_to_which_nobody_listens_ends(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(handle: int, content: object) -> int:
        raise BrokenPipeError

    with monkeypatch.context() as deaf:
        deaf.setattr(child, "os", SimpleNamespace(**{**vars(os), "write": broken}))
        worker.run(Settings())
    assert worker.heard == []
