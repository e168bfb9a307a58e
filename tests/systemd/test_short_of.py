"""The real daemon under a real systemd, where memory runs out or a child does not get on: the service comes back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chats import export_bytes, long_chat
from tests.systemd.machine import Machine, wait_for
from tests.systemd.service_of import UNIT, ServiceOf
from tests.systemd.test_watch import daemon as daemon
from tests.systemd.test_watch import drop, updated

pytestmark = pytest.mark.long

MEMORY = Path("/run/memory")


@pytest.fixture
def memory(machine: Machine) -> Iterator[Path]:
    """A group of processes whose memory can be limited. Its name is the machine's: all machines share the groups."""
    if (
        "memory" not in Path("/proc/cgroups").read_text()
        or not Path("/sys/fs/cgroup/memory").exists()
    ):
        pytest.skip("memory is limited here by cgroup version 1, which this system does not have")
    group = MEMORY / machine.disk.name
    assert machine.root("mkdir", str(MEMORY)).returncode == 0
    assert (
        machine.root("mount", "-t", "cgroup", "-o", "memory", "none", str(MEMORY)).returncode == 0
    )
    assert machine.root("mkdir", str(group)).returncode == 0
    yield group
    wait_for(lambda: machine.root("rmdir", str(group)).returncode == 0)
    machine.root("umount", str(MEMORY))


def limit(machine: Machine, group: Path, size: str, process: int = 0) -> None:
    """Let the group have so much memory; put a process into it, whose children will be in it too."""
    into = f"echo {process} > {group}/cgroup.procs" if process else "true"
    done = machine.root("sh", "-c", f"echo {size} > {group}/memory.limit_in_bytes && {into}")
    assert done.returncode == 0, done.stderr


def worker(daemon: ServiceOf) -> str:
    """The process that works on a file, once there is one."""
    said = ""

    def there() -> bool:
        nonlocal said
        said = daemon.machine.root(
            "pgrep", "-f", "-P", str(daemon.process), "--", "--events"
        ).stdout.strip()
        return bool(said)

    wait_for(there)
    return said.split()[0]


def test_where_memory_runs_out_for_the_work_the_file_is_worked_on_when_there_is_more(
    memory: Path, daemon: ServiceOf
) -> None:
    daemon.install()
    limit(daemon.machine, memory, "24M", daemon.process)
    drop(daemon, export_bytes(long_chat(6_000)))
    wait_for(
        lambda: (
            "perhaps because memory ran out"
            in daemon.machine.root("journalctl", "-o", "cat").stdout
        )
    )
    wait_for(lambda: daemon.shows("ActiveState") == "active")
    assert updated(daemon) == []
    limit(daemon.machine, memory, "2G")
    wait_for(lambda: len(updated(daemon)) == 1, 180)


def test_a_child_that_does_not_get_on_is_ended_with_the_service_and_its_work_is_taken_up_again(
    daemon: ServiceOf,
) -> None:
    daemon.install()
    drop(daemon, export_bytes(long_chat(60_000)))
    stuck = worker(daemon)
    daemon.machine.root("kill", "-STOP", stuck)
    daemon.systemctl("--no-block", "stop", UNIT)
    wait_for(lambda: daemon.shows("ActiveState") in ("inactive", "failed"), 120)
    assert daemon.machine.root("ps", "-p", stuck).returncode != 0, "nothing of it is left"
    assert daemon.systemctl("start", UNIT).returncode == 0
    wait_for(lambda: len(updated(daemon)) == 1, 120)
