"""What may be typed into the settings of the page, and what never may."""

import pytest
from pydantic import Field

from daemon.config.model_tables import ModelSettings
from daemon.config.settings import ChatOverride, ChatSettings, Config
from daemon.config.tables import Table
from daemon.page.settings_fields import (
    FIELDS,
    allowed_providers,
    fields_in,
    find_changes,
    offer_models,
)
from primer.models import EXTRACTIVE

CLAUDE = "anthropic/claude-opus-5-5"
PROVIDERS = ("anthropic",)


def _reasons(typed: dict[str, str], config: Config = Config()) -> list[str]:  # noqa: B008  frozen
    refused = find_changes(config, typed, PROVIDERS)
    return [refusal.reason for refusal in refused] if isinstance(refused, list) else []


def test_nothing_that_says_where_keys_and_words_go_has_a_field() -> None:
    tables = {field.table for field in FIELDS}
    assert tables == {"models", "tail", "chunk", "fold", "schedule", "budget"}
    assert not {"options", "window", "unpriced", "above_step", "price"} & {
        field.name for field in FIELDS
    }


def test_only_what_differs_is_a_change() -> None:
    typed = {"tail.tokens": "30000", "fold.budget": " auto ", "chunk.bounds": "size"}
    assert find_changes(Config(), typed, PROVIDERS) == {("chunk", "bounds"): "size"}
    assert find_changes(Config(), {"folders.inbox": "/"}, PROVIDERS) == {}


def test_a_fold_budget_is_read_as_the_number_that_it_is() -> None:
    assert find_changes(Config(), {"fold.budget": "9000"}, ()) == {("fold", "budget"): 9000}


@pytest.mark.parametrize("typed", ["5.01", "6", "1e3", "-1", "inf", "nan", "", "0x5"])
def test_a_cap_is_never_raised_here(typed: str) -> None:
    assert _reasons({"budget.run_usd": typed})


def test_a_cap_is_lowered() -> None:
    typed = {"budget.run_usd": "0.5", "budget.day_usd": "4"}
    assert find_changes(Config(), typed, ()) == {
        ("budget", "run_usd"): 0.5,
        ("budget", "day_usd"): 4,
    }


@pytest.mark.parametrize(
    "model",
    ["openai/gpt-6", "gpt-6", "small", "http://elsewhere/x", "/x", "nowhere/claude-opus-5-5"],
)
def test_a_model_of_a_provider_that_is_not_in_use_is_refused(model: str) -> None:
    assert "memproc config edit" in _reasons({"models.agent": model})[0]


@pytest.mark.parametrize("model", [CLAUDE, EXTRACTIVE])
def test_a_model_of_a_provider_in_use_is_taken(model: str) -> None:
    assert find_changes(Config(), {"models.agent": model}, PROVIDERS) == {
        ("models", "agent"): model
    }


def test_providers_are_those_that_the_settings_name_or_the_chats_use() -> None:
    options = {"ollama_chat/*": {"num_ctx": 16384}, "temperature": 0.7}
    own = ChatOverride(chat="x", models=ModelSettings(agent="xai/grok-4.3", options=options))
    config = Config(chats=ChatSettings(override=(own,)))
    assert allowed_providers(config, [CLAUDE]) == ("anthropic", "ollama_chat", "xai")
    assert allowed_providers(Config(), []) == ()


def test_the_models_offered_are_those_named_and_the_small_ones_of_their_providers() -> None:
    offered = offer_models(Config(), [CLAUDE])
    assert set(offered) == {CLAUDE, "anthropic/claude-haiku-5-5", EXTRACTIVE}


class _Untitled(Table):
    tokens: int = Field(default=1, title="Tokens")


class _Titled(Table, title="Words"):
    loud: bool = Field(default=True, title="Loud")


class _Texts(Table, title="Words"):
    greeting: str = Field(default="", title="Greeting")


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (_Untitled, "own.tokens has a title, and its table has none: class _Untitled"),
        (_Titled, "own.loud has a title, but the page cannot ask for its type"),
        (_Texts, "own.greeting has a title, but the page cannot ask for its type"),
    ],
)
def test_a_title_that_the_page_cannot_serve_is_refused(table: type[Table], reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        list(fields_in({"own": table}))
