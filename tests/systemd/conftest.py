"""One machine for all stories of this folder, with memproc on it and a person who is never logged in."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.systemd.machine import CHECKOUT, Machine, wait_for, why_not
from tests.systemd.service_of import ServiceOf

STAND_IN = Path("/opt/memproc/bin/memproc")


@pytest.fixture(scope="session")
def machine() -> Iterator[Machine]:
    if reason := why_not():
        pytest.skip(reason)
    made = Machine()
    try:
        made.boot()
        furnish(made)
        yield made
    finally:
        made.throw_away()


def furnish(machine: Machine) -> None:
    """Put the stand-in and a desktop on the machine, and let the person's services run without a login."""
    stand_in = Path(__file__).with_name("stand_in.py").read_text()
    begin = f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(CHECKOUT)!r})\n"
    machine.write(STAND_IN, begin + stand_in, 0o755)
    machine.write(
        Path("/usr/local/bin/notify-send"), '#!/bin/sh\necho "$*" >> $HOME/notices\n', 0o755
    )
    assert machine.root("loginctl", "enable-linger", machine.name).returncode == 0
    wait_for(
        lambda: machine.ada("systemctl", "--user", "show", "--property=Version").returncode == 0
    )


@pytest.fixture
def stand_in(machine: Machine) -> Iterator[ServiceOf]:
    """The service with the stand-in, as a new installation."""
    service = ServiceOf(machine, STAND_IN)
    yield service
    service.clear_away()
