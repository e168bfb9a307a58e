"""A budget that grows with what was said, and never with rounds."""

import pytest

from rules.plan.fold_budget import Bounds, what_growing_takes


@pytest.mark.parametrize(
    ("raw", "window", "budget"),
    [
        (20_000, None, 16_000),
        (160_000, None, 16_000),
        (500_000, None, 50_000),
        (500_000, 200_000, 40_000),
        (20_000, 32_000, 6_400),
    ],
)
def test_it_is_a_tenth_of_the_raw_tokens_at_least_16_000_and_at_most_a_fifth_of_the_window(
    raw: int, window: int | None, budget: int
) -> None:
    assert Bounds(None, 6, window=window).at(raw) == budget


def test_a_number_is_kept_to_however_long_a_chat_becomes() -> None:
    assert Bounds(16_000, 6, window=8_000).at(5_000_000) == 16_000


def test_a_chat_that_keeps_to_a_number_is_told_what_growing_would_take() -> None:
    assert "take up to 50,000" in what_growing_takes(Bounds(16_000, 6), [250_000] * 2)
    assert what_growing_takes(Bounds(16_000, 6), [50_000] * 2) == ""
    assert what_growing_takes(Bounds(None, 6), [250_000] * 2) == ""
