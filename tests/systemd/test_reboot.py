"""A machine that is booted again has the service running, with nobody logged in; and it leaves no trace here."""

from pathlib import Path

import pytest

from tests.systemd.conftest import furnish
from tests.systemd.machine import Machine, wait_for, why_not
from tests.systemd.service_of import REAL, ServiceOf

pytestmark = pytest.mark.long


def test_after_a_power_cut_it_runs_from_boot_on_with_nobody_logged_in() -> None:
    if reason := why_not():
        pytest.skip(reason)
    machine = Machine()
    try:
        machine.boot()
        furnish(machine)
        service = ServiceOf(machine, REAL)
        service.install()
        machine.root("sync")
        machine.switch_off()
        machine.boot()
        wait_for(lambda: service.shows("ActiveState") == "active")
        assert machine.root("loginctl", "list-sessions", "--no-legend").stdout == ""
    finally:
        machine.throw_away()
    assert machine.disk.name not in Path("/proc/self/mounts").read_text()
    assert not machine.cgroup.exists()
    assert not machine.disk.exists()
