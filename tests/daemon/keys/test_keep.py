"""Keys are kept in one place and forgotten in all that memproc can reach."""

from pathlib import Path

import pytest

from daemon.config.key_stores import Keyring, keys_file, read_keys
from daemon.config.keys import Key, KeyChange, find_key, forget_key, store_key
from rules.errors import ConfigurationError
from tests.daemon.keys.backends import Blurting, Hanging, Memory


def test_a_keyring_that_answers_is_where_a_key_goes(tmp_path: Path) -> None:
    backend = Memory()
    assert store_key(
        "anthropic", "sk-abc", tmp_path, "keyring", Keyring(lambda: backend)
    ) == KeyChange(("keyring",))
    assert backend.kept == {("memproc", "anthropic"): "sk-abc"}
    assert not keys_file(tmp_path).exists()


def test_a_keyring_that_hangs_leaves_the_key_to_the_file(tmp_path: Path) -> None:
    backend = Hanging()
    stored = store_key("anthropic", "sk-abc", tmp_path, "keyring", Keyring(lambda: backend, 0.05))
    backend.closed.set()
    assert stored.where == ("file",)
    assert "did not answer" in stored.no_keyring
    assert read_keys(tmp_path) == {"ANTHROPIC_API_KEY": "sk-abc"}


def test_a_keyring_that_fails_leaves_the_key_to_the_file(tmp_path: Path) -> None:
    stored = store_key("anthropic", "sk-abc", tmp_path, "keyring", Keyring(Blurting))
    assert stored == KeyChange(("file",), "the system keyring failed (ValueError)")


def test_whoever_wants_the_file_gets_it_without_the_keyring_being_asked(tmp_path: Path) -> None:
    backend = Memory()
    assert store_key(
        "anthropic", "sk-abc", tmp_path, "file", Keyring(lambda: backend)
    ) == KeyChange(("file",))
    assert backend.questions == 0


@pytest.mark.parametrize("first", ["keyring", "file"])
@pytest.mark.parametrize("second", ["keyring", "file"])
def test_the_key_that_was_set_last_is_the_one_that_is_found(
    tmp_path: Path, first: str, second: str
) -> None:
    backend = Memory()
    keyring = Keyring(lambda: backend)
    for value, prefer in (("sk-old", first), ("sk-new", second)):
        store_key("anthropic", value, tmp_path, "file" if prefer == "file" else "keyring", keyring)
    found = find_key("anthropic", {}, tmp_path, keyring)
    assert isinstance(found, Key)
    assert found.value == "sk-new"


def test_a_file_that_is_not_in_order_stops_a_key_before_it_is_anywhere(tmp_path: Path) -> None:
    keys_file(tmp_path).write_text("nonsense\n")
    keys_file(tmp_path).chmod(0o600)
    backend = Memory()
    with pytest.raises(ConfigurationError):
        store_key("anthropic", "sk-abc", tmp_path, "keyring", Keyring(lambda: backend))
    assert backend.kept == {}


def test_a_key_is_forgotten_in_both_places(tmp_path: Path) -> None:
    backend = Memory()
    keyring = Keyring(lambda: backend)
    store_key("anthropic", "sk-abc", tmp_path, "keyring", keyring)
    store_key("anthropic", "sk-abc", tmp_path, "file", keyring)
    store_key("openai", "sk-other", tmp_path, "file", keyring)
    assert forget_key("anthropic", tmp_path, keyring) == KeyChange(("file", "keyring"))
    assert forget_key("anthropic", tmp_path, keyring) == KeyChange(())
    assert backend.kept == {}
    assert read_keys(tmp_path) == {"OPENAI_API_KEY": "sk-other"}


def test_a_keyring_that_could_not_be_asked_is_told_when_a_key_is_forgotten(tmp_path: Path) -> None:
    store_key("anthropic", "sk-abc", tmp_path, "file")
    forgotten = forget_key("anthropic", tmp_path, Keyring(Blurting))
    assert forgotten == KeyChange(("file",), "the system keyring failed (RuntimeError)")
