"""`memproc` alone: how things are and the next step, on a terminal and in a pipe."""

import io
import os
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from daemon.cli import main
from tests.chats import export_bytes, long_chat
from tests.stories.cycle import ENGINE
from tests.stories.person import Person


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _alone(person: Person) -> list[str]:
    """Run `memproc` without a command on a terminal; return its lines."""
    with redirect_stdout(_Terminal()) as printed:
        assert main(["--config", str(person.toml)]) == 0
    return printed.getvalue().splitlines()


def test_alone_on_a_terminal_it_says_how_things_are_and_the_step_that_is_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    person = Person(tmp_path)
    person.settings(ENGINE)
    lines = _alone(person)
    assert lines[0] == "Nothing runs by itself: memproc run does the work."
    assert lines[-3:-1] == ["Next: put an export of a chat into the inbox.", f"    {person.inbox}"]

    export = person.drop(export_bytes(long_chat(4000, tokens_each=200)))
    lines = _alone(person)
    assert "1 export in the inbox." in lines
    assert lines[-2] == "    memproc plan"

    assert person.memproc("run", "--yes").code == 0
    os.utime(export, (1, 1))
    lines = _alone(person)
    assert any(line.startswith("1 chat with ") for line in lines)
    assert lines[-2] == f"    {person.updated()[0]}", "a path is never folded"


def test_before_init_it_names_init_and_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    with redirect_stdout(_Terminal()) as printed:
        assert main([]) == 0
    assert "    memproc init " in printed.getvalue() and "    memproc demo " in printed.getvalue()


def test_alone_in_a_pipe_it_says_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    person = Person(tmp_path)
    person.settings(ENGINE)
    assert main(["--config", str(person.toml)]) == 0
    assert "Next: put an export of a chat into the inbox." in capsys.readouterr().out
