"""TypingMind is paired with a memproc that runs: what it sends the daemon takes, through kills and restarts."""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep, time

import httpx2 as httpx
import pytest

from daemon.bridge.devices import open_code
from tests.extension import Extension, Json
from tests.stories.bridged import chat_of
from tests.stories.cycle import ENGINE, Cycle
from tests.stories.daemon import QUICK, running
from tests.waiting import LIMIT_SECONDS, until

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="the stories look into /proc"),
]


@pytest.fixture
def new(tmp_path: Path) -> Cycle:
    """A chat that memproc has not seen, of a person whose page is on a port that nobody else has."""
    cycle = Cycle.begin(tmp_path / "ada", turns=120)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    cycle.person.settings(f"{ENGINE}{QUICK}[page]\nport = {port}\n")
    return cycle


@contextmanager
def paired(cycle: Cycle) -> Iterator[Extension]:
    """A browser of this person that was paired."""
    port = cycle.person.toml.read_text().rpartition("port = ")[2].strip()
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False) as http:
        extension = Extension(http)
        code = open_code(cycle.person.home / "state", time())
        assert extension.pair(code.digits).status_code == 200
        yield extension


def comes_to(extension: Extension, job: str, *states: str) -> Json:
    """Ask until the job is in one of the states; what stands there."""
    end = monotonic() + LIMIT_SECONDS
    while (told := extension.job(job))["state"] not in states:
        assert told["state"] not in ("failed", "skipped"), told
        assert monotonic() < end, told
        sleep(0.05)
    return told


def test_the_daemon_takes_what_is_sent_and_its_result_comes_back(new: Cycle) -> None:
    with running(new.person) as daemon, paired(new) as extension:
        assert extension.plan(new.export())["due"] > 0
        job = extension.send(new.export())
        done = comes_to(extension, job, "done")
        (row,) = daemon.rows()
        assert (row.state, row.name.startswith("From TypingMind, ")) == ("written", True)
        assert row.reason.startswith("TypingMind takes it back by itself: ")
        assert done["done"] == done["total"] > 0
        new.device.bring_in(extension.result(job))
        assert len(new.shown()) == done["total"]
        again = extension.send(new.export())
        assert "It is as memproc wrote it" in comes_to(extension, again, "unchanged")["reason"]
        later = extension.send(new.talk(40).export())
        comes_to(extension, later, "done")
        assert chat_of(extension.result(later))["chatID"] == new.chat_id
    assert new.person.memproc("verify").code == 0


def test_a_job_outlasts_the_page_s_process_and_the_daemon_s(new: Cycle) -> None:
    with running(new.person) as daemon, paired(new) as extension:
        job = extension.send(new.export())
        comes_to(extension, job, "running", "done")
        for process in page_of(daemon.process.pid):
            os.kill(process, signal.SIGKILL)
        daemon.process.kill()
        daemon.process.wait()
    with running(new.person), paired(new) as other:
        other.device, other.token = extension.device, extension.token
        comes_to(other, job, "done")
        assert chat_of(other.result(job))["chatID"] == new.chat_id


def test_a_paused_daemon_says_so_and_the_job_goes_on_after(new: Cycle) -> None:
    with running(new.person), paired(new) as extension:
        assert new.person.memproc("pause").code == 0
        job = extension.send(new.export())
        told = comes_to(extension, job, "waiting")
        assert told["reason"] == "memproc is paused. To go on at once: memproc resume"
        assert new.person.memproc("resume").code == 0
        comes_to(extension, job, "done")


def test_the_daemon_goes_on_with_a_skipped_chat_once_it_is_accepted(new: Cycle) -> None:
    with running(new.person), paired(new) as extension:
        first = extension.send(new.export())
        comes_to(extension, first, "done")
        new.device.bring_in(extension.result(first))
        for name in new.shown()[1:]:
            new.forget(name)
        job = extension.send(new.talk(40).export())
        until(lambda: extension.job(job)["state"] == "skipped")
        assert f"memproc accept {new.chat_id}" in extension.job(job)["reason"]
        assert new.person.memproc("accept", new.chat_id).code == 0
        comes_to(extension, job, "done")


def page_of(daemon: int) -> list[int]:
    """The page's process; a thread of the daemon's has started it."""
    every = [each for task in Path(f"/proc/{daemon}/task").iterdir() for each in _children(task)]
    return [
        process
        for process in every
        if b"page" in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    ]


def _children(task: Path) -> list[int]:
    return [int(each) for each in (task / "children").read_text().split()]
