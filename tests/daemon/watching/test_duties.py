"""The timed jobs between the archive and the clock: which is due, and when it is due again."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.archive.jobs import jobs, part_verified
from daemon.files.clock import here, now
from daemon.inbox.orders import Maintain, Order, Prune, Retry, Verify
from rules.retention import PARTS
from rules.typingmind.dates import parse_date
from tests.daemon.watching.standins import Daemon, daemon

NIGHT = "02:00-05:00"


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[Daemon]:
    with daemon(tmp_path, night=NIGHT) as running:
        yield running


def test_every_job_is_set_to_its_time(ada: Daemon) -> None:
    assert set(ada.schedule.set) == {"prune", "verify", "maintain", "retry"}
    for job in jobs(ada.archive):
        assert ada.schedule.set[job.name] == parse_date(job.due_at)


def test_nothing_begins_before_its_time(ada: Daemon) -> None:
    ada.has_due("nothing")
    assert ada.duties.begin(now()) is None


@pytest.mark.parametrize(
    ("name", "order"),
    [("prune", Prune()), ("verify", Verify(0, PARTS)), ("maintain", Maintain()), ("retry", Retry(night=True))],
)
def test_a_job_that_is_due_becomes_its_order(ada: Daemon, name: str, order: Order) -> None:
    ada.has_due(name)
    assert ada.duties.begin(now()) == order
    assert ada.job(name).began_at is not None


def test_the_part_after_the_one_that_was_verified_last_is_next(ada: Daemon) -> None:
    part_verified(ada.archive, 6, now())
    ada.has_due("verify")
    assert ada.duties.begin(now()) == Verify(7, PARTS)


def test_a_job_that_is_done_is_due_at_its_next_time(ada: Daemon) -> None:
    ada.has_due("prune")
    ada.duties.begin(now())
    assert ada.duties.end(None, now(), failed=False) == "prune"
    job = ada.job("prune")
    assert (job.error, ada.duties.begin(now())) == (None, None)
    assert ada.schedule.set["prune"] == parse_date(job.due_at)
    assert ada.schedule.set["prune"] > here()


def test_a_job_that_failed_is_tried_again_within_the_hour(ada: Daemon) -> None:
    ada.has_due("verify")
    ada.duties.begin(now())
    ada.duties.end("The disk is full.", now(), failed=True)
    assert ada.job("verify").error == "The disk is full."
    assert here() < ada.schedule.set["verify"] <= here() + timedelta(hours=1)


def test_what_a_job_has_found_wrong_is_kept_though_it_did_not_fail(ada: Daemon) -> None:
    ada.has_due("verify")
    ada.duties.begin(now())
    ada.duties.end("2 damaged in the backups.", now(), failed=False)
    assert ada.job("verify").error == "2 damaged in the backups."


def test_the_end_of_a_job_that_was_not_begun_is_nothing(ada: Daemon) -> None:
    before = jobs(ada.archive)
    assert ada.duties.end(None, now(), failed=False) == ""
    assert jobs(ada.archive) == before


def test_a_job_that_the_settings_took_away_meanwhile_ends_for_good(ada: Daemon) -> None:
    ada.has_due("retry")
    assert ada.duties.begin(now()) == Retry(night=True)
    ada.duties.have("")
    del ada.schedule.set["retry"]
    assert ada.duties.end(None, now(), failed=False) == "retry"
    assert "retry" not in ada.schedule.set
    assert "retry" not in {job.name for job in jobs(ada.archive)}
