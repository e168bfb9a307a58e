"""The foreman with workers of the test's own: those that die, hang, babble, or go just when work comes."""

import os
import signal
import sys
from pathlib import Path
from queue import SimpleQueue
from time import monotonic

import pytest

from daemon.inbox.events import Done, Notice, Ready, SettingsAre
from daemon.inbox.foreman import Foreman
from daemon.inbox.orders import Maintain, Prune, Work
from daemon.inbox.wakes import Wake
from tests.daemon.worker.loop import loop, script

WORK = Work(7, "/state/arrivals/abc.json", "summer.json")
DOES_ALL = script("""
say("Ready", pid=os.getpid())
while (order := read())["is"]:
    say("Begun", order=order["is"])
    say("Done", order=order["is"])
""")
BEGINS = 'read(); say("Begun", order="Work");'


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_no_worker_runs_before_there_is_an_order() -> None:
    with loop(worker=DOES_ALL) as daemon:
        daemon.turn()
        assert daemon.foreman.pid is None
        assert daemon.foreman.silent_for(monotonic()) == 0


def test_one_worker_does_one_order_after_the_other() -> None:
    with loop(worker=DOES_ALL) as daemon:
        daemon.foreman.give(WORK)
        assert daemon.foreman.busy
        assert daemon.foreman.doing == WORK
        with pytest.raises(RuntimeError):
            daemon.foreman.give(Prune())
        daemon.until(lambda: not daemon.foreman.busy)
        daemon.do(Prune())
        assert [event.order for event in daemon.of(Done)] == ["Work", "Prune"]
        assert len(daemon.of(Ready)) == 1


@pytest.mark.parametrize(
    ("death", "reason"),
    [
        ("os._exit(7)", "the worker ended with exit code 7 in the middle of it"),
        ("os.kill(os.getpid(), 9)", "the worker was killed (signal 9), perhaps because memory ran out"),
        ("os.kill(os.getpid(), 15)", "the worker was ended by signal 15"),
        ("os._exit(0)", "the worker ended with exit code 0 in the middle of it"),
    ],
)
def test_a_worker_that_dies_is_noticed_with_what_it_was_doing(death: str, reason: str) -> None:
    with loop(worker=script(BEGINS + death)) as daemon:
        daemon.foreman.give(WORK)
        daemon.until(lambda: daemon.lost != [])
        (lost,) = daemon.lost
        assert (lost.order, lost.reason) == (WORK, reason)
        assert not daemon.foreman.busy
        assert daemon.foreman.pid is None


def test_after_a_death_the_next_order_has_a_worker_of_its_own(tmp_path: Path) -> None:
    dies_once = f"""
if not os.path.exists({str(tmp_path / "died")!r}):
    read(); say("Begun", order="Work"); open({str(tmp_path / "died")!r}, "w"); os._exit(3)
order = read()["is"]; say("Begun", order=order); say("Done", order=order); read()
"""
    with loop(worker=script(dies_once)) as daemon:
        daemon.do(WORK)
        daemon.do(Prune())
        assert [lost.order for lost in daemon.lost] == [WORK]
        assert [event.order for event in daemon.of(Done)] == ["Prune"]


def test_a_worker_that_dies_leaves_no_zombie() -> None:
    with loop(worker=script(BEGINS + "os._exit(1)")) as daemon:
        daemon.foreman.give(WORK)
        pid = daemon.foreman.pid
        daemon.until(lambda: daemon.ends != [])
        assert pid is not None
        assert not is_there(pid)


def test_a_worker_that_hangs_is_ended_and_told() -> None:
    with loop(worker=script(BEGINS + "time.sleep(1000)"), hang_seconds=0.4) as daemon:
        daemon.foreman.give(WORK)
        daemon.until(lambda: daemon.lost != [])
        (lost,) = daemon.lost
        assert lost.order == WORK
        assert "no sign of life" in lost.reason
        assert daemon.ends == [-signal.SIGTERM]


def test_a_worker_that_does_not_hear_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.inbox.foreman._GRACE_SECONDS", 0.2)
    deaf = "signal.signal(signal.SIGTERM, signal.SIG_IGN);" + BEGINS + "time.sleep(1000)"
    with loop(worker=script(deaf)) as daemon:
        daemon.foreman.give(WORK)
        daemon.until(lambda: daemon.events != [])
        daemon.foreman.kill()
        assert daemon.foreman.busy
        daemon.until(lambda: daemon.ends != [])
        assert daemon.ends == [-signal.SIGKILL]
        assert daemon.lost[0].reason == "the worker was told to end"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_what_a_worker_has_started_goes_with_it() -> None:
    parent = BEGINS + 'import subprocess; say("Notice", text=str(subprocess.Popen(["sleep", "1000"]).pid));'
    with loop(worker=script(parent + "time.sleep(1000)")) as daemon:
        daemon.foreman.give(WORK)
        daemon.until(lambda: daemon.of(Notice) != [])
        daemon.foreman.kill()
        daemon.until(lambda: daemon.ends != [])
        state = Path(f"/proc/{daemon.of(Notice)[0].text}/stat")
        daemon.until(lambda: not state.exists() or state.read_text().split()[2] == "Z")


def test_a_worker_that_announced_a_long_silence_does_not_hang() -> None:
    patient = BEGINS + 'say("Alive", silence=1000.0); time.sleep(1); say("Done", order="Work"); read()'
    with loop(worker=script(patient), hang_seconds=0.3) as daemon:
        daemon.do(WORK)
        assert (daemon.lost, daemon.ends) == ([], [])


