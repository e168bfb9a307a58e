"""Models that ended have successors, and the person is told of those that are about to end."""

from collections.abc import Collection
from datetime import date

import pytest

from daemon.models.catalogue import end_of, is_model_known, known_models, read_facts
from primer.models import own_model
from primer.retirement import (
    ANNOUNCED,
    AS_OF,
    RETIRED,
    ModelEnd,
    describe_end,
    find_end,
    find_successor,
)
from tests.litellm_map import entries

_MAP = ("LiteLLM's map",)


@pytest.fixture(scope="module")
def known() -> Collection[str]:
    """The models that memproc knows; to ask for them takes a while."""
    return known_models()


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("anthropic/claude-3-5-sonnet-20241022", "anthropic/claude-sonnet-5-5"),
        ("anthropic/claude-3-5-haiku-20241022", "anthropic/claude-haiku-5-5"),
        ("anthropic/claude-3-opus-20240229", "anthropic/claude-opus-5-5"),
        ("anthropic/claude-3-7-sonnet", "anthropic/claude-sonnet-5-5"),
        ("anthropic/claude-3-haiku-20240307", "anthropic/claude-haiku-5-5"),
        ("anthropic/claude-2.1", "anthropic/claude-sonnet-5-5"),
        ("anthropic/claude-instant-1.2", "anthropic/claude-haiku-5-5"),
        ("anthropic/claude-sonnet-4-20250514", "anthropic/claude-sonnet-5-5"),
        ("anthropic/claude-opus-4-1-20250805", "anthropic/claude-opus-5-5"),
        ("openai/gpt-4-32k", "openai/gpt-5.6-sol"),
        ("openai/gpt-4.5-preview", "openai/gpt-5.6-sol"),
        ("openai/chatgpt-4o-latest", "openai/gpt-5.6-sol"),
        ("openai/gpt-3.5-turbo", "openai/gpt-5.6-terra"),
        ("openai/o1-mini-2024-09-12", "openai/gpt-5.6-terra"),
        ("gemini/gemini-pro", "gemini/gemini-3.1-pro-preview"),
        ("gemini/gemini-1.5-flash-8b-latest", "gemini/gemini-3.5-flash-lite"),
        ("gemini/gemini-1.5-flash-002", "gemini/gemini-3.8-flash"),
        ("gemini/gemini-2.0-flash", "gemini/gemini-3.8-flash"),
        ("xai/grok-3", "xai/grok-4.3"),
        ("deepseek/deepseek-chat", "deepseek/deepseek-v4-flash"),
        ("mistral/mistral-large-2411", "mistral/mistral-large-latest"),
    ],
)
def test_a_retired_model_has_its_successor(model: str, name: str) -> None:
    found = find_successor(model)
    assert found is not None
    assert (found.name, found.retired) == (name, model)


@pytest.mark.parametrize(
    "model",
    [
        "anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-6", "anthropic/claude-opus-4-5", "openai/gpt-4o",
        "anthropic/claude-haiku-4-5-20251001", "openai/gpt-4.1", "openai/gpt-4.1-mini", "openai/o3", "openai/gpt-5",
        "gemini/gemini-2.5-flash", "gemini/gemini-2.5-pro", "ollama/gpt-4", "openrouter/anthropic/claude-3.5-sonnet",
        "memproc/extractive", "vertex_ai/claude-3-5-sonnet@20240620", "",
    ],
)  # fmt: skip
def test_a_model_that_answers_or_is_anothers_is_left_alone(model: str) -> None:
    assert find_successor(model) is None


def test_a_name_without_its_provider_is_known_too() -> None:
    found = find_successor("claude-3-5-sonnet-20241022")
    assert found is not None
    assert found.name == "anthropic/claude-sonnet-5-5"


def test_the_sentence_says_what_when_and_instead() -> None:
    found = find_successor("anthropic/claude-3-5-sonnet-20241022")
    assert found is not None
    assert found.sentence == (
        "anthropic/claude-3-5-sonnet-20241022 was retired on 2025-10-28; anthropic/claude-sonnet-5-5 takes its place."
    )


@pytest.mark.parametrize("name", sorted(RETIRED))
def test_a_successor_answers_itself_and_keeps_its_provider(
    name: str, known: Collection[str]
) -> None:
    retired_on, newer = RETIRED[name]
    assert find_successor(newer) is None
    assert newer in known
    assert read_facts(newer).ends_on is None
    assert name.partition("/")[0] == newer.partition("/")[0]
    assert date.fromisoformat(retired_on) <= date.fromisoformat(AS_OF)


