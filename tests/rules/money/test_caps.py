"""Whether the next call fits under every cap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.money.price import (
    NAMES,
    PICO,
    Amounts,
    Reached,
    cost_in_words,
    find_first_reached,
    find_reached_cap,
)

MONEY = st.integers(0, 100)
AMOUNTS = st.builds(Amounts, MONEY, MONEY, MONEY)


def test_a_call_that_just_fits_is_allowed() -> None:
    assert find_reached_cap(Amounts(5, 10, 50), Amounts(3, 8, 48), 2) is None


def test_the_cap_that_is_reached_is_told_with_what_is_spent_and_what_was_needed() -> None:
    assert find_reached_cap(Amounts(5, 10, 50), Amounts(4, 8, 20), 2) == Reached("run", 5, 4, 2)


def test_of_several_caps_the_one_that_turns_last_is_told() -> None:
    assert find_reached_cap(Amounts(5, 10, 50), Amounts(5, 10, 20), 1) == Reached("day", 10, 10, 1)
    assert find_reached_cap(Amounts(5, 10, 50), Amounts(5, 10, 50), 1) == Reached(
        "month", 50, 50, 1
    )


def test_where_nothing_may_be_spent_a_call_that_costs_something_is_not_made() -> None:
    assert isinstance(find_reached_cap(Amounts(0, 0, 0), Amounts(0, 0, 0), 1), Reached)
    assert find_reached_cap(Amounts(0, 0, 0), Amounts(0, 0, 0), 0) is None


def test_waiting_does_not_help_a_call_that_is_dearer_than_its_cap() -> None:
    assert Reached("day", 10, 9, 5).helps_to_wait
    assert not Reached("day", 10, 0, 11).helps_to_wait


@given(AMOUNTS, AMOUNTS, MONEY)
def test_what_is_allowed_exceeds_no_cap(caps: Amounts, spent: Amounts, needed: int) -> None:
    fits = all(spent.of(which) + needed <= caps.of(which) for which in NAMES)
    assert (find_reached_cap(caps, spent, needed) is None) == fits


def test_work_of_many_calls_stops_at_the_cap_that_has_the_least_left() -> None:
    assert find_first_reached(Amounts(5, 10, 50), Amounts(0, 0, 0), 12) == Reached("run", 5, 0, 12)
    assert find_first_reached(Amounts(5, 10, 50), Amounts(0, 6, 20), 12) == Reached(
        "day", 10, 6, 12
    )
    assert find_first_reached(Amounts(5, 10, 50), Amounts(0, 6, 47), 12) == Reached(
        "month", 50, 47, 12
    )
    assert find_first_reached(Amounts(5, 10, 50), Amounts(0, 5, 20), 12) == Reached(
        "day", 10, 5, 12
    ), "it turns later"
    assert find_first_reached(Amounts(5, 10, 50), Amounts(0, 0, 0), 5) is None


@pytest.mark.parametrize(
    ("caps", "spent", "sentences"),
    [
        ((200, 200, 200), 0, "likely $8.00. The caps allow it."),
        (
            (5, 10, 50),
            0,
            "likely $8.00. That is more than the $5.00 that are left of a run's $5.00: "
            "it will pause there.",
        ),
        (
            (20, 30, 50),
            20,
            "likely $8.00. It likely fits under the caps; at worst it pauses at the $10.00 that "
            "are left of today's $30.00.",
        ),
    ],
)
def test_people_are_told_what_is_likely_and_where_it_pauses_and_never_the_greatest_sum(
    caps: tuple[int, int, int], spent: int, sentences: str
) -> None:
    limits = Amounts(*(cap * PICO for cap in caps))
    so_far = Amounts(0, spent * PICO, spent * PICO)
    assert cost_in_words(8 * PICO, 110 * PICO, limits, so_far) == sentences
