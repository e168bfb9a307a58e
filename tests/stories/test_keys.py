"""`memproc key`: a key is kept, found, tried and forgotten, and never shown."""

import os
import pty
import select
import stat
import subprocess
import sys
import termios
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from keyring import core

from daemon.config.key_stores import keys_file, read_keys
from tests.server.child import serve
from tests.stories.canary import CANARY, sings
from tests.stories.person import Ended, Person

pytestmark = pytest.mark.timeout(200)


@pytest.fixture(autouse=True)
def children_find_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(root / "tests" / "guard"), str(root)]))


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A system keyring that works; where it keeps what it is given."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "tests.daemon.keys.backends.InAFile")
    monkeypatch.setenv("MEMPROC_TEST_KEYRING", str(tmp_path / "keyring.json"))
    return tmp_path / "keyring.json"


def key(person: Person, *arguments: str, said: bytes = b"") -> Ended:
    """Run `memproc key` with something on its standard input, and the keyring that the environment names."""
    core.init_backend()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(said)))
        ended = person.memproc("key", *arguments)
    assert not sings(ended.out + ended.err)
    return ended


def state(person: Person) -> Path:
    return person.home / "state"


def test_a_key_goes_into_the_keyring_and_out_again(ada: Person, keyring: Path) -> None:
    ended = key(ada, "set", "Anthropic", said=f" {CANARY} \r\n".encode())
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "The key for anthropic is kept in the system keyring.\n"
    assert CANARY in keyring.read_text()
    assert not keys_file(state(ada)).exists()
    assert key(ada, "test", "--no-call").out == "anthropic: there is a key in the system keyring.\n"
    assert (
        key(ada, "forget", "anthropic").out
        == "The key for anthropic was taken out of the system keyring.\n"
    )
    assert not sings(keyring.read_text())
    assert key(ada, "forget", "anthropic").out == "No key for anthropic was kept.\n"


def test_without_a_keyring_a_key_goes_into_a_file_for_its_owner_alone(ada: Person) -> None:
    ended = key(ada, "set", "openai", said=CANARY.encode())
    assert (ended.code, ended.err) == (0, "")
    assert "this system has no keyring" in ended.out
    path = keys_file(state(ada))
    assert str(path) in ended.out
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert read_keys(state(ada)) == {"OPENAI_API_KEY": CANARY}
    assert str(path) in key(ada, "test", "openai", "--no-call").out
    assert "keyring" in key(ada, "forget", "openai").out, "it could not be asked, so that is said"
    assert read_keys(state(ada)) == {}


def test_a_keyring_that_never_answers_is_not_waited_for(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "tests.daemon.keys.backends.Stuck")
    ended = key(ada, "set", "openai", said=CANARY.encode())
    assert (ended.code, ended.err) == (0, "")
    assert "did not answer in time" in ended.out
    assert read_keys(state(ada)) == {"OPENAI_API_KEY": CANARY}


def test_whoever_asks_for_the_file_gets_it(ada: Person, keyring: Path) -> None:
    assert key(ada, "set", "openai", "--file", said=CANARY.encode()).code == 0
    assert read_keys(state(ada)) == {"OPENAI_API_KEY": CANARY}
    assert not keyring.exists()


