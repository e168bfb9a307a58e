"""LiteLLM's map, read without LiteLLM."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from daemon.models import catalogue
from daemon.models.catalogue import Facts, ends_soon, known_models, read_facts
from rules.errors import ModelError
from tests.litellm_map import entries
from tests.server.asking import litellm

# LiteLLM's own slips with pydantic, which warns of them.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Accessing the 'model_"),
    pytest.mark.filterwarnings("ignore:Items? '.*' on TypedDict class"),
]
TODAY = date(2026, 11, 21)


@pytest.fixture
def emptied() -> Iterator[None]:
    """The map is read anew, before and after."""
    catalogue._text.cache_clear()
    catalogue._fields.cache_clear()
    yield
    catalogue._text.cache_clear()
    catalogue._fields.cache_clear()


def test_a_model_has_a_window_and_perhaps_a_last_day() -> None:
    assert read_facts("anthropic/claude-sonnet-4-5") == Facts(
        200_000, "2026-11-30", calls_tools=True, most_answer=64_000
    )
    assert read_facts("anthropic/claude-haiku-5-5").ends_on is None


@pytest.mark.parametrize("name", ["gpt-4o", "openai/gpt-4o"])
def test_a_name_is_found_with_and_without_its_provider(name: str) -> None:
    assert read_facts(name).window == 128_000


def test_a_full_name_comes_before_the_same_name_of_another_provider() -> None:
    assert read_facts("gemini/gemini-2.5-flash").ends_on is None
    assert read_facts("vertex_ai/gemini-2.5-flash").ends_on == "2026-10-20"


@pytest.mark.parametrize(
    "name", ["mistral/gpt-4o", "ollama/claude-haiku-5-5", "openai/local-model", "", "gpt", "x/y/z"]
)
def test_nothing_is_said_of_a_model_that_the_map_does_not_know(name: str) -> None:
    assert read_facts(name) == Facts()


@pytest.mark.full
def test_litellm_itself_says_the_same() -> None:
    library = litellm()
    own = (
        "anthropic",
        "openai",
        "gemini",
        "mistral",
        "xai",
        "deepseek",
        "groq",
        "bedrock",
        "cohere",
        "vertex_ai",
    )
    names = [
        name
        for name in known_models()
        if name.startswith(tuple(f"{provider}/" for provider in own))
    ]
    assert len(names) > 400
    wrong = []
    for name in names:
        said = library.get_model_info(name)
        if said["max_input_tokens"] != read_facts(name).window:
            wrong.append(name)
    assert wrong == []


def test_names_to_suggest_have_a_provider_write_and_still_answer() -> None:
    names = known_models()
    assert len(names) == len(set(names)) > 1000
    assert all("/" in name for name in names)
    assert {"anthropic/claude-sonnet-5-5", "openai/gpt-4o", "gemini/gemini-3.8-flash"} < set(names)
    assert not {"openai/gpt-3.5-turbo", "openai/dall-e-3", "openai/text-embedding-3-small"} & set(
        names
    )


def test_a_makers_own_name_stands_after_those_of_others() -> None:
    same = [name for name in known_models() if name.endswith("/claude-haiku-5-5")]
    assert same[-1] == "anthropic/claude-haiku-5-5"
    assert len(same) > 1


def test_a_person_hears_that_a_model_ends_within_sixty_days() -> None:
    assert ends_soon("anthropic/claude-sonnet-4-5", TODAY) == (
        "anthropic/claude-sonnet-4-5 ends on 2026-11-30 (in 9 days, by LiteLLM's map)."
    )
    assert ends_soon("anthropic/claude-sonnet-4-5", date(2026, 9, 30)) is None
    assert ends_soon("anthropic/claude-sonnet-4-5", date(2026, 10, 1)) is not None
    assert ends_soon("anthropic/claude-haiku-5-5", TODAY) is None
    assert ends_soon("ollama/llama3", TODAY) is None


def test_every_last_day_in_the_map_is_a_date() -> None:
    days = {
        fields["deprecation_date"]
        for fields in entries().values()
        if fields.get("deprecation_date")
    }
    assert all(date.fromisoformat(day) for day in days)


def test_litellm_is_not_imported_for_it() -> None:
    said = "from daemon.models.catalogue import read_facts; import sys; read_facts('gpt-4o'); print('litellm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.usefixtures("emptied")
@pytest.mark.parametrize("map_text", [None, "{", "[]", '{"gpt-4o": 7}'])
def test_a_map_that_cannot_be_read_is_an_error_that_says_so(
    map_text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if map_text is not None:
        (tmp_path / "model_prices_and_context_window_backup.json").write_text(map_text)
    spec = ModuleSpec("litellm", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(catalogue, "find_spec", lambda _: spec)
    with pytest.raises(ModelError, match="map of models cannot be read") as caught:
        read_facts("gpt-4o")
    assert "LiteLLM" in caught.value.next_step


@pytest.mark.usefixtures("emptied")
def test_a_missing_litellm_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "find_spec", lambda _: None)
    with pytest.raises(ModelError, match="cannot be read"):
        known_models()
