"""When timed jobs are due."""

from datetime import datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.retention import Timing, in_window, next_attempt, next_due, nightly, timings

BERLIN = timezone(timedelta(hours=2))


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 7, day, hour, minute, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("now", "due"),
    [(at(14, 1), at(14, 3, 30)), (at(14, 3, 30), at(15, 3, 30)), (at(14, 12), at(15, 3, 30))],
)
def test_a_daily_job_is_due_at_its_time_by_the_clock_on_the_wall(
    now: datetime, due: datetime
) -> None:
    assert next_due(Timing(time(3, 30)), now) == due


def test_a_job_is_due_at_its_minute_and_not_at_the_second_of_the_clock() -> None:
    odd = at(14, 1).replace(second=17, microsecond=5)
    assert next_due(Timing(time(3, 30)), odd) == at(14, 3, 30)


def test_old_versions_go_before_the_archive_is_verified_and_copied() -> None:
    kept = {name: timing.at for name, timing in timings("").items()}
    assert kept == {"prune": time(3, 30), "verify": time(3, 45), "maintain": time(4, 15)}


@pytest.mark.parametrize(
    ("now", "due"),
    [
        (at(14, 12), at(15, 2)),
        (at(14, 2), at(14, 3)),
        (at(14, 3, 59), at(14, 4, 59)),
        (at(14, 4, 30), at(15, 2)),
    ],
)
def test_postponed_work_is_looked_for_each_hour_of_the_window(now: datetime, due: datetime) -> None:
    assert next_due(nightly("02:00-05:00"), now) == due


def test_a_job_that_failed_is_tried_again_after_an_hour_or_at_its_time() -> None:
    daily = Timing(time(3, 30))

    assert next_attempt(daily, at(14, 12)) == at(14, 13)
    assert next_attempt(daily, at(14, 3)) == at(14, 3, 30)


def test_without_a_window_nothing_is_looked_for_at_night() -> None:
    assert set(timings("02:00-05:00")) - set(timings("")) == {"retry"}


@pytest.mark.parametrize(
    ("window", "inside", "outside"),
    [
        ("02:00-05:00", [time(2), time(4, 59)], [time(1, 59), time(5), time(14)]),
        (
            "22:00-04:00",
            [time(22), time(23, 59), time(0), time(3)],
            [time(4), time(12), time(21, 59)],
        ),
        ("", [], [time(0), time(2), time(12)]),
    ],
)
def test_the_window_may_go_past_midnight(
    window: str, inside: list[time], outside: list[time]
) -> None:
    assert all(in_window(window, now) for now in inside)
    assert not any(in_window(window, now) for now in outside)


@given(
    st.datetimes(
        timezones=st.just(BERLIN), min_value=datetime(2020, 1, 1), max_value=datetime(2090, 1, 1)
    )
)
def test_every_job_is_due_in_the_day_to_come(now: datetime) -> None:
    for timing in timings("22:30-01:15").values():
        assert now < next_attempt(timing, now) <= next_due(timing, now) <= now + timedelta(days=1)


def test_a_window_that_ends_when_it_begins_is_the_whole_day() -> None:
    assert all(in_window("02:00-02:00", time(hour)) for hour in range(24))
