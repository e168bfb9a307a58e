"""Where keys are kept: the file, read strictly and for its owner alone, and the system keyring."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st
from keyring.backend import KeyringBackend

from daemon.config.key_stores import (
    SECONDS,
    Keyring,
    NoKeyring,
    change_key,
    keys_file,
    read_keys,
)
from primer.models import KEY_VARIABLES
from rules.errors import ConfigurationError, FileTrouble
from tests.daemon.keys.backends import Blurting, Forgetful, Hanging, Memory

ROOT = getattr(os, "geteuid", lambda: 1)() == 0

VALUES = st.text(
    st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="\"'"), min_size=1
)

PATIENCE = 0.05


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
    change_key(tmp_path / "state", "OPENAI_API_KEY", "sk-abc")
    path = keys_file(tmp_path / "state")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert read_keys(tmp_path / "state") == {"OPENAI_API_KEY": "sk-abc"}


def test_a_new_key_takes_the_place_of_the_old_and_comments_stay(tmp_path: Path) -> None:
    path = lay(tmp_path, b"# from work \xff\nOPENAI_API_KEY=sk-old\n\nXAI_API_KEY=x1\n")
    change_key(tmp_path, "OPENAI_API_KEY", "sk-new")
    assert path.read_bytes() == b"# from work \xff\n\nXAI_API_KEY=x1\nOPENAI_API_KEY=sk-new\n"


def test_a_forgotten_key_leaves_no_byte_behind(tmp_path: Path) -> None:
    change_key(tmp_path, "OPENAI_API_KEY", "sk-abc")
    change_key(tmp_path, "XAI_API_KEY", "x1")
    assert change_key(tmp_path, "OPENAI_API_KEY")
    assert not change_key(tmp_path, "OPENAI_API_KEY")
    assert read_keys(tmp_path) == {"XAI_API_KEY": "x1"}
    assert all(b"sk-abc" not in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o660, 0o644])
def test_a_file_that_others_can_touch_is_refused(tmp_path: Path, mode: int) -> None:
    path = lay(tmp_path, b"OPENAI_API_KEY=sk-canary\n", mode)
    for use in (lambda: read_keys(tmp_path), lambda: change_key(tmp_path, "XAI_API_KEY", "x1")):
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


@given(st.lists(st.tuples(st.sampled_from(sorted(KEY_VARIABLES.values())), VALUES), max_size=6))
def test_what_was_written_last_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, written: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("state")
    for variable, value in written:
        change_key(folder, variable, value)
    assert read_keys(folder) == dict(written)


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    backend = Hanging()
    yield backend
    backend.closed.set()


def ring(backend: KeyringBackend) -> Keyring:
    return Keyring(lambda: backend, PATIENCE)


def test_a_keyring_keeps_reads_and_forgets() -> None:
    backend = Memory()
    keyring = Keyring(lambda: backend)
    assert keyring.read("anthropic") is None
    assert keyring.write("anthropic", "sk-abc") is None
    assert backend.kept == {("memproc", "anthropic"): "sk-abc"}
    assert keyring.read("anthropic") == "sk-abc"
    assert keyring.forget("anthropic") is True
    assert keyring.forget("anthropic") is False
    assert backend.kept == {}


def test_a_keyring_that_does_not_answer_counts_as_not_there(hanging: Hanging) -> None:
    keyring = ring(hanging)
    for answer in (
        keyring.read("anthropic"),
        keyring.write("anthropic", "sk-abc"),
        keyring.forget("anthropic"),
    ):
        assert isinstance(answer, NoKeyring)
        assert "did not answer" in answer.reason


def test_no_second_question_waits_behind_one_that_hangs(hanging: Hanging) -> None:
    keyring = Keyring(lambda: hanging, 0.5)
    begun = monotonic()
    for provider in range(20):
        assert isinstance(keyring.read(str(provider)), NoKeyring)
    assert monotonic() - begun < 16 * 0.5
    hanging.closed.set()
    while isinstance(keyring.read("0"), NoKeyring):
        pass
    assert hanging.questions <= 3, "the nineteen others were never put to it"


def test_a_keyring_that_was_unlocked_meanwhile_answers_again(hanging: Hanging) -> None:
    keyring = ring(hanging)
    assert isinstance(keyring.read("anthropic"), NoKeyring)
    hanging.kept["memproc", "anthropic"] = "sk-abc"
    hanging.closed.set()
    while isinstance(found := keyring.read("anthropic"), NoKeyring):
        pass
    assert found == "sk-abc"


def test_an_error_of_the_keyring_tells_its_kind_and_none_of_its_words() -> None:
    backend = Blurting()
    backend.kept["memproc", "anthropic"] = "sk-canary"
    keyring = Keyring(lambda: backend)
    for answer, kind in (
        (keyring.read("anthropic"), "RuntimeError"),
        (keyring.write("anthropic", "sk-canary"), "ValueError"),
        (keyring.forget("anthropic"), "RuntimeError"),
    ):
        assert isinstance(answer, NoKeyring)
        assert kind in answer.reason
        assert "canary" not in repr(answer)


def test_a_keyring_that_keeps_nothing_is_found_out() -> None:
    answer = Keyring(Forgetful).write("anthropic", "sk-abc")
    assert isinstance(answer, NoKeyring)
    assert "did not keep it" in answer.reason


def test_three_seconds_are_waited_and_a_hanging_keyring_keeps_nobody_from_leaving() -> None:
    assert SECONDS == 3.0
    script = (
        "from threading import Event\n"
        "from daemon.config.keys import Keyring\n"
        "class Stuck:\n"
        "    def get_password(self, service, username): Event().wait()\n"
        "print(Keyring(Stuck, 0.1).read('anthropic').reason)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=30
    )
    assert "did not answer" in ended.stdout


@pytest.mark.parametrize(
    "backend", ["keyring.backends.null.Keyring", "keyring.backends.fail.Keyring"]
)
def test_the_librarys_own_empty_keyrings_count_as_not_there(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", backend)
    script = (
        "from daemon.config.keys import SYSTEM\n"
        "print(SYSTEM.read('anthropic').reason, SYSTEM.write('anthropic', 'sk-abc').reason, sep='; ')"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "this system has no keyring; this system has no keyring"


def test_a_backend_that_cannot_be_loaded_counts_as_not_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "nowhere.Keyring")
    script = "from daemon.config.keys import SYSTEM\nprint(SYSTEM.read('anthropic').reason)"
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "the system keyring failed (ModuleNotFoundError)"


def test_the_keyring_library_is_loaded_only_when_a_keyring_is_asked() -> None:
    script = "import sys, daemon.cli.key, daemon.config.keys, daemon.config.keys; print('keyring' in sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "False"