def test_a_long_silence_that_was_announced_for_one_call_holds_while_others_come_and_go() -> None:
    patient = BEGINS + (
        'say("Alive", silence=1000.0); say("Alive", silence=0.1); say("Notice", text=""); time.sleep(1);'
        'say("Done", order="Work"); read()'
    )
    with loop(worker=script(patient), hang_seconds=0.3) as daemon:
        daemon.do(WORK)
        assert (daemon.lost, daemon.ends) == ([], [])


def test_a_silence_that_was_announced_for_one_order_does_not_hold_for_the_next() -> None:
    hangs = BEGINS + 'say("Alive", silence=1000.0); say("Done", order="Work");' + BEGINS + "time.sleep(1000)"
    with loop(worker=script(hangs), hang_seconds=0.3) as daemon:
        daemon.do(WORK)
        daemon.foreman.give(WORK)
        daemon.until(lambda: daemon.lost != [])
        assert "no sign of life" in daemon.lost[0].reason


def test_an_idle_worker_does_not_hang() -> None:
    with loop(worker=DOES_ALL, hang_seconds=100) as daemon:
        daemon.do(WORK)
        now = monotonic()
        for seconds in range(0, 5000, 10):
            daemon.foreman.look(now + seconds)
        assert daemon.ends == []


def test_time_in_which_the_daemon_was_stopped_itself_is_no_silence_of_the_worker() -> None:
    with loop(worker=script(BEGINS + "read()"), hang_seconds=100) as daemon:
        daemon.foreman.give(WORK)
        daemon.until(lambda: daemon.events != [])
        now = monotonic()
        daemon.foreman.look(now)
        daemon.foreman.look(now + 5000)
        assert daemon.foreman.doing == WORK
        assert daemon.foreman.silent_for(now + 5000) < 30
        for seconds in range(5000, 5110, 10):
            daemon.foreman.look(now + seconds)
        daemon.until(lambda: daemon.ends != [])


def test_what_is_no_event_is_passed_over_and_told_once() -> None:
    babbler = """
read(); say("Begun", order="Work")
sys.stdout.buffer.write(b'\\xff\\xfe garbage\\n{"is": "Done"}\\n[1]\\n{"is": "Nothing"}\\n\\n' + b'[' * 100000 + b'\\n')
say("Done", order="Work"); read()
"""
    with loop(worker=script(babbler)) as daemon:
        daemon.do(WORK)
        assert len(daemon.of(Notice)) == 1
        assert "garbage" not in daemon.of(Notice)[0].text
        assert len(daemon.of(Done)) == 1


def test_an_order_that_an_idle_worker_did_not_take_up_is_given_to_a_new_one(tmp_path: Path) -> None:
    leaves_first = f"""
if not os.path.exists({str(tmp_path / "left")!r}):
    open({str(tmp_path / "left")!r}, "w"); say("Ready", pid=1); sys.exit()
order = read()["is"]; say("Begun", order=order); say("Done", order=order); read()
"""
    with loop(worker=script(leaves_first)) as daemon:
        daemon.do(WORK)
        assert daemon.ends == [0]
        assert daemon.lost == []
        assert [event.order for event in daemon.of(Done)] == ["Work"]


def test_a_worker_that_never_takes_anything_up_is_not_started_for_ever() -> None:
    with loop(worker=script("sys.exit()")) as daemon:
        daemon.do(WORK)
        assert daemon.ends == [0, 0]
        assert [lost.order for lost in daemon.lost] == [WORK]


def test_a_worker_that_cannot_be_started_is_told_like_one_that_died() -> None:
    with loop(worker=["/nowhere/python"]) as daemon:
        daemon.do(WORK)
        assert "could not be started" in daemon.lost[0].reason


def test_a_worker_that_is_asked_to_stop_is_not_missed() -> None:
    with loop(worker=DOES_ALL) as daemon:
        daemon.do(WORK)
        daemon.foreman.ask_to_stop()
        assert daemon.foreman.busy
        daemon.until(lambda: not daemon.foreman.busy)
        assert (daemon.ends, daemon.lost) == ([0], [])
        daemon.do(Prune())
        assert len(daemon.of(Ready)) == 2


def test_the_order_of_a_worker_that_was_asked_to_stop_is_not_lost() -> None:
    with loop(worker=script(BEGINS + "read(); os._exit(75)")) as daemon:
        daemon.foreman.give(WORK)
        daemon.until(lambda: daemon.events != [])
        daemon.foreman.ask_to_stop()
        daemon.until(lambda: daemon.ends != [])
        assert (daemon.ends, daemon.lost) == ([75], [])
        assert not daemon.foreman.busy


def test_stopping_returns_in_time_and_leaves_no_worker() -> None:
    queue: SimpleQueue[Wake] = SimpleQueue()
    foreman = Foreman(queue.put, worker=script("read(); time.sleep(1000)"))
    foreman.give(WORK)
    pid = foreman.pid
    began = monotonic()
    foreman.stop(0.2)
    assert monotonic() - began < 5
    assert pid is not None
    assert not is_there(pid)


def test_settings_are_handed_over_before_the_next_order_and_once() -> None:
    echo = """
while (order := read())["is"]:
    if order["is"] == "Use":
        say("Notice", text=order["text"])
    else:
        say("Begun", order=order["is"]); say("Done", order=order["is"])
"""
    with loop(worker=script(echo)) as daemon:
        for text, order in (("one", WORK), ("one", Prune()), ("two", Maintain())):
            daemon.foreman.adopt(SettingsAre({}, "/ada/memproc.toml", text))
            daemon.do(order)
        assert [event.text for event in daemon.of(Notice)] == ["one", "two"]
