"""memproc.toml as the daemon gets it: plain values out of a short-lived process, or everything that is wrong."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.inbox.events import SettingsAre, SettingsWrong
from daemon.inbox.plain_settings import WatchPlan
from daemon.inbox.settings_reader import read_settings, watch_plan
from tests.stories.person import Person


def test_the_daemon_gets_a_plan_of_plain_values(tmp_path: Path) -> None:
    ada = Person(tmp_path / "ada")
    ada.settings('[watch]\nsettle_seconds = 2\nmode = "poll"\nsubfolders = true\n[schedule]\nnight = ""\n')
    settings = read_settings(ada.toml)
    assert isinstance(settings, SettingsAre)
    home = ada.home.resolve()
    assert watch_plan(settings) == WatchPlan(
        inbox=home / "inbox",
        updated=home / "updated",
        backups=home / "backups",
        state=home / "state",
        settle_seconds=2,
        rescan_seconds=300,
        mode="poll",
        subfolders=True,
        night="",
        notify="problems",
        config=ada.toml,
    )
    assert settings.text == ada.toml.read_text()


def test_without_a_file_the_defaults_count(tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = read_settings(None)
    assert isinstance(settings, SettingsAre)
    plan = watch_plan(settings)
    assert (plan.config, plan.inbox) == (None, own_home.resolve() / "memproc" / "inbox")


def test_everything_that_is_wrong_is_told(tmp_path: Path) -> None:
    path = tmp_path / "memproc.toml"
    path.write_text('[watch]\nmode = "ears"\nsettle_seconds = -1\n')
    wrong = read_settings(path)
    assert isinstance(wrong, SettingsWrong)
    assert "line 2" in wrong.message
    assert "line 3" in wrong.message
    assert wrong.next_step and not wrong.may_pass


@pytest.mark.parametrize(
    ("make", "may_pass"), [(Path.mkdir, False), (lambda path: None, True)], ids=["a folder", "nothing"]
)
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, make: Callable[[Path], None], may_pass: bool) -> None:
    path = tmp_path / "memproc.toml"
    make(path)
    wrong = read_settings(path)
    assert isinstance(wrong, SettingsWrong)
    assert str(path) in wrong.message
    assert wrong.may_pass == may_pass, "a disk may be there later"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ([sys.executable, "-c", "import time; time.sleep(60)"], "not read within 2 seconds"),
        ([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], "ended with exit code -9"),
        (["/no/python"], "could not be started"),
    ],
    ids=["slow", "killed", "not started"],
)
def test_a_process_that_gives_no_answer_says_nothing_of_the_settings(
    monkeypatch: pytest.MonkeyPatch, command: list[str], words: str
) -> None:
    monkeypatch.setattr("daemon.inbox.settings_reader.command", lambda _: command)
    wrong = read_settings(None, limit_seconds=2)
    assert isinstance(wrong, SettingsWrong)
    assert words in wrong.message
    assert wrong.may_pass


def test_nothing_of_the_current_folder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('run')")
    monkeypatch.chdir(tmp_path)
    assert isinstance(read_settings(None), SettingsAre)


def test_the_daemons_end_is_light() -> None:
    heavy = ["pydantic", "daemon.config", "rich", "tiktoken", "litellm", "multiprocessing", "asyncio"]
    code = (
        "import sys; import daemon.inbox.foreman, daemon.inbox.settings_reader\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
