"""The system keyring is asked politely and not for long, and says nothing about what it holds."""

import subprocess
import sys
from collections.abc import Iterator
from time import monotonic

import pytest
from keyring.backend import KeyringBackend

from daemon.config.keyring import SECONDS, Keyring, NoKeyring
from tests.daemon.keys.backends import Blurting, Forgetful, Hanging, Memory

PATIENCE = 0.05


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
    assert monotonic() - begun < 5 * 0.5
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
    assert ended.stdout.strip() == "is not there on this system; is not there on this system"


def test_a_backend_that_cannot_be_loaded_counts_as_not_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "nowhere.Keyring")
    script = "from daemon.config.keys import SYSTEM\nprint(SYSTEM.read('anthropic').reason)"
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "failed (ModuleNotFoundError)"


def test_the_keyring_library_is_loaded_only_when_a_keyring_is_asked() -> None:
    script = "import sys, daemon.cli.key, daemon.config.keys, daemon.config.keys; print('keyring' in sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "False"
