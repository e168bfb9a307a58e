"""The worker itself, as a process of its own, on real exports: with the built-in engine, and with a model server."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.files.lock import hold
from daemon.inbox.events import (
    Alive,
    Answered,
    Begun,
    Done,
    Failed,
    Notice,
    OutcomeOf,
    Planned,
    Ready,
    Remembered,
    Reported,
    SettingsAre,
    Stopped,
)
from daemon.inbox.orders import Maintain, Prune, Retry, Settings, Verify, Work
from daemon.inbox.settings_reader import read_settings
from daemon.inbox.stopping import TOO_LATE
from tests.chats import CHAT_ID, export_bytes, long_chat
from tests.daemon.worker.loop import loop
from tests.server.child import ServerProcess, serve
from tests.server.setup import KEY
from tests.stories.person import Person

MODELS = """
[models]
agent = "anthropic/claude-haiku-5-5"
context_manager = "anthropic/claude-haiku-5-5"
"""
ENGINE = """
[models]
agent = "memproc/extractive"
context_manager = "memproc/extractive"
"""


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    person = Person(tmp_path / "ada", tail=3200, step=800, chunk=800)
    person.settings(ENGINE)
    return person


def copied(person: Person, content: bytes, arrival: int = 1, name: str = "my chats.json") -> Work:
    """An order to work on a copy, as the daemon makes it."""
    folder = person.home / "state" / "arrivals"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{arrival:064x}.json"
    path.write_bytes(content)
    return Work(arrival, str(path), name)


SMALL = export_bytes(long_chat(4400))
EMPTY = b'{"data": {"chats": []}}'


def real(person: Person, code: str) -> list[str]:
    """The real worker's command, but with this code."""
    return [sys.executable, "-P", "-c", code, "--config", str(person.toml)]


def test_an_arrival_goes_through_the_whole_trip(ada: Person) -> None:
    with loop(ada.toml) as daemon:
        daemon.do(copied(ada, SMALL, arrival=5))
        (planned,) = daemon.of(Planned)
        assert (planned.arrival, planned.chat_id) == (5, CHAT_ID)
        assert [event.done for event in daemon.of(Remembered)] == list(range(1, planned.chunks + 1))
        (outcome,) = daemon.of(OutcomeOf)
        assert (outcome.arrival, outcome.chat_id, outcome.kind) == (5, CHAT_ID, "written")
        assert [str(path) for path in ada.updated()] == [outcome.path]
        assert f"with {planned.chunks} memories" in outcome.detail
        assert daemon.events[-1] == Done("Work")
        assert daemon.of(Ready)[0].pid == daemon.foreman.pid
        daemon.do(copied(ada, SMALL, arrival=6))
        assert [(event.arrival, event.kind) for event in daemon.of(OutcomeOf)] == [(5, "written"), (6, "left alone")]


def test_one_worker_takes_one_arrival_after_the_other_and_names_files_as_the_person_does(ada: Person) -> None:
    with loop(ada.toml) as daemon:
        daemon.do(copied(ada, EMPTY, 1, "empty.json"))
        daemon.do(copied(ada, b"not an export", 2, "letter.json"))
        gone = copied(ada, b"", 3, "gone.json")
        Path(gone.path).unlink()
        daemon.do(gone)
        assert [(event.arrival, event.title, event.kind) for event in daemon.of(OutcomeOf)] == [
            (1, "empty.json", "set aside"), (2, "letter.json", "set aside"), (3, "gone.json", "set aside"),
        ]  # fmt: skip
        told = " ".join(event.detail + event.next_step for event in daemon.of(OutcomeOf))
        assert str(ada.home) not in told
        assert "0000" not in told
        assert len(daemon.of(Ready)) == 1


def test_settings_are_read_in_a_process_of_their_own(ada: Person) -> None:
    settings = read_settings(ada.toml)
    with loop(ada.toml) as daemon:
        daemon.do(Settings())
        assert settings in daemon.events


