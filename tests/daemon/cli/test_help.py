"""Help in groups, `memproc help`, `-V`, and the nearest names of what was mistyped."""

import re

import pytest

from daemon.cli import main
from daemon.cli.commands import GROUPS, MODULES


def test_help_lists_every_command_in_its_group_within_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["--help"]) == 0
    page = capsys.readouterr().out
    for title, commands in GROUPS.items():
        block = page.split(f"\n{title}:\n")[1].split("\n\n")[0].splitlines()
        assert [line.split()[0] for line in block] == list(commands)
    assert max(map(len, page.splitlines())) <= 80


def test_help_is_a_command_too(capsys: pytest.CaptureFixture[str]) -> None:
    main(["service", "install", "--help"])
    page = capsys.readouterr().out
    assert main(["help", "service", "install"]) == 0
    assert capsys.readouterr().out == page
    assert main(["help"]) == 0
    assert "Keep and undo:" in capsys.readouterr().out
    assert main(["help", "serch"]) == 2
    assert "Did you mean search" in capsys.readouterr().err
    assert main(["help", "plan", "more"]) == 2
    assert "memproc plan has no commands of its own." in capsys.readouterr().err


def test_a_short_option_says_the_version_and_the_commit_that_is_checked_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["-V"]) == 0
    said = capsys.readouterr().out
    assert re.fullmatch(r"memproc, version \d+\.\d+\.\d+( \([0-9a-f]{12}\))?\n", said), said


def test_a_mistyped_provider_gets_the_nearest_name_and_is_not_repeated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["key", "forget", "antropic"]) == 2
    error = capsys.readouterr().err
    assert "Did you mean anthropic?" in error and "antropic" not in error


def test_every_command_can_be_imported() -> None:
    for name in MODULES:
        assert main([name, "--help"]) == 0
