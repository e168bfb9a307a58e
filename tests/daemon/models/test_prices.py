"""Who knows what a model costs: memproc.toml first, then LiteLLM's map; what runs at home is free."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from daemon.config.loading import parse_settings
from daemon.config.model_tables import BudgetSettings, PriceSettings
from daemon.models.catalogue import look_up_price
from daemon.models.prices import require_price, step_of
from primer.models import ENGINE
from rules.errors import UnknownPrice
from rules.money.price import FREE, PICO, Price, rates
from tests.known import known
from tests.litellm_map import entries

NONE = BudgetSettings()
SAID = """
[[budget.price]]
model = "openai/*"
as_of = "2026-11-21"
input = 7
output = 8
[[budget.price]]
model = "openai/gpt-4o*"
as_of = "2026-11-21"
input = 3
output = 15
cache_read = 0.3
above = 1000
input_above = 6
"""


@pytest.fixture
def said(tmp_path: Path) -> BudgetSettings:
    return parse_settings(SAID.encode(), tmp_path / "memproc.toml").budget


def priced(
    name: str, options: Mapping[str, object] = MappingProxyType({}), *, budget: BudgetSettings
) -> Price | None:
    """Return the price of a call, or raise."""
    return require_price(known(name, options, budget), budget)


def test_haiku_costs_five_times_as_much_above_its_step() -> None:
    found = priced("anthropic/claude-haiku-5-5", budget=NONE)
    assert found == Price(rates(0.1, 0.5, 0.01, 0.125), 100_000, rates(0.5, 2.5, 0.05, 0.625))


def test_sonnet_has_one_price() -> None:
    assert priced("anthropic/claude-sonnet-5-5", budget=NONE) == Price(rates(2, 10, 0.1, 2.5))


def test_tiers_that_are_a_list_are_read_too() -> None:
    assert priced("dashscope/qwen-flash", budget=NONE) == Price(
        rates(0.05, 0.4), 256_000, rates(0.25, 2)
    )


def test_prices_of_litellms_map_are_read_as_they_stand() -> None:
    plain = {
        name: fields
        for name, fields in entries().items()
        if name.startswith(f"{fields.get('litellm_provider')}/")
        and {"input_cost_per_token", "output_cost_per_token"} <= fields.keys()
        and "tiered_pricing" not in fields
    }
    assert len(plain) > 500
    for name in sorted(plain)[::7]:
        fields = plain[name]
        found = look_up_price(name)
        assert found is not None, name
        assert found.rates.input == round(fields["input_cost_per_token"] * PICO), name
        assert found.rates.output == round(fields["output_cost_per_token"] * PICO), name


def test_what_memproc_toml_says_counts_first_and_the_last_that_fits(said: BudgetSettings) -> None:
    assert priced("openai/gpt-5", budget=said) == Price(rates(7, 8))
    found = priced("openai/gpt-4o-mini", budget=said)
    assert found == Price(rates(3, 15, 0.3), 1000, rates(6, 15, 6, 6))


@pytest.mark.parametrize(
    "base",
    [
        "http://127.0.0.1:8000",
        "http://localhost:1234/v1",
        "http://192.168.1.20/v1",
        "http://gpu-box:8000",
        "[::1]:80",
    ],
)
def test_a_server_of_ones_own_network_is_free(base: str) -> None:
    assert priced("openai/whatever", {"api_base": base}, budget=NONE) == FREE


def test_the_engine_and_models_at_home_are_free_unless_a_price_is_said(
    said: BudgetSettings,
) -> None:
    assert require_price(ENGINE, NONE) == FREE
    assert priced("ollama_chat/llama", budget=NONE) == FREE
    assert priced("openai/x", {"api_base": "http://127.0.0.1"}, budget=said) == Price(rates(7, 8))


def test_a_server_far_away_is_not_free_because_its_address_is_written_down() -> None:
    far = {"api_base": "https://models.example.com/v1"}
    assert priced("openai/gpt-4o", far, budget=NONE) == priced("openai/gpt-4o", budget=NONE)
    with pytest.raises(UnknownPrice):
        priced("openai/our-own", far, budget=NONE)


def test_a_model_of_unknown_price_is_refused_with_what_to_do_unless_it_is_allowed() -> None:
    with pytest.raises(UnknownPrice) as told:
        priced("somebody/something", budget=NONE)
    assert "somebody/something" in told.value.message
    assert "[[budget.price]]" in told.value.next_step
    assert "budget.unpriced" in told.value.next_step
    assert priced("somebody/something", budget=BudgetSettings(unpriced=True)) is None


def test_prompts_are_kept_under_the_step_of_a_price_unless_the_person_allows_more() -> None:
    haiku = known("anthropic/claude-haiku-5-5")
    assert step_of(haiku, NONE) == 100_000
    assert step_of(haiku, BudgetSettings(above_step=True)) is None
    assert step_of(ENGINE, NONE) is None
    assert step_of(known("openai/x", {"api_base": "http://127.0.0.1"}, budget=NONE), NONE) is None
    assert step_of(known("somebody/something", budget=NONE), NONE) is None


def test_a_step_above_which_nothing_is_dearer_is_none() -> None:
    flat = PriceSettings(model="*", as_of="2026-11-21", input=3, output=15, above=1000)
    assert (
        step_of(
            known("openai/x", budget=BudgetSettings(price=(flat,))), BudgetSettings(price=(flat,))
        )
        is None
    )
