"""What the worker is given, one order after the other, and what is made of its answers."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.archive.arrivals import change_state
from daemon.archive.jobs import jobs
from daemon.files.clock import now
from daemon.inbox import events
from daemon.inbox.orders import Order, Prune, Retry, Settings, Verify, Work
from daemon.status import log as logged
from daemon.status.pause import begin_pause, end_pause
from rules.errors import ArchiveError
from rules.retention import PARTS
from tests.daemon.watching.standins import Daemon, daemon, locked

LATER = "2999-01-01T00:00:00.000Z"


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[Daemon]:
    with daemon(tmp_path, night="02:00-05:00", config=tmp_path / "memproc.toml") as running:
        running.has_due("nothing")
        yield running


def order_for(ada: Daemon, number: int) -> Work:
    return Work(number, str(ada.copy_of(number)), Path(ada.arrival(number).path).name)


def given(ada: Daemon) -> list[Order]:
    """What the worker is given next, in one list with what it got before."""
    ada.errands.next()
    return ada.foreman.orders


def settings(ada: Daemon, **changed: object) -> events.SettingsAre:
    """The settings as the worker tells them, with some of them changed."""
    plan = {name: str(value) if isinstance(value, Path) else value for name, value in asdict(ada.plan).items()}
    return events.SettingsAre({**plan, **changed}, str(ada.plan.config), "[tail]\n")


def reads_settings(ada: Daemon, said: events.Event) -> None:
    """The worker reads memproc.toml, and finds this."""
    ada.errands.reload = True
    ada.errands.next()
    ada.says(events.Begun("Settings"), said, events.Done("Settings"))


def test_without_files_and_jobs_the_worker_rests(ada: Daemon) -> None:
    assert given(ada) == []


def test_files_are_worked_on_one_after_the_other_in_the_order_they_came(ada: Daemon) -> None:
    first, second = ada.copied("a.json", b"[1]"), ada.copied("b.json", b"[2]")
    expected = [order_for(ada, first), order_for(ada, second)]
    assert given(ada) == expected[:1]
    assert given(ada) == expected[:1]
    ada.says(events.Begun("Work"), events.Done("Work"))
    assert given(ada) == expected


def test_a_file_that_is_done_is_let_go_of_with_its_copy(ada: Daemon) -> None:
    number = ada.copied("a.json")
    copy = ada.copy_of(number)
    ada.errands.next()
    ada.says(events.Begun("Work"))
    assert copy.is_file()
    ada.says(events.OutcomeOf(number, "chat-1", "Boats", "left alone", "it is too short", "", ""), events.Done("Work"))
    assert ada.arrival(number).state == "done"
    assert not copy.exists()


def test_a_file_that_was_set_aside_keeps_its_copy(ada: Daemon) -> None:
    number = ada.copied("a.json")
    ada.errands.next()
    ada.says(events.OutcomeOf(number, "", "a.json", "set aside", "it is no export", "Export it again.", ""))
    ada.says(events.Done("Work"))
    assert ada.arrival(number).state == "set aside"
    assert ada.copy_of(number).is_file()


def test_files_come_before_timed_jobs_and_settings_before_both(ada: Daemon) -> None:
    number = ada.copied("a.json")
    ada.has_due("prune")
    ada.errands.reload = True
    expected = [Settings(), order_for(ada, number), Prune()]
    for order in expected:
        assert given(ada)[-1] == order
        ada.says(events.Done(type(order).__name__))
    assert given(ada) == expected


def test_a_job_that_went_well_is_told_and_due_at_its_next_time(ada: Daemon) -> None:
    ada.has_due("prune")
    ada.errands.next()
    ada.says(events.Begun("Prune"), events.Reported("Prune", {"problem": ""}), events.Done("Prune"))
    assert ada.of(logged.JobEnded) == [logged.JobEnded("prune")]
    assert (ada.job("prune").error, ada.job("prune").due_at > now()) == (None, True)


def test_what_a_job_has_found_wrong_is_told_and_kept_until_it_is_done_again(ada: Daemon) -> None:
    for problem in ("1 damaged in the backups.", ""):
        ada.has_due("verify")
        assert given(ada)[-1] == Verify(0, PARTS)
        ada.says(events.Reported("Verify", {"problem": problem}), events.Done("Verify"))
        assert (ada.of(logged.JobEnded)[-1].error, ada.job("verify").error or "") == (problem, problem)


def test_a_job_that_failed_is_told_with_its_next_step(ada: Daemon) -> None:
    ada.has_due("prune")
    ada.errands.next()
    ada.says(events.Failed("Prune", "The disk is full.", "Make room.", fatal=False))
    assert ada.of(logged.JobEnded) == [logged.JobEnded("prune", "The disk is full. Make room.")]
    assert ada.job("prune").error == "The disk is full. Make room."


def test_a_job_that_was_stopped_is_no_trouble_and_soon_done_again(ada: Daemon) -> None:
    ada.has_due("prune")
    ada.errands.next()
    ada.says(events.Stopped("Prune"))
    assert ada.of(logged.Trouble) == []
    assert ada.job("prune").error is None
    assert ada.job("prune").due_at > now()


def test_the_nightly_job_puts_work_that_was_put_off_back_into_the_queue(ada: Daemon) -> None:
    number = ada.copied("a.json")
    change_state(ada.archive, number, "set aside", "its model is gone", "Choose another.", now())
    ada.has_due("retry")
    assert given(ada) == [Retry(night=True)]
    ada.says(events.Reported("Retry", {"arrivals": [number]}), events.Done("Retry"))
    assert given(ada)[-1] == order_for(ada, number)


def test_nothing_but_settings_is_given_during_a_pause(ada: Daemon) -> None:
    ada.copied("a.json")
    begin_pause(ada.archive, timedelta(hours=2), now())
    assert given(ada) == []
    assert given(ada) == []
    ada.errands.reload = True
    assert given(ada) == [Settings()]
    assert [type(event) for event in ada.of(logged.Paused)] == [logged.Paused]


def test_after_a_pause_work_that_was_put_off_is_tried_again_at_once(ada: Daemon) -> None:
    number = ada.copied("a.json")
    change_state(ada.archive, number, "paused", "the key is wrong", "Put in another.", now(), LATER)
    begin_pause(ada.archive, None, now())
    assert given(ada) == []
    end_pause(ada.archive, now())
    assert given(ada) == [order_for(ada, number)]
    assert ada.of(logged.Resumed) == [logged.Resumed()]


def test_a_longer_pause_is_told_anew(ada: Daemon) -> None:
    for length in (timedelta(hours=1), timedelta(hours=2)):
        begin_pause(ada.archive, length, now())
        ada.errands.next()
    assert len(ada.of(logged.Paused)) == 2


def test_new_settings_count_at_once(ada: Daemon) -> None:
    found = settings(ada, settle_seconds=1.5, night="", notify="never")
    reads_settings(ada, found)
    assert (ada.errands.plan.settle_seconds, ada.telling.when) == (1.5, "never")
    assert ada.foreman.adopted == [found]
    assert "retry" not in {job.name for job in jobs(ada.archive)}
    assert ada.of(logged.SettingsRead) == [logged.SettingsRead()]


def test_settings_that_need_a_restart_are_named_and_do_not_count_before(ada: Daemon) -> None:
    reads_settings(ada, settings(ada, inbox="/elsewhere", mode="poll", settle_seconds=1.5))
    assert ada.errands.plan == ada.plan
    assert ada.of(logged.SettingsRead) == [logged.SettingsRead("folders.inbox, watch.mode")]


def test_work_that_waits_is_tried_again_once_the_settings_have_changed(ada: Daemon) -> None:
    number = ada.copied("a.json")
    change_state(ada.archive, number, "waiting", "it failed", "", now(), LATER, tries=2)
    assert given(ada) == []
    reads_settings(ada, settings(ada))
    assert given(ada)[-1] == order_for(ada, number)
    assert ada.arrival(number).tries == 0


def test_wrong_settings_are_told_until_they_are_right_again(ada: Daemon) -> None:
    reads_settings(ada, events.SettingsWrong("memproc.toml, line 2: no number.", "Correct it."))
    assert ada.errands.plan == ada.plan
    assert ada.foreman.adopted == []
    assert ada.sign("config_error") == "memproc.toml, line 2: no number. Correct it."
    assert ada.of(logged.SettingsRefused) == [logged.SettingsRefused("memproc.toml, line 2: no number.", "Correct it.")]
    reads_settings(ada, settings(ada))
    assert ada.sign("config_error") is None


def test_settings_that_could_not_be_read_for_a_mistake_of_ours_are_told(ada: Daemon) -> None:
    reads_settings(ada, events.Failed("Settings", "A mistake in memproc itself.", "Report it.", fatal=False))
    assert ada.of(logged.SettingsRefused) == [logged.SettingsRefused("A mistake in memproc itself.", "Report it.")]
    assert ada.of(logged.JobEnded) == []


@pytest.mark.parametrize("said", ["killed", "out of reach"])
def test_settings_that_could_not_be_read_for_a_while_are_read_again_and_told_once(
    ada: Daemon, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    for seconds in range(0, 300, 100):
        monkeypatch.setattr("daemon.inbox.errands.monotonic", lambda at=seconds: float(at))
        ada.errands.reload = seconds == 0
        assert given(ada)[-1:] == [Settings()]
        assert ada.foreman.orders.count(Settings()) == seconds // 100 + 1
        if said == "killed":
            ada.foreman.loses = "the worker was killed"
            ada.errands.lost(-9)
        else:
            refused = events.SettingsWrong("There is no file.", "Correct it.", may_pass=True)
            ada.says(events.Begun("Settings"), refused, events.Done("Settings"))
        ada.errands.next()
        assert ada.foreman.orders.count(Settings()) == seconds // 100 + 1, "not before a minute is over"
    assert len(ada.of(logged.SettingsRefused)) == 1
    assert ada.sign("config_error")


def test_a_file_whose_worker_has_gone_is_tried_again(ada: Daemon) -> None:
    number = ada.copied("a.json")
    ada.errands.next()
    ada.foreman.loses = "the worker was killed"
    ada.errands.lost(-9)
    assert ada.of(logged.Trouble) == [logged.Trouble("the worker", "the worker was killed")]
    assert (ada.arrival(number).state, ada.arrival(number).tries) == ("waiting", 1)
    assert ada.copy_of(number).is_file()
    assert given(ada) == [order_for(ada, number)]  # not before its time


def test_a_job_whose_worker_has_gone_is_told_and_tried_again(ada: Daemon) -> None:
    ada.has_due("prune")
    ada.errands.next()
    ada.foreman.loses = "the worker was killed"
    ada.errands.lost(-9)
    assert ada.job("prune").error == "the worker was killed"


def test_an_idle_worker_that_goes_is_no_trouble(ada: Daemon) -> None:
    ada.errands.lost(0)
    assert ada.told == []


def test_a_loss_that_could_not_be_taken_down_at_first_is_not_forgotten(ada: Daemon) -> None:
    number = ada.copied("a.json")
    ada.errands.next()
    ada.foreman.loses = "the worker was killed"
    with locked(ada.plan.state), pytest.raises(ArchiveError):
        ada.errands.lost(-9)
    ada.errands.lost(-9)
    assert (ada.arrival(number).state, ada.arrival(number).tries) == ("waiting", 1)
