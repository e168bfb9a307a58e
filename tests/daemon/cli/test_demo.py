"""What `memproc demo` prints at its end can be typed."""

import shlex
from pathlib import Path

import pytest

from daemon.cli import TROUBLE, demo, main


def test_the_commands_that_the_demo_names_know_the_demos_chat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "user_cache_path", lambda *_, **__: tmp_path)
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.split("To look at it:\n")[1].splitlines()
    *about, to_open = [shlex.split(line)[1:] for line in lines if line.startswith("    ")]
    assert [command[2] for command in about] == ["memories", "versions", "restore"]
    for command in about[:2]:
        assert main(command) == 0
    assert main([*about[2], "--help"]) == 0
    capsys.readouterr()
    assert main([*to_open, "inbox", "--print"]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "demo" / "inbox")


def test_without_a_demo_there_is_none_to_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "user_cache_path", lambda *_, **__: tmp_path)
    assert main(["open", "--demo", "--print"]) == TROUBLE
    assert "memproc demo" in capsys.readouterr().err
