"""Why there is no user manager to talk to, with the way that still leads there."""

from collections.abc import Mapping

import pytest

from service.command import NOT_HERE, Answer
from service.systemd_state import NoUserManager, require_user_manager
from service.unit import Account
from tests.service.programs import HOME, Computer

COMMAND = ("/opt/my programs/memproc", "watch")
REFUSED = Answer(1, err="Failed to connect to bus: No medium found\n")


def refusal(
    answer: Answer,
    environ: Mapping[str, str],
    has_runtime: bool,
    command: tuple[str, ...] = COMMAND,
) -> NoUserManager:
    account = Account("linux", "ada", 1000, environ, has_runtime, HOME)
    with pytest.raises(NoUserManager) as raised:
        require_user_manager(account, Computer({"systemctl": answer}), command)
    return raised.value


def test_where_the_user_manager_answers_nothing_is_missing() -> None:
    require_user_manager(Account("linux", "ada", 1000, {}, False, HOME), Computer(), COMMAND)


@pytest.mark.parametrize(
    ("environ", "there", "way"),
    [
        ({}, True, "export XDG_RUNTIME_DIR=/run/user/1000"),
        ({}, False, "sudo loginctl enable-linger ada"),
        ({"SUDO_USER": "bob"}, False, "as bob, without sudo"),
        ({"XDG_RUNTIME_DIR": "/run/user/1000"}, True, "Log in again"),
    ],
)
def test_each_way_out_is_named_beside_what_systemctl_said(
    environ: dict[str, str], there: bool, way: str
) -> None:
    no_bus = refusal(REFUSED, environ, there)
    assert "No medium found" in no_bus.message
    assert way in no_bus.next_step
    assert no_bus.next_step.endswith("@reboot '/opt/my programs/memproc' watch"), (
        "cron is always a way"
    )


def test_a_system_without_systemd_is_shown_the_line_for_cron() -> None:
    no_bus = refusal(Answer(NOT_HERE, err="systemctl is not here"), {}, has_runtime=False)
    assert "no systemd" in no_bus.message and "@reboot" in no_bus.next_step


def test_a_percent_sign_in_a_path_does_not_end_the_line_for_cron() -> None:
    no_bus = refusal(Answer(NOT_HERE), {}, False, ("/opt/100%/memproc", "watch"))
    assert no_bus.next_step.endswith(r"@reboot /opt/100\%/memproc watch")
