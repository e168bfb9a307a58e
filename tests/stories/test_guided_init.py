"""`memproc init` on a terminal: four steps, each of which can be passed over."""

import io
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from daemon.cli import main
from daemon.cli.printing import in_width
from daemon.files.candidates import SAMPLE_FILE
from tests.server.child import serve
from tests.stories.person import Person
from tests.stories.terminal import COLUMNS, Terminal

on_a_terminal = pytest.mark.skipif("sys.platform == 'win32'", reason="a pseudo-terminal is needed")
TITLES = (
    "1 of 4: Folders",
    "2 of 4: A key, or none",
    "3 of 4: Run automatically",
    "4 of 4: Your first conversation",
    "Next",
)


class Typed(io.StringIO):
    """What a terminal takes and gives, in this process."""

    def isatty(self) -> bool:
        return True


def init(monkeypatch: pytest.MonkeyPatch, *answers: str) -> str:
    """What `memproc init` prints for somebody who gives these answers, wherever its lines are folded."""
    monkeypatch.setattr(sys, "stdin", Typed("".join(f"{answer}\n" for answer in answers)))
    with redirect_stdout(Typed()) as printed:
        assert main(["init"]) == 0
    return " ".join(printed.getvalue().split())


@pytest.fixture
def new(tmp_path: Path) -> Person:
    """Somebody who has no memproc.toml yet."""
    new = Person(tmp_path / "new")
    new.toml.unlink()
    return new


@on_a_terminal
@pytest.mark.full
def test_a_new_user_gives_a_key_and_takes_the_sample_and_a_service_that_fails_stops_nothing(
    new: Person, tmp_path: Path
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "systemctl").write_text("#!/bin/sh\necho 'Failed to connect to bus' >&2\nexit 1\n")
    (programs / "systemctl").chmod(0o755)
    terminal = Terminal(new, ("init",), {"PATH": f"{programs}:/usr/bin:/bin"})
    terminal.shows("Write the settings.*")
    terminal.types("")
    terminal.shows("Which provider's key do you have")
    terminal.types("antropic")
    terminal.shows("Did you mean anthropic")
    terminal.types("anthropic")
    terminal.shows("Key for anthropic")
    terminal.types_unseen("sk-ant-this-is-secret")
    terminal.shows("The key for anthropic is kept in")
    terminal.shows("Try it now")
    terminal.types("n")
    terminal.types("")
    terminal.shows("Run memproc automatically")
    terminal.types("y")
    terminal.shows("Put the sample conversation into the inbox")
    terminal.types("y")
    assert terminal.ends() == 0
    text = terminal.text()
    assert [text.index(title) for title in TITLES] == sorted(text.index(title) for title in TITLES)
    assert "service manager cannot be reached" in " ".join(text.split())
    assert "this-is-secret" not in text
    assert all(
        len(line) <= COLUMNS or str(tmp_path.parent) in line or "memproc " in line
        for line in terminal.lines()
    )
    assert (Path.home() / "memproc" / "inbox" / SAMPLE_FILE).is_file()
    ended = new.memproc("run")
    assert (ended.code, "1 written" in ended.out) == (0, True), (
        "the sample is long enough to show something"
    )


def test_each_step_can_be_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    text = init(monkeypatch, "n", "", "", "")
    assert "Nothing was written." in text
    assert all(title in text for title in TITLES)
    assert "Later: memproc service install" in text
    assert not (Path.home() / "memproc").exists()


def test_without_a_terminal_an_unanswered_question_is_no_interruption(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["init"]) == 130
    told = capsys.readouterr().err
    assert "--yes" in told and "Interrupted" not in told


def test_ctrl_c_at_a_question_says_that_what_was_asked_about_was_not_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupting(io.StringIO):
        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupting())
    assert main(["init"]) == 130
    assert "What was asked about was not done." in capsys.readouterr().err
    assert not (Path.home() / "memproc").exists()


def test_what_is_there_already_stays_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["init", "--yes"]) == 0
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-the-environment")
    text = init(monkeypatch, "nobody", "none", "n", "y")
    assert "is there already and stays as it is" in text
    assert "There is a key for anthropic already." in text
    assert "memproc keeps no key for this provider." in text
    assert (Path.home() / "memproc" / "inbox" / SAMPLE_FILE).is_file()
    assert "To process the sample: memproc run" in text


def test_a_key_that_is_given_is_tried_at_once_and_claude_means_anthropic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("click.termui.hidden_prompt_func", lambda prompt: "sk-ant-wrong")
    with serve(tmp_path / "server", {"key": "the right one"}) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        assert main(["key", "allow", "anthropic", "127.0.0.1"]) == 0
        text = init(monkeypatch, "", "claude", "y", "none", "n", "n")
    assert "The key for anthropic is kept in" in text
    assert "Try it now" in text
    assert "anthropic/claude-haiku-5-5 does not accept the key." in capsys.readouterr().err


def test_nothing_to_copy_is_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    line = "@reboot /home/a-person-with-a-long-name/.local/bin/memproc --config /home/x/memproc.toml watch"
    advice = f"Without it, start memproc by other means, for instance with this line:\n  {line}"
    with redirect_stdout(Typed()):
        folded = in_width(advice)
        removing = in_width(
            "    rm -r '/home/a person/with blanks/in the names of many of the folders/memproc'"
        )
    assert f"  {line}" in folded.splitlines()
    assert len(removing.splitlines()) == 1
