"""The clock says Due, once for all that was missed, and never keeps a process alive."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from queue import Empty, SimpleQueue

import pytest

from daemon.inbox.schedule import Schedule
from daemon.inbox.wakes import Due, Wake

_LIMIT = 10


def test_what_is_due_is_said_once_at_its_time() -> None:
    queue: SimpleQueue[Wake] = SimpleQueue()
    with Schedule(queue.put) as schedule:
        at = datetime.now(UTC) + timedelta(seconds=0.2)
        schedule.once("prune", at)

        assert queue.get(timeout=_LIMIT) == Due("prune")
        assert datetime.now(UTC) >= at
        with pytest.raises(Empty):
            queue.get(timeout=0.1)


def test_what_was_due_long_ago_is_said_at_once_and_once() -> None:
    queue: SimpleQueue[Wake] = SimpleQueue()
    with Schedule(queue.put) as schedule:
        schedule.once("verify", datetime.now(UTC) - timedelta(days=40))
        schedule.once("prune", datetime.now(UTC) + timedelta(seconds=0.1))

        assert [queue.get(timeout=_LIMIT) for _ in range(2)] == [Due("verify"), Due("prune")]


def test_a_new_time_takes_the_place_of_the_old_one() -> None:
    queue: SimpleQueue[Wake] = SimpleQueue()
    with Schedule(queue.put) as schedule:
        schedule.once("prune", datetime.now(UTC) + timedelta(days=1))
        schedule.once("prune", datetime.now(UTC))

        assert queue.get(timeout=_LIMIT) == Due("prune")
        with pytest.raises(Empty):
            queue.get(timeout=0.3)


def test_a_process_ends_although_something_is_due_tomorrow() -> None:
    program = (
        "from datetime import *; from daemon.inbox.schedule import Schedule\n"
        "with Schedule(print) as schedule:\n"
        "    schedule.once('prune', datetime.now(UTC) + timedelta(days=1))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
