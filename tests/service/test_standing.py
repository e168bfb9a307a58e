"""How the service stands, in sentences."""

import pytest

from service.ask import Answer, lingers, offer
from service.standing import failure, standing

RUNNING = {
    "LoadState": "loaded",
    "UnitFileState": "enabled",
    "ActiveState": "active",
    "MainPID": "77",
    "NRestarts": "1",
    "ActiveEnterTimestamp": "Sat 2026-11-21 10:00:00 UTC",
    "StatusText": "idle · 3 files",
}


def shown(**changed: str) -> Answer:
    return Answer(0, "".join(f"{name}={value}\n" for name, value in (RUNNING | changed).items()))


def test_a_running_service_says_since_when_and_what_it_does() -> None:
    stands = standing(shown(), lingers=True)
    assert stands.state == "running"
    assert stands.sentences == (
        "The service runs since Sat 2026-11-21 10:00:00 UTC (process 77, started again once): idle · 3 files",
        "It starts at boot, logged in or not.",
    )


@pytest.mark.parametrize(
    ("changed", "state", "words"),
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
def test_every_other_state_names_what_mends_it(changed: dict[str, str], state: str, words: str) -> None:
    stands = standing(shown(**changed), lingers=False)
    assert stands.state == state
    assert words in "\n".join(stands.sentences)


def test_a_wrong_configuration_is_told_as_such() -> None:
    down = failure({"Result": "exit-code", "ExecMainStatus": "2"})
    assert down.next_step == "Say: memproc config check"
    assert "each time" in failure({"Result": "exit-code", "ExecMainStatus": "1"}).message
    assert failure({}).message.startswith("The memproc service is down")


def test_lingering_is_offered_only_where_it_is_known_to_be_off() -> None:
    assert lingers(Answer(0, "yes\n")) is True
    assert offer(Answer(0, "yes\n")) == ""
    assert "loginctl enable-linger" in offer(Answer(0, "no\n"))
    assert offer(Answer(1, err="no loginctl")) == ""
