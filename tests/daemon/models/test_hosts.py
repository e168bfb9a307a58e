"""Keys go to their provider, and elsewhere only where the person has agreed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from daemon.config.keys import Key, NoKey, Where
from daemon.config.loading import parse_settings
from daemon.config.model_tables import ModelSettings
from daemon.files.write import TEMPORARY
from daemon.models import hosts
from daemon.models.hosts import (
    allow,
    find_addresses,
    host_of,
    hosts_file,
    is_local,
    is_loopback,
    list_allowed_hosts,
    server_address,
)
from primer.models import Model, Unaskable, provider_of
from rules.errors import ConfigurationError

CLAUDE, GPT = "anthropic/claude-haiku-5-5", "openai/gpt-4o"
ELSEWHERE: dict[str, Any] = {"api_base": "https://llm.example.org/v1"}


def kept(where: Where) -> Callable[[str], Key | NoKey]:
    return lambda provider: Key("k", where)


def nowhere(provider: str) -> Key | NoKey:
    return NoKey(provider, "this is a test")


def settings(*, found_here: bool = False, **options: object) -> ModelSettings:
    named = ModelSettings(options=options)
    return named.as_found_here() if found_here else named


def refusal(name: str, own: ModelSettings, find: Callable[[str], Key | NoKey]) -> Unaskable | None:
    return hosts.refusal(name, own, find(provider_of(name)))


def command(name: str, own: ModelSettings, find: Callable[[str], Key | NoKey]) -> str:
    """What the person is told to do; empty where the model can be asked."""
    refused = refusal(name, own, find)
    return refused.next_step if refused else ""


@pytest.mark.parametrize("where", ["environment", "credential", "file", "keyring"])
def test_every_key_goes_to_its_providers_own_address(where: Where) -> None:
    for own in (
        settings(),
        settings(found_here=True),
        settings(api_base="https://api.anthropic.com", found_here=True),
    ):
        assert refusal(CLAUDE, own, kept(where)) is None
    assert (
        refusal(
            GPT, settings(base_url="https://eu.api.openai.com/v1", found_here=True), kept(where)
        )
        is None
    )


@pytest.mark.parametrize("where", ["environment", "credential", "file", "keyring"])
def test_a_host_in_a_configuration_that_the_person_named_is_agreed(where: Where) -> None:
    assert refusal(CLAUDE, settings(**ELSEWHERE), kept(where)) is None


@pytest.mark.parametrize("where", ["environment", "credential", "file", "keyring"])
@pytest.mark.parametrize(
    "options",
    [
        ELSEWHERE,
        {"base_url": "https://llm.example.org"},
        {"API_BASE": "llm.example.org:8443"},
        {"anthropic/*": ELSEWHERE},
        {"extra_body": {"routes": [{"callback": "https://llm.example.org/x"}]}},
        {"proxy": "llm.example.org:3128"},
        {"extra_headers": {"Host": "llm.example.org"}},
        {"api_base": "https://api.anthropic.com", "base_url": "https://llm.example.org"},
        {"api_base": "https://api.anthropic.com@llm.example.org/"},
    ],
)
def test_a_file_found_in_the_current_folder_names_no_host(
    where: Where, options: dict[str, Any]
) -> None:
    own = settings(found_here=True, **options)
    assert (
        command(CLAUDE, own, kept(where))
        == "If you agree: memproc key allow anthropic llm.example.org"
    )
    allow("anthropic", "llm.example.org")
    assert refusal(CLAUDE, own, kept(where)) is None


def test_a_file_found_in_the_current_folder_names_no_host_for_providers_whose_keys_memproc_does_not_keep() -> (
    None
):
    own = settings(found_here=True, **ELSEWHERE)
    assert (
        command("azure/gpt", own, nowhere)
        == "If you agree: memproc key allow azure llm.example.org"
    )
    assert refusal("azure/gpt", settings(**ELSEWHERE), nowhere) is None
    by_region = settings(found_here=True, vertex_location="llm.example.org/")
    assert command("vertex_ai/gemini", by_region, nowhere).endswith("vertex_ai llm.example.org")
    assert (
        refusal(
            "vertex_ai/gemini", settings(found_here=True, vertex_location="europe-west4"), nowhere
        )
        is None
    )
    assert command(
        "huggingface/https://llm.example.org/x", settings(found_here=True), nowhere
    ).endswith("huggingface llm.example.org")


def test_a_file_found_in_the_current_folder_may_name_a_server_of_ones_own_that_gets_no_key() -> (
    None
):
    own = settings(found_here=True, api_base="http://127.0.0.1:11434")
    assert refusal("ollama_chat/llama", own, nowhere) is None
    assert refusal(GPT, own, nowhere) is None
    assert command(GPT, own, kept("keyring")).endswith("memproc key allow openai 127.0.0.1")


def test_options_that_name_no_host_are_no_matter() -> None:
    headers = {"HTTP-Referer": "https://my.example.org", "X-Title": "memproc"}
    own = settings(
        found_here=True, temperature=0.7, stop=["a"], service_tier="flex", extra_headers=headers
    )
    assert refusal("openrouter/x/y", own, kept("keyring")) is None


@pytest.mark.parametrize(
    ("variable", "name"),
    [
        ("ANTHROPIC_API_BASE", CLAUDE), ("ANTHROPIC_BASE_URL", CLAUDE), ("OPENAI_BASE_URL", GPT),
        ("OPENAI_API_BASE", GPT), ("XAI_API_BASE", "xai/grok"),
    ],
)  # fmt: skip
def test_a_host_in_the_environment_is_agreed_for_a_key_in_the_same_environment(
    variable: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "https://llm.example.org")
    for own in (settings(), settings(found_here=True)):
        assert refusal(name, own, kept("environment")) is None
        assert refusal(name, own, kept("credential")) is None
        for where in ("file", "keyring"):
            assert command(name, own, kept(where)).endswith(
                f"memproc key allow {name.partition('/')[0]} llm.example.org"
            )
    allow(name.partition("/")[0], "llm.example.org")
    assert refusal(name, settings(), kept("keyring")) is None


@pytest.mark.parametrize("find", [kept("environment"), kept("keyring")])
def test_no_key_goes_over_plain_http_whatever_is_allowed(
    find: Callable[[str], Key | NoKey], monkeypatch: pytest.MonkeyPatch
) -> None:
    for host in ("llm.example.org", "192.168.1.5", "api.anthropic.com", "127.0.0.1.example.org"):
        allow("anthropic", host)
        for own in (
            settings(api_base=f"http://{host}:80"),
            settings(api_base=host),
            settings(api_base=f"HTTP://{host}"),
        ):
            refused = refusal(CLAUDE, own, find)
            assert refused is not None
            assert "plain HTTP" in refused.reason
            assert "https://" in refused.next_step
    monkeypatch.setenv("ANTHROPIC_API_BASE", "http://llm.example.org")
    refused = refusal(CLAUDE, settings(), find)
    assert refused is not None
    assert "ANTHROPIC_API_BASE" in refused.reason
    for host in ("127.0.0.1", "127.8.9.10", "localhost", "[::1]"):
        assert refusal(CLAUDE, settings(api_base=f"http://{host}:8000"), find) is None
    assert refusal(CLAUDE, settings(api_base="http://192.168.1.5"), nowhere) is None, (
        "no key goes there"
    )


@pytest.mark.parametrize("name", [CLAUDE, "hosted_vllm/some-model"])
def test_a_key_in_a_header_of_the_configuration_does_not_go_over_plain_http_either(
    name: str,
) -> None:
    def plan(header: str, value: str) -> str:
        own = settings(api_base="http://llm.example.org", extra_headers={header: value})
        return getattr(refusal(name, own, nowhere), "reason", "")

    assert "plain HTTP" in plan("Authorization", "Bearer k")
    assert "plain HTTP" in plan("x-api-key", "k")
    assert (
        plan("Authorization", "Bearer none")
        == plan("x-api-key", "lemonade")
        == plan("X-Team", "k")
        == ""
    )


@pytest.mark.parametrize(
    "key", ["sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz", "0123456789abcdef0123456789abcdef"]
)
def test_a_key_in_the_place_of_an_address_is_not_shown(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_BASE", key)
    for options in ({}, {"api_base": key}, {"api_base": f"https://{key}/v1"}):
        assert [address.host for address in find_addresses(CLAUDE, options)] == ["(unreadable)"]
    refused = refusal(CLAUDE, settings(), kept("keyring"))
    assert refused is not None
    assert key.lower() not in f"{refused}".lower()
    for host in ("localhost", "nas", "llm.example.org", "2001:db8:85a3:8d3:1319:8a2e:370:7348"):
        assert host_of(f"http://[{host}]/" if ":" in host else f"http://{host}/") == host


def test_loopback_is_this_machine_alone() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.255.0.1", "::1", "localhost")))
    assert not any(
        map(is_loopback, ("128.0.0.1", "0.0.0.0", "localhost.example.org", "10.0.0.1", "::2", ""))
    )


def test_of_two_addresses_the_one_counts_at_which_litellm_asks() -> None:
    both = {"api_base": "http://127.0.0.1:8080", "base_url": "https://llm.example.org/v1"}
    assert not is_local(Model("openai/gpt-4o", both)), "calls that cost money would count as free"
    assert server_address("openai/gpt-4o", both) == "https://llm.example.org"
    assert Model("openai/gpt-4o", both).base == "https://llm.example.org/v1"


def test_an_address_that_is_not_the_providers_own_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    (address,) = find_addresses(CLAUDE, ELSEWHERE)
    assert (address.host, address.named_by) == ("llm.example.org", "api_base in memproc.toml")
    assert find_addresses(CLAUDE, {"api_base": "https://api.anthropic.com"}) == ()
    assert find_addresses("ollama/llama", {"api_base": "http://localhost:11434"}) == ()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://b.example.org")
    assert find_addresses(CLAUDE, {})[0].named_by == "ANTHROPIC_BASE_URL in the environment"
    assert find_addresses(CLAUDE, ELSEWHERE)[0].host == "llm.example.org", (
        "what the configuration says counts first"
    )


def test_what_is_allowed_is_kept_for_the_person_alone_and_can_be_taken_back() -> None:
    allow("openai", "a.example.org")
    allow("openai", "b.example.org")
    assert allow("openai", "a.example.org")
    assert hosts_file().stat().st_mode & 0o777 == 0o600
    assert list_allowed_hosts() == (("openai", "b.example.org"), ("openai", "a.example.org"))
    assert allow("openai", "a.example.org", forget=True)
    assert not allow("openai", "a.example.org", forget=True)
    assert list_allowed_hosts() == (("openai", "b.example.org"),)


def test_a_list_that_others_can_write_allows_nothing() -> None:
    allow("openai", "a.example.org")
    hosts_file().chmod(0o666)
    with pytest.raises(ConfigurationError, match="changed by others"):
        list_allowed_hosts()
    hosts_file().chmod(0o644)
    assert list_allowed_hosts() == (("openai", "a.example.org"),)


def test_what_a_killed_command_left_beside_the_list_is_swept_at_the_next_change() -> None:
    allow("openai", "a.example.org")
    left = hosts_file().with_name(f"{TEMPORARY}of-a-kill")
    left.write_bytes(b"# Hosts that keys")
    allow("openai", "b.example.org")
    assert list(hosts_file().parent.iterdir()) == [hosts_file()]


def test_an_override_of_a_file_found_in_the_current_folder_is_of_that_file_too(
    tmp_path: Path,
) -> None:
    text = b'[[chats.override]]\nchat = "*"\n[chats.override.models.options]\napi_base = "https://llm.example.org"\n'
    config = parse_settings(text, tmp_path / "memproc.toml").as_found_here()
    (override,) = config.chats.override
    own = config.with_override(override).models
    assert own.found_here
    assert command(CLAUDE, own, kept("keyring")).endswith(
        "memproc key allow anthropic llm.example.org"
    )
