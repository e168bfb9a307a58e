"""Somebody stands in a checkout of memproc: their own memproc.toml counts, and every command says so."""

import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from shutil import rmtree

import pytest

from daemon.cli import main
from daemon.config.as_toml import default_file
from tests.stories.person import Ended

pytestmark = pytest.mark.timeout(200)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the documented memproc.toml."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "memproc.toml").write_text(default_file())
    return folder


@pytest.fixture
def own(own_home: Path) -> Path:
    """The person's own memproc.toml, with a setting of theirs."""
    assert main(["init", "--yes"]) == 0
    path = own_home / ".config" / "memproc" / "memproc.toml"
    path.write_text("[tail]\ntokens = 40000\n")
    return path


def memproc(folder: Path, *arguments: str) -> Ended:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), chdir(folder):
        code = main(arguments)
    return Ended(code, out.getvalue(), err.getvalue())


@pytest.mark.full
def test_in_a_checkout_the_persons_own_settings_count_and_every_command_says_so(
    checkout: Path, own: Path
) -> None:
    near = checkout / "memproc.toml"
    choice = f"{own} is used (found in the system's folder), and not {near} (nothing but defaults)."
    for command in (
        ["plan"],
        ["run"],
        ["status"],
        ["config", "show"],
        ["doctor"],
        ["doctor", "--json"],
    ):
        assert choice in " ".join(memproc(checkout, *command).out.split()), command
    path = memproc(checkout, "config", "path")
    assert path.out == f"{own}\n", "a script can use it"
    assert path.err == f"found in the system's folder\nnot used: {near} (nothing but defaults)\n"
    assert "tokens = 40000" in memproc(checkout, "config", "show").out
    near.write_text("[tail]\ntokens = 50000\n")
    told = f"{near} is used (found in this folder), and not {own}."
    for command in (["plan"], ["run"], ["status"], ["config", "show"]):
        assert told in memproc(checkout, *command).out
    near.unlink()
    for command in (["plan"], ["run"], ["status"], ["config", "show"], ["config", "path"]):
        assert "not used" not in memproc(checkout, *command).out, (
            "where there is one file, nothing is said"
        )


def test_what_programs_read_stays_as_it_was(checkout: Path, own: Path) -> None:
    for command in (
        ["plan", "--json"],
        ["run", "--json"],
        ["status", "--json"],
        ["config", "show", "--json"],
    ):
        assert memproc(checkout, *command).out.startswith("{")


@pytest.fixture
def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small programs in the place of systemctl and its kin."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("systemctl", "systemd-run", "loginctl"):
        (programs / name).write_text("#!/bin/sh\necho no\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="this is about systemd")
@pytest.mark.usefixtures("systemctl")
def test_the_service_gets_the_persons_settings_and_outlives_the_checkout(
    checkout: Path, own: Path, own_home: Path
) -> None:
    unit = own_home / ".config" / "systemd" / "user" / "memproc.service"
    for text in (default_file(), "[tail]\ntokens = 50000\n"):
        (checkout / "memproc.toml").write_text(text)
        ended = memproc(checkout, "service", "install")
        assert (ended.code, ended.err) == (0, "")
        assert f"--config {own} watch" in unit.read_text()
        assert str(checkout) not in unit.read_text()
    assert f"The service gets {own}" in ended.out
    rmtree(checkout)
    assert memproc(own_home, "--config", str(own), "config", "check").code == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="this is about systemd")
@pytest.mark.usefixtures("systemctl")
def test_without_settings_of_their_own_the_person_is_told_how_to_get_them(
    checkout: Path, own_home: Path
) -> None:
    unit = own_home / ".config" / "systemd" / "user" / "memproc.service"
    near = checkout / "memproc.toml"
    near.write_text("[tail]\ntokens = 50000\n")
    ended = memproc(checkout, "service", "install")
    assert (ended.code, unit.exists()) == (2, False)
    assert "memproc init" in ended.err and f"memproc --config {near} service install" in ended.err
    assert memproc(checkout, "service", "status").code == 2
    assert memproc(checkout, "service", "remove").code == 0

    near.write_text(default_file())
    ended = memproc(checkout, "service", "install")
    assert ended.code == 0
    assert "To write one: memproc init" in ended.out
    assert "--config" not in unit.read_text()

    near.write_text("[tail]\ntokens = 50000\n")
    assert memproc(checkout, "--config", str(near), "service", "install").code == 0, (
        "whoever names it means it"
    )
    assert f"--config {near} watch" in unit.read_text()
