"""The timed jobs, inside the worker: each reports its result as plain values."""

import json
from pathlib import Path

import pytest

from daemon.inbox.events import Alive, Reported
from daemon.inbox.orders import Maintain, Prune, Retry, Verify
from daemon.inbox.work import work
from daemon.inbox.worker_jobs import Job, do_job
from tests.chats import export_bytes, long_chat
from tests.daemon.worker.told import Told, copied, settled
from tests.stories.person import Person


@pytest.mark.parametrize("order", [Prune(), Verify(3, 30), Retry(night=True), Maintain()])
def test_every_job_reports_under_its_own_name_after_a_sign_of_life(tmp_path: Path, order: Job) -> None:
    told = Told()
    do_job(order, settled(Person(tmp_path / "ada")), told.line)
    alive, reported = told.events
    assert isinstance(alive, Alive)
    assert isinstance(reported, Reported)
    assert reported.order == type(order).__name__
    assert json.loads(json.dumps(reported.facts)) == reported.facts


def test_a_copy_of_the_archive_is_reported_by_its_place(tmp_path: Path) -> None:
    told = Told()
    do_job(Maintain(), settled(Person(tmp_path / "ada")), told.line)
    (reported,) = told.of(Reported)
    assert Path(reported.facts["copy"]).is_file()
    assert reported.facts["problem"] == ""


def test_damage_that_is_found_is_the_problem_that_is_reported(tmp_path: Path) -> None:
    ada, told = Person(tmp_path / "ada"), Told()
    settings = settled(ada)
    work(copied(ada, export_bytes(long_chat(3200))), settings, told.line)
    do_job(Verify(0, 1), settings, told.line)
    for path in (ada.home / "backups").rglob("*.gz"):
        path.write_bytes(b"rotten")
    do_job(Verify(0, 1), settings, told.line)
    sound, damaged = (event.facts["problem"] for event in told.of(Reported))
    assert sound == ""
    assert "damaged in the backups" in damaged
