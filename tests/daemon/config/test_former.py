"""A memproc.toml that names a setting which memproc no longer has is read all the same."""

from pathlib import Path

import pytest
import tomli

from daemon.config.as_toml import TABLES, default_file
from daemon.config.loading import parse_settings
from tests.stories.person import Person

PLACE = Path("/settings/memproc.toml")
SENTENCE = "Six memories become a fold now, whatever fold.group says."
GONE = {
    (table, name): row
    for table, kind in TABLES.items()
    for name, row in kind.model_fields.items()
    if row.deprecated
}
"""The rows of what is gone, by table and name."""


def sentence(table: str, name: str) -> str:
    """What is told of one that is not at its default."""
    return f"{GONE[table, name].deprecated} now, whatever {table}.{name} says."


@pytest.mark.parametrize(("table", "name"), GONE)
def test_a_former_setting_is_passed_over_in_silence_at_its_default_and_else_with_a_sentence(
    table: str, name: str
) -> None:
    default = GONE[table, name].default
    written = f'"{default}"' if isinstance(default, str) else f"{default}"
    assert parse_settings(f"[{table}]\n{name} = {written}\n".encode(), PLACE).notes == ()
    for value in ('"export"', "7", "[]"):
        config = parse_settings(f"[{table}]\n{name} = {value}\n".encode(), PLACE)
        assert config.notes == (sentence(table, name),)
        assert name not in config.model_dump()[table]


def test_the_shipped_settings_have_none_of_them() -> None:
    shipped = tomli.loads(default_file())
    assert len(GONE) == 6
    assert [(table, name) for table, name in GONE if name in shipped[table]] == []


def test_an_override_may_name_them_too_and_what_else_it_says_counts() -> None:
    text = b'[[chats.override]]\nchat = "Ada*"\ntail.step = 0\nfold = { group = 3, budget = 900 }\n'
    config = parse_settings(text + b'[[chats.override]]\nchat = "x"\nfold.group = 6\n', PLACE)
    assert config.notes == (SENTENCE,)
    assert config.chats.override[0].fold.budget == 900
    assert config.with_override(config.chats.override[0]).fold.budget == 900


def test_every_command_that_says_which_settings_count_says_the_sentence(tmp_path: Path) -> None:
    person = Person(tmp_path / "ada")
    person.settings("[fold]\ngroup = 3\n")
    for command in (["plan"], ["run"], ["config", "check"], ["doctor"]):
        assert SENTENCE in " ".join(person.memproc(*command).out.split()), command
    person.settings("[fold]\ngroup = 6\n")
    for command in (["plan"], ["run"], ["config", "check"], ["doctor"]):
        assert "fold.group" not in person.memproc(*command).out, command
