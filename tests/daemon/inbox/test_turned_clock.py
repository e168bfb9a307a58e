"""What waits for a time is taken up when that has come, by a daemon whose clock is turned in the archive."""

import os
import signal
import sys
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from tests.chats import export_bytes, long_chat
from tests.server.child import serve
from tests.server.setup import KEY
from tests.stories.daemon import (
    QUICK,
    Daemon,
    copies,
    export,
    held_in,
    known,
    memories_in,
    quick_person,
    running,
    updated,
)
from tests.stories.person import Person

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform != "linux", reason="the daemon's worker is found in /proc"),
]
HAIKU = "anthropic/claude-haiku-5-5"


@pytest.fixture
def ida(tmp_path: Path) -> Person:
    """A person whose daemon does not wait long, and whose chats become few memories."""
    return quick_person(tmp_path / "ida")


def turn_forward(person: Person) -> None:
    """The pause before the next try is over, and so is the day on which something was spent."""
    with Archive.open(person.home / "state") as archive:
        archive.run("UPDATE spending SET at = '2020-01-01T00:00:00.000Z'")
        archive.run(
            "UPDATE arrival SET next_look_at = '2020-01-02T00:00:00.000Z' "
            "WHERE state IN ('waiting', 'paused')"
        )


@pytest.mark.long
def test_the_daemon_goes_on_by_itself_when_the_day_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    eve = Person(tmp_path / "eve", tail=3200, step=800, chunk=800)
    eve.settings(
        f'[models]\nagent = "{HAIKU}"\ncontext_manager = "{HAIKU}"\n{QUICK}[budget]\nday_usd = 0.003\n'
    )
    eve.drop(export_bytes(long_chat(9000, tokens_each=300)))
    with serve(tmp_path / "server", None) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        with running(eve, ANTHROPIC_API_KEY=KEY, ANTHROPIC_API_BASE=server.url) as daemon:
            for _ in range(8):
                row = daemon.comes_to("export.json", "paused", "written")
                if row.state == "written":
                    break
                turn_forward(eve)
                daemon.until(
                    lambda: daemon.rows("export.json")[-1].state != "paused", "it is taken up"
                )
            assert row.state == "written"
            assert daemon.status()["problems"] == []


@pytest.mark.long
def test_a_worker_that_is_killed_is_replaced_and_at_the_third_time_the_file_is_skipped(
    ida: Person,
) -> None:
    heavy, light = export("heavy", 60_000), export("light", 600)
    with running(ida) as daemon:
        ida.drop(heavy, "heavy.json")
        for failures in (1, 2, 3):
            daemon.comes_to("heavy.json", "working")
            killed = daemon.worker()
            os.kill(killed, signal.SIGKILL)
            row = daemon.comes_to("heavy.json", "waiting" if failures < 3 else "skipped")
            with Archive.read(ida.home / "state") as archive:
                tries = archive.value("SELECT tries FROM arrival WHERE id = ?", (row.id,))
            assert (tries, "killed" in row.reason) == (failures, True)
            if failures == 1:
                ida.drop(light, "light.json")
                daemon.comes_to("light.json", "done")
                assert daemon.worker() != killed
            turn_forward(ida)
        assert row.next_step
        status = daemon.status()
        assert (status["exit_code"], status["problems"][0]["what"]) == (1, "heavy.json")
        ida.drop(heavy, "heavy (1).json")
        daemon.comes_to("heavy (1).json", "written")
        assert daemon.status()["problems"] == []
        all_is_processed_but_gone(daemon, heavy, light)
    assert memories_in(updated(ida, "heavy")) > 0


def all_is_processed_but_gone(daemon: Daemon, *finals: bytes) -> None:
    """The same; a file that was skipped has given its place to the one that was dropped again."""
    assert {row.state for row in daemon.rows()} <= {"written", "done", "gone"}
    assert known(daemon.person).items() <= held_in(*finals).items()
    assert not copies(daemon.person)
    assert daemon.person.memproc("verify").code == 0