def test_the_last_good_settings_count_while_memproc_toml_is_broken(ada: Person) -> None:
    settings = read_settings(ada.toml)
    assert isinstance(settings, SettingsAre)
    ada.toml.write_text("[chunk]\ntokens = 'many'\n")
    with loop(ada.toml) as daemon:
        daemon.do(copied(ada, EMPTY))
        (failed,) = daemon.of(Failed)
        assert failed.fatal
        assert "line 2" in failed.message
        daemon.foreman.adopt(settings)
        daemon.do(copied(ada, EMPTY))
        assert daemon.of(Done) == [Done("Work")]


def test_an_archive_that_cannot_be_used_ends_everything_in_two_sentences(ada: Person) -> None:
    order = copied(ada, SMALL)
    (ada.home / "state" / "archive.sqlite3").write_bytes(b"this is no database, but long enough to look at" * 100)
    with loop(ada.toml) as daemon:
        daemon.do(order)
        (failed,) = daemon.of(Failed)
        assert failed.fatal
        assert "archive.sqlite3" in failed.message
        assert failed.next_step


def test_the_worker_waits_for_another_memproc_and_gives_signs_of_life(ada: Person) -> None:
    order = copied(ada, EMPTY)
    with loop(ada.toml) as daemon:
        with hold(ada.home / "state" / "lock"):
            daemon.foreman.give(order)
            daemon.until(lambda: len(daemon.of(Alive)) == 1)
            assert daemon.foreman.doing == order
        daemon.until(lambda: daemon.foreman.doing is None)
        assert daemon.of(Done) == [Done("Work")]


def test_a_worker_that_waits_for_another_memproc_can_be_stopped(ada: Person) -> None:
    order = copied(ada, EMPTY)
    with loop(ada.toml) as daemon, hold(ada.home / "state" / "lock"):
        daemon.foreman.give(order)
        daemon.until(lambda: len(daemon.of(Alive)) == 1)
        daemon.foreman.ask_to_stop()
        daemon.until(lambda: daemon.ends != [])
        assert (daemon.of(Stopped), daemon.ends, daemon.lost) == ([Stopped("Work")], [0], [])


def test_another_memproc_that_does_not_end_fails_the_order_alone(ada: Person) -> None:
    code = (
        "from daemon.inbox import child, work; from functools import partial\n"
        "work.enter = partial(work.enter, busy_seconds=0); child.main()"
    )
    order = copied(ada, EMPTY)
    with loop(worker=real(ada, code)) as daemon, hold(ada.home / "state" / "lock"):
        daemon.do(order)
        (failed,) = daemon.of(Failed)
        assert not failed.fatal
        assert f"process {os.getpid()}" in failed.message


def test_the_timed_jobs_report_what_came_of_them(ada: Person) -> None:
    with loop(ada.toml) as daemon:
        for order in (Prune(), Verify(0, 30), Retry(night=True), Maintain()):
            daemon.do(order)
        assert daemon.of(Failed) == []
        facts = {event.order: event.facts for event in daemon.of(Reported)}
        assert (facts["Prune"]["problem"], facts["Verify"]["problem"], facts["Retry"]["arrivals"]) == ("", "", [])
        assert Path(facts["Maintain"]["copy"]).is_file()


def test_an_idle_worker_goes(ada: Person) -> None:
    with loop(worker=real(ada, "from daemon.inbox.child import main; main(idle_seconds=0.2)")) as daemon:
        daemon.do(Settings())
        daemon.until(lambda: daemon.ends != [])
        assert (daemon.ends, daemon.lost) == ([0], [])


def test_what_a_library_prints_goes_to_standard_error(ada: Person, capfd: pytest.CaptureFixture[str]) -> None:
    code = (
        "import os; from daemon.inbox import child; before = child.read\n"
        "def read(given):\n    print('an advertisement'); os.write(1, b'from below\\n'); return before(given)\n"
        "child.read = read; child.main()"
    )
    with loop(worker=real(ada, code)) as daemon:
        daemon.do(Settings())
        assert (daemon.of(Notice), daemon.of(Done)) == ([], [Done("Settings")])
    assert "from below" in capfd.readouterr().err


