"""How the service stands, in sentences."""

import pytest

from service.command import Answer
from service.manager import offer
from service.systemd_state import failure, lingers, state
from service.unit import ServiceState
from tests.service.programs import Computer, an_account

RUNNING = {
    "LoadState": "loaded",
    "UnitFileState": "enabled",
    "ActiveState": "active",
    "MainPID": "77",
    "NRestarts": "1",
    "ActiveEnterTimestamp": "Sat 2026-11-21 10:00:00 UTC",
    "StatusText": "idle · 3 files",
}


def answering(shown: dict[str, str], linger: str = "no") -> Computer:
    lines = "".join(f"{name}={value}\n" for name, value in shown.items())
    return Computer(
        {"systemctl --user show": Answer(0, lines), "loginctl": Answer(0, f"{linger}\n")}
    )


def state_of(linger: str = "no", **changed: str) -> ServiceState:
    return state("ada", answering(RUNNING | changed, linger))


def test_a_running_service_says_since_when_and_what_it_does() -> None:
    stands = state_of("yes")
    assert stands.state == "running"
    assert stands.sentences == (
        "The service runs since Sat 2026-11-21 10:00:00 UTC (process 77, started again once): idle · 3 files",
        "It starts at boot, logged in or not.",
    )


@pytest.mark.parametrize(
    ("changed", "word", "sentence"),
    [
        ({"LoadState": "not-found"}, "not installed", "memproc service install"),
        ({"ActiveState": "inactive"}, "stopped", "systemctl --user start memproc"),
        ({"ActiveState": "activating", "SubState": "auto-restart"}, "troubled", "auto-restart"),
        ({"ActiveState": "failed", "Result": "watchdog"}, "troubled", "it hung"),
        ({"UnitFileState": "disabled"}, "running", "systemctl --user enable memproc"),
        ({"NeedDaemonReload": "yes"}, "running", "daemon-reload"),
        ({"DropInPaths": "/u/memproc.service.d/override.conf"}, "running", "override.conf"),
    ],
)
def test_every_other_state_names_what_mends_it(
    changed: dict[str, str], word: str, sentence: str
) -> None:
    stands = state_of(**changed)
    assert stands.state == word
    assert sentence in "\n".join(stands.sentences)


def test_our_own_drop_in_is_no_change_of_the_persons() -> None:
    said = state_of(
        DropInPaths="/u/memproc.service.d/10-sandbox.conf /u/memproc.service.d/override.conf"
    ).sentences
    assert said[-1] == "Added to its unit: /u/memproc.service.d/override.conf"
    assert len(state_of(DropInPaths="/u/memproc.service.d/10-sandbox.conf").sentences) == 2


def test_a_wrong_configuration_is_told_as_such() -> None:
    down = failure(answering({"Result": "exit-code", "ExecMainStatus": "2"}))
    assert down.next_step == "Say: memproc config check"
    assert "each time" in failure(answering({"Result": "exit-code", "ExecMainStatus": "1"})).message
    assert failure(answering({})).message.startswith("The memproc service is down")


def test_lingering_is_offered_only_where_it_is_known_to_be_off() -> None:
    assert lingers("ada", answering({}, "yes")) is True
    assert offer(an_account(), answering({}, "yes")) == ""
    assert "loginctl enable-linger" in offer(an_account(), answering({}, "no"))
    assert offer(an_account(), Computer({"loginctl": Answer(1, err="no loginctl")})) == ""
