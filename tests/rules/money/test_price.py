"""What a call costs, and that it never costs more than was reserved for it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.money.price import (
    FREE,
    PICO,
    Price,
    Rates,
    Usage,
    cost,
    dollars,
    in_words,
    prompt_bound,
    rates,
    worst_case,
)

HAIKU = Price(rates(0.1, 0.5, 0.01, 0.125), 100_000, rates(0.5, 2.5, 0.05, 0.625))
TOKENS = st.integers(0, 400_000)
RATES = st.builds(Rates, *[st.integers(0, 10**8)] * 4)
PRICES = st.builds(Price, RATES) | st.builds(Price, RATES, st.integers(1, 300_000), RATES)


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    prompt = draw(TOKENS)
    cached = draw(st.integers(0, prompt))
    return Usage(
        prompt, cached, draw(st.integers(0, prompt - cached)), draw(st.integers(0, 20_000))
    )


def test_each_kind_of_token_has_its_rate() -> None:
    assert cost(HAIKU, Usage(90_000, 0, 0, 0)) == PICO * 9 // 1000
    assert cost(HAIKU, Usage(1000, 1000, 0, 0)) == 10 * 10**6
    assert cost(HAIKU, Usage(1000, 0, 1000, 0)) == 125 * 10**6
    assert (
        cost(HAIKU, Usage(1000, 300, 200, 10))
        == (500 * 100_000) + (300 * 10_000) + (200 * 125_000) + 10 * 500_000
    )


def test_above_the_step_the_whole_call_costs_the_higher_rates() -> None:
    assert dollars(cost(HAIKU, Usage(100_000, 0, 0, 0))) == pytest.approx(0.01)
    assert dollars(cost(HAIKU, Usage(100_001, 0, 0, 0))) == pytest.approx(0.0500005)
    assert dollars(cost(HAIKU, Usage(150_000, 0, 0, 0))) == pytest.approx(0.075)


def test_what_is_not_said_of_the_cache_costs_what_the_prompt_costs() -> None:
    assert rates(3, 15) == Rates(3 * 10**6, 15 * 10**6, 3 * 10**6, 3 * 10**6)


def test_what_is_said_of_the_cache_counts() -> None:
    assert rates(3, 15, 0.3, 3.75) == Rates(3 * 10**6, 15 * 10**6, 3 * 10**5, 375 * 10**4)


def test_in_a_batch_everything_costs_half_also_above_the_step() -> None:
    assert HAIKU.batched == Price(
        rates(0.05, 0.25, 0.005, 0.0625), 100_000, rates(0.25, 1.25, 0.025, 0.3125)
    )
    assert Price(Rates(3, 4, 5, 0)).batched == Price(Rates(2, 2, 3, 0)), "an odd rate is rounded up"


@given(PRICES, usages(), st.integers(0, 50_000), st.integers(0, 1000))
def test_no_call_within_its_bounds_costs_more_than_its_worst_case(
    price: Price, usage: Usage, longer: int, more: int
) -> None:
    dearer = price.higher is None or all(
        high >= low
        for high, low in zip(
            (
                price.higher.input,
                price.higher.output,
                price.higher.cache_read,
                price.higher.cache_write,
            ),
            (
                price.rates.input,
                price.rates.output,
                price.rates.cache_read,
                price.rates.cache_write,
            ),
            strict=True,
        )
    )
    if not dearer:
        price = replace(price, higher=None)
    assert cost(price, usage) <= worst_case(price, usage.prompt + longer, usage.answer + more)


@given(TOKENS, st.integers(1, 500), st.floats(0.5, 3))
def test_the_bound_of_a_prompt_leaves_half_as_much_again(
    tokens: int, turns: int, factor: float
) -> None:
    bound = prompt_bound(tokens, turns, factor)
    assert bound >= 1.49 * factor * tokens
    assert bound >= 16 * turns


def test_what_costs_nothing_is_free() -> None:
    assert FREE.is_free
    assert Price(rates(0, 0), 10, rates(0, 0)).is_free
    assert not Price(rates(0, 0), 10, rates(0, 1)).is_free
    assert not HAIKU.is_free


def test_small_amounts_are_said_with_more_digits() -> None:
    assert [in_words(amount * PICO // 10_000) for amount in (0, 1, 999, 1000, 12_345_678)] == [
        "$0.00",
        "$0.0001",
        "$0.0999",
        "$0.10",
        "$1,234.57",
    ]