@pytest.mark.parametrize("provider", ["anthropic", "openai", "gemini", "xai", "deepseek"])
def test_every_model_that_litellms_map_says_has_ended_is_in_the_table(provider: str) -> None:
    ended = {
        name.removeprefix(f"{provider}/"): fields["deprecation_date"]
        for name, fields in entries().items()
        if fields.get("litellm_provider") == provider
        and fields.get("mode") in ("chat", "responses")
        if str(fields.get("deprecation_date", "9")) <= AS_OF
    }
    own = {model: day for name, day in ended.items() if (model := own_model([name]))}
    found = {model: find_successor(model) for model in own}
    assert [model for model, instead in found.items() if instead is None] == []
    assert {model: instead.retired_on for model, instead in found.items() if instead} == own


@pytest.mark.parametrize("name", ["anthropic", "openai", "gemini", "xai", "deepseek", "mistral"])
def test_no_model_that_litellms_map_says_will_end_later_is_in_the_table(name: str) -> None:
    later = [
        model
        for model, fields in entries().items()
        if fields.get("litellm_provider") == name
        and str(fields.get("deprecation_date", "")) > AS_OF
    ]
    assert [model for model in later if find_successor(model)] == []


@pytest.mark.parametrize(
    ("today", "sentence"),
    [
        ("2026-10-01", "m ends on 2026-11-30 (in 60 days, by LiteLLM's map)."),
        ("2026-11-21", "m ends on 2026-11-30 (in 9 days, by LiteLLM's map)."),
        ("2026-11-29", "m ends on 2026-11-30 (in 1 day, by LiteLLM's map)."),
        ("2026-11-30", "m ends on 2026-11-30 (today, by LiteLLM's map)."),
        ("2026-12-01", "m ended on 2026-11-30 (by LiteLLM's map)."),
        ("2026-09-30", None),
    ],
)
def test_a_person_hears_in_time_that_a_model_ends_and_who_says_so(
    today: str, sentence: str | None
) -> None:
    end = ModelEnd("2026-11-30", "2026-11-30", _MAP)
    assert describe_end("m", end, date.fromisoformat(today), 60) == sentence


@pytest.mark.parametrize(
    ("today", "when"),
    [("2026-11-25", "in 6 days"), ("2026-12-05", "any day now"), ("2026-12-11", "any day now")],
)
def test_where_sources_differ_the_end_lies_between_their_days(today: str, when: str) -> None:
    end = find_end("gemini/gemini-2.5-pro", "2026-12-11")
    assert end is not None
    assert describe_end("m", end, date.fromisoformat(today), 60) == (
        f"m ends between 2026-12-01 and 2026-12-11 ({when}, by LiteLLM's map and Google's page of Gemini deprecations)."
    )


def test_between_two_days_a_model_has_ended_when_the_later_one_is_past() -> None:
    end = ModelEnd("2026-12-01", "2026-12-11", _MAP)
    assert str(describe_end("m", end, date(2026, 12, 12), 60)).startswith("m ended between")


@pytest.mark.parametrize(
    "model", ["openai/gpt-4.1", "gpt-4.1", "gemini/gemini-2.5-pro", "openai/gpt-4o"]
)
def test_the_end_of_a_name_without_a_day_in_the_map_is_known_from_its_provider(model: str) -> None:
    assert read_facts(model).ends_on is None
    assert end_of(model) is not None


def test_no_end_is_made_up() -> None:
    assert find_end("anthropic/claude-haiku-5-5", None) is None
    assert end_of("vertex_ai/gemini-2.5-pro") == ModelEnd("2026-10-20", "2026-10-20", _MAP)


@pytest.mark.parametrize("name", sorted(ANNOUNCED))
def test_an_announced_name_is_known_and_answers_and_its_versions_end_on_the_same_day(
    name: str,
) -> None:
    """The map has the days of versions with a date in their names, and agrees with the pages on these."""
    assert is_model_known(name)
    assert find_successor(name) is None
    short = name.removeprefix("openai/")
    versions = {
        fields["deprecation_date"]
        for version, fields in entries().items()
        if version.startswith(f"{short}-20")
        and fields.get("litellm_provider") == "openai"
        and "deprecation_date" in fields
        and str(fields["deprecation_date"]) > AS_OF
    }
    assert versions <= {ANNOUNCED[name][0]}