def test_a_key_in_the_environment_counts_first_and_that_is_said(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", CANARY)
    assert (
        "GOOGLE_API_KEY is set in the environment, and counts before it"
        in key(ada, "set", "gemini", said=b"another").out
    )
    assert "the environment (GOOGLE_API_KEY)" in key(ada, "test", "gemini", "--no-call").out
    assert "GOOGLE_API_KEY is still set in the environment" in key(ada, "forget", "gemini").out


@pytest.mark.parametrize(
    "said", [b"", b"\n", b"two words", CANARY.encode() + b" x", b"\xff", b"a\x00b", "ключ".encode()]
)
def test_what_cannot_be_a_key_is_refused(ada: Person, said: bytes) -> None:
    ended = key(ada, "set", "openai", said=said)
    assert ended.code == 2
    assert "Nothing was kept: the key " in ended.err
    assert not state(ada).exists()


def test_a_key_as_an_argument_is_refused_and_not_repeated(ada: Person) -> None:
    for arguments in (
        ["set", CANARY],
        ["set", "openai", CANARY],
        ["forget", CANARY],
        ["test", CANARY],
    ):
        ended = key(ada, *arguments, said=b"another")
        assert ended.code == 2
    assert not state(ada).exists()


def test_a_provider_that_needs_no_key_is_refused_with_those_that_do(ada: Person) -> None:
    for provider in ("ollama", ""):
        ended = key(ada, "set", provider, said=CANARY.encode())
        assert ended.code == 2
        assert "anthropic" in ended.err


def test_a_file_that_others_can_read_stops_everything_with_the_remedy(ada: Person) -> None:
    key(ada, "set", "openai", said=CANARY.encode())
    keys_file(state(ada)).chmod(0o644)
    for arguments in (["test", "--no-call"], ["forget", "openai"], ["set", "openai"]):
        ended = key(ada, *arguments, said=b"another")
        assert ended.code == 2
        assert f"chmod 600 {keys_file(state(ada))}" in ended.err


def test_no_key_at_all_is_told_with_the_next_step(ada: Person) -> None:
    ended = key(ada, "test")
    assert (ended.code, ended.out) == (1, "")
    assert "memproc key set PROVIDER" in ended.err
    ended = key(ada, "test", "xai")
    assert (ended.code, ended.out) == (1, "")
    assert "XAI_API_KEY is not set" in ended.err


def test_the_key_is_not_shown_while_it_is_typed(ada: Person) -> None:
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        ada.argv("key", "set", "openai"), stdin=theirs, stdout=theirs, stderr=theirs,
        cwd=ada.home, start_new_session=True,
    )  # fmt: skip
    with running:
        seen = b""
        while b"Key for openai" not in seen or termios.tcgetattr(theirs)[3] & termios.ECHO:
            seen += os.read(ours, 4096) if select.select([ours], [], [], 0.05)[0] else b""
        os.write(ours, CANARY.encode() + b"\n")
        assert running.wait(60) == 0
        while select.select([ours], [], [], 0)[0]:
            seen += os.read(ours, 4096)
    os.close(theirs)
    os.close(ours)
    assert b"is kept in" in seen
    assert not sings(seen)
    assert read_keys(state(ada)) == {"OPENAI_API_KEY": CANARY}


@pytest.mark.long
def test_a_key_is_tried_with_the_model_that_is_configured(
    ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key(ada, "set", "openai", said=CANARY.encode())
    with serve(tmp_path / "server", {"key": CANARY}) as server:
        ada.settings(
            f'[models]\nagent = "openai/local-model"\n[models.options."openai/*"]\napi_base = "{server.url}/v1"\n'
        )
        ended = key(ada, "test", "openai")
        assert ended.out.endswith("openai: the key works; openai/local-model has answered.\n")
        assert (ended.code, ended.err) == (0, "")
        assert len(server.meter.answered) == 1


@pytest.mark.long
def test_a_wrong_key_is_told_in_one_sentence(
    ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key(ada, "set", "anthropic", said=CANARY.encode())
    key(ada, "allow", "anthropic", "127.0.0.1")
    with serve(tmp_path / "server", {"key": "the right one"}) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        ended = key(ada, "test", "anthropic")
    assert ended.code == 1
    assert (
        ended.err
        == "anthropic: The provider of anthropic/claude-haiku-5-5 does not accept the key.\n"
    )


def test_a_provider_without_a_known_model_is_not_asked(ada: Person) -> None:
    key(ada, "set", "openrouter", said=CANARY.encode())
    ended = key(ada, "test", "openrouter")
    assert ended.code == 0
    assert "the key was not tried" in ended.out
