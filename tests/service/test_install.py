"""What installing and removing do, by what is there: announced, in order, and never to a file of the person."""

from pathlib import Path

import pytest

from service.command import Answer
from service.install import InstallStep, StepFailed, to_install, to_remove
from service.unit import Recipe, SystemCommand, UnitFile, marked
from tests.service.programs import Computer

XML = '<?xml version="1.0"?>\n<Task/>\n'


class Place:
    """A folder of units, an inbox, and a recipe for them."""

    def __init__(self, folder: Path, text: str = "new\n", encoding: str = "utf-8") -> None:
        self.unit, self.old, self.inbox = (
            folder / "u/a.service",
            folder / "u/a.service.d/old.conf",
            folder / "inbox",
        )
        self.recipe = Recipe(
            folders=(self.inbox,),
            files=(UnitFile(self.unit, marked(text), encoding),),
            start=(SystemCommand(("start",)),),
            stop=(SystemCommand(("stop",)),),
            after_removal=(SystemCommand(("forget",)),),
            outdated=(self.old,),
        )

    def has(self, path: Path, content: str, encoding: str = "utf-8") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode(encoding))

    def install(self, computer: Computer | None = None) -> list[str]:
        return done(to_install(self.recipe, computer or Computer()))

    def remove(self, computer: Computer | None = None) -> list[str]:
        return done(to_remove(self.recipe, computer or Computer()))


def done(steps: list[InstallStep]) -> list[str]:
    """Do the steps, and give back their sentences."""
    for step in steps:
        step.carry_out()
    return [step.sentence for step in steps]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_on_a_new_computer_everything_is_made_before_anything_is_started(place: Place) -> None:
    assert place.install() == [
        f"Making the folder {place.inbox}",
        f"Writing {place.unit}",
        "Running start",
    ]
    assert place.unit.read_text() == marked("new\n")
    assert [path.name for path in place.unit.parent.iterdir()] == ["a.service"], (
        "nothing unfinished is left"
    )
    assert place.inbox.stat().st_mode & 0o777 == 0o700


def test_a_second_installation_writes_nothing_and_starts_again(place: Place) -> None:
    place.install()
    assert place.install() == ["Running start"]


def test_an_older_unit_of_ours_is_brought_up_to_date(place: Place) -> None:
    place.has(place.unit, marked("old\n"))
    place.install()
    assert place.unit.read_text() == marked("new\n")


@pytest.mark.parametrize("mine", [marked("old\n") + "Nice=19\n", "[Service]\n"])
def test_a_unit_that_the_person_changed_is_never_overwritten_or_removed(
    place: Place, mine: str
) -> None:
    place.has(place.unit, mine)
    (refusal,) = (step for step in to_install(place.recipe, Computer()) if step.is_refusal)
    assert refusal.sentence.startswith(f"Not touching {place.unit}: it was ")
    place.install()
    assert any(line.startswith(f"Not touching {place.unit}") for line in place.remove())
    assert place.unit.read_text() == mine


def test_a_changed_file_in_utf_16_is_seen_as_well(tmp_path: Path) -> None:
    place = Place(tmp_path, XML, "utf-16")
    place.install()
    assert place.install() == ["Running start"]
    place.has(place.unit, marked(XML).replace("Task", "task"), "utf-16")
    assert place.install()[0].startswith("Not touching")


def test_what_an_earlier_installation_left_is_removed_but_not_what_the_person_made_of_it(
    place: Place,
) -> None:
    place.install()
    place.has(place.old, marked("x") + "mine")
    assert place.install()[0].startswith(f"Not touching {place.old}")
    place.has(place.old, marked("x"))
    assert place.install() == [f"Removing {place.old}", "Running start"]
    assert not place.old.parent.exists(), "the folder of drop-ins goes with the last of them"


def test_a_folder_of_drop_ins_stays_where_the_person_has_one(place: Place) -> None:
    own = place.old.with_name("override.conf")
    place.has(place.old, marked("x"))
    place.has(own, "mine")
    place.remove()
    assert own.exists() and not place.old.exists()


def test_removing_stops_first_and_forgets_last(place: Place) -> None:
    place.install()
    assert place.remove() == ["Running stop", f"Removing {place.unit}", "Running forget"]
    assert place.remove() == [], "where nothing is installed nothing is removed"


def test_a_command_that_fails_is_told_in_the_words_of_the_system(place: Place) -> None:
    with pytest.raises(StepFailed, match=r"^Job failed\.$") as raised:
        place.install(Computer({"start": Answer(1, err="\nJob failed.\nSee more.\n")}))
    assert raised.value.argv == ("start",)


def test_a_command_that_may_fail_does_not_stop_the_rest() -> None:
    computer = Computer({"stop": Answer(1)})
    commands = (SystemCommand(("stop", "it"), optional=True), SystemCommand(("after",)))
    done(to_install(Recipe((), (), commands, ()), computer))
    assert computer.asked == ["stop it", "after"]


def test_a_system_that_is_still_busy_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    computer, pauses = Computer({"bootstrap": Answer(5, err="Bootstrap failed: 5")}), list[float]()
    monkeypatch.setattr("service.install.sleep", pauses.append)
    recipe = Recipe((), (), (SystemCommand(("bootstrap",), attempts=3),), ())
    with pytest.raises(StepFailed, match="Bootstrap failed: 5"):
        done(to_install(recipe, computer))
    assert computer.asked == ["bootstrap"] * 3
    assert pauses == [1.0, 1.0]


def test_a_file_that_cannot_be_written_is_an_error_of_the_system(place: Place) -> None:
    steps = to_install(place.recipe, Computer())
    place.unit.parent.write_text("a file where a folder should be")
    with pytest.raises(FileExistsError):
        done(steps)
