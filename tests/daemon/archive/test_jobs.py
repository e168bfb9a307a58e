"""Timed jobs are due after a restart as before it, and once after a long sleep."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta

import pytest

from daemon.archive.archive import Archive
from daemon.archive.jobs import begin_job, due_jobs, end_job, jobs, set_jobs
from rules.retention import Timing, next_due, nightly
from rules.typingmind.dates import write_date

NOON = datetime(2026, 7, 15, 12, tzinfo=UTC)
TIMINGS: dict[str, Timing] = {"prune": Timing(time(3, 30)), "retry": nightly("02:00-05:00")}


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive.memory() as archive:
        set_jobs(archive, TIMINGS, NOON)
        yield archive


def test_a_new_job_is_due_at_its_next_time(archive: Archive) -> None:
    assert [(job.name, job.due_at) for job in jobs(archive)] == [
        ("retry", "2026-07-16T02:00:00.000Z"),
        ("prune", "2026-07-16T03:30:00.000Z"),
    ]
    assert due_jobs(archive, write_date(NOON)) == ()


def test_what_was_due_while_the_machine_was_off_is_due_once_afterwards(archive: Archive) -> None:
    later = NOON + timedelta(days=9)
    set_jobs(archive, TIMINGS, later)
    assert due_jobs(archive, write_date(later)) == ("retry", "prune")

    for name, timing in TIMINGS.items():
        begin_job(archive, name, write_date(later))
        end_job(archive, name, write_date(later), write_date(next_due(timing, later)), None)

    assert due_jobs(archive, write_date(later + timedelta(hours=13))) == ()


def test_a_job_that_was_killed_is_due_again(archive: Archive) -> None:
    night = NOON + timedelta(hours=16)
    begin_job(archive, "prune", write_date(night))

    set_jobs(archive, TIMINGS, night)

    assert "prune" in due_jobs(archive, write_date(night))


def test_a_job_says_what_went_wrong_until_it_goes_well(archive: Archive) -> None:
    at = write_date(NOON)
    end_job(archive, "prune", at, at, "The disk is full.")
    assert [job.error for job in jobs(archive) if job.name == "prune"] == ["The disk is full."]

    end_job(archive, "prune", at, at, None)

    assert [job.error for job in jobs(archive)] == [None, None]


def test_other_settings_change_what_is_due(archive: Archive) -> None:
    set_jobs(archive, {"prune": Timing(time(14))}, NOON)

    assert [(job.name, job.due_at) for job in jobs(archive)] == [
        ("prune", "2026-07-15T14:00:00.000Z")
    ]


def test_a_due_time_far_ahead_comes_back_when_the_clock_is_set_right(archive: Archive) -> None:
    end_job(archive, "prune", "2099-01-01T00:00:00.000Z", "2099-01-02T03:30:00.000Z", None)

    set_jobs(archive, TIMINGS, NOON)

    assert jobs(archive)[-1].due_at == "2026-07-16T03:30:00.000Z"
