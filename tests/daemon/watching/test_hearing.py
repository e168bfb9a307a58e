"""What the worker tells of a file becomes its state, its history and the log."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.archive.arrivals import Arrival, find_arrival, newest_outcomes
from daemon.inbox import events
from daemon.inbox.events import Event, OutcomeOf
from daemon.inbox.hearing import Hearing, hear, lost
from daemon.inbox.orders import Work
from daemon.status import log as logged
from daemon.status.log import Logged
from rules.errors import ArchiveError
from rules.typingmind.dates import parse_date
from tests.daemon.watching.standins import Daemon, daemon, locked

NOW = "2026-11-21T10:00:00.000Z"


@dataclass
class File:
    """A dropped file that is being worked on."""

    daemon: Daemon
    hearing: Hearing

    def hears(self, *said: Event) -> list[Logged]:
        """What is logged of these events."""
        return [told for event in said for told in hear(self.daemon.archive, self.hearing, event, NOW)]

    @property
    def row(self) -> Arrival:
        return find_arrival(self.daemon.archive, self.hearing.arrival)

    @property
    def state(self) -> str:
        return self.row.state

    def waits(self) -> timedelta:
        """How long it is left alone."""
        at, now = parse_date(self.row.next_look_at or ""), parse_date(NOW)
        assert at
        assert now
        return at - now

    def outcome(
        self, kind: str, detail: str = "as it is", next_step: str = "", path: str = "", *, later: bool = False
    ) -> OutcomeOf:
        assert kind in ("written", "left alone", "set aside")
        return OutcomeOf(self.hearing.arrival, "chat-1", "Talk of boats", kind, detail, next_step, path, later)  # type: ignore[arg-type]

    def begin_again(self) -> None:
        """Another try of the same file."""
        self.hearing = Hearing(self.hearing.order)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[File]:
    with daemon(tmp_path) as running:
        number = running.copied("summer.json")
        yield File(running, Hearing(Work(number, str(running.copy_of(number)), "summer.json")))


def answered(file: File) -> events.Answered:
    return events.Answered(file.hearing.arrival, "quote", "model", 10, 4, 5, 0.01)


def test_a_plan_that_is_known_is_a_state_and_a_line_of_the_log(file: File) -> None:
    told = file.hears(events.Planned(file.hearing.arrival, "chat-1", "Talk of boats", 3, 21))
    assert (file.state, file.row.reason) == ("planned", "3 chunks of a chat become memories, with 21 calls")
    assert told[1] == logged.Planned(file.hearing.arrival, "chat-1", 3, 21)
    assert "boats" not in str(told)


def test_the_first_answer_shows_that_the_work_goes_on_and_the_others_change_nothing(file: File) -> None:
    number = file.hearing.arrival
    file.hears(events.Planned(number, "chat-1", "Talk of boats", 3, 21))
    first = file.hears(answered(file))
    assert first == [
        logged.FileIs(number, "summer.json", "working"),
        logged.Answered(number, "chat-1", "quote", "model", 10, 4, 5, 0.01),
    ]
    then = file.hears(answered(file), events.Remembered(number, "Talk of boats", 1, 1, 3))
    assert [type(event) for event in then] == [logged.Answered, logged.Remembered]
    assert file.state == "working"


def test_while_a_batch_is_waited_for_the_file_says_so_until_its_answers_are_there(file: File) -> None:
    file.hears(events.Waiting(file.hearing.arrival, 21))
    assert (file.state, file.row.reason) == ("working", "a batch of 21 requests is waited for")
    file.hears(answered(file))
    assert (file.state, file.row.reason) == ("working", "")


def test_a_file_whose_chat_was_written_is_written_and_says_what_to_import(file: File) -> None:
    outcome = file.outcome("written", "9,000 tokens are now 2,000", path="/ada/updated/boats.json")
    told = file.hears(outcome, events.Done("Work"))
    assert (file.state, file.row.reason) == ("written", "ready to be imported: boats.json")
    assert [type(event) for event in told] == [logged.ChatIs, logged.FileIs]
    (kept,) = newest_outcomes(file.daemon.archive)
    assert (kept.chat_id, kept.kind, kept.path) == ("chat-1", "written", "/ada/updated/boats.json")


def test_a_file_of_chats_that_were_left_alone_is_done(file: File) -> None:
    file.hears(file.outcome("left alone", "it is too short"), events.Done("Work"))
    assert (file.state, file.row.reason) == ("done", "it is too short")


def test_a_file_without_chats_is_done(file: File) -> None:
    file.hears(events.Done("Work"))
    assert (file.state, file.row.reason) == ("done", "it holds no chats")


def test_one_chat_that_was_set_aside_sets_its_file_aside_though_another_was_written(file: File) -> None:
    file.hears(
        file.outcome("written", path="/ada/updated/boats.json"),
        file.outcome("set aside", "its model is gone", "Choose another."),
        events.Done("Work"),
    )
    assert (file.state, file.row.reason, file.row.next_step) == ("set aside", "its model is gone", "Choose another.")


def test_what_passes_by_itself_makes_a_file_wait_longer_each_time_and_never_sets_it_aside(file: File) -> None:
    waits = []
    for _ in range(7):
        file.begin_again()
        file.hears(file.outcome("set aside", "the disk is full", "Make room.", later=True), events.Done("Work"))
        assert (file.state, file.row.next_step, file.row.tries) == ("waiting", "Make room.", 0)
        waits.append(file.waits().total_seconds())
    assert waits == [10, 60, 300, 900, 1800, 1800, 1800]


def test_a_worker_that_is_lost_three_times_sets_its_file_aside(file: File) -> None:
    waits = []
    for tries in (1, 2):
        lost(file.daemon.archive, file.hearing, "the worker was killed", NOW)
        assert (file.state, file.row.tries) == ("waiting", tries)
        waits.append(file.waits().total_seconds())
    told = lost(file.daemon.archive, file.hearing, "the worker was killed.", NOW)
    assert waits == [10, 60]
    assert (file.state, file.row.tries) == ("set aside", 3)
    assert file.row.reason == "The work on it failed 3 times. The last time, the worker was killed."
    assert isinstance(told, logged.FileIs)
    assert told.next_step


def test_a_mistake_in_memproc_counts_as_a_failed_try(file: File) -> None:
    file.hears(events.Failed("Work", "A mistake in memproc itself.", "Report it.", fatal=False))
    assert (file.state, file.row.tries) == ("waiting", 1)


def test_where_nothing_can_go_on_the_file_waits_for_the_person(file: File) -> None:
    file.hears(events.Failed("Work", "The key is wrong.", "Put in another: memproc key.", fatal=True))
    assert (file.state, file.row.reason, file.row.next_step, file.row.tries) == (
        "paused", "The key is wrong.", "Put in another: memproc key.", 0,
    )  # fmt: skip
    assert file.waits() == timedelta(minutes=30)


def test_work_that_was_stopped_is_taken_up_again_where_it_was_left(file: File) -> None:
    file.hears(events.Planned(file.hearing.arrival, "chat-1", "Talk of boats", 3, 21), answered(file))
    file.hears(events.Stopped("Work"))
    assert (file.state, file.row.tries, file.row.next_look_at) == ("copied", 0, None)


def test_a_notice_is_passed_on_and_signs_of_life_are_nothing_to_log(file: File) -> None:
    assert file.hears(events.Notice("A model retires soon."), events.Alive(60.0), events.Begun("Work")) == [
        logged.Said("A model retires soon.")
    ]
    assert file.state == "copied"


def test_an_outcome_that_could_not_be_kept_at_first_is_counted_once(file: File) -> None:
    outcome = file.outcome("written", path="/ada/updated/boats.json")
    with locked(file.daemon.plan.state), pytest.raises(ArchiveError):
        file.hears(outcome)
    file.hears(outcome, events.Done("Work"))
    assert file.row.reason == "ready to be imported: boats.json"
