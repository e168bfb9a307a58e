"""`memproc demo`: what it prints at its end can be typed, and it removes nothing but the sample."""

import shlex
from pathlib import Path

import pytest

from daemon.cli import demo, main
from daemon.cli.commands import TROUBLE
from daemon.files import paths
from tests.chats import chat, conversation, export_bytes

EXPORT = export_bytes(chat(*conversation(30, 1500)))


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the demos are."""
    monkeypatch.setattr(paths, "user_cache_path", lambda *_, **__: tmp_path)
    return tmp_path


def test_the_commands_that_the_demo_names_know_the_demos_chat(
    base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.split("To look at it:\n")[1].splitlines()
    *about, to_open = [shlex.split(line)[1:] for line in lines if line.startswith("    ")]
    assert [command[2] for command in about] == ["memories", "versions", "restore"]
    for command in about[:2]:
        assert main(command) == 0
    assert main([*about[2], "--help"]) == 0
    capsys.readouterr()
    assert main([*to_open, "inbox", "--print"]) == 0
    assert capsys.readouterr().out.strip() == str(base / "demo" / "inbox")


def test_without_a_demo_there_is_none_to_open(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["open", "--demo", "--print"]) == TROUBLE
    assert "memproc demo" in capsys.readouterr().err


def test_where_the_sample_is_skipped_the_demo_ends_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "put_sample", lambda inbox: _put(inbox / "memproc-sample.json", b"{"))
    assert main(["demo"]) == 1
    printed = capsys.readouterr()
    assert "The sample was not processed; why is said above." in printed.out
    assert "mistake" not in printed.err


@pytest.mark.parametrize(
    "place",
    ["inbox/lighthouse.json", "backups/aside/lighthouse.json", "state/brought/lighthouse.json"],
)
def test_a_demo_that_holds_another_chats_file_stays_and_the_new_one_takes_the_next_number(
    base: Path, place: str
) -> None:
    with demo._fresh_folder() as first:
        _put(first / place, EXPORT)
    with demo._fresh_folder() as second:
        assert second.name == "demo-2"
    assert (first / place).read_bytes() == EXPORT
    with demo._fresh_folder() as third:
        assert third == second, "which held the sample alone"


@pytest.mark.full
def test_a_new_demo_says_where_an_older_one_lies_that_has_worked_on_another_chat(
    base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = _put(base / "elsewhere.json", EXPORT)
    with demo._fresh_folder() as first:
        assert main(["--config", str(first / "memproc.toml"), "run", str(elsewhere)]) == 0
    elsewhere.unlink()
    capsys.readouterr()
    assert main(["demo"]) == 0
    printed = capsys.readouterr().out
    assert f"An older demo holds other chats, and stays in {first}:" in printed
    assert f"--config {first / 'memproc.toml'} open\n" in printed
    assert f"Everything is in {base / 'demo-2'} until the next demo" in printed


def test_a_demo_whose_archive_cannot_be_read_stays(base: Path) -> None:
    with demo._fresh_folder() as first:
        _put(first / "state" / "archive.sqlite3", b"no archive" * 1000)
    with demo._fresh_folder() as second:
        assert (second.name, first.exists()) == ("demo-2", True)


def _put(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path
