"""How the checks are gone through, and what is looked up before."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from daemon.config.loading import load
from daemon.status.doctor import (
    _LIMIT_SECONDS,
    OF_SETUP,
    examine,
    look_at_machine,
    look_at_setup,
    run_checks,
)
from daemon.status.findings import Finding, Machine, ok
from rules.errors import ArchiveError
from service.command import NOT_HERE, TOO_SLOW, Answer
from tests.daemon.status.places import levels, machine, place


def damaged_archive(at: Machine) -> Iterator[Finding]:
    yield ok("half", "of it")
    raise ArchiveError("The archive is damaged.", "Take a copy.")


def unreadable(at: Machine) -> Iterator[Finding]:
    raise PermissionError(13, "Permission denied", "/x")
    yield


def well(at: Machine) -> Iterator[Finding]:
    yield ok("well", "It is.")


def test_a_check_that_cannot_be_done_is_a_warning_and_the_others_go_on(tmp_path: Path) -> None:
    found = list(run_checks((damaged_archive, unreadable, well), machine(tmp_path)))
    assert levels(found) == ["ok", "warning", "warning", "ok"]
    assert (found[1].name, found[1].remedy) == ("damaged archive", "Take a copy.")
    assert "Permission denied" in found[2].text


def test_a_sound_house_on_a_sound_machine_has_no_error(tmp_path: Path) -> None:
    assert "error" not in levels(list(run_checks(OF_SETUP, place(tmp_path))))


def test_settings_that_can_be_used_name_their_folders(tmp_path: Path) -> None:
    toml = tmp_path / "memproc.toml"
    toml.write_text('[folders]\ninbox = "inbox"\n')
    house = look_at_setup(machine(tmp_path), toml, load(toml), is_thorough=False)
    assert house.folders.inbox == tmp_path / "inbox"


@pytest.mark.parametrize(
    "wrong", ["[chunk]\ntokens = 3\n", '[texts]\nfolder = "nowhere"\n', '[folders]\ninbox = "/"\n']
)
def test_settings_that_are_wrong_are_an_error(tmp_path: Path, wrong: str) -> None:
    toml = tmp_path / "memproc.toml"
    toml.write_text(wrong)
    findings = examine(lambda: load(toml), lambda: (toml, ""), is_thorough=False, also=())
    assert (findings[0].name, findings[0].level) == ("memproc.toml", "error")
    assert findings[0].remedy
    assert "Python" in [finding.name for finding in findings]
    assert "archive" not in [finding.name for finding in findings]


@pytest.mark.parametrize(
    "answer", [Answer(NOT_HERE, err="not here"), Answer(TOO_SLOW, err="too slow")]
)
def test_absent_and_slow_tools_are_no_trouble(answer: Answer) -> None:
    assert look_at_machine(os.environ, lambda argv: answer).service.state == "not installed"


def test_the_system_is_asked_with_lists_of_arguments() -> None:
    asked: list[Sequence[str]] = []

    def run(argv: Sequence[str]) -> Answer:
        asked.append(argv)
        return Answer(NOT_HERE)

    look_at_machine(os.environ, run)
    assert asked
    assert not any(isinstance(argv, str) for argv in asked)


def test_what_does_not_answer_is_waited_for_three_seconds_at_most() -> None:
    assert _LIMIT_SECONDS <= 3
