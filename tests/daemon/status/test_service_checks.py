"""The service, and the running daemon's own word on the inbox."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.signs import set_sign
from daemon.files.lock import hold
from daemon.status.checks import daemon, service
from daemon.status.findings import Setup
from daemon.status.place import shown_as_waiting
from rules.errors import FileTrouble
from service.unit import ServiceState, State
from tests.daemon.status.places import levels, machine, one, place

LATELY, LONG_AGO = "2026-11-21T11:58:00.000Z", "2026-11-21T09:00:00.000Z"


@pytest.mark.parametrize(
    ("state", "level"),
    [
        ("running", "ok"),
        ("troubled", "error"),
        ("stopped", "warning"),
        ("not installed", "ok"),
    ],
)
def test_the_service_is_judged_by_how_it_stands(tmp_path: Path, state: State, level: str) -> None:
    found = one(list(service(machine(tmp_path, service=ServiceState(state, ("It stands so.",))))))
    assert (found.level, found.text) == (level, "It stands so.")


def test_without_a_daemon_nobody_knows_what_the_service_can_daemon(tmp_path: Path) -> None:
    at = place(tmp_path)
    found = one(list(daemon(at)))
    assert found.level == "ok", "it is used by hand"
    assert "your shell" in found.text
    says(at, started_at=LONG_AGO)
    assert one(list(daemon(at))).level == "warning", "it has run before"


def test_a_daemon_that_waits_is_told_with_what_it_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    at = place(tmp_path)
    with shown_as_waiting(at.toml, FileTrouble("The disk is full.", "Free some space.")):
        found = one(list(daemon(at)))
    assert (found.level, found.remedy) == ("error", "Free some space.")
    assert "The disk is full." in found.text


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Setup]:
    """A house whose daemon runs, and has looked through the inbox lately."""
    at = place(tmp_path)
    says(at, last_scan=LATELY, watch_mode="native", watch_note="The system reports changes.")
    with hold(at.folders.state / "daemon.lock"):
        yield at


def says(at: Setup, when: str = LATELY, **signs: str) -> None:
    with Archive.open(at.folders.state) as archive:
        for name, value in signs.items():
            set_sign(
                archive,
                name,
                "" if name == "last_scan" else value,
                value if name == "last_scan" else when,
            )


def test_a_daemon_that_looks_through_the_inbox_is_well(watched: Setup) -> None:
    found = one(list(daemon(watched)))
    assert found.level == "ok"
    assert "The system reports changes." in found.text


def test_a_daemon_that_has_only_begun_is_well(tmp_path: Path) -> None:
    at = place(tmp_path)
    says(at, started_at="")
    with hold(at.folders.state / "daemon.lock"):
        assert one(list(daemon(at))).level == "ok"


def test_an_inbox_that_the_daemon_cannot_read_is_an_error_in_its_own_words(watched: Setup) -> None:
    says(watched, inbox_note="The inbox may not be read.")
    found = one(list(daemon(watched)))
    assert (found.level, found.text) == ("error", "The inbox may not be read.")


def test_on_macos_the_system_s_own_permission_is_explained(watched: Setup) -> None:
    says(watched, inbox_note="The inbox may not be read.")
    mac = replace(watched, machine=replace(watched.machine, system="darwin"))
    assert "Full Disk Access" in one(list(daemon(mac))).remedy


def test_a_daemon_that_has_not_looked_for_long_is_an_error(watched: Setup) -> None:
    says(watched, last_scan=LONG_AGO)
    assert one(list(daemon(watched))).level == "error"


def test_an_inbox_that_is_not_watched_is_a_warning(watched: Setup) -> None:
    says(watched, watch_mode="none", watch_note="No inotify watch is left.")
    found = one(list(daemon(watched)))
    assert found.level == "warning"
    assert "No inotify watch is left." in found.text


def test_settings_that_the_daemon_could_not_read_are_told_beside_what_else_is(
    watched: Setup,
) -> None:
    says(watched, config_error="line 3 is wrong.")
    found = list(daemon(watched))
    assert levels(found) == ["error"]
    assert "line 3" in found[0].text
