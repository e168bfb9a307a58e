"""How the checks are gone through, and what is looked up before."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from daemon.config import Config, load
from daemon.status import doctor as gather
from daemon.status.checks import OF_HOUSE, OF_MACHINE, carry_out, worst_first
from daemon.status.doctor import Finding, Machine, Usable, error, ok, warning
from rules.errors import ArchiveError
from service.ask import NOT_HERE, TOO_SLOW, Answer, NoBus
from tests.daemon.doctor.places import levels, machine, place

LINGERS = {"loginctl": Answer(0, "no\n"), "systemctl": Answer(0, "LoadState=not-found\n")}


def damaged_archive(at: Machine) -> Iterator[Finding]:
    yield ok("half", "of it")
    raise ArchiveError("The archive is damaged.", "Take a copy.")


def unreadable(at: Machine) -> Iterator[Finding]:
    raise PermissionError(13, "Permission denied", "/x")
    yield


def well(at: Machine) -> Iterator[Finding]:
    yield ok("well", "It is.")


def test_a_check_that_cannot_be_done_is_a_warning_and_the_others_go_on(tmp_path: Path) -> None:
    found = list(carry_out((damaged_archive, unreadable, well), machine(tmp_path)))
    assert levels(found) == ["ok", "warning", "warning", "ok"]
    assert (found[1].name, found[1].mend) == ("damaged archive", "Take a copy.")
    assert "Permission denied" in found[2].told


def test_problems_come_first_and_errors_before_warnings() -> None:
    found = worst_first(
        [ok("a", "."), warning("b", ".", "."), error("c", ".", "."), ok("d", "."), error("e", ".", ".")]
    )
    assert [finding.name for finding in found] == ["c", "e", "b", "a", "d"]


def test_a_sound_house_on_a_sound_machine_has_no_error(tmp_path: Path) -> None:
    at = place(tmp_path)
    assert "error" not in levels(list(carry_out(OF_HOUSE, at)))
    assert len(OF_HOUSE) + len(OF_MACHINE) >= 20


def test_settings_that_can_be_used_name_their_folders(tmp_path: Path) -> None:
    toml = tmp_path / "memproc.toml"
    toml.write_text('[folders]\ninbox = "inbox"\n')
    found = gather.settings(lambda: load(toml), lambda: toml)
    assert isinstance(found, Usable)
    assert found.folders.inbox == tmp_path / "inbox"
    assert found.finding.level == "ok"


def test_without_a_file_the_defaults_can_be_used() -> None:
    found = gather.settings(Config, lambda: None)
    assert isinstance(found, Usable)
    assert "default" in found.finding.told


@pytest.mark.parametrize(
    "wrong", ["[chunk]\ntokens = 3\n", '[texts]\nfolder = "nowhere"\n', '[folders]\ninbox = "/"\n']
)
def test_settings_that_are_wrong_are_an_error(tmp_path: Path, wrong: str) -> None:
    toml = tmp_path / "memproc.toml"
    toml.write_text(wrong)
    found = gather.settings(lambda: load(toml), lambda: toml)
    assert isinstance(found, Finding)
    assert found.level == "error"
    assert found.mend


def test_absent_and_slow_tools_are_no_trouble() -> None:
    for answer in (Answer(NOT_HERE, err="not here"), Answer(TOO_SLOW, err="too slow")):
        found = gather.machine(os.environ, lambda argv, answer=answer: answer)  # type: ignore[misc]
        assert isinstance(found.service, NoBus) or found.service.state == "not installed"
        assert found.lingers is None


def test_the_system_is_asked_with_lists_of_arguments_and_what_it_says_is_kept() -> None:
    asked: list[Sequence[str]] = []

    def ask(argv: Sequence[str]) -> Answer:
        asked.append(argv)
        return LINGERS.get(argv[0], Answer(NOT_HERE))

    found = gather.machine(os.environ, ask)
    assert found.lingers is (False if found.system.startswith("linux") else None)
    assert asked
    assert not any(isinstance(argv, str) for argv in asked)


def test_what_does_not_answer_is_waited_for_three_seconds_at_most() -> None:
    assert gather._LIMIT_SECONDS <= 3
    assert gather.ask_briefly(["no-such-program-anywhere"]).code == NOT_HERE
