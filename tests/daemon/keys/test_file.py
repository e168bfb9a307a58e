"""The file of keys: read strictly, written whole, and nobody's business but its owner's."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.config.key_file import keys_file, read_keys, remove_key, write_key
from primer.models import KEY_VARIABLES
from rules.errors import ConfigurationError, FileTrouble

ROOT = getattr(os, "geteuid", lambda: 1)() == 0


def lay(folder: Path, content: bytes, mode: int = 0o600) -> Path:
    path = keys_file(folder)
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_there_are_no_keys_without_a_file(tmp_path: Path) -> None:
    assert read_keys(tmp_path / "not there yet") == {}


def test_a_file_made_by_hand_is_read_with_its_comments_and_gaps(tmp_path: Path) -> None:
    lay(tmp_path, b"\xef\xbb\xbf# mine \xff\r\n\r\n OPENAI_API_KEY = sk-a=b \r\nXAI_API_KEY=x#1")
    assert read_keys(tmp_path) == {"OPENAI_API_KEY": "sk-a=b", "XAI_API_KEY": "x#1"}


def test_the_first_key_makes_a_folder_and_a_file_for_the_owner_alone(tmp_path: Path) -> None:
    path = write_key(tmp_path / "state", "OPENAI_API_KEY", "sk-abc")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert read_keys(tmp_path / "state") == {"OPENAI_API_KEY": "sk-abc"}


def test_a_new_key_takes_the_place_of_the_old_and_comments_stay(tmp_path: Path) -> None:
    path = lay(tmp_path, b"# from work \xff\nOPENAI_API_KEY=sk-old\n\nXAI_API_KEY=x1\n")
    write_key(tmp_path, "OPENAI_API_KEY", "sk-new")
    assert path.read_bytes() == b"# from work \xff\n\nXAI_API_KEY=x1\nOPENAI_API_KEY=sk-new\n"


def test_a_forgotten_key_leaves_no_byte_behind(tmp_path: Path) -> None:
    write_key(tmp_path, "OPENAI_API_KEY", "sk-abc")
    write_key(tmp_path, "XAI_API_KEY", "x1")
    assert remove_key(tmp_path, "OPENAI_API_KEY")
    assert not remove_key(tmp_path, "OPENAI_API_KEY")
    assert read_keys(tmp_path) == {"XAI_API_KEY": "x1"}
    assert all(b"sk-abc" not in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o660, 0o644])
def test_a_file_that_others_can_touch_is_refused(tmp_path: Path, mode: int) -> None:
    path = lay(tmp_path, b"OPENAI_API_KEY=sk-canary\n", mode)
    for use in (lambda: read_keys(tmp_path), lambda: write_key(tmp_path, "XAI_API_KEY", "x1")):
        with pytest.raises(ConfigurationError) as told:
            use()
        assert f"chmod 600 {path}" in told.value.next_step
        assert "canary" not in str(told.value)
    assert path.read_bytes() == b"OPENAI_API_KEY=sk-canary\n"


@pytest.mark.skipif(not ROOT, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    path = lay(tmp_path, b"OPENAI_API_KEY=sk-canary\n")
    os.chown(path, 12345, -1)
    with pytest.raises(ConfigurationError, match="another user"):
        read_keys(tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        b"sk-canary",
        b"OPENAI_API_KEY",
        b"OPENAI_API_KEY=",
        b"OPENAI_API_KEY sk-canary",
        b"OPENAI_API_KEY=sk canary",
        b'OPENAI_API_KEY="sk-canary"',
        b"OPENAI_API_KEY='sk-canary'",
        b"export OPENAI_API_KEY=sk-canary",
        b"OPENAI_API_KEY=sk-canary\xc3\xa9",
        b"OPENAI_API_KEY=sk-canary\xff",
        b"OPEN_AI_KEY=sk-canary",
        b"CANARYKEYTHATENDSSO=",
        b"CANARYKEYTHATENDSSO==",
        b"XAI_API_KEY=sk-canary",
    ],
)
def test_a_broken_line_is_named_by_its_number_alone(tmp_path: Path, line: bytes) -> None:
    lay(tmp_path, b"# one\nXAI_API_KEY=x1\n" + line + b"\n")
    with pytest.raises(ConfigurationError) as told:
        read_keys(tmp_path)
    assert "Line 3 of" in told.value.message
    assert "canary" not in str(told.value).lower()


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    keys_file(tmp_path).mkdir()
    with pytest.raises(FileTrouble):
        read_keys(tmp_path)


VALUES = st.text(
    st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="\"'"), min_size=1
)


@given(st.lists(st.tuples(st.sampled_from(sorted(KEY_VARIABLES.values())), VALUES), max_size=6))
def test_what_was_written_last_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, written: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("state")
    for variable, value in written:
        write_key(folder, variable, value)
    assert read_keys(folder) == dict(written)
