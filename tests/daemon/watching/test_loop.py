"""The daemon's loop on a real inbox: what wakes it, what it looks at, and how it comes to its end."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from daemon.inbox import events
from daemon.inbox.orders import Prune, Settings, Work
from daemon.inbox.wakes import Due, EventsLost, FolderChanged, Reload, Stop, WatcherDied
from daemon.keys import keys_file
from daemon.status.log import FileIs, Logged, Trouble, Watching
from tests.daemon.watching.standins import Daemon, daemon, locked


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[Daemon]:
    with daemon(tmp_path, config=tmp_path / "memproc.toml") as running:
        running.has_due("nothing")
        yield running


@pytest.fixture(autouse=True)
def short_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two looks, and after trouble, the loop rests for an instant only."""
    monkeypatch.setattr("daemon.inbox.loop._AFTER_TROUBLE", 0.05)
    monkeypatch.setattr("daemon.inbox.loop._LONGEST_SLEEP", 0.05)


def states(ada: Daemon) -> list[str]:
    return [event.state for event in ada.of(FileIs)]


def is_at_rest(ada: Daemon) -> bool:
    """Whether the inbox was looked through, and its watch is proved."""
    return None not in (ada.sign("last_scan"), ada.sign("last_cookie"))


def test_a_file_that_is_dropped_is_found_by_its_event_copied_and_worked_on(ada: Daemon) -> None:
    def dropped() -> bool:
        return is_at_rest(ada) and bool(ada.drop("summer.json"))

    def given() -> bool:
        for order in ada.foreman.orders:
            assert isinstance(order, Work)
            ada.will_say(events.Begun("Work"), events.Planned(order.arrival, "chat-1", "Boats", 3, 21))
            ada.will_say(events.Remembered(order.arrival, "Boats", 1, 1, 3), events.Done("Work"))
        return bool(ada.foreman.orders)

    ada.run(dropped, given, lambda: "done" in states(ada))
    assert states(ada) == ["seen", "copied", "planned", "working", "done"]
    assert ada.sign("last_event") is not None


def test_a_file_that_came_before_the_daemon_is_found_at_its_start(ada: Daemon) -> None:
    ada.drop("summer.json")
    ada.run(lambda: ada.foreman.orders != [] and ada.foreman.ends())
    assert states(ada) == ["seen", "copied"]


def test_how_the_inbox_is_watched_is_told_once_and_the_watch_is_proved(ada: Daemon) -> None:
    ada.run(lambda: is_at_rest(ada))
    assert [event.mode for event in ada.of(Watching)] == ["native"]
    assert ada.sign("watch_mode") == "native"
    assert ada.notifier.steps == ada.turns


def test_an_inbox_that_is_away_is_told_and_looked_through_when_it_is_back(ada: Daemon) -> None:
    inbox = ada.plan.inbox
    away = inbox.with_name("away")

    def renamed() -> bool:
        ada.queue.put(FolderChanged())
        return is_at_rest(ada) and bool(inbox.rename(away))

    def back() -> bool:
        if not (ada.of(Trouble) and ada.sign("inbox_note")):
            return False
        (away / "summer.json").write_bytes(b"{}")
        away.rename(inbox)
        return True

    ada.run(renamed, back, lambda: "seen" in states(ada))
    assert any("not there" in event.why for event in ada.of(Watching))
    assert "there again" in ada.of(Watching)[-1].why
    assert ada.sign("inbox_note") == ""


def test_what_cannot_be_used_as_it_lies_there_is_told_once(ada: Daemon) -> None:
    (ada.plan.inbox / ".summer.json.icloud").write_bytes(b"")

    def again() -> bool:
        ada.queue.put(FolderChanged())
        return is_at_rest(ada)

    ada.run(again, lambda: ada.sign("last_event") is not None, again)
    assert [event.what for event in ada.of(Trouble)] == ["the inbox"]
    assert "in the cloud" in (ada.sign("inbox_note") or "")


@pytest.mark.parametrize("wake", [EventsLost("The queue overflowed."), WatcherDied("A thread has ended.")])
def test_where_events_were_lost_the_inbox_is_looked_through_at_once(
    ada: Daemon, wake: EventsLost | WatcherDied
) -> None:
    def missed() -> bool:
        ada.archive.run("DELETE FROM sign WHERE name = 'last_scan'")
        ada.queue.put(wake)
        return True

    ada.run(lambda: is_at_rest(ada), missed, lambda: is_at_rest(ada))
    assert ada.of(Trouble) == [Trouble("the watch on the inbox", wake.reason)]


