"""Which service manager keeps memproc running, by the computer's kind."""

import pytest

from service.command import Answer
from service.manager import offer, recipe_for, state_here
from service.systemd_state import NoUserManager
from tests.service.programs import Computer, a_program, an_account


@pytest.mark.parametrize(
    ("system", "file"),
    [
        ("linux", "memproc.service"),
        ("darwin", "io.memproc.agent.plist"),
        ("win32", "memproc-task.xml"),
    ],
)
def test_each_system_gets_a_file_of_its_own_kind(system: str, file: str) -> None:
    recipe = recipe_for(an_account(system), a_program(), Computer(), no_sandbox=False)
    assert recipe.files[0].path.name == file


def test_a_weaker_sandbox_is_said() -> None:
    computer = Computer({"PrivateUsers": Answer(217)})
    recipe = recipe_for(an_account(), a_program(), computer, no_sandbox=False)
    assert "calls only" in recipe.remarks[0]


def test_without_a_sandbox_none_is_tried() -> None:
    computer = Computer()
    assert len(recipe_for(an_account(), a_program(), computer, no_sandbox=True).files) == 2
    assert not any("systemd-run" in line for line in computer.asked)


def test_without_a_user_manager_there_is_neither_recipe_nor_state() -> None:
    computer = Computer({"Version": Answer(1, err="no bus")})
    with pytest.raises(NoUserManager, match="no bus"):
        recipe_for(an_account(), a_program(), computer, no_sandbox=False)
    with pytest.raises(NoUserManager, match="no bus"):
        state_here(an_account(), computer)


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_every_system_can_be_asked_how_the_service_is(system: str) -> None:
    computer = Computer({" show memproc": Answer(1), "print": Answer(1), "/Query": Answer(1)})
    assert state_here(an_account(system), computer).state == "not installed"


def test_lingering_is_offered_under_systemd_alone() -> None:
    computer = Computer({"Linger": Answer(0, "no\n")})
    assert "enable-linger" in offer(an_account(), computer)
    assert offer(an_account("darwin"), computer) == ""
