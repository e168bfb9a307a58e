"""What installing and removing would do, decided from what is there."""

from pathlib import Path

from service.install import to_install, to_remove
from service.recipe import Erase, LeaveAlone, MakeFolder, Recipe, Run, UnitFile, Write, marked

UNIT, OLD, INBOX = Path("/u/a.service"), Path("/u/old.conf"), Path("/h/inbox")
START, STOP, FORGET = Run(("start",)), Run(("stop",)), Run(("forget",))


def a_recipe(text: str = "new\n", encoding: str = "utf-8") -> Recipe:
    return Recipe((INBOX,), (UnitFile(UNIT, marked(text), encoding),), (OLD,), (START,), (STOP,), (FORGET,))


def nothing(path: Path) -> None:
    return None


def test_on_a_new_computer_everything_is_made_before_anything_is_started() -> None:
    steps = to_install(a_recipe(), nothing, lambda _: False)
    assert steps == (MakeFolder(INBOX), Write(UNIT, marked("new\n").encode(), marked("new\n")), START)


def test_a_second_installation_writes_nothing_and_starts_again() -> None:
    there = {UNIT: marked("new\n").encode()}
    assert to_install(a_recipe(), there.get, lambda _: True) == (START,)


def test_an_older_unit_of_ours_is_brought_up_to_date() -> None:
    there = {UNIT: marked("old\n").encode()}
    assert isinstance(to_install(a_recipe(), there.get, lambda _: True)[0], Write)


def test_a_unit_that_the_person_changed_is_never_overwritten_or_removed() -> None:
    for mine in (marked("old\n") + "Nice=19\n", "[Service]\n"):
        there = {UNIT: mine.encode()}
        first, *rest = to_install(a_recipe(), there.get, lambda _: True)
        assert isinstance(first, LeaveAlone) and rest == [START]
        assert not any(isinstance(step, Erase) for step in to_remove(a_recipe(), there.get))


def test_a_changed_file_in_utf_16_is_seen_as_well() -> None:
    recipe = a_recipe('<?xml version="1.0"?>\n<Task/>\n', "utf-16")
    ours = recipe.files[0].content
    assert to_install(recipe, {UNIT: ours}.get, lambda _: True) == (START,)
    changed = ours.decode("utf-16").replace("Task", "task").encode("utf-16")
    assert isinstance(to_install(recipe, {UNIT: changed}.get, lambda _: True)[0], LeaveAlone)


def test_what_an_earlier_installation_left_is_removed_but_not_what_the_person_made_of_it() -> None:
    there = {UNIT: marked("new\n").encode(), OLD: marked("x").encode()}
    assert to_install(a_recipe(), there.get, lambda _: True) == (Erase(OLD), START)
    there[OLD] += b"mine"
    assert isinstance(to_install(a_recipe(), there.get, lambda _: True)[0], LeaveAlone)


def test_removing_stops_first_and_forgets_last() -> None:
    there = {UNIT: marked("any\n").encode()}
    assert to_remove(a_recipe(), there.get) == (STOP, Erase(UNIT), FORGET)


def test_where_nothing_is_installed_nothing_is_removed() -> None:
    assert to_remove(a_recipe(), nothing) == ()
