"""The clock, and what is left of Linux's watches."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.status.checks import clock, watches
from daemon.status.doctor import Machine
from tests.daemon.doctor.places import machine, one


def test_a_clock_that_shows_a_day_before_this_release_is_wrong(tmp_path: Path) -> None:
    assert one(list(clock(machine(tmp_path)))).level == "ok"
    assert one(list(clock(machine(tmp_path, now=datetime(2026, 11, 20, tzinfo=UTC))))).level == "error"


def with_limits(home: Path, instances: int, watches: int, used: int) -> Machine:
    limits = home / "proc" / "sys" / "fs" / "inotify"
    files = home / "proc" / "123" / "fd"
    for folder in (limits, files, home / "proc" / "self"):
        folder.mkdir(parents=True)
    (limits / "max_user_instances").write_text(f"{instances}\n")
    (limits / "max_user_watches").write_text(f"{watches}\n")
    for number in range(used):
        (files / str(number)).symlink_to("anon_inode:inotify")
    (files / "other").symlink_to("/dev/null")
    return machine(home)


@pytest.mark.parametrize(
    ("instances", "most", "used", "level"),
    [(128, 65536, 7, "ok"), (128, 65536, 125, "warning"), (128, 1024, 7, "warning")],
)
def test_watches_are_judged_by_what_is_left(tmp_path: Path, instances: int, most: int, used: int, level: str) -> None:
    found = one(list(watches(with_limits(tmp_path, instances, most, used))))
    assert found.level == level
    assert found.told.startswith(f"{used} of {instances}")


def test_other_systems_have_no_such_limits(tmp_path: Path) -> None:
    assert one(list(watches(machine(tmp_path, system="darwin")))).level == "ok"
