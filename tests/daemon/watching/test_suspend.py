"""A machine that slept, a clock that was set, a process that was stopped: each is a reason to look again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.inbox.suspend import Awake, Clocks, Suspended, between

BEFORE = Clocks(wall=1_800_000_000.0, monotonic=5_000.0)


def later(wall: float, monotonic: float) -> Clocks:
    return Clocks(BEFORE.wall + wall, BEFORE.monotonic + monotonic)


def test_two_seconds_in_the_loop_are_no_suspend() -> None:
    assert between(BEFORE, later(2.0, 2.0)) == Awake()


def test_a_night_that_the_monotonic_clock_did_not_count_is_a_suspend() -> None:
    slept = between(BEFORE, later(28_802.0, 2.0))
    assert isinstance(slept, Suspended)
    assert slept.seconds == 28_800.0


def test_a_clock_set_back_is_a_reason_to_look_again() -> None:
    assert isinstance(between(BEFORE, later(-3600.0, 2.0)), Suspended)


def test_a_process_that_was_stopped_for_a_minute_has_to_look_again() -> None:
    assert isinstance(between(BEFORE, later(60.0, 60.0)), Suspended)


@pytest.mark.parametrize("drift", [-29.0, 29.0])
def test_a_clock_that_is_corrected_by_less_than_half_a_minute_is_none(drift: float) -> None:
    assert between(BEFORE, later(2.0 + drift, 2.0)) == Awake()


@given(st.floats(0, 30), st.floats(-30, 30))
def test_no_turn_of_the_loop_within_half_a_minute_counts(monotonic: float, drift: float) -> None:
    origin = Clocks(0.0, 0.0)
    now = Clocks(monotonic + drift, monotonic)
    expected = Suspended if abs(now.wall - now.monotonic) > 30 else Awake
    assert isinstance(between(origin, now), expected)
