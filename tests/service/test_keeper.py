"""Which system keeps memproc up, by the computer's kind."""

import pytest

from service.ask import Answer, NoBus
from service.keeper import Keeper, keeper, offers, on_paper, standing_here
from service.systemd import Sandbox
from tests.service.programs import Computer, a_place, a_program


@pytest.mark.parametrize(
    ("system", "file"),
    [("linux", "memproc.service"), ("darwin", "io.memproc.agent.plist"), ("win32", "memproc-task.xml")],
)
def test_each_system_gets_a_file_of_its_own_kind(system: str, file: str) -> None:
    kept = keeper(a_place(system), a_program(), Computer())
    assert isinstance(kept, Keeper)
    assert kept.recipe.files[0].path.name == file


def test_a_weaker_sandbox_is_said() -> None:
    kept = keeper(a_place(), a_program(), Computer({"PrivateUsers": Answer(217)}))
    assert isinstance(kept, Keeper)
    assert "calls only" in kept.remarks[0]


def test_without_a_sandbox_none_is_tried() -> None:
    computer = Computer()
    kept = keeper(a_place(), a_program(), computer, Sandbox.NONE)
    assert isinstance(kept, Keeper) and len(kept.recipe.files) == 2
    assert not any("systemd-run" in line for line in computer.asked)


def test_without_a_user_manager_there_is_neither_recipe_nor_standing() -> None:
    computer = Computer({"Version": Answer(1, err="no bus")})
    assert isinstance(keeper(a_place(), a_program(), computer), NoBus)
    assert isinstance(standing_here(a_place(), a_program(), computer), NoBus)


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_every_system_can_be_asked_how_the_service_stands(system: str) -> None:
    computer = Computer({" show memproc": Answer(1), "print": Answer(1), "/Query": Answer(1)})
    stands = standing_here(a_place(system), a_program(), computer)
    assert not isinstance(stands, NoBus) and stands.state == "not installed"


def test_lingering_is_offered_under_systemd_alone() -> None:
    computer = Computer({"Linger": Answer(0, "no\n")})
    assert "enable-linger" in offers(a_place(), computer)[0]
    assert offers(a_place("darwin"), computer) == ()


def test_where_systemd_cannot_be_asked_the_units_can_be_shown_all_the_same() -> None:
    recipe = on_paper(a_place(), a_program())
    assert [file.path.name for file in recipe.files] == ["memproc.service", "memproc-failed.service"]
