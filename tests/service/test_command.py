"""`memproc service`, with small programs in the place of systemctl and its kin."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from daemon.cli import main

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="this is about systemd"
)


@dataclass
class Desk:
    """A home folder, the units in it, and a folder of programs that note how they were called."""

    home: Path
    bin: Path

    @property
    def units(self) -> Path:
        return self.home / ".config/systemd/user"

    @property
    def called(self) -> list[str]:
        log = self.bin / "called"
        return log.read_text().splitlines() if log.exists() else []

    def program(self, name: str, body: str = "") -> None:
        path = self.bin / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> {self.bin}/called\n{body}\n')
        path.chmod(0o755)


@pytest.fixture
def desk(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk(own_home, tmp_path / "bin")
    made.bin.mkdir()
    monkeypatch.setenv("PATH", str(made.bin))
    monkeypatch.chdir(own_home)
    for name in ("systemctl", "systemd-run", "loginctl"):
        made.program(name, "echo no")
    return made


def test_installing_says_what_it_writes_writes_it_starts_it_and_offers_lingering(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["service", "install"]) == 0
    said = capsys.readouterr().out
    names = ("memproc.service", "memproc-failed.service", "memproc.service.d/10-sandbox.conf")
    for name in names:
        assert f"Writing {desk.units / name}" in said
        assert (desk.units / name).is_file()
    assert (
        f"{Path(sys.executable).with_name('memproc')} watch" in (desk.units / names[0]).read_text()
    )
    assert desk.called[-2] == "systemctl --user restart memproc.service"
    assert "loginctl enable-linger" in said
    assert (desk.home / "memproc" / "inbox").is_dir()


def test_a_dry_run_shows_the_units_and_changes_nothing(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["service", "install", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "WatchdogSec=120" in shown and "Would write " in shown and "Would run " in shown
    assert "\nWriting " not in shown and "\nRunning " not in shown
    assert not desk.units.exists() and not (desk.home / "memproc").exists()
    assert not any("restart" in line or "enable" in line for line in desk.called)


def test_a_changed_unit_and_the_persons_drop_in_survive_an_upgrade_and_a_removal(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["service", "install"])
    unit, own = desk.units / "memproc.service", desk.units / "memproc.service.d" / "override.conf"
    changed = unit.read_text().replace("Nice=10", "Nice=15")
    unit.write_text(changed)
    own.write_text("[Service]\nNice=19\n")
    capsys.readouterr()
    assert main(["service", "install"]) == 1
    assert "it was changed by hand" in capsys.readouterr().out
    assert main(["service", "remove"]) == 1
    assert unit.read_text() == changed
    assert own.exists()
    assert not (desk.units / "memproc-failed.service").exists()


def test_removing_takes_away_all_that_was_written_and_nothing_else(desk: Desk) -> None:
    main(["service", "install"])
    assert main(["service", "remove", "--dry-run"]) == 0
    assert (desk.units / "memproc.service").is_file()
    assert main(["service", "remove"]) == 0
    assert not any(path.is_file() for path in desk.units.rglob("*"))
    assert not (desk.units / "memproc.service.d").exists()
    assert (desk.home / "memproc" / "inbox").is_dir()
    assert main(["service", "remove"]) == 0


def test_without_a_user_bus_nothing_is_written_and_the_way_out_is_told(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.program("systemctl", 'echo "Failed to connect to bus: No medium found" >&2; exit 1')
    for verb in ("install", "remove", "status"):
        assert main(["service", verb]) == 1
        said = capsys.readouterr().err
        assert "No medium found" in said and "@reboot" in said
    assert main(["service", "install", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "Would write " in shown and "It would not start now: " in shown and "@reboot" in shown
    assert not desk.units.exists()


def test_a_service_that_does_not_start_is_told_with_where_to_look(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.program("systemctl", 'case "$*" in *restart*) echo "Job failed." >&2; exit 1;; esac')
    assert main(["service", "install"]) == 1
    said = capsys.readouterr().err
    assert "Job failed." in said and "journalctl --user -u memproc" in said


def test_what_cannot_be_read_is_told_and_not_replaced(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    (desk.units / "memproc.service").mkdir(parents=True)
    assert main(["service", "install"]) == 1
    assert "memproc.service" in capsys.readouterr().err
    assert not any("restart" in line for line in desk.called)


def test_where_only_a_part_of_the_sandbox_works_it_is_said(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.program("systemd-run", 'case "$*" in *PrivateUsers*) exit 217;; esac')
    assert main(["service", "install"]) == 0
    assert "the sandbox filters calls only" in capsys.readouterr().out
    assert "PrivateUsers" not in (desk.units / "memproc.service.d" / "10-sandbox.conf").read_text()


def test_a_removal_that_the_system_refuses_is_told(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["service", "install"])
    desk.program("systemctl", 'case "$*" in *daemon-reload*) echo "Refused." >&2; exit 1;; esac')
    assert main(["service", "remove"]) == 1
    assert "Refused." in capsys.readouterr().err


def test_a_memproc_toml_that_counts_here_counts_for_the_service(desk: Desk) -> None:
    toml = desk.home / "my memproc.toml"
    toml.write_text("[folders]\ninbox = 'in'\nupdated = 'up'\nbackups = 'back'\nstate = 'state'\n")
    main(["--config", str(toml), "service", "install", "--no-sandbox"])
    unit = (desk.units / "memproc.service").read_text()
    assert f'--config "{toml}" watch' in unit
    assert not (desk.units / "memproc.service.d").exists()


def test_a_key_in_a_file_of_its_own_is_handed_on_by_its_path_alone(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    key = desk.home / ".config/memproc/credentials/ANTHROPIC_API_KEY"
    key.parent.mkdir(parents=True)
    key.write_text("sk-secret")
    key.chmod(0o644)
    assert main(["service", "install"]) == 2
    assert f"chmod 600 {key}" in capsys.readouterr().err
    key.chmod(0o600)
    assert main(["service", "install"]) == 0
    unit = (desk.units / "memproc.service").read_text()
    assert f"LoadCredential=ANTHROPIC_API_KEY:{key}" in unit
    assert "sk-secret" not in unit + capsys.readouterr().out


def test_a_key_that_systemd_handed_over_is_named_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "OPENAI_API_KEY").write_text("sk-handed\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert main(["key", "test", "openai", "--no-call"]) == 0
    said = capsys.readouterr().out
    assert "a credential of the service" in said and "sk-handed" not in said


@pytest.mark.parametrize(("active", "code"), [("active", 0), ("failed", 1), ("inactive", 2)])
def test_the_status_ends_with_how_it_stands(desk: Desk, active: str, code: int) -> None:
    desk.program("systemctl", f"echo LoadState=loaded; echo ActiveState={active}")
    assert main(["service", "status"]) == code


def test_when_systemd_gives_up_the_person_is_told_on_the_desktop(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.program("systemctl", "echo Result=exit-code; echo ExecMainStatus=2")
    desk.program("notify-send")
    assert main(["service", "failed"]) == 0
    assert "settings cannot be used" in capsys.readouterr().err
    assert desk.called[-1].startswith("notify-send") and "memproc config check" in desk.called[-1]
    (desk.bin / "notify-send").unlink()
    assert main(["service", "failed"]) == 0, "without a desktop, the journal has it"


def test_a_later_start_is_promised_only_where_systemd_has_taken_it(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.program("systemctl", "echo Result=signal")
    assert main(["service", "failed"]) == 0
    assert "started again in ten minutes" in capsys.readouterr().err
    assert any("systemd-run" in line and "--collect" in line for line in desk.called)
    desk.program("systemd-run", "exit 1")
    assert main(["service", "failed"]) == 0
    said = capsys.readouterr().err
    assert "ten minutes" not in said and "memproc service install" in said