def test_after_a_suspend_the_inbox_is_looked_through(ada: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    def slept() -> bool:
        ada.archive.run("DELETE FROM sign WHERE name = 'last_scan'")
        monkeypatch.setattr("daemon.inbox.loop.time", lambda: 4e9)
        ada.queue.put(Due("prune"))
        return True

    ada.run(lambda: is_at_rest(ada), slept, lambda: is_at_rest(ada))


def test_a_timed_job_is_given_at_its_time(ada: Daemon) -> None:
    def due() -> bool:
        ada.has_due("prune")
        ada.queue.put(Due("prune"))
        return is_at_rest(ada)

    ada.run(due, lambda: ada.foreman.orders == [Prune()] and ada.foreman.ends())


def test_memproc_toml_is_read_again_when_it_is_asked_for(ada: Daemon) -> None:
    ada.queue.put(Reload())
    ada.run(lambda: ada.foreman.orders == [Settings()] and ada.foreman.ends())


@pytest.mark.parametrize("changed", ["memproc.toml", "keys"])
def test_memproc_toml_is_read_again_when_it_or_the_keys_have_changed(ada: Daemon, changed: str) -> None:
    assert ada.plan.config
    place = ada.plan.config if changed == "memproc.toml" else keys_file(ada.plan.state)

    def written() -> bool:
        place.write_text("[tail]\n")
        ada.queue.put(Due("prune"))
        return True

    ada.run(written, lambda: ada.foreman.orders == [Settings()] and ada.foreman.ends())


def test_a_file_whose_worker_dies_waits_for_its_next_try(ada: Daemon) -> None:
    number = ada.copied("summer.json")
    ada.foreman.loses = "the worker was killed"

    def killed() -> bool:
        if ada.foreman.orders:
            ada.will_end(-9)
        return bool(ada.foreman.orders)

    ada.run(killed, lambda: ada.arrival(number).state == "waiting")


def test_an_archive_that_is_busy_loses_nothing(ada: Daemon) -> None:
    number = ada.copied("summer.json")
    with ExitStack() as lock:

        def free(event: Logged) -> None:
            if isinstance(event, Trouble):
                lock.close()

        def finished_meanwhile() -> bool:
            if not (ada.foreman.orders and is_at_rest(ada)):
                return False
            lock.enter_context(locked(ada.plan.state))
            ada.will_say(events.Begun("Work"), events.Done("Work"))
            return True

        ada.when_told = free
        ada.run(finished_meanwhile, lambda: ada.arrival(number).state == "done")
    ((trouble),) = ada.of(Trouble)
    assert trouble.what == "the daemon's own work"


def test_a_daemon_in_trouble_can_be_stopped(ada: Daemon) -> None:
    with ExitStack() as lock:

        def stop(event: Logged) -> None:
            if isinstance(event, Trouble):
                ada.queue.put(Stop(15))

        def blocked() -> bool:
            if is_at_rest(ada):
                lock.enter_context(locked(ada.plan.state))
                ada.queue.put(FolderChanged())
                ada.when_told = stop
            return is_at_rest(ada)

        ada.run(blocked)
    assert ada.foreman.stopped
    assert ada.notifier.stopped


def test_at_the_end_the_running_call_is_waited_for_and_what_it_says_counts(ada: Daemon) -> None:
    number, next_one = ada.copied("a.json", b"[1]"), ada.copied("b.json", b"[2]")

    def stop() -> bool:
        if ada.foreman.orders:
            ada.queue.put(Stop(15))
        return bool(ada.foreman.orders)

    def ends() -> bool:
        if ada.foreman.asked:
            ada.will_say(events.Planned(number, "chat-1", "Boats", 3, 21), events.Stopped("Work"))
            ada.will_end()
        return ada.foreman.asked

    ada.run(stop, ends)
    assert "planned" in states(ada)
    assert ada.arrival(number).reason == "the work on it was stopped, and goes on"
    assert len(ada.foreman.orders) == 1
    assert ada.arrival(next_one).state == "copied"
    assert ada.foreman.stopped


def test_a_worker_that_does_not_come_to_an_end_is_not_waited_for_for_ever(
    ada: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.inbox.loop._STOP_SECONDS", 0.3)
    number = ada.copied("summer.json")
    ada.run(lambda: ada.foreman.orders != [])
    assert ada.foreman.stopped
    assert ada.arrival(number).state == "copied"


def test_the_loop_sleeps_while_it_waits_for_the_worker_to_end(ada: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.inbox.loop._STOP_SECONDS", 1.0)
    ada.copied("summer.json")
    before: list[int] = []

    def stop_while_a_scan_is_due() -> bool:
        if ada.foreman.orders and is_at_rest(ada):
            ada.queue.put(Stop(15))
            ada.queue.put(FolderChanged())
            before.append(ada.turns)
        return bool(before)

    ada.run(stop_while_a_scan_is_due)
    assert ada.turns - before[0] < 100
