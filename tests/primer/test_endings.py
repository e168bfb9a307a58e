"""When models end, and how a person is told."""

from datetime import date

import pytest

from daemon.models.catalogue import end_of, is_model_known, read_facts
from primer.endings import ANNOUNCED, ModelEnd, end_by, ending
from primer.retirement import successor
from tests.litellm_map import entries

_MAP = ("LiteLLM's map",)


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
    assert ending("m", end, date.fromisoformat(today), 60) == sentence


@pytest.mark.parametrize(
    ("today", "when"),
    [("2026-11-25", "in 6 days"), ("2026-12-05", "any day now"), ("2026-12-11", "any day now")],
)
def test_where_sources_differ_the_end_lies_between_their_days(today: str, when: str) -> None:
    end = end_by("openai/gpt-5", "2026-12-01")
    assert end is not None
    assert ending("m", end, date.fromisoformat(today), 60) == (
        f"m ends between 2026-12-01 and 2026-12-11 ({when}, by LiteLLM's map and OpenAI's page of deprecations)."
    )


def test_between_two_days_a_model_has_ended_when_the_later_one_is_past() -> None:
    end = ModelEnd("2026-12-01", "2026-12-11", _MAP)
    assert str(ending("m", end, date(2026, 12, 12), 60)).startswith("m ended between")


@pytest.mark.parametrize(
    "model", ["openai/gpt-5", "gpt-5", "openai/o3", "gemini/gemini-2.5-pro", "openai/gpt-4o"]
)
def test_the_end_of_a_name_without_a_day_in_the_map_is_known_from_its_provider(model: str) -> None:
    assert read_facts(model).ends_on is None
    assert end_of(model) is not None


def test_no_end_is_made_up() -> None:
    assert end_by("anthropic/claude-haiku-5-5", None) is None
    assert end_of("vertex_ai/gemini-2.5-pro") == ModelEnd("2026-10-20", "2026-10-20", _MAP)


@pytest.mark.parametrize("name", sorted(ANNOUNCED))
def test_an_announced_name_is_known_and_answers_and_its_versions_end_on_the_same_day(
    name: str,
) -> None:
    """The map has the days of versions with a date in their names, and agrees with the pages on these."""
    assert is_model_known(name)
    assert successor(name) is None
    short = name.removeprefix("openai/")
    versions = {
        fields["deprecation_date"]
        for version, fields in entries().items()
        if version.startswith(f"{short}-20")
        and fields.get("litellm_provider") == "openai"
        and "deprecation_date" in fields
        and str(fields["deprecation_date"]) > "2026-11-23"
    }
    assert versions <= {ANNOUNCED[name][0]}
