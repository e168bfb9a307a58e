"""memproc.toml is changed only as it was seen, and the file before can be put back."""

from pathlib import Path

import pytest

from daemon.config.saving import can_undo, fingerprint_file, save_settings, undo_settings
from rules.errors import ConfigurationError

TEXT = "# Mine.\n[tail]\ntokens = 8000 # short\nstep = 0\n[chunk]\ntokens = 2000\n"
TOKENS = ("tail", "tokens")


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    path = tmp_path / "memproc.toml"
    path.write_text(TEXT)
    return path


def _others(toml: Path) -> list[Path]:
    return [path for path in toml.parent.iterdir() if path != toml]


def test_a_setting_is_written_and_the_file_before_is_kept(toml: Path) -> None:
    config = save_settings(toml, fingerprint_file(toml), {TOKENS: 9000})
    assert config.tail.tokens == 9000
    assert toml.read_text() == TEXT.replace("8000", "9000")
    (kept,) = _others(toml)
    assert kept.read_text() == TEXT
    assert kept.stat().st_mode & 0o077 == toml.stat().st_mode & 0o077 == 0


def test_a_file_that_was_changed_meanwhile_is_left_alone(toml: Path) -> None:
    seen = fingerprint_file(toml)
    toml.write_text(mine := TEXT + "[fold]\ngroup = 3\n")
    with pytest.raises(ConfigurationError, match="was changed meanwhile"):
        save_settings(toml, seen, {TOKENS: 9000})
    assert toml.read_text() == mine
    assert _others(toml) == []


def test_what_would_be_wrong_is_not_written(toml: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"tail\.tokens: must be at least 8000"):
        save_settings(toml, fingerprint_file(toml), {TOKENS: 5000})
    assert toml.read_text() == TEXT
    assert _others(toml) == []


def test_a_change_is_undone_and_done_again(toml: Path) -> None:
    save_settings(toml, fingerprint_file(toml), {TOKENS: 9000})
    changed = toml.read_text()
    assert undo_settings(toml, fingerprint_file(toml)).tail.tokens == 8000
    assert toml.read_text() == TEXT
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
