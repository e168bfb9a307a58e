"""How far a run is, as another process reads it in the archive, and about how long it still takes."""

from dataclasses import replace
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.signs import (
    RunProgress,
    ask_to_stop,
    is_told_to_stop,
    keep_run,
    kept_run,
    seconds_left,
    set_sign,
)
from daemon.cli.run_record import RunRecord, ToldToStop, gone_on
from daemon.events import ChatIs, MemoryMade, ModelAnswered, Noted, Planned
from daemon.files.clock import clock_time, now
from daemon.files.lock import hold
from daemon.status.sentences import progress_line
from daemon.status.status import newest_run, run_progress
from rules.typingmind.dates import write_date
from tests.daemon.status.filled import NOON, ago, ahead
from tests.waiting import until

NOW = write_date(NOON)
HALFWAY = RunProgress(
    by_hand=True, began_at=ago(minutes=2), chat_id="aria", title="Aria", chat_began_at=ago(minutes=1),
    done=9, of=20, answered=60, calls=120, usd=0.774,
)  # fmt: skip


def answered(usd: float | None = 0.01) -> ModelAnswered:
    return ModelAnswered("aria", "quote", "anthropic/x", 10, 0, 0, 10, usd)


def test_a_run_that_goes_on_is_read_with_the_seconds_left(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive, hold(tmp_path / "lock"):
        assert run_progress(archive, NOW) is None
        keep_run(archive, HALFWAY, NOW)
        run = run_progress(archive, NOW)
        assert run == replace(HALFWAY, kept_at=NOW, seconds_left=60.0)
        assert progress_line(run) == "Aria 9/20 · $0.77 · 1:00 left"
        assert newest_run(archive, NOW) is None


def test_a_run_whose_process_is_gone_is_not_going_on_and_was_cut_off(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        keep_run(archive, HALFWAY, NOW)
        assert run_progress(archive, NOW) is None
        ended = newest_run(archive, ahead(hours=1))
    assert ended is not None
    assert (ended.ended_at, ended.outcome, ended.seconds_left) == (NOW, "cut off", None)


@pytest.mark.parametrize(
    "rot", ["", "{", "[]", '{"by_hand": true}', '{"by_hand": true, "began_at": 7}', '{"a": 1}']
)
def test_a_progress_that_cannot_be_read_is_none(tmp_path: Path, rot: str) -> None:
    with Archive.open(tmp_path) as archive, hold(tmp_path / "lock"):
        set_sign(archive, "run", rot, NOW)
        assert (kept_run(archive, NOW), run_progress(archive, NOW), newest_run(archive, NOW)) == (
            None,
            None,
            None,
        )


def test_the_calls_say_how_long_it_takes_and_without_any_the_memories() -> None:
    assert seconds_left(replace(HALFWAY, answered=30), NOW) == 180.0
    assert seconds_left(replace(HALFWAY, answered=0, done=5), NOW) == 180.0
    assert seconds_left(replace(HALFWAY, answered=130, done=15), NOW) == 20.0
    assert seconds_left(replace(HALFWAY, done=20, answered=118), NOW) == pytest.approx(1, abs=0.1)


def test_nobody_can_say_at_the_very_beginning_nor_after_the_end() -> None:
    for run in (
        replace(HALFWAY, answered=1, done=0),
        replace(HALFWAY, answered=0, done=0),
        replace(HALFWAY, chat_began_at=""),
        replace(HALFWAY, ended_at=NOW),
        RunProgress(by_hand=False, began_at=NOW),
    ):
        assert seconds_left(run, NOW) is None


def test_events_move_it_on() -> None:
    run = RunProgress(by_hand=True, began_at=ago(minutes=3))
    run = gone_on(run, Planned("aria", "Aria", 20, 120), ago(minutes=1))
    for _ in range(12):
        run = gone_on(run, answered(), NOW)
    run = gone_on(run, MemoryMade("aria", "Aria", 1, 1, 20), NOW)
    assert (run.title, run.done, run.of, run.answered, run.calls) == ("Aria", 1, 20, 12, 120)
    assert run.usd == pytest.approx(0.12)
    assert seconds_left(run, NOW) == pytest.approx(540)
    run = gone_on(run, ChatIs("aria", "Aria", "skipped", "It is odd.", "Look at it."), NOW)
    assert (run.trouble, run.next_step) == ("Aria: It is odd.", "Look at it.")


def test_a_run_hears_that_it_is_to_stop_and_no_later_run_does(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive, hold(tmp_path / "lock"):
        record = RunRecord(archive, by_hand=True)
        run = run_progress(archive, now())
        assert run is not None
        ask_to_stop(archive, run, now())
        assert not is_told_to_stop(archive, replace(run, began_at=ahead(hours=1)))

        def hears() -> bool:
            record.hear(Noted(""))
            return record.is_told_to_stop

        until(hears)
        with pytest.raises(ToldToStop), record:
            raise ToldToStop
        ended = newest_run(archive, now())
    assert ended is not None
    assert (ended.outcome, ended.trouble) == ("stopped", "")


def test_what_had_been_asked_before_says_nothing_of_the_rest() -> None:
    """Ten memories come from the journal within a second; the calls for the others take their time."""
    run = gone_on(RunProgress(by_hand=True, began_at=NOW), Planned("aria", "Aria", 20, 120), NOW)
    run = gone_on(run, MemoryMade("aria", "Aria", 10, 10, 20), ahead(seconds=1))
    for second in range(2, 33):
        run = gone_on(run, answered(), ahead(seconds=second))
    assert (run.answered, run.calls) == (31, 60)
    assert seconds_left(run, ahead(seconds=32)) == pytest.approx(29, abs=2)


def test_times_are_written_as_on_a_clock() -> None:
    assert [clock_time(seconds) for seconds in (0.2, 65, 600, 7265)] == [
        "0:01",
        "1:05",
        "10:00",
        "2:01:05",
    ]
