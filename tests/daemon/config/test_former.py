"""A memproc.toml that names a setting which memproc no longer has is read all the same."""

from pathlib import Path

import pytest
import tomli

from daemon.config.loading import parse_settings, shipped_text
from daemon.config.tables import FORMER, FormerSetting
from tests.stories.person import Person

PLACE = Path("/settings/memproc.toml")
SENTENCE = "Six memories become a fold now, whatever fold.group says."


def written(former: FormerSetting, value: str) -> bytes:
    return f"[{former.table}]\n{former.name} = {value}\n".encode()


def dotted(former: FormerSetting) -> str:
    return f"{former.table}.{former.name}"


@pytest.mark.parametrize("former", FORMER, ids=dotted)
def test_a_former_setting_is_passed_over_in_silence_at_its_default_and_else_with_a_sentence(
    former: FormerSetting,
) -> None:
    default = f'"{former.default}"' if isinstance(former.default, str) else f"{former.default}"
    assert parse_settings(written(former, default), PLACE).notes == ()
    for value in ('"export"', "7", "[]"):
        assert parse_settings(written(former, value), PLACE).notes == (former.sentence,)
    assert dotted(former) in former.sentence


def test_the_shipped_settings_have_none_of_them() -> None:
    shipped = tomli.loads(shipped_text())
    assert [dotted(former) for former in FORMER if former.name in shipped[former.table]] == []


def test_an_override_may_name_them_too_and_what_else_it_says_counts() -> None:
    text = b'[[chats.override]]\nchat = "Ada*"\ntail.step = 0\nfold = { group = 3, budget = 900 }\n'
    config = parse_settings(text + b'[[chats.override]]\nchat = "x"\nfold.group = 6\n', PLACE)
    assert config.notes == (SENTENCE,)
    assert config.chats.override[0].fold.budget == 900


def test_every_command_that_says_which_settings_count_says_the_sentence(tmp_path: Path) -> None:
    person = Person(tmp_path / "ada")
    person.settings("[fold]\ngroup = 3\n")
    for command in (["plan"], ["run"], ["config", "check"], ["doctor"]):
        assert SENTENCE in " ".join(person.memproc(*command).out.split()), command
    person.settings("[fold]\ngroup = 6\n")
    for command in (["plan"], ["run"], ["config", "check"], ["doctor"]):
        assert "fold.group" not in person.memproc(*command).out, command
