"""Single settings are changed in the text of a memproc.toml, and all else stays to the letter.

It is changed only as it was seen, and the file before can be put back.
"""

from pathlib import Path

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st

from daemon.config.as_toml import TABLES, default_file, reasons_in
from daemon.config.editing import (
    SettingName,
    can_undo,
    fingerprint_file,
    save_settings,
    undo_settings,
    with_settings,
)
from daemon.config.settings import Config
from rules.errors import ConfigurationError

TEXT = """\
# Mine.
[chunk]  # small ones
tokens = 4_000 # as it was

# About models.
[models]
agent = "ollama/llama3"  # local
"""

SAVED = "# Mine.\n[tail]\ntokens = 8000 # short\nstep = 0\n[chunk]\ntokens = 2000\n"
TOKENS = ("tail", "tokens")
NAMES = [(table, name) for table, kind in TABLES.items() for name in reasons_in(kind)]


def test_what_is_added_to_a_table_is_before_the_comment_of_the_next() -> None:
    changed = with_settings(TEXT, {("chunk", "bounds"): "size"})
    assert 'tokens = 4_000 # as it was\nbounds = "size"\n\n# About models.\n[models]\n' in changed


def test_a_text_a_number_and_an_amount_are_written_as_toml_has_them() -> None:
    settings: dict[SettingName, object] = {
        ("models", "agent"): 'a/"b"',
        ("fold", "budget"): 9000,
        ("budget", "run_usd"): 0.5,
    }
    changed = tomli.loads(with_settings(TEXT, settings))
    assert changed["models"]["agent"] == 'a/"b"'
    assert changed["fold"] == {"budget": 9000}
    assert changed["budget"] == {"run_usd": 0.5}


def test_line_ends_stay_as_they_are() -> None:
    changed = with_settings(TEXT.replace("\n", "\r\n"), {("chunk", "bounds"): "size"})
    assert changed.count("\n") == changed.count("\r\n") == TEXT.count("\n") + 1


@pytest.mark.parametrize("text", ["chunk = 5\n", "[[chunk]]\ntokens = 5\n"])
def test_what_is_no_table_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"chunk\.tokens cannot be changed by itself"):
        with_settings(text, {("chunk", "tokens"): 600})


@given(
    st.dictionaries(
        st.sampled_from(NAMES),
        st.integers(0, 9) | st.text("ab\"' #"),
    ),
)
def test_of_the_shipped_file_no_other_line_is_changed(settings: dict[SettingName, object]) -> None:
    tables = {
        ("chats", "override"),
        ("core", "sections"),
        ("budget", "price"),
        ("models", "options"),
    }
    settings = {name: value for name, value in settings.items() if name not in tables}
    before, after = (
        default_file().splitlines(),
        with_settings(default_file(), settings).splitlines(),
    )
    assert len(before) == len(after)
    assert sum(old != new for old, new in zip(before, after, strict=True)) <= len(settings)


def test_every_setting_has_its_reason() -> None:
    for table, settings in Config().model_dump(mode="json").items():
        assert settings.keys() == reasons_in(TABLES[table]).keys()
    said = reasons_in(TABLES["watch"])["subfolders"]
    assert said == "Whether folders inside the inbox are watched too."
    assert reasons_in(TABLES["recall"])["mention"].startswith("Whether the message before")


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    path = tmp_path / "memproc.toml"
    path.write_text(SAVED)
    return path


def _others(toml: Path) -> list[Path]:
    return [path for path in toml.parent.iterdir() if path != toml]


def test_a_setting_is_written_and_the_file_before_is_kept(toml: Path) -> None:
    config = save_settings(toml, fingerprint_file(toml), {TOKENS: 9000})
    assert config.tail.tokens == 9000
    assert toml.read_text() == SAVED.replace("8000", "9000")
    (kept,) = _others(toml)
    assert kept.read_text() == SAVED
    assert kept.stat().st_mode & 0o077 == toml.stat().st_mode & 0o077 == 0


def test_a_file_that_was_changed_meanwhile_is_left_alone(toml: Path) -> None:
    seen = fingerprint_file(toml)
    toml.write_text(mine := SAVED + "[fold]\nwishes = 3\n")
    with pytest.raises(ConfigurationError, match="was changed meanwhile"):
        save_settings(toml, seen, {TOKENS: 9000})
    assert toml.read_text() == mine
    assert _others(toml) == []


def test_what_would_be_wrong_is_not_written(toml: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"tail\.tokens: must be at least 8000"):
        save_settings(toml, fingerprint_file(toml), {TOKENS: 5000})
    assert toml.read_text() == SAVED
    assert _others(toml) == []


def test_a_change_is_undone_and_done_again(toml: Path) -> None:
    save_settings(toml, fingerprint_file(toml), {TOKENS: 9000})
    changed = toml.read_text()
    assert undo_settings(toml, fingerprint_file(toml)).tail.tokens == 8000
    assert toml.read_text() == SAVED
    assert undo_settings(toml, fingerprint_file(toml)).tail.tokens == 9000
    assert toml.read_text() == changed
    assert len(_others(toml)) == 1


def test_what_was_changed_by_hand_since_is_not_undone(toml: Path) -> None:
    assert not can_undo(toml, fingerprint_file(toml))
    save_settings(toml, fingerprint_file(toml), {TOKENS: 9000})
    toml.write_text(mine := toml.read_text() + "# and this\n")
    assert not can_undo(toml, fingerprint_file(toml))
    with pytest.raises(ConfigurationError, match="no file from before"):
        undo_settings(toml, fingerprint_file(toml))
    assert toml.read_text() == mine
