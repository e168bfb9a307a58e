"""What a run waits for is seen: a line a minute, tries, and an estimate that moves while nothing is answered."""

from dataclasses import replace

import pytest

from daemon.archive.progress import FileProgress, gone_on, seconds_left
from daemon.cli import progress
from daemon.cli.progress import Progress
from daemon.events import Alive, ModelAnswered, Planned, TriesAgain
from daemon.status.sentences import progress_line

AT = "2026-09-01T12:0{}:00.000Z"
ANSWERED = ModelAnswered("aria", "quote", "hosted_vllm/small", 10, 0, 0, 10, 0.0)


def test_without_a_terminal_a_line_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = Progress(quiet=False)
    shown.tell(Planned("aria", "Aria", 20, 80, "20 chunks become memories"))
    shown.tell(Alive(0.0))
    assert len(capsys.readouterr().out.splitlines()) == 1, "not before a minute has gone by"
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    shown.tell(Alive(0.0))
    assert capsys.readouterr().out.startswith("Aria: 0 of 20 memories made")


def test_tries_are_counted_and_what_is_waited_for_ends_with_an_answer() -> None:
    run = gone_on(FileProgress(), Planned("aria", "Aria", 20, 80), AT.format(0))
    run = gone_on(run, Alive(600.0, "hosted_vllm/small"), AT.format(1))
    assert (run.asked, run.asked_until) == ("hosted_vllm/small", "2026-09-01T12:11:00.000Z")
    run = gone_on(run, TriesAgain("It has not answered in time.", 1, 2, 1.0), AT.format(2))
    assert run.waits == "It has not answered in time (try 1 of 2, next in 1 s)"
    assert "asked again 1 time" in progress_line(run, AT.format(2))
    run = gone_on(run, ANSWERED, AT.format(3))
    assert (run.waits, run.retries) == ("", 1)


def test_the_time_left_goes_down_while_an_answer_is_waited_for_and_is_never_nothing() -> None:
    run = FileProgress(
        "aria", "Aria", AT.format(0), 1, 4, answered=4, calls=16, answered_at=AT.format(4)
    )
    assert seconds_left(run, AT.format(4)) == 720
    assert seconds_left(run, AT.format(6)) == 600
    last = replace(run, answered=15, calls=16)
    assert seconds_left(last, AT.format(9)) == pytest.approx(16), "as long as one call takes"
    assert seconds_left(replace(last, done=4, answered=16), AT.format(4)) is None