def test_a_mistake_of_ours_is_told_with_a_note_and_the_worker_goes_on(ada: Person) -> None:
    code = (
        "from daemon.inbox import child; before = child.read; times = []\n"
        "def read(given):\n    times.append(1)\n    if len(times) == 1: {}['secret words']\n    return before(given)\n"
        "child.read = read; child.main()"
    )
    with loop(worker=real(ada, code)) as daemon:
        daemon.do(Settings())
        daemon.do(Settings())
        (failed,) = daemon.of(Failed)
        assert not failed.fatal
        note = Path(failed.next_step.removeprefix("Please report the file "))
        assert "in _carry_out" in note.read_text()
        assert "secret" not in note.read_text() + failed.message
        note.unlink()
        assert daemon.of(Done) == [Done("Settings")]


@pytest.fixture
def server(tmp_path: Path, ada: Person, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerProcess]:
    """A model server whose answers take a third of a second."""
    ada.settings(MODELS)
    with serve(tmp_path / "server", {"seconds": 0.3}) as running:
        monkeypatch.setenv("ANTHROPIC_API_BASE", running.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        yield running


def test_at_sigterm_the_running_calls_finish_and_a_second_start_repeats_nothing(
    ada: Person, server: ServerProcess
) -> None:
    order = copied(ada, SMALL)
    with loop(ada.toml) as daemon:
        daemon.foreman.give(order)
        daemon.until(lambda: server.meter.calls >= 2)
        assert daemon.foreman.pid is not None
        os.kill(daemon.foreman.pid, signal.SIGTERM)
        daemon.until(lambda: daemon.ends != [])
        assert (daemon.ends, daemon.of(Stopped), daemon.lost) == ([0], [Stopped("Work")], [])
        assert len(daemon.of(Answered)) == len(server.meter.answered) == server.meter.calls
    with loop(ada.toml) as daemon:
        daemon.do(order)
        assert [event.kind for event in daemon.of(OutcomeOf)] == ["written"]
    assert server.meter.finished_and_seen_again == []


BLOCKED = "import time; from daemon.inbox import child, stopping; child.read = lambda given: time.sleep(1000)\n"


def test_a_second_sigterm_ends_the_worker_at_once(ada: Person) -> None:
    with loop(worker=real(ada, BLOCKED + "child.main()")) as daemon:
        daemon.foreman.give(Settings())
        daemon.until(lambda: daemon.of(Begun) != [])
        assert daemon.foreman.pid is not None
        for _ in range(2):
            os.kill(daemon.foreman.pid, signal.SIGTERM)
            daemon.turn()
        daemon.until(lambda: daemon.ends != [])
        assert daemon.ends == [TOO_LATE]
        assert [lost.order for lost in daemon.lost] == [Settings()]


def test_a_worker_that_does_not_come_to_an_end_is_cut_off(ada: Person) -> None:
    code = "from functools import partial; child.Stopping = partial(stopping.Stopping, limit_seconds=0.2); child.main()"
    with loop(worker=real(ada, BLOCKED + code)) as daemon:
        daemon.foreman.give(Settings())
        daemon.until(lambda: daemon.of(Begun) != [])
        daemon.foreman.ask_to_stop()
        daemon.until(lambda: daemon.ends != [])
        assert daemon.ends == [TOO_LATE]


@pytest.mark.long
def test_the_worker_ends_with_a_daemon_that_is_killed_in_the_middle_of_a_call(
    ada: Person, server: ServerProcess
) -> None:
    order = copied(ada, SMALL)
    foreman = (
        "import sys, queue; from pathlib import Path; from daemon.inbox.foreman import Foreman\n"
        "from daemon.inbox.orders import Work\n"
        "foreman = Foreman(queue.SimpleQueue().put, Path(sys.argv[1])); foreman.give(Work(1, *sys.argv[2:]))\n"
        "print(foreman.pid, flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", foreman, str(ada.toml), order.path, order.name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as killed:
        assert killed.stdout is not None
        worker = int(killed.stdout.readline())
        with loop() as waiting:
            waiting.until(lambda: server.meter.calls == 2)
            killed.kill()
            waiting.until(lambda: not_there(worker))
    assert len(server.meter.answered) == server.meter.calls == 2
    assert ada.memproc("run", order.path).code == 0
    assert server.meter.finished_and_seen_again == []


def not_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
