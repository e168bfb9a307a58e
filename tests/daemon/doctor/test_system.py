"""The clock."""

from datetime import UTC, datetime
from pathlib import Path

from daemon.status.checks import clock
from tests.daemon.doctor.places import machine, one


def test_a_clock_that_shows_a_day_before_this_release_is_wrong(tmp_path: Path) -> None:
    assert one(list(clock(machine(tmp_path)))).level == "ok"
    assert one(list(clock(machine(tmp_path, now=datetime(2026, 11, 20, tzinfo=UTC))))).level == "error"
