"""Keys: who needs one, and where it is. None is ever shown."""

from pathlib import Path

from daemon.config.keys import Key, NoKey
from daemon.status.model_checks import check_keys, key_files
from service.unit import NOT_INSTALLED
from tests.chats import long_chat
from tests.daemon.status.places import a_key, archived, machine, one, place
from tests.nokeys import no_keys

CONFIGURED = {"models": {"agent": "openai/gpt-6-luna", "context_manager": "openai/gpt-6-luna"}}


def in_the_environment(provider: str) -> Key | NoKey:
    return Key("k-secret", "environment")


def test_where_no_model_is_known_no_key_is_missed(tmp_path: Path) -> None:
    assert one(list(check_keys(place(tmp_path, key=no_keys)))).level == "ok"


def test_a_key_is_told_by_where_it_is_and_never_shown(tmp_path: Path) -> None:
    found = one(list(check_keys(place(tmp_path, CONFIGURED))))
    assert (found.name, found.level) == ("key openai", "ok")
    assert "keyring" in found.text
    assert "k-secret" not in found.text


def test_a_configured_model_without_a_key_is_an_error(tmp_path: Path) -> None:
    found = one(list(check_keys(place(tmp_path, CONFIGURED, key=no_keys))))
    assert (found.level, found.remedy) == ("error", "memproc key set openai")


def test_a_chat_whose_own_model_has_no_key_is_a_warning_since_the_engine_does_its_work(
    tmp_path: Path,
) -> None:
    at = place(tmp_path, key=no_keys)
    archived(at, long_chat(500, chatTitle="The tower"))
    found = one(list(check_keys(at)))
    assert (found.name, found.level) == ("key anthropic", "warning")
    assert "The tower" in found.text


def test_an_override_without_a_key_is_an_error_too(tmp_path: Path) -> None:
    override = {"chat": "x", "models": {"agent": "mistral/mistral-small-latest"}}
    at = place(tmp_path, {"chats": {"override": [override]}}, key=no_keys)
    assert (one(list(check_keys(at))).name, one(list(check_keys(at))).level) == (
        "key mistral",
        "error",
    )


def test_a_server_of_one_s_own_needs_none(tmp_path: Path) -> None:
    own = {**CONFIGURED["models"], "options": {"api_base": "http://localhost:1"}}
    assert one(list(check_keys(place(tmp_path, {"models": own}, key=no_keys)))).level == "ok"


def test_a_key_in_the_shell_alone_is_not_the_service_s(tmp_path: Path) -> None:
    at = place(tmp_path, CONFIGURED, key=in_the_environment)
    assert one(list(check_keys(at))).level == "warning"
    alone = place(
        tmp_path,
        CONFIGURED,
        key=in_the_environment,
        machine=machine(tmp_path, service=NOT_INSTALLED),
    )
    assert one(list(check_keys(alone))).level == "ok"


def test_a_key_that_systemd_hands_over_is_enough_for_the_service(tmp_path: Path) -> None:
    at = place(tmp_path, CONFIGURED, key=no_keys)
    at.credentials.mkdir()
    (at.credentials / "OPENAI_API_KEY").touch(mode=0o600)
    assert one(list(check_keys(at))).level == "ok"


def test_a_file_of_keys_that_others_can_read_is_an_error(tmp_path: Path) -> None:
    at = place(tmp_path, key=a_key)
    assert one(list(key_files(at))).level == "ok"
    file = at.folders.state / "keys.env"
    file.write_text("OPENAI_API_KEY=k-secret\n")
    file.chmod(0o600)
    assert "1" in one(list(key_files(at))).text
    file.chmod(0o644)
    found = one(list(key_files(at)))
    assert found.level == "error"
    assert "chmod 600" in found.remedy
