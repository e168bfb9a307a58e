"""A memproc.toml that names a setting which memproc no longer has is read all the same."""

from pathlib import Path

from daemon.config.loading import parse_settings, shipped_text
from tests.stories.person import Person

PLACE = Path("/settings/memproc.toml")
SENTENCE = "Each chat has an updated file of its own now, whatever output.container says."


def test_of_a_former_setting_at_its_default_nothing_is_said() -> None:
    config = parse_settings(b'[output]\nmode = "keep-originals"\ncontainer = "chat"\n', PLACE)
    assert (config.output.mode, config.notes) == ("keep-originals", ())


def test_a_former_setting_with_a_value_of_the_persons_own_gets_a_sentence() -> None:
    for value in ('"export"', '"both"', "7", "[]"):
        assert parse_settings(f"output.container = {value}\n".encode(), PLACE).notes == (SENTENCE,)


def test_every_command_that_says_which_settings_count_says_the_sentence(tmp_path: Path) -> None:
    person = Person(tmp_path / "ada")
    person.settings('[output]\ncontainer = "export"\n')
    for command in (["plan"], ["run"], ["config", "check"], ["doctor"]):
        assert SENTENCE in " ".join(person.memproc(*command).out.split()), command
    person.settings('[output]\ncontainer = "chat"\n')
    for command in (["plan"], ["run"], ["config", "check"], ["doctor"]):
        assert "output.container" not in person.memproc(*command).out, command


def test_the_shipped_settings_have_none_of_them() -> None:
    assert "container =" not in shipped_text()
