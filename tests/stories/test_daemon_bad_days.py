"""Bad days of a daemon: killed, stopped in a call, without disk, provider or key; afterwards all work is done, once."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from tests.server.child import ServerProcess, serve
from tests.server.setup import KEY
from tests.stories.daemon import (
    QUICK,
    STOP_SECONDS,
    all_is_processed,
    export,
    is_there,
    memories_in,
    quick_person,
    running,
    standing_still,
    updated,
)
from tests.stories.databases import archive_of, values_in
from tests.stories.person import Person

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform != "linux", reason="the stories look into /proc"),
]
MODEL = "claude-haiku-5-5"
CALL_SECONDS = 0.15
AT_ONCE = 6


@pytest.fixture
def ida(tmp_path: Path) -> Person:
    """A person whose daemon does not wait long, and whose chats become few memories."""
    return quick_person(tmp_path / "ida")


def asks(person: Person, server: ServerProcess, more: str = "", at_once: int = AT_ONCE) -> None:
    """memproc.toml sends Claude's questions to this server."""
    person.settings(
        f'{QUICK}[models]\nagent = "anthropic/{MODEL}"\nconcurrency = {at_once}\n'
        f'[models.options."anthropic/*"]\napi_base = "{server.url}"\ntimeout = 20\n{more}'
    )


