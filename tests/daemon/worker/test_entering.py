"""The worker enters the context once no other memproc is in it, and does not wait for ever."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from daemon.events import tell_nobody
from daemon.files.lock import Busy, hold, is_held
from daemon.inbox.entering import enter
from daemon.inbox.events import Alive, Event
from daemon.inbox.stopping import ToldToStop
from tests.daemon.worker.told import Told, settled
from tests.stories.person import Person


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    return Person(tmp_path / "ada")


@pytest.fixture
def lock(ada: Person) -> Path:
    (ada.home / "state").mkdir()
    return ada.home / "state" / "lock"


def test_an_empty_context_is_entered_at_once_and_left_again(ada: Person, lock: Path) -> None:
    told = Told()
    with enter(settled(ada), told.line, tell_nobody) as context:
        assert context.folders.state == ada.home / "state"
        assert is_held(lock)
    assert told.events == []
    assert not is_held(lock)


def test_another_memproc_is_waited_for_with_signs_of_life(ada: Person, lock: Path) -> None:
    told = Told()
    with ExitStack() as other:
        other.enter_context(hold(lock))

        def third(event: Event) -> None:
            if len(told.events) == 3:
                other.close()

        told.after = third
        with enter(settled(ada), told.line, tell_nobody):
            assert told.events == [Alive(pause) for pause in told.stopping.pauses]
    assert len(told.stopping.pauses) == 3


def test_another_memproc_that_does_not_go_is_told_after_a_while(ada: Person, lock: Path) -> None:
    with (
        hold(lock),
        pytest.raises(Busy, match="Another memproc"),
        enter(settled(ada), Told().line, tell_nobody, busy_seconds=0.0),
    ):
        pass


def test_a_worker_that_waits_can_be_ended(ada: Person, lock: Path) -> None:
    told = Told()
    told.stop_at(Alive)
    with hold(lock), pytest.raises(ToldToStop), enter(settled(ada), told.line, tell_nobody):
        pass
    assert len(told.events) == 1
