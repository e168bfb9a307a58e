"""What TypingMind calls a model, and what LiteLLM calls it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.models.catalogue import known_models
from primer.models import add_provider, own_model

UUID = "3f3f3f3f-0000-4000-8000-000000000001"
KNOWN = frozenset(known_models())


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("claude-3-5-sonnet-20241022", "anthropic/claude-3-5-sonnet-20241022"),
        ("claude-sonnet-5-5", "anthropic/claude-sonnet-5-5"),
        ("gpt-4o", "openai/gpt-4o"),
        ("chatgpt-4o-latest", "openai/chatgpt-4o-latest"),
        ("o1", "openai/o1"),
        ("o3-mini", "openai/o3-mini"),
        ("o4-mini-2025-04-16", "openai/o4-mini-2025-04-16"),
        ("gemini-3.8-flash", "gemini/gemini-3.8-flash"),
        ("grok-4.7", "xai/grok-4.7"),
        ("deepseek-v4-pro", "deepseek/deepseek-v4-pro"),
        ("deepseek-reasoner", "deepseek/deepseek-reasoner"),
        ("mistral-large-latest", "mistral/mistral-large-latest"),
        ("magistral-medium-latest", "mistral/magistral-medium-latest"),
        ("codestral-latest", "mistral/codestral-latest"),
        ("open-mistral-nemo", "mistral/open-mistral-nemo"),
    ],
)
def test_a_name_of_the_api_gets_its_provider(name: str, model: str) -> None:
    assert own_model([name]) == model


@pytest.mark.parametrize(
    ("name", "model"),
    [
        (" Claude-Sonnet-5-5 ", "anthropic/claude-sonnet-5-5"),
        ("claude-3-7-sonnet-20250219-thinking", "anthropic/claude-3-7-sonnet-20250219"),
        ("claude-3-7-sonnet-latest-thinking", "anthropic/claude-3-7-sonnet"),
        ("claude-opus-4-6-max", "anthropic/claude-opus-4-6"),
        ("claude-sonnet-4-6:thinking", "anthropic/claude-sonnet-4-6"),
        ("claude-sonnet-4.5", "anthropic/claude-sonnet-4-5"),
        ("claude-3-5-sonnet@20240620", "anthropic/claude-3-5-sonnet-20240620"),
        ("claude-opus-4-8@default", "anthropic/claude-opus-4-8"),
        ("claude-2.1", "anthropic/claude-2.1"),
        ("claude-instant-1.2", "anthropic/claude-instant-1.2"),
        ("o3-mini-high", "openai/o3-mini"),
        ("gpt-5.6-sol-low", "openai/gpt-5.6-sol"),
        ("gpt-5.1-codex-max", "openai/gpt-5.1-codex-max"),
        ("mistral-medium", "mistral/mistral-medium"),
    ],
)
def test_a_variant_of_the_client_becomes_the_name_of_the_api(name: str, model: str) -> None:
    assert own_model([name]) == model


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("anthropic/claude-3.5-sonnet", "anthropic/claude-3-5-sonnet"),
        ("anthropic/claude-3.7-sonnet:thinking", "anthropic/claude-3-7-sonnet"),
        ("google/gemini-2.5-pro", "gemini/gemini-2.5-pro"),
        ("x-ai/grok-4.7", "xai/grok-4.7"),
        ("mistralai/mistral-large-2512", "mistral/mistral-large-2512"),
        ("openrouter/anthropic/claude-sonnet-4.5", "openrouter/anthropic/claude-sonnet-4.5"),
    ],
)
def test_a_name_with_its_vendor_is_the_vendors_model(name: str, model: str) -> None:
    assert own_model([name]) == model


@pytest.mark.parametrize(
    "name",
    [
        UUID, "", " ", "custom", "Claude 3.5 Sonnet", "My Claude", "m", "kxecrzvvc1", "claude", "llama-3.3-70b",
        "mistral-7b-instruct", "deepseek-r1-distill-llama-70b", "gpt-oss-120b", "ada-claude-3", "o", "open-ai",
        "openai/claude-3.5-sonnet", "somebody/gpt-4o", "meta-llama/llama-3", "openrouter/auto", "claude-3\nopus",
    ],
)  # fmt: skip
def test_what_names_no_family_is_unknown(name: str) -> None:
    assert own_model([name]) is None


@pytest.mark.parametrize(
    "name",
    [
        "gpt-image-1",
        "gpt-4o-transcribe",
        "gpt-4o-realtime-preview",
        "gemini-3-pro-image",
        "gpt-audio-mini",
    ],
)
def test_a_model_of_images_or_sound_writes_no_memory(name: str) -> None:
    assert own_model([name, "gpt-4o"]) == "openai/gpt-4o"


def test_the_first_name_that_says_something_counts() -> None:
    assert own_model([UUID, "Ada", "claude-opus-5-5", "gpt-4o"]) == "anthropic/claude-opus-5-5"
    assert own_model([]) is None


def test_a_configured_name_gets_the_provider_that_litellm_would_find() -> None:
    assert add_provider("gpt-4o") == "openai/gpt-4o"
    assert add_provider("ollama/llama3") == "ollama/llama3"
    assert add_provider("house-model") == "house-model"


@pytest.mark.parametrize(
    "provider", ["anthropic", "openai", "gemini", "xai", "deepseek", "mistral"]
)
def test_every_writing_model_of_litellms_map_is_found_by_its_bare_name(provider: str) -> None:
    families = (
        "claude-",
        "gpt-",
        "o1",
        "o3",
        "o4",
        "gemini-",
        "grok-",
        "deepseek-v",
        "mistral-",
        "magistral-",
    )
    other = ("audio", "-image", "-live", "-tts", "streaming")
    bare = {name: name.partition("/")[2] for name in KNOWN if name.startswith(f"{provider}/")}
    walked = {
        name: rest
        for name, rest in bare.items()
        if rest.startswith(families) and not any(word in rest for word in other)
    }
    assert len(walked) > 3
    wrong = {
        name: own_model([rest]) for name, rest in walked.items() if own_model([rest]) not in KNOWN
    }
    assert set(wrong) <= {"mistral/mistral-vibe-cli-latest", "mistral/mistral-vibe-cli-with-tools",
                          "mistral/mistral-vibe-cli-fast", "mistral/mistral-code-latest",
                          "mistral/mistral-code-fim-latest", "mistral/mistral-code-agent-latest",
                          "mistral/deepseek-v4-1-flash-1017"}  # fmt: skip


@given(st.sampled_from(sorted(KNOWN)))
def test_finding_a_model_again_changes_nothing(name: str) -> None:
    found = own_model([name])
    assert found is None or own_model([found]) == found


@given(st.lists(st.text(max_size=40)))
def test_no_text_is_too_odd_to_be_looked_at(names: list[str]) -> None:
    found = own_model(names)
    assert found is None or "/" in found
