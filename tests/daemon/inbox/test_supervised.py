"""The command that the daemon runs: it goes by the daemon's settings, tells events, and ends with the daemon."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest

from daemon.cli.supervised import as_events
from daemon.events import (
    Alive,
    ChatIs,
    Event,
    MemoryMade,
    ModelAnswered,
    Note,
    Planned,
    RunDone,
    RunFailed,
    Tell,
    parse_event,
)
from daemon.files.lock import Busy, hold
from daemon.inbox.watch_plan import SettingsAre, read_settings
from rules.errors import FileTrouble, MemprocError, OverBudget
from service.command import memproc_argv
from tests.chats import export_bytes, long_chat
from tests.forked import exit_code, fork_memproc
from tests.server.asking import litellm
from tests.server.child import serve
from tests.server.setup import KEY
from tests.stories.person import Person
from tests.waiting import LIMIT_SECONDS


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    return Person(tmp_path / "ada", tail=3200, step=800, chunk=800)


def read_settings_of(ada: Person) -> SettingsAre:
    """What the daemon hands to its child."""
    settings = read_settings(ada.toml)
    assert isinstance(settings, SettingsAre)
    return settings


@contextmanager
def started(
    ada: Person, *arguments: str, **environment: str
) -> Iterator["subprocess.Popen[bytes]"]:
    """A child of the daemon; the settings have been handed to it."""
    settings = read_settings_of(ada)
    argv, own = memproc_argv(None, "--supervised", *arguments), {**os.environ, **environment}
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ada.home.parent, env=own
    ) as child:
        assert child.stdin is not None
        child.stdin.write(f"{json.dumps(asdict(settings))}\n".encode())
        child.stdin.flush()
        yield child


def said(child: "subprocess.Popen[bytes]") -> list[Event]:
    """All that it tells to its end; after a run it waits for a further file, and there is none."""
    assert child.stdout is not None and child.stdin is not None
    events: list[Event] = []
    for line in child.stdout:
        events.append(parse_event(line)[0])
        if isinstance(events[-1], RunDone | RunFailed):
            child.stdin.close()
    return events


@pytest.mark.full
def test_a_file_is_processed_by_the_daemons_settings_even_if_the_file_is_broken_by_now(
    ada: Person,
) -> None:
    path = ada.drop(export_bytes(long_chat(7800)))
    with started(ada, "run", str(path), "--events") as child:
        ada.toml.write_text("broken [")
        alive, note, first, *events, chat, last = said(child)
        assert child.wait(LIMIT_SECONDS) == 0
    assert alive == Alive(0.0)
    assert isinstance(note, Note)
    assert isinstance(first, Planned) and first.chunks > 0
    assert sum(isinstance(event, MemoryMade) for event in events) == first.chunks
    assert isinstance(chat, ChatIs)
    assert (chat.kind, chat.path, last) == ("written", str(ada.updated()[0]), RunDone())


@pytest.mark.full
def test_further_files_are_runs_of_their_own_and_an_error_ends_one_alone(ada: Person) -> None:
    good = ada.drop(export_bytes(long_chat(7800)))
    gone = good.with_name("gone.json")
    with started(ada, "run", str(gone), "--events") as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(f"{json.dumps(str(good))}\n".encode())
        child.stdin.flush()
        events: list[Event] = []
        while events.count(RunDone()) < 2:
            events.append(parse_event(child.stdout.readline())[0])
        child.stdin.close()
        assert child.wait(LIMIT_SECONDS) in (0, -signal.SIGTERM)
    _, skipped, done, *_, written, done_again = events
    assert done == done_again == RunDone()
    assert isinstance(skipped, ChatIs) and "gone.json" in skipped.detail
    assert isinstance(written, ChatIs) and written.kind == "written"


@pytest.mark.full
def test_another_memproc_is_told_as_such(ada: Person) -> None:
    (ada.home / "state").mkdir()
    with hold(ada.home / "state" / "lock"), started(ada, "job", "prune") as child:
        (failed,) = said(child)
    assert isinstance(failed, RunFailed)
    assert failed.kind == "busy"


JOBS = [
    "prune",
    *(pytest.param(job, marks=pytest.mark.long) for job in ("verify", "maintain", "retry")),
]


@pytest.mark.full
@pytest.mark.parametrize("job", JOBS)
def test_every_timed_job_can_be_done(ada: Person, job: str) -> None:
    with started(ada, "job", job) as child:
        *_, ended = said(child)
    assert ended == RunDone(job)


@pytest.mark.full
@pytest.mark.skipif(
    sys.platform == "win32", reason="there, a wait is not interrupted: the daemon ends it"
)
@pytest.mark.parametrize("by", ["pipe", pytest.param("signal", marks=pytest.mark.long)])
def test_it_ends_with_the_daemon_and_lets_the_call_that_is_under_way_finish(
    ada: Person, tmp_path: Path, by: str
) -> None:
    path = ada.drop(export_bytes(long_chat(7800)))
    with serve(tmp_path / "server", {"seconds": 0.3}) as server:
        ada.settings(
            '[models]\nagent = "anthropic/claude-haiku-5-5"\nconcurrency = 1\n'
            f'[models.options."anthropic/*"]\napi_base = "{server.url}"\ntimeout = 20\n'
        )
        litellm()
        settings_here, settings = os.pipe()
        events_here, events_there = os.pipe()
        child = fork_memproc(
            ("--supervised", "run", str(path), "--events"), ada.home.parent, {**os.environ, "ANTHROPIC_API_KEY": KEY},
            (settings_here, events_there, 2),
        )  # fmt: skip
        os.close(settings_here)
        os.close(events_there)
        with os.fdopen(settings, "wb") as stdin, os.fdopen(events_here, "rb") as stdout:
            stdin.write(f"{json.dumps(asdict(read_settings_of(ada)))}\n".encode())
            stdin.flush()
            while not isinstance(parse_event(stdout.readline())[0], ModelAnswered):
                pass
            if by == "pipe":
                stdin.close()
            else:
                os.kill(child, signal.SIGTERM)
            events = [parse_event(line)[0] for line in stdout]
            assert exit_code(child) == 130
        assert RunDone() not in events
        assert server.meter.answered.total() == server.meter.calls, (
            "the call that was under way was let finish"
        )


@pytest.mark.full
def test_without_settings_it_does_nothing(ada: Person) -> None:
    ended = subprocess.run(
        memproc_argv(None, "--supervised", "run", "--events"),
        input=b"",
        capture_output=True,
        cwd=ada.home,
        check=False,
    )
    assert ended.returncode == 2
    assert b"for the daemon" in ended.stderr


@pytest.mark.parametrize(
    ("fault", "code", "kind"),
    [
        (Busy("Another.", "Wait."), 1, "busy"),
        (FileTrouble("Full.", "Free."), 1, "blocked"),
        (OverBudget("The cap.", "Raise it.", "2099-01-01T00:00:00.000Z"), 4, "blocked"),
        (ZeroDivisionError(), 3, "mistake"),
    ],
)
def test_every_error_is_told_as_an_event(
    capsys: pytest.CaptureFixture[str], fault: Exception, code: int, kind: str
) -> None:
    def work(tell: Tell) -> int:
        sys.stdout.write("what a library prints\n")
        raise fault

    assert as_events([work]) == code
    out, err = capsys.readouterr()
    event, _ = parse_event(out)
    assert isinstance(event, RunFailed)
    assert event.kind == kind
    assert not isinstance(fault, MemprocError) or event.message == fault.message
    assert err == "what a library prints\n"
