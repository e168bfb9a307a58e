"""What a person agrees to is what can be spent: never more than the caps leave."""

import pytest

from daemon.cli.agree import _price_sentence
from rules.money.estimate import CostEstimate
from rules.money.price import PICO, Amounts, left

WORK = CostEstimate(likely=8 * PICO, at_most=16 * PICO)


@pytest.mark.parametrize(
    ("caps", "sentence"),
    [
        (20, "This will likely cost $8.00, and at most $16.00."),
        (10, "This will likely cost $8.00, and at most the $10.00 that the caps leave."),
        (5, "This will likely need $8.00, and pause at the $5.00 that the caps leave."),
    ],
)
def test_the_question_names_the_lesser_of_what_is_needed_and_what_is_left(
    caps: int, sentence: str
) -> None:
    assert _price_sentence(WORK, caps * PICO) == sentence


def test_what_is_left_is_that_of_the_nearest_cap_and_never_below_nothing() -> None:
    caps = Amounts(5 * PICO, 10 * PICO, 50 * PICO)
    assert left(caps, Amounts(0, 7 * PICO, 7 * PICO)) == 3 * PICO
    assert left(caps, Amounts(0, 0, 49 * PICO)) == PICO
    assert left(caps, Amounts(0, 11 * PICO, 11 * PICO)) == 0
