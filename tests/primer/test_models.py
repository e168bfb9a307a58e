"""Small models and thinking: what we pass, what LiteLLM makes of it, and what its map says about each model."""

from collections.abc import Iterator
from typing import Any

import pytest

from daemon.models.catalogue import known_models, read_facts
from primer.models import KEY_VARIABLES, Model, meant_provider, small_model
from primer.retirement import find_successor
from primer.thinking import may_think, quiet_options, thinking_room
from tests.litellm_map import entries
from tests.server.asking import ask, asking_quote, litellm
from tests.server.server import ModelServer

# LiteLLM's own slips with pydantic, which warns of them.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Accessing the 'model_"),
    pytest.mark.filterwarnings("ignore:Items? '.*' on TypedDict class"),
]
NONE, LEAST, LOW = ({"reasoning_effort": effort} for effort in ("none", "minimal", "low"))
DISABLED = {"thinking": {"type": "disabled"}}
BETWEEN_TOOLS = {"thinking": {"type": "between_tools"}}


def own(provider: str) -> dict[str, dict[str, Any]]:
    """The provider's writing models by their LiteLLM names, with all that the map says of them."""
    found = {
        name if "/" in name else f"{provider}/{name}": fields
        for name, fields in entries().items()
        if fields.get("litellm_provider") == provider
        and fields.get("mode") in ("chat", "responses")
    }
    assert found
    return found


def passed_on(model: str) -> dict[str, Any]:
    """What LiteLLM would send beyond the messages, without sending it."""
    library = litellm()
    name, provider, _, _ = library.get_llm_provider(model=model)
    found: dict[str, Any] = library.utils.get_optional_params(
        model=name,
        custom_llm_provider=provider,
        drop_params=True,
        max_tokens=300,
        **quiet_options(model),
    )
    return found


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


# The two who pass on the models of many makers have none of their own that is small and plain.
@pytest.mark.parametrize("provider", sorted(KEY_VARIABLES.keys() - {"openrouter", "perplexity"}))
def test_a_small_model_is_the_providers_own_and_answers(provider: str) -> None:
    small = small_model(f"{provider}/any")
    assert small.startswith(f"{provider}/")
    assert small in known_models()
    assert find_successor(small) is None
    assert read_facts(small).ends_on is None
    assert (read_facts(small).window or 0) >= 100_000


def test_a_small_model_of_a_bare_name_is_found() -> None:
    assert small_model("gpt-4o") == small_model("openai/gpt-4o") == "openai/gpt-6-luna"
    assert small_model("claude-opus-5-5") == "anthropic/claude-haiku-5-5"


@pytest.mark.parametrize(
    "agent",
    ["ollama/llama3", "house-model", "openrouter/anthropic/claude-opus-5.5", "memproc/extractive"],
)
def test_where_no_small_model_is_known_the_agent_takes_both_roles(agent: str) -> None:
    assert small_model(agent) == agent


@pytest.mark.parametrize(
    ("model", "options", "thinks"),
    [
        ("anthropic/claude-haiku-5-5", DISABLED, False),
        ("claude-haiku-4-5", DISABLED, False),
        ("anthropic/claude-opus-5", DISABLED, False),
        ("vertex_ai/claude-sonnet-4-6", DISABLED, False),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", DISABLED, False),
        ("anthropic/claude-sonnet-5-5", BETWEEN_TOOLS, False),
        ("anthropic/claude-opus-5-5", LOW, True),
        ("anthropic/claude-fable-5-1", LOW, True),
        ("anthropic/claude-mythos-5", LOW, True),
        ("openai/gpt-4o", {}, False),
        ("gpt-4.1-mini", {}, False),
        ("openai/gpt-5-mini-2025-08-07", LEAST, True),
        ("openai/gpt-5.1", NONE, False),
        ("openai/gpt-5.6-luna", NONE, False),
        ("azure/gpt-5.4-mini", NONE, False),
        ("openai/gpt-6-luna", NONE, False),
        ("openai/gpt-6-astra", LOW, True),
        ("openai/gpt-6.1-sol", LOW, True),
        ("openai/gpt-6.1-terra", NONE, False),
        ("openai/gpt-5.5-pro", {}, True),
        ("openai/gpt-5-search-api", {}, False),
        ("openai/o3", LOW, True),
        ("openai/o3-pro", {}, True),
        ("gemini/gemini-2.5-flash", NONE, False),
        ("gemini/gemini-2.5-pro", LEAST, True),
        ("gemini/gemini-3.8-flash", NONE, True),
        ("vertex_ai/gemini-3.1-pro-preview", NONE, True),
        ("mistral/mistral-small-latest", NONE, False),
        ("mistral/magistral-medium-latest", {}, True),
        ("deepseek/deepseek-v4-flash", DISABLED, False),
        ("xai/grok-4.3", NONE, False),
        ("xai/grok-4.7", LOW, True),
        ("xai/grok-4.20-reasoning", {}, True),
        ("xai/grok-4.20-non-reasoning", {}, False),
        ("ollama/llama3", NONE, False),
        ("ollama_chat/qwen3", NONE, False),
        ("ollama_chat/gpt-oss:20b", LOW, True),
        ("openai/local-model", {}, False),
        ("openrouter/anthropic/claude-sonnet-5", {}, False),
        ("memproc/extractive", {}, False),
    ],
)
def test_a_model_is_kept_from_thinking_as_far_as_it_goes(
    model: str, options: object, thinks: bool
) -> None:
    assert quiet_options(model) == options
    assert (thinking_room(model) > 0) is thinks


