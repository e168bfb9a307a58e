"""What `memproc open` says where a program opens the place, and where none does."""

from pathlib import Path

import pytest

from daemon.cli import main


def _xdg_open(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = folder / "xdg-open"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr("sys.platform", "linux")


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    (tmp_path / "inbox").mkdir()
    file = tmp_path / "memproc.toml"
    file.write_text('[folders]\ninbox = "inbox"\n')
    return file


def test_a_place_that_no_program_opens_is_printed_and_is_trouble(
    toml: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _xdg_open(toml.parent, monkeypatch, "echo no browser >&2; exit 3")
    assert main(["--config", str(toml), "open", "inbox"]) == 1
    told = capsys.readouterr()
    assert "No program could be found" in told.err and "Opened" not in told.out
    assert f"{toml.parent / 'inbox'}\n" in told.out


def test_a_place_that_opens_is_printed_too(
    toml: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _xdg_open(toml.parent, monkeypatch, "exit 0")
    assert main(["--config", str(toml), "open", "inbox"]) == 0
    told = capsys.readouterr().out
    assert "open this yourself" in told and f"\n{toml.parent / 'inbox'}\n" in told
