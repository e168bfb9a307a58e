"""A key is tried with one tiny question, to the model that would be asked anyway."""

from datetime import date

import pytest

from daemon.config.keys import Key
from daemon.config.model_tables import ModelSettings
from daemon.models.completion import Completion
from daemon.models.key_trial import KeyTrial, try_key
from primer.models import small_model
from primer.reply import Request
from rules.errors import NotNow, ProviderRefuses

TODAY = date(2026, 11, 27)
KEY = Key("sk-canary", "file")
HAIKU = "anthropic/claude-haiku-5-5"


class Provider:
    """Answers every question with one word, and remembers them."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Completion:
        self.asked.append(request)
        return Completion("Yes", "stop", 10, 1, 0, 0, None)


def test_the_small_model_of_the_provider_is_asked_once_with_the_key() -> None:
    provider = Provider()
    assert try_key("anthropic", KEY, ModelSettings(), provider, TODAY) == KeyTrial(
        small_model("anthropic/")
    )
    (request,) = provider.asked
    assert request.route["api_key"] == "sk-canary"
    assert isinstance(request.parameters["max_tokens"], int)
    assert request.parameters["max_tokens"] < 1000
    assert "canary" not in f"{request!r} {request.parameters} {request.messages}"


@pytest.mark.parametrize("role", ["agent", "context_manager", "fallback"])
def test_a_model_that_is_configured_is_asked_with_its_own_options(role: str) -> None:
    provider = Provider()
    settings = ModelSettings.model_validate(
        {role: "openai/own-model", "options": {"openai/*": {"api_base": "http://127.0.0.1:9/v1"}}}
    )
    assert try_key("openai", KEY, settings, provider, TODAY) == KeyTrial("openai/own-model")
    assert provider.asked[0].route["api_base"] == "http://127.0.0.1:9/v1"
    assert try_key("anthropic", KEY, settings, provider, TODAY) == KeyTrial(HAIKU)
    assert "api_base" not in provider.asked[1].route


def test_a_provider_without_a_small_model_is_asked_only_where_one_is_configured() -> None:
    provider = Provider()
    tried = try_key("openrouter", KEY, ModelSettings(), provider, TODAY)
    assert tried.model == ""
    assert "[models]" in tried.trouble
    assert provider.asked == []
    agent = "openrouter/anthropic/claude-haiku-5-5"
    assert try_key("openrouter", KEY, ModelSettings(agent=agent), provider, TODAY) == KeyTrial(
        agent
    )


@pytest.mark.parametrize(
    "trouble", [ProviderRefuses("Not this key.", "Set it."), NotNow("Not now.", "Later.")]
)
def test_what_the_provider_says_instead_is_one_sentence(trouble: ProviderRefuses | NotNow) -> None:
    def refuse(request: Request) -> Completion:
        raise trouble

    assert try_key("anthropic", KEY, ModelSettings(), refuse, TODAY) == KeyTrial(
        HAIKU, trouble.message
    )


def test_an_answer_of_which_nothing_can_be_read_is_no_sign_that_the_key_works() -> None:
    tried = try_key("anthropic", KEY, ModelSettings(), lambda _: Completion("", ""), TODAY)
    assert tried == KeyTrial(HAIKU, f"The answer of {HAIKU} cannot be read.")