def test_no_claude_that_always_thinks_is_told_not_to() -> None:
    for model, says in own("anthropic").items():
        refuses = says.get("thinking_always_on") is True
        assert (quiet_options(model) != DISABLED) is refuses, model


def test_no_model_of_openai_gets_an_effort_that_it_refuses() -> None:
    for model, says in own("openai").items():
        effort = quiet_options(model).get("reasoning_effort")
        assert says.get(f"supports_{effort}_reasoning_effort") is not False, model
        assert effort is None or says.get("supports_reasoning"), model
        if says.get("supports_none_reasoning_effort") and says["mode"] == "chat":
            assert effort == "none", model


def test_no_model_of_mistral_gets_an_effort_that_it_refuses() -> None:
    for model, says in own("mistral").items():
        levels = says.get("supported_reasoning_effort_levels") or says.get(
            "reasoning_effort_levels"
        )
        if levels and quiet_options(model):
            assert quiet_options(model)["reasoning_effort"] in levels, model


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("anthropic/claude-haiku-5-5", DISABLED),
        ("anthropic/claude-sonnet-5-5", BETWEEN_TOOLS),
        ("anthropic/claude-opus-5-5", {"output_config": {"effort": "low"}}),
        ("vertex_ai/claude-haiku-5-5", DISABLED),
        ("azure_ai/claude-haiku-5-5", DISABLED),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", DISABLED),
        ("openai/gpt-5.6-luna", NONE),
        ("openai/gpt-6-luna", NONE),
        ("openai/gpt-5-mini", LEAST),
        ("openai/o3", LOW),
        (
            "gemini/gemini-2.5-flash",
            {"thinkingConfig": {"thinkingBudget": 0, "includeThoughts": False}},
        ),
        (
            "gemini/gemini-2.5-pro",
            {"thinkingConfig": {"thinkingBudget": 128, "includeThoughts": True}},
        ),
        (
            "gemini/gemini-3.5-flash-lite",
            {"thinkingConfig": {"thinkingLevel": "minimal", "includeThoughts": False}},
        ),
        (
            "gemini/gemini-3.8-flash",
            {"thinkingConfig": {"thinkingLevel": "low", "includeThoughts": False}},
        ),
        (
            "gemini/gemini-3.1-pro-preview",
            {"thinkingConfig": {"thinkingLevel": "low", "includeThoughts": False}},
        ),
        ("deepseek/deepseek-v4-flash", DISABLED),
        ("mistral/mistral-small-latest", NONE),
        ("xai/grok-4.3", NONE),
        ("groq/openai/gpt-oss-20b", LOW),
        ("ollama/llama3", {"think": False}),
        ("ollama_chat/qwen3", {"think": False}),
        ("ollama_chat/gpt-oss:20b", {"think": "low"}),
    ],
)
def test_litellm_passes_it_on_as_the_provider_wants_it(
    model: str, parameters: dict[str, Any]
) -> None:
    assert passed_on(model).items() >= parameters.items()


@pytest.mark.parametrize(
    "model",
    [
        "openai/gpt-4o",
        "openai/local-model",
        "mistral/mistral-large-latest",
        "mistral/magistral-medium-latest",
    ],
)
def test_litellm_says_nothing_of_thinking_to_models_that_know_nothing_of_it(model: str) -> None:
    assert not [name for name in passed_on(model) if "reason" in name or "think" in name]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("anthropic/claude-haiku-5-5", DISABLED),
        ("anthropic/claude-sonnet-5-5", BETWEEN_TOOLS),
        ("anthropic/claude-opus-5-5", {"output_config": {"effort": "low"}}),
        ("anthropic/claude-haiku-4-5", DISABLED),
        ("ollama/local-model", {"think": False}),
        ("ollama_chat/local-model", {"think": False}),
    ],
)
def test_it_stands_in_the_request_that_is_sent(
    server: ModelServer, model: str, said: dict[str, Any]
) -> None:
    assert (
        ask(server, model, asking_quote(), **quiet_options(model)).choices[0].finish_reason
        == "stop"
    )
    assert server.requests[0].body.items() >= said.items()


def test_an_openai_model_is_told_so_in_the_request(server: ModelServer) -> None:
    ask(server, "openai/gpt-4o", asking_quote(), **quiet_options("openai/gpt-4o"))
    assert "reasoning_effort" not in server.requests[0].body


def test_a_model_thinks_where_it_always_does_or_the_person_lets_it() -> None:
    quiet = Model("anthropic/claude-sonnet-4-5", quiet_options("anthropic/claude-sonnet-4-5"))
    assert not may_think(quiet)
    assert not may_think(
        Model("ollama_chat/some", {**quiet_options("ollama_chat/some"), "temperature": 1})
    )
    assert not may_think(Model("somebody/unknown"))
    assert may_think(
        Model("anthropic/claude-opus-5-5", thinking_room=thinking_room("anthropic/claude-opus-5-5"))
    )
    assert may_think(Model(quiet.name, {"thinking": {"type": "enabled", "budget_tokens": 1024}}))
    assert may_think(Model("somebody/unknown", {"reasoning_effort": "high"}))


@pytest.mark.parametrize(
    ("said", "meant"),
    [("Claude", "anthropic"), ("gpt", "openai"), (" google ", "gemini"), ("xai", "xai"),
     ("claude-haiku-5-5", "anthropic"), ("ollama", ""), ("sk-ant-secret", ""), ("", "")],
)  # fmt: skip
def test_a_provider_is_meant_by_its_models_and_its_maker_too(said: str, meant: str) -> None:
    assert meant_provider(said) == meant