def keep_key(person: Person, key: str) -> None:
    """As a person does it: the key is not shown, and goes into memproc's own file."""
    told = subprocess.run(
        person.argv("key", "set", "anthropic", "--file"),
        input=key,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr


def wants_it_now(person: Person) -> None:
    """What waits is tried again when the settings are written anew, whatever they say."""
    person.toml.write_text(person.toml.read_text() + "\n")


@pytest.mark.long
def test_stopped_and_killed_in_the_middle_of_calls_nothing_is_asked_twice(
    ida: Person, tmp_path: Path
) -> None:
    content, other = export("talk", 7800), export("other", 600)
    with serve(tmp_path / "server", {"seconds": CALL_SECONDS}) as server:
        asks(ida, server)
        ida.drop(content, "talk.json")
        with running(ida, ANTHROPIC_API_KEY=KEY) as daemon:
            daemon.until(lambda: server.meter.calls >= 2, "the second call is under way")
            worker, began = daemon.worker(), monotonic()
            assert daemon.stop() == 0
            assert monotonic() - began < STOP_SECONDS
            assert not is_there(worker)
            assert daemon.rows("talk.json")[0].state == "copied"
            assert server.meter.answered.total() == server.meter.calls, (
                "the call that was under way was let finish"
            )
        with running(ida, ANTHROPIC_API_KEY=KEY) as daemon:
            calls = server.meter.calls
            daemon.until(lambda: server.meter.calls >= calls + 2, "it goes on")
            worker = daemon.worker()
            daemon.process.kill()
            daemon.process.wait()
            end = monotonic() + STOP_SECONDS
            while is_there(worker):
                assert monotonic() < end, "the worker outlives its daemon"
        assert not ida.updated()
        with running(ida, ANTHROPIC_API_KEY=KEY) as daemon:
            calls = server.meter.calls
            daemon.until(lambda: server.meter.calls > calls, "it goes on")
            assert daemon.rows("talk.json")[0].tries == 0, (
                "that the daemon ended is no failure of the file"
            )
            os.kill(daemon.worker(), signal.SIGKILL)
            row = daemon.comes_to("talk.json", "waiting", saying="killed")
            assert row.tries == 1
            ida.drop(other, "other.json")
            daemon.comes_to("other.json", "done")
            wants_it_now(ida)
            daemon.comes_to("talk.json", "written")
            all_is_processed(daemon, content, other)
        assert len(server.meter.finished_and_seen_again) <= 1, (
            "what was on its way when the worker was killed"
        )
        assert server.meter.failures == {}
        assert memories_in(updated(ida, "talk")) == len(+server.meter.answered) / 4 > 0


@pytest.mark.long
def test_an_export_that_was_written_as_the_daemon_was_killed_is_ready_to_be_imported(
    ida: Person, tmp_path: Path
) -> None:
    content = export("talk", 7800)
    with serve(tmp_path / "server", {"seconds": CALL_SECONDS}) as server:
        asks(ida, server)
        ida.drop(content, "talk.json")
        with running(ida, ANTHROPIC_API_KEY=KEY) as daemon:
            daemon.until(lambda: server.meter.calls >= 2, "the second call is under way")
            worker = daemon.worker()
            with standing_still(daemon.process.pid):  # so it hears nothing of what its worker does
                daemon.until(
                    lambda: any(table == "output" for table, _ in values_in(archive_of(ida))),
                    "the updated export is written and recorded",
                )
                daemon.process.kill()
            daemon.process.wait()
            end = monotonic() + STOP_SECONDS
            while is_there(worker):
                assert monotonic() < end, "the worker outlives its daemon"
        assert [row.state for row in daemon.rows()] == ["working"]
        written = [path.read_bytes() for path in ida.updated()]
        calls = server.meter.calls
        with running(ida, ANTHROPIC_API_KEY=KEY) as daemon:
            row = daemon.comes_to("talk.json", "written", "done")
            assert row.reason.startswith("ready to be imported: "), row
            all_is_processed(daemon, content)
        assert [path.read_bytes() for path in ida.updated()] == written
        assert server.meter.calls == calls


@pytest.mark.long
def test_a_wrong_key_stops_the_work_until_it_is_mended(ida: Person, tmp_path: Path) -> None:
    content = export("talk", 5400)
    with serve(tmp_path / "server") as server:
        asks(ida, server)
        ida.drop(content, "talk.json")
        keep_key(ida, "another-key")
        with running(ida) as daemon:
            row = daemon.comes_to("talk.json", "paused")
            assert "memproc key set anthropic" in row.next_step
            assert server.meter.calls <= AT_ONCE, (
                "with a wrong key nothing else is asked than what is under way"
            )
            status = daemon.status()
            assert status["exit_code"] == 1
            assert "does not accept the key" in str(status["problems"])
            assert not ida.updated()
            keep_key(ida, KEY)
            daemon.comes_to("talk.json", "written")
            assert daemon.status()["problems"] == []
            all_is_processed(daemon, content)
    assert memories_in(updated(ida, "talk")) > 0


@pytest.mark.long
def test_a_provider_that_is_away_is_waited_for(ida: Person, tmp_path: Path) -> None:
    content = export("talk", 5400)
    away = {str(call): "overloaded" for call in range(2, 9)}
    with serve(tmp_path / "server", {"at": away}) as server:
        asks(ida, server, at_once=1)
        ida.drop(content, "talk.json")
        with running(ida, ANTHROPIC_API_KEY=KEY) as daemon:
            row = daemon.comes_to("talk.json", "waiting", seconds=120)
            assert "cannot answer now" in row.reason
            assert row.tries == 0, "it is not the file's failure"
            assert row.reason.endswith("It was tried 6 times. It is tried again by itself.")
            assert (row.next_step, daemon.status()["problems"]) == ("", [])
            wants_it_now(ida)
            daemon.comes_to("talk.json", "written")
            all_is_processed(daemon, content)
            assert daemon.status()["problems"] == []
        assert server.meter.finished_and_seen_again == []
    assert memories_in(updated(ida, "talk")) > 0


@pytest.mark.long
def test_a_call_that_never_ends_does_not_keep_the_daemon_from_ending(
    ida: Person, tmp_path: Path
) -> None:
    content = export("talk", 5400)
    with serve(tmp_path / "server", {"at": {"2": "hang"}}) as server:
        asks(ida, server, at_once=1)
        ida.toml.write_text(ida.toml.read_text().replace("timeout = 20", "timeout = 600"))
        ida.drop(content, "talk.json")
        with running(ida, ANTHROPIC_API_KEY=KEY) as daemon:
            daemon.until(lambda: server.meter.calls == 2, "the call that hangs is under way")
            worker = daemon.worker()
            assert daemon.stop() == 0
            assert not is_there(worker)
            assert daemon.rows("talk.json")[0].tries == 0, "to be stopped is no failure of the file"
        with running(ida, ANTHROPIC_API_KEY=KEY) as daemon:
            daemon.comes_to("talk.json", "written")
            all_is_processed(daemon, content)
        assert server.meter.finished_and_seen_again == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes; needs the rights to mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small disk needs root")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def fill(disk: Path) -> Path:
    """Leave no byte free."""
    filling = disk / "filling"
    with filling.open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass
    return filling


@pytest.mark.parametrize(
    "folder",
    ["state", "updated", "backups"],
)
@pytest.mark.long
def test_a_disk_is_full_and_has_room_again(ida: Person, small_disk: Path, folder: str) -> None:
    first, second = export("talk", 5400), export("talk", 6200)
    (small_disk / folder).mkdir()
    (ida.home / folder).symlink_to(small_disk / folder)
    with running(ida) as daemon:
        ida.drop(first, "talk.json")
        daemon.comes_to("talk.json", "written")
        whole = ida.updated()[0].read_bytes()
        filling = fill(small_disk)
        ida.drop(second, "talk.json")
        if folder == "state":
            daemon.until(lambda: "full" in daemon.said(), "it is said that the disk is full")
        else:
            row = daemon.comes_to("talk.json", "waiting", saying="full")
            assert row.tries == 0
            assert daemon.status()["exit_code"] == 1
        assert ida.updated()[0].read_bytes() == whole
        filling.unlink()
        daemon.until(lambda: len(daemon.rows()) == 2, "the new one is seen")
        if folder != "state":
            wants_it_now(ida)
        daemon.comes_to("talk.json", "written", seconds=120)
        all_is_processed(daemon, first, second)
        daemon.until(lambda: daemon.status()["problems"] == [], "all is well again", seconds=90)
    assert [
        path.name for path in (ida.home / "updated").iterdir() if path.name.startswith(".")
    ] == []


@pytest.mark.long
def test_a_full_disk_does_not_keep_the_daemon_from_ending(ida: Person, small_disk: Path) -> None:
    content = export("talk", 5400)
    (small_disk / "state").mkdir()
    (ida.home / "state").symlink_to(small_disk / "state")
    with running(ida) as daemon:
        daemon.until(lambda: daemon.status()["life"]["mode"], "it has looked around")
        filling = fill(small_disk)
        ida.drop(content, "talk.json")
        daemon.until(lambda: "full" in daemon.said(), "it is said that the disk is full")
        began = monotonic()
        assert daemon.stop() == 0
        assert monotonic() - began < STOP_SECONDS
    filling.unlink()
    with running(ida) as daemon:
        daemon.comes_to("talk.json", "written")
        all_is_processed(daemon, content)
