"""Where a key is found: the environment, then the file, then the keyring."""

from pathlib import Path

import pytest

from daemon.config.key_stores import Keyring, change_key
from daemon.config.keys import Key, NoKey, find_key, set_variables
from rules.errors import ConfigurationError
from tests.daemon.keys.backends import Blurting, Memory

ENVIRON = {"ANTHROPIC_API_KEY": " from-environment\n"}


def ring(**kept: str) -> Keyring:
    backend = Memory()
    backend.kept = {("memproc", provider): value for provider, value in kept.items()}
    return Keyring(lambda: backend)


def test_the_environment_counts_before_the_file_and_the_file_before_the_keyring(
    tmp_path: Path,
) -> None:
    keyring = ring(anthropic="from-keyring")
    found = find_key("anthropic", {}, tmp_path, keyring)
    assert found == Key("from-keyring", "keyring")
    change_key(tmp_path, "ANTHROPIC_API_KEY", "from-file")
    assert find_key("anthropic", {}, tmp_path, keyring) == Key("from-file", "file")
    assert find_key("anthropic", ENVIRON, tmp_path, keyring) == Key(
        "from-environment", "environment"
    )
    assert find_key("openai", ENVIRON, tmp_path, ring()) == find_key("openai", {}, tmp_path, ring())


def test_what_systemd_hands_over_counts_before_the_file_and_after_the_environment(
    tmp_path: Path,
) -> None:
    change_key(tmp_path, "ANTHROPIC_API_KEY", "from-file")
    handed = tmp_path / "credentials"
    handed.mkdir()
    environ = {"CREDENTIALS_DIRECTORY": str(handed)}
    assert find_key("anthropic", environ, tmp_path, ring()) == Key("from-file", "file")
    (handed / "ANTHROPIC_API_KEY").write_text("-\n")
    assert find_key("anthropic", environ, tmp_path, ring()) == Key("from-file", "file"), (
        "its file is gone"
    )
    (handed / "ANTHROPIC_API_KEY").write_text("from-systemd\n")
    assert find_key("anthropic", environ, tmp_path, ring()) == Key("from-systemd", "credential")
    assert find_key("anthropic", environ | ENVIRON, tmp_path, ring()) == Key(
        "from-environment", "environment"
    )


def test_an_empty_variable_is_no_key(tmp_path: Path) -> None:
    assert isinstance(find_key("anthropic", {"ANTHROPIC_API_KEY": "  "}, tmp_path, ring()), NoKey)


def test_every_name_that_litellm_reads_is_looked_at(tmp_path: Path) -> None:
    found = find_key("gemini", {"GOOGLE_API_KEY": "abc"}, tmp_path, ring())
    assert found == Key("abc", "environment")
    both = {"GOOGLE_API_KEY": "abc", "GEMINI_API_KEY": "def"}
    assert set_variables("gemini", both) == ("GEMINI_API_KEY", "GOOGLE_API_KEY")


def test_nowhere_is_told_with_every_place_that_was_looked_at(tmp_path: Path) -> None:
    found = find_key("anthropic", {}, tmp_path, ring())
    assert isinstance(found, NoKey)
    for place in ("ANTHROPIC_API_KEY", str(tmp_path / "keys.env"), "keyring has no key"):
        assert place in found.reason
    found = find_key("anthropic", {}, tmp_path, Keyring(Blurting))
    assert isinstance(found, NoKey)
    assert "keyring failed (RuntimeError)" in found.reason


@pytest.mark.parametrize("provider", ["ollama", "memproc", "bedrock", ""])
def test_a_provider_without_a_key_of_ours_asks_no_keyring(tmp_path: Path, provider: str) -> None:
    backend = Memory()
    assert isinstance(find_key(provider, ENVIRON, tmp_path, Keyring(lambda: backend)), NoKey)
    assert backend.questions == 0


@pytest.mark.parametrize(
    "value", ["sk-canary\nsecond-line", "sk-canary with spaces", "sk-canary\x7f", "sk-canaryé"]
)
def test_a_value_that_cannot_travel_is_refused_and_not_repeated(tmp_path: Path, value: str) -> None:
    with pytest.raises(ConfigurationError, match="ANTHROPIC_API_KEY in the environment") as told:
        find_key("anthropic", {"ANTHROPIC_API_KEY": value}, tmp_path, ring())
    assert "canary" not in str(told.value)
    with pytest.raises(ConfigurationError, match="keyring") as told:
        find_key("anthropic", {}, tmp_path, ring(anthropic=value))
    assert "canary" not in str(told.value)
