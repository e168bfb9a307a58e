"""The service under a real systemd: installed, killed, hung, crashing, sandboxed, removed."""

import pytest

from service.systemd import START_AGAIN
from tests.systemd.machine import of_an_idle_computer, wait_for
from tests.systemd.service_of import UNIT, ServiceOf

pytestmark = pytest.mark.long


def test_an_installed_service_runs_and_says_so(stand_in: ServiceOf) -> None:
    said = stand_in.install()
    assert f"Writing {stand_in.units / UNIT}" in said
    assert "sandbox" not in said.replace("10-sandbox.conf", ""), "the whole sandbox works here"
    assert stand_in.shows("ActiveState") == "active"
    assert stand_in.shows("UnitFileState") == "enabled"
    status = stand_in.memproc("service", "status")
    assert status.returncode == 0
    assert "stands in for memproc" in status.stdout and "at boot, logged in or not" in status.stdout


def test_killed_three_times_it_is_back_within_two_seconds_each_time(stand_in: ServiceOf) -> None:
    stand_in.install()
    for _ in range(3):
        assert stand_in.back_after(stand_in.signal("KILL"), 20) <= of_an_idle_computer(2.0)
    assert stand_in.shows("NRestarts") == "3"


def test_a_service_that_hangs_is_started_again_by_the_watchdog(stand_in: ServiceOf) -> None:
    stand_in.install()
    stand_in.drop_in("[Service]\nWatchdogSec=2\n")
    stand_in.systemctl("restart", UNIT)
    stopped = stand_in.signal("STOP")
    assert stand_in.back_after(stopped, 15) <= 2 + of_an_idle_computer(2.0)
    assert "watchdog" in stand_in.machine.root("journalctl", "-o", "cat").stdout.lower()


def test_a_crash_loop_ends_as_failed_with_a_notice_and_is_begun_again_later(
    stand_in: ServiceOf,
) -> None:
    stand_in.install()
    stand_in.behave("crash")
    stand_in.signal("KILL")
    wait_for(lambda: stand_in.shows("ActiveState") == "failed")
    assert stand_in.shows("NRestarts") in ("4", "5")
    wait_for(lambda: "it ended with an error each time" in stand_in.notices)
    again = "memproc-again"
    wait_for(lambda: stand_in.shows("ActiveState", f"{again}.timer") == "active")
    assert "10min" in stand_in.shows("TimersMonotonic", f"{again}.timer")
    stand_in.behave("")
    stand_in.systemctl(
        "reset-failed", UNIT
    )  # by then, the five minutes are over in which it may start five times
    assert stand_in.systemctl("start", f"{again}.service").returncode == 0, (
        "as the timer does it in ten minutes"
    )
    wait_for(lambda: stand_in.shows("ActiveState") == "active")
    stand_in.behave("crash")
    stand_in.signal("KILL")
    wait_for(lambda: stand_in.shows("ActiveState") == "failed")
    assert stand_in.memproc("service", "status").returncode == 1
    stand_in.systemctl("stop", f"{again}.timer")
    assert (
        stand_in.machine.ada(*(word.replace("10min", "1s") for word in START_AGAIN.argv)).returncode
        == 0
    )
    wait_for(
        lambda: (
            f"{again}.service: Failed" in stand_in.machine.root("journalctl", "-o", "cat").stdout
        )
    )
    wait_for(lambda: stand_in.shows("ActiveState", f"{again}.timer") == "inactive")
    assert "ten minutes" in stand_in.memproc("service", "failed").stderr
    assert stand_in.shows("ActiveState", f"{again}.timer") == "active", (
        "a restart that failed bars no other"
    )
    stand_in.behave("")
    stand_in.install()
    assert stand_in.shows("ActiveState") == "active", "installing again mends it at once"
    assert stand_in.shows("ActiveState", f"{again}.timer") == "inactive"


def test_settings_that_cannot_be_used_are_told_at_once_and_not_tried_again(
    stand_in: ServiceOf,
) -> None:
    stand_in.behave("settings")
    done = stand_in.memproc("service", "install")
    assert done.returncode == 1
    assert "journalctl --user -u memproc" in done.stderr
    assert (stand_in.shows("ActiveState"), stand_in.shows("NRestarts")) == ("failed", "0")
    wait_for(lambda: "memproc config check" in stand_in.notices)
    assert stand_in.shows("ActiveState", "memproc-again.timer") == "inactive"


def test_in_the_sandbox_only_the_services_own_folders_can_be_written(stand_in: ServiceOf) -> None:
    stand_in.install()
    home = stand_in.machine.home
    assert stand_in.saw.splitlines() == [
        f"may write {home}/memproc/inbox",
        f"may write {home}/.local/state/memproc",
        f"Read-only file system: {home}",
        "Read-only file system: /usr",
    ]
    stand_in.install("--no-sandbox")
    assert f"may write {home}\n" in stand_in.saw


def test_an_inbox_that_is_deleted_and_made_again_is_still_writable(stand_in: ServiceOf) -> None:
    stand_in.install()
    inbox = stand_in.machine.home / "memproc/inbox"
    for command in (("rmdir", str(inbox)), ("mkdir", str(inbox))):
        assert stand_in.machine.ada(*command).returncode == 0
    inside = (
        "nsenter",
        "--target",
        str(stand_in.process),
        "--mount",
        "touch",
        str(inbox / "cookie"),
    )
    assert stand_in.machine.root(*inside).returncode == 0
    assert (stand_in.machine.ada("ls", str(inbox))).stdout == "cookie\n"


def test_a_key_is_handed_over_and_its_loss_does_not_keep_the_service_down(
    stand_in: ServiceOf,
) -> None:
    key = stand_in.machine.home / ".config/memproc/credentials/ANTHROPIC_API_KEY"
    stand_in.machine.write(key, "sk-test\n", 0o600)
    stand_in.install()
    assert "ANTHROPIC_API_KEY=sk-test" in stand_in.saw
    stand_in.machine.erase(key)
    assert stand_in.systemctl("restart", UNIT).returncode == 0
    assert "ANTHROPIC_API_KEY=-" in stand_in.saw


def test_stopping_is_clean_and_removing_leaves_only_what_is_the_persons(
    stand_in: ServiceOf,
) -> None:
    stand_in.install()
    own = stand_in.drop_in("[Service]\nNice=19\n")
    stand_in.install()
    assert stand_in.shows("Nice") == "19", "it survives an upgrade"
    assert stand_in.systemctl("stop", UNIT).returncode == 0
    assert stand_in.shows("Result") == "success"
    assert stand_in.memproc("service", "remove").returncode == 0
    assert stand_in.machine.ada("find", str(stand_in.units), "-type", "f").stdout.split() == [
        str(own)
    ]
    assert stand_in.memproc("service", "status").returncode == 2


def test_without_a_user_bus_the_way_out_is_told(stand_in: ServiceOf) -> None:
    person = stand_in.machine
    number = str(person.number)
    drop = (
        "setpriv",
        "--reuid",
        number,
        "--regid",
        number,
        "--clear-groups",
        "env",
        "-i",
        f"HOME={person.home}",
    )
    said = person.root(*drop, "PATH=/usr/bin:/bin", str(stand_in.command), "service", "install")
    assert said.returncode == 1
    assert f"export XDG_RUNTIME_DIR=/run/user/{number}" in said.stderr
    assert person.root("test", "-e", str(stand_in.units / UNIT)).returncode == 1
