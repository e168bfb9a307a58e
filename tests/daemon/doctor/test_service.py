"""The service, and the running daemon's own word on the inbox."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.jobs import set_sign
from daemon.files.lock import hold
from daemon.status.checks import lingering, reach, service
from daemon.status.doctor import Place
from service.ask import NoBus
from service.standing import NOT_INSTALLED, Standing, State
from tests.daemon.doctor.places import levels, machine, one, place

LATELY, LONG_AGO = "2026-11-21T11:58:00.000Z", "2026-11-21T09:00:00.000Z"


@pytest.mark.parametrize(
    ("state", "level"),
    [("running", "ok"), ("troubled", "error"), ("stopped", "warning"), ("not installed", "warning")],
)
def test_the_service_is_judged_by_how_it_stands(tmp_path: Path, state: State, level: str) -> None:
    found = one(list(service(machine(tmp_path, service=Standing(state, ("It stands so.",))))))
    assert (found.level, found.told) == (level, "It stands so.")


def test_a_system_without_a_user_manager_is_told(tmp_path: Path) -> None:
    at = machine(tmp_path, service=NoBus("There is no systemd.", "Use cron."))
    assert one(list(service(at))).told == "There is no systemd."
    assert one(list(lingering(at))).level == "ok"


def test_a_service_that_ends_with_the_login_is_a_warning(tmp_path: Path) -> None:
    assert one(list(lingering(machine(tmp_path)))).level == "ok"
    found = one(list(lingering(machine(tmp_path, lingers=False))))
    assert (found.level, found.mend) == ("warning", "loginctl enable-linger")
    assert one(list(lingering(machine(tmp_path, lingers=None)))).level == "ok"
    assert one(list(lingering(machine(tmp_path, lingers=False, service=NOT_INSTALLED)))).level == "ok"


def test_without_a_daemon_nobody_knows_what_the_service_can_reach(tmp_path: Path) -> None:
    found = one(list(reach(place(tmp_path))))
    assert found.level == "warning"
    assert "your shell" in found.told


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Place]:
    """A house whose daemon runs, and has looked through the inbox lately."""
    at = place(tmp_path)
    says(at, last_scan=LATELY, watch_mode="native", watch_note="The system reports changes.")
    with hold(at.lock):
        yield at


def says(at: Place, when: str = LATELY, **signs: str) -> None:
    with Archive.open(at.folders.state) as archive:
        for name, value in signs.items():
            set_sign(archive, name, "" if name == "last_scan" else value, value if name == "last_scan" else when)


def test_a_daemon_that_looks_through_the_inbox_is_well(watched: Place) -> None:
    found = one(list(reach(watched)))
    assert found.level == "ok"
    assert "native" in found.told


def test_an_inbox_that_the_daemon_cannot_read_is_an_error_in_its_own_words(watched: Place) -> None:
    says(watched, inbox_note="The inbox may not be read.")
    found = one(list(reach(watched)))
    assert (found.level, found.told) == ("error", "The inbox may not be read.")


def test_on_macos_the_system_s_own_permission_is_explained(watched: Place) -> None:
    says(watched, inbox_note="The inbox may not be read.")
    mac = replace(watched, machine=replace(watched.machine, system="darwin"))
    assert "Full Disk Access" in one(list(reach(mac))).mend


def test_a_daemon_that_has_not_looked_for_long_is_an_error(watched: Place) -> None:
    says(watched, last_scan=LONG_AGO)
    assert one(list(reach(watched))).level == "error"


def test_an_inbox_that_is_not_watched_is_a_warning(watched: Place) -> None:
    says(watched, watch_mode="none", watch_note="No inotify watch is left.")
    found = one(list(reach(watched)))
    assert found.level == "warning"
    assert "No inotify watch is left." in found.told


def test_a_watch_is_in_doubt_from_what_was_said_of_it_until_it_is_proved_again(watched: Place) -> None:
    says(watched, "2026-11-21T11:50:00.000Z", started_at="", last_cookie="")
    says(watched, "2026-11-21T11:58:00.000Z", watch_note="The inbox is not there.")
    found = one(list(reach(watched)))
    assert found.level == "warning"
    assert "The inbox is not there." in found.told
    says(watched, "2026-11-21T11:58:00.000Z", last_cookie="")
    assert one(list(reach(watched))).level == "ok"


def test_settings_that_the_daemon_could_not_read_are_told_beside_what_else_is(watched: Place) -> None:
    says(watched, config_error="line 3 is wrong.")
    found = list(reach(watched))
    assert levels(found) == ["error", "ok"]
    assert "line 3" in found[0].told
