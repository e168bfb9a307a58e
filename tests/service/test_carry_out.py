"""Steps are announced, done in their order, and end with the first that fails."""

from pathlib import Path

from service.ask import Answer
from service.install import Failed, carry_out
from service.recipe import Erase, LeaveAlone, MakeFolder, Run, Write
from tests.service.programs import Computer


def quiet(line: str) -> None:
    """For tests that are about what is done, not about what is told."""


def test_each_step_is_told_before_it_is_done(tmp_path: Path) -> None:
    unit = tmp_path / "user" / "a.service"
    told: list[tuple[str, bool]] = []
    steps = (Write(unit, b"text", "text"), Run(("systemctl", "start", "a b")))
    assert carry_out(steps, lambda line: told.append((line, unit.exists())), Computer()) is None
    assert told == [(f"Writing {unit}", False), ("Running systemctl start 'a b'", True)]
    assert unit.read_bytes() == b"text"
    assert [path.name for path in unit.parent.iterdir()] == ["a.service"], "nothing unfinished is left"


def test_a_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    carry_out([MakeFolder(tmp_path / "new" / "inbox")], quiet, Computer())
    assert (tmp_path / "new" / "inbox").stat().st_mode & 0o777 == 0o700


def test_the_first_failure_ends_it_with_what_the_system_said() -> None:
    start, after = Run(("systemctl", "start")), Run(("after",))
    computer = Computer({"start": Answer(1, err="\nJob failed.\nSee more.\n")})
    assert carry_out([start, after], quiet, computer) == Failed(start, "Job failed.")
    assert computer.asked == ["systemctl start"]


def test_what_may_fail_does_not_stop_the_rest() -> None:
    computer = Computer({"stop": Answer(1)})
    assert carry_out([Run(("stop",), optional=True), Run(("after",))], quiet, computer) is None
    assert computer.asked == ["stop", "after"]


def test_a_system_that_is_still_busy_is_asked_again() -> None:
    computer, pauses = Computer({"bootstrap": Answer(5, err="Bootstrap failed: 5")}), list[float]()
    step = Run(("bootstrap",), tries=3)
    assert carry_out([step], quiet, computer, pauses.append) == Failed(step, "Bootstrap failed: 5")
    assert computer.asked == ["bootstrap"] * 3
    assert pauses == [1.0, 1.0]


def test_a_file_that_cannot_be_written_is_a_failure_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "user").write_text("a file where a folder should be")
    step = Write(tmp_path / "user" / "a.service", b"", "")
    assert carry_out([step], quiet, Computer()) == Failed(step, "File exists")


def test_the_folder_of_our_drop_in_goes_with_it_unless_the_person_has_one_there_too(tmp_path: Path) -> None:
    ours, own = (tmp_path / "a.service.d" / name for name in ("10-sandbox.conf", "override.conf"))
    ours.parent.mkdir()
    for path in (ours, own):
        path.touch()
    carry_out([Erase(ours)], quiet, Computer())
    assert own.exists() and not ours.exists()
    own.unlink()
    ours.touch()
    carry_out([Erase(ours)], quiet, Computer())
    assert not ours.parent.exists()


def test_what_is_left_alone_is_told_and_untouched(tmp_path: Path) -> None:
    unit = tmp_path / "a.service"
    unit.write_text("mine")
    told: list[str] = []
    carry_out([LeaveAlone(unit, "was changed by hand", "Do this.")], told.append, Computer())
    assert told == [f"Leaving {unit} as it is: it was changed by hand. Do this."]
    assert unit.read_text() == "mine"
