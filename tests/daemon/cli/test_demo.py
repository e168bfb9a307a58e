"""What `memproc demo` prints at its end can be typed."""

import shlex
from pathlib import Path

import pytest

from daemon.cli import demo, main


def test_the_commands_that_the_demo_names_know_the_demos_chat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "user_cache_path", lambda *_, **__: tmp_path)
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.split("To look at it:\n")[1].splitlines()
    commands = [shlex.split(line)[1:] for line in lines]
    assert [command[2] for command in commands] == ["open", "memories", "versions", "restore"]
    for command in commands[1:3]:
        assert main(command) == 0
    assert main([*commands[3], "--help"]) == 0
    assert main([*commands[0], "inbox", "--print"]) == 0
