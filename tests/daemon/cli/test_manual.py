"""`memproc manual --install` puts the man page where `man` finds it."""

from pathlib import Path

import pytest

from daemon.cli import main


def _man(folder: Path, monkeypatch: pytest.MonkeyPatch, prints: str) -> None:
    """Have `man -w memproc` print this."""
    program = folder / "man"
    program.write_text(f"#!/bin/sh\necho {prints}\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_the_man_page_is_put_where_man_finds_it_and_its_place_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = Path.home() / ".local" / "share" / "man" / "man1" / "memproc.1"
    _man(tmp_path, monkeypatch, str(page))
    assert main(["manual", "--install"]) == 0
    told = capsys.readouterr().out
    assert f"    {page}\n" in told
    assert "MANPATH" not in told
    assert main(["manual"]) == 0
    assert page.read_text("utf-8") == capsys.readouterr().out


def test_where_man_does_not_look_the_line_for_the_profile_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _man(tmp_path, monkeypatch, "/usr/share/man/man1/memproc.1.gz")
    assert main(["manual", "--install"]) == 0
    folder = Path.home() / ".local" / "share" / "man"
    assert f'    export MANPATH="{folder}:"\n' in capsys.readouterr().out


def test_uninstall_says_how_the_man_page_goes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["manual", "--install"]) == 0
    main(["uninstall"])
    assert ".local/share/man/man1/memproc.1" in capsys.readouterr().out
