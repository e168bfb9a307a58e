"""`[budget]`: caps that make sense, and prices that say what they are for."""

from pathlib import Path

import pytest

from daemon.config.loading import parse_settings
from daemon.config.settings import Config
from rules.errors import ConfigurationError
from rules.money.price import PICO, Amounts, Rates, rates

pytestmark = pytest.mark.usefixtures("home")


def read(text: str) -> Config:
    return parse_settings(text.encode(), Path("/etc/memproc/memproc.toml"))


def told(text: str) -> str:
    with pytest.raises(ConfigurationError) as error:
        read(text)
    return error.value.message


def test_the_caps_are_exact() -> None:
    assert Config().budget.caps == Amounts(5 * PICO, 10 * PICO, 50 * PICO)
    assert read("[budget]\nrun_usd = 0.1\nday_usd = 0\n").budget.caps == Amounts(
        PICO // 10, 0, 50 * PICO
    )


@pytest.mark.parametrize("wrong", ["-1", "-0.01", "inf", "nan", '"5"', "1e12"])
def test_a_cap_is_a_sensible_number_of_dollars(wrong: str) -> None:
    assert "line 2: budget.day_usd: must be" in told(f"[budget]\nday_usd = {wrong}\n")


def test_a_price_says_for_which_model_it_is_of_when_and_what_both_kinds_of_tokens_cost() -> None:
    message = told("[[budget.price]]\n")
    for name in ("model", "as_of", "input", "output"):
        assert f"budget.price[1].{name}: must be there" in message
    assert 'must be a day, like "2026-11-21"' in told(
        '[[budget.price]]\nmodel = "a/b"\nas_of = "today"\n'
    )


def test_rates_for_long_prompts_say_where_they_begin() -> None:
    price = '[[budget.price]]\nmodel = "a/*"\nas_of = "2026-11-21"\ninput = 1\noutput = 2\n'
    assert "above how many tokens" in told(f"{price}input_above = 2\n")
    assert read(f"{price}above = 1000\ninput_above = 2\n").budget.price_of("a/b") is not None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("output_above = 9", rates(3, 9)),
        ("input_above = 6", rates(6, 15)),
        ("input_above = 6\ncache_read = 0.3", rates(6, 15)),
        ("output_above = 9\ncache_read = 0.3", rates(3, 9, cache_read=0.3)),
        ("output_above = 9\ncache_write_above = 4", rates(3, 9, cache_write=4)),
    ],
)
def test_what_is_not_said_of_the_cache_of_long_prompts_is_never_free(
    said: str, expected: Rates
) -> None:
    price = '[[budget.price]]\nmodel = "a/*"\nas_of = "2026-11-21"\ninput = 3\noutput = 15\n'
    known = read(f"{price}above = 1000\n{said}\n").budget.price_of("a/b")
    assert known
    assert known.at(1001) == expected


def test_a_budget_is_no_setting_for_single_chats() -> None:
    assert "there is no such setting" in told(
        '[[chats.override]]\nchat = "x"\nbudget.day_usd = 3\n'
    )
