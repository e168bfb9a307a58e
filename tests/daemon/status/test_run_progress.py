"""How far a run is, as another process reads it in the archive, and about how long it still takes."""

from dataclasses import replace
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.arrivals import find_arrival
from daemon.archive.progress import FileProgress, gone_on, seconds_left
from daemon.archive.work import (
    ask_to_stop,
    begin_by_hand,
    end_run,
    is_told_to_stop,
    keep_progress,
    recent_work,
)
from daemon.chat.outcome import Skipped
from daemon.cli.run_record import RunRecord, ToldToStop
from daemon.events import ChatIs, MemoryMade, ModelAnswered, Note, Planned
from daemon.files.clock import clock_time, now
from daemon.files.lock import hold
from daemon.status.sentences import progress_line, run_in_words
from daemon.status.status import present_run
from rules.arrival import Sighting
from rules.typingmind.dates import write_date
from tests.daemon.status.filled import NOON, ago, ahead
from tests.waiting import until

NOW = write_date(NOON)
HALFWAY = FileProgress(
    chat_id="aria", title="Aria", chat_began_at=ago(minutes=1), done=9, total=20, answered=60,
    calls=120, usd=0.774,
)  # fmt: skip


def answered(usd: float | None = 0.01) -> ModelAnswered:
    return ModelAnswered("aria", "quote", "anthropic/x", 10, 0, 0, 10, usd)


def begun(archive: Archive, run: str = ago(minutes=2)) -> str:
    """A run by hand that is halfway through a file; when it began."""
    number, _ = begin_by_hand(archive, "/inbox/a.json", Sighting(1, 2, 3, 4), run)
    keep_progress(archive, number, HALFWAY, NOW)
    return run


def test_a_run_that_goes_on_is_read_with_the_seconds_left(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive, hold(tmp_path / "lock"):
        assert present_run(archive, NOW) is None
        began = begun(archive)
        run = present_run(archive, NOW)
        assert run and run.goes_on
        assert (run.began_at, run.usd, run.seconds_left) == (began, 0.774, 60.0)
        assert progress_line(run, NOW) == "Aria: 9 of 20 memories made · $0.77 · 1:00 left"


def test_a_run_whose_process_is_gone_is_not_going_on_and_was_cut_off(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        begun(archive)
        run = present_run(archive, ahead(hours=1))
    assert run and not run.goes_on
    assert (run.ended_at, run.ended, run.seconds_left) == (NOW, "cut off", None)


def test_a_file_that_is_worked_on_twice_has_one_row(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        first = begun(archive)
        end_run(archive, first, "done")
        again = begun(archive, NOW)
        run = present_run(archive, NOW)
        assert archive.value("SELECT count(*) FROM arrival") == 1
    assert run and (run.began_at, run.ended) == (again, "cut off")


def test_what_killed_runs_left_is_over_when_the_next_begins(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        begin_by_hand(archive, "/inbox/other.json", Sighting(1, 9, 3, 4), ago(minutes=3))
        began = begun(archive)
        newer = Sighting(1, 3, 5, 6)
        number, _ = begin_by_hand(archive, "/inbox/a.json", newer, NOW)
        files = {file.file: (file.arrival, file.state) for file in recent_work(archive, "")}
        assert find_arrival(archive, number).sighting == newer
    assert began < NOW
    assert files == {"a.json": (number, "working"), "other.json": (number - 1, "stopped")}


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
        FileProgress(),
    ):
        assert seconds_left(run, NOW) is None


def test_events_move_it_on() -> None:
    run = gone_on(FileProgress(), Planned("aria", "Aria", 20, 120), ago(minutes=1))
    for _ in range(12):
        run = gone_on(run, answered(), NOW)
    run = gone_on(run, MemoryMade("aria", "Aria", 1, 1, 20), NOW)
    assert (run.title, run.done, run.total, run.answered, run.calls) == ("Aria", 1, 20, 12, 120)
    assert run.usd == pytest.approx(0.12)
    assert seconds_left(run, NOW) == pytest.approx(540)


def test_a_run_hears_that_it_is_to_stop_and_no_later_run_does(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive, hold(tmp_path / "lock"):
        record = RunRecord(archive)
        next(record.on(tmp_path / "a.json", iter([Skipped("a.json", "It is odd.", "Look at it.")])))
        run = present_run(archive, now())
        assert run
        ask_to_stop(archive, run, now())
        assert not is_told_to_stop(archive, ahead(hours=1))

        def hears() -> bool:
            record.hear(Note(""))
            return record.is_told_to_stop

        until(hears)
        record.hear(ChatIs("", "a.json", "skipped", "It is odd.", "Look at it."))
        with pytest.raises(ToldToStop), record:
            raise ToldToStop
        ended = present_run(archive, now())
    assert ended
    assert (ended.ended, ended.reason, run_in_words(ended)) == ("stopped", "", "stopped")
    assert ended.counts == {"skipped": 1}


def test_what_had_been_asked_before_says_nothing_of_the_rest() -> None:
    """Ten memories come from the journal within a second; the calls for the others take their time."""
    run = gone_on(FileProgress(), Planned("aria", "Aria", 20, 120), NOW)
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
