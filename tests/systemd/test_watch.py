"""The real daemon under a real systemd: it works in the sandbox, comes back, and stops in good order."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chats import export_bytes, long_chat
from tests.systemd.machine import Machine, of_an_idle_computer, wait_for
from tests.systemd.service_of import REAL, UNIT, ServiceOf

pytestmark = pytest.mark.long

SETTINGS = "[tail]\ntokens = 1600\nstep = 400\n[chunk]\ntokens = 400\n[watch]\nsettle_seconds = 1\n"


@pytest.fixture
def daemon(machine: Machine) -> Iterator[ServiceOf]:
    """The service with the real `memproc watch`, and small chunks."""
    service = ServiceOf(machine, REAL)
    machine.write(machine.home / ".config/memproc/memproc.toml", SETTINGS)
    yield service
    service.clear_away()


def updated(daemon: ServiceOf) -> list[str]:
    return daemon.machine.ada(
        "find", str(daemon.machine.home / "memproc/updated"), "-name", "*.json"
    ).stdout.splitlines()


def drop(daemon: ServiceOf, content: bytes) -> None:
    daemon.machine.write(daemon.machine.home / "memproc/inbox/export.json", content.decode())


def test_an_export_that_is_dropped_is_compressed_inside_the_sandbox(daemon: ServiceOf) -> None:
    daemon.install()
    assert "PrivateUsers=yes" in daemon.machine.read(daemon.units / f"{UNIT}.d" / "10-sandbox.conf")
    drop(daemon, export_bytes(long_chat(6_000)))
    wait_for(lambda: len(updated(daemon)) == 1)
    (path,) = updated(daemon)
    assert json.loads(daemon.machine.read(Path(path)))["data"]["chats"]


def test_the_daemon_is_back_within_two_seconds_of_each_of_three_kills(daemon: ServiceOf) -> None:
    daemon.install()
    for _ in range(3):
        assert daemon.back_after(daemon.signal("KILL"), 20) <= of_an_idle_computer(2.0)


def test_a_daemon_that_hangs_is_started_again_by_the_watchdog(daemon: ServiceOf) -> None:
    daemon.install()
    daemon.drop_in("[Service]\nWatchdogSec=8\n")
    daemon.systemctl("restart", UNIT)
    stopped = daemon.signal("STOP")
    assert daemon.back_after(stopped, 30) <= 8 + of_an_idle_computer(2.0)


def test_a_daemon_at_rest_is_not_taken_for_one_that_hangs(daemon: ServiceOf) -> None:
    daemon.install()
    daemon.drop_in("[Service]\nWatchdogSec=8\n")
    daemon.systemctl("restart", UNIT)
    process = daemon.process
    for _ in range(3):
        heard = daemon.shows("WatchdogTimestampMonotonic")
        wait_for(lambda before=heard: daemon.shows("WatchdogTimestampMonotonic") != before, 16)  # type: ignore[misc]
    assert (daemon.process, daemon.shows("NRestarts")) == (process, "0")


def test_it_stops_in_good_order_within_five_seconds(daemon: ServiceOf) -> None:
    daemon.install()
    daemon.systemctl("--no-block", "stop", UNIT)
    assert wait_for(lambda: daemon.shows("ActiveState") == "inactive") <= of_an_idle_computer(5.0)
    assert daemon.shows("Result") == "success"


def at_rest(daemon: ServiceOf) -> bool:
    return daemon.shows("StatusText") == "at rest"


def test_where_memproc_toml_is_not_read_the_daemon_waits_and_begins_by_itself(
    daemon: ServiceOf,
) -> None:
    daemon.install()
    toml = daemon.machine.home / ".config/memproc/memproc.toml"
    daemon.systemctl("stop", UNIT)
    daemon.machine.erase(toml)
    assert daemon.machine.ada("mkfifo", str(toml)).returncode == 0, "who reads it waits for ever"
    daemon.systemctl("--no-block", "start", UNIT)
    wait_for(lambda: daemon.process > 0)
    wait_for(
        lambda: (
            daemon.machine.root(
                "pkill", "-9", "-f", "-P", str(daemon.process), "daemon.cli"
            ).returncode
            == 0
        )
    )
    wait_for(lambda: daemon.shows("StatusText").startswith("waiting: "), 90)
    assert "exit code -9" in daemon.shows("StatusText")
    assert daemon.shows("ActiveState") == "active"
    waiting = daemon.process
    daemon.machine.erase(toml)
    daemon.machine.write(toml, SETTINGS)
    wait_for(lambda: at_rest(daemon), 90)
    assert (daemon.process, daemon.shows("NRestarts")) == (waiting, "0")
    assert "It is tried again." in daemon.machine.root("journalctl", "-o", "cat").stdout


def test_a_state_disk_that_is_full_is_waited_for_as_long_as_it_takes(daemon: ServiceOf) -> None:
    daemon.install()
    daemon.systemctl("stop", UNIT)
    state = daemon.machine.home / ".local/state/memproc"
    disk = f"size=20m,uid={daemon.machine.number},gid={daemon.machine.number},mode=700"
    assert (
        daemon.machine.root("mount", "-t", "tmpfs", "-o", disk, "none", str(state)).returncode == 0
    )
    try:
        daemon.machine.root("dd", "if=/dev/zero", f"of={state}/other", "bs=64k", "count=1000")
        assert daemon.systemctl("start", UNIT).returncode == 0
        waiting = daemon.process
        wait_for(lambda: "full" in daemon.shows("StatusText"))
        status = daemon.memproc("status")
        assert "full" in status.stdout and status.returncode == 1
        assert "is full" in daemon.machine.root("journalctl", "-o", "cat").stdout
        daemon.machine.root("rm", f"{state}/other")
        wait_for(lambda: at_rest(daemon), 90)
        assert (daemon.process, daemon.shows("NRestarts")) == (waiting, "0")
        assert daemon.memproc("status").returncode == 0
    finally:
        daemon.systemctl("stop", UNIT)
        daemon.machine.root("umount", str(state))


def test_a_wrong_memproc_toml_at_the_start_is_told_and_not_tried_again(daemon: ServiceOf) -> None:
    daemon.install()
    daemon.machine.write(
        daemon.machine.home / ".config/memproc/memproc.toml", "[folders]\nimbox = 1\n"
    )
    assert daemon.systemctl("restart", UNIT).returncode != 0
    wait_for(lambda: "memproc config check" in daemon.notices)
    assert daemon.shows("NRestarts") == "0"
