"""Dates are read as exports write them, and ours stand in order inside what they replace."""

import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.typingmind.dates import (
    dates_inside,
    day_of,
    in_zone,
    moved_on,
    parse_date,
    write_date,
)

_NOON = datetime(2024, 11, 7, 12, tzinfo=UTC)
_dates = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999_999)).map(
    lambda when: when.replace(microsecond=when.microsecond // 1000 * 1000, tzinfo=UTC)
)


@pytest.mark.parametrize(
    "text",
    [
        "2024-11-07T12:00:00.000Z",
        "2024-11-07T12:00:00Z",
        "2024-11-07T14:00:00+02:00",
        "2024-11-07T12:00:00",
        "2024-11-07 12:00",
    ],
)
def test_every_spelling_of_an_export_is_the_same_moment(text: str) -> None:
    assert parse_date(text) == _NOON


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "yesterday",
        "2024-13-01T00:00:00Z",
        "1730980800000",
        "2024-W09-5",
        "2024-W09",
        "20240301",
        "20240301T120000Z",
        "2024-03-01T12Z",
        "2024-03-01x12:00",
        "２０２４-03-01",
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-23:59",
    ],
)
def test_what_is_no_date_is_none(text: str | None) -> None:
    assert parse_date(text) is None


@pytest.mark.skipif(
    not hasattr(time, "tzset"), reason="the time zone of a process is fixed on Windows"
)
def test_a_date_without_a_zone_is_the_same_moment_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as tokyo:
        tokyo.setenv("TZ", "JST-9")
        time.tzset()
        assert parse_date("2024-11-07T12:00:00") == _NOON
    time.tzset()


@given(_dates)
def test_a_date_is_written_so_that_it_reads_the_same(when: datetime) -> None:
    assert parse_date(write_date(when)) == when


def test_dates_are_written_as_typingmind_does() -> None:
    assert write_date(_NOON + timedelta(microseconds=519_999)) == "2024-11-07T12:00:00.519Z"


def test_ours_are_a_millisecond_apart() -> None:
    dates = dates_inside(
        "2024-11-07T12:00:00.000Z", "2024-11-07T13:00:00.000Z", 3, _NOON - timedelta(days=1)
    )
    assert [write_date(one) for one in dates] == [f"2024-11-07T12:00:00.00{n}Z" for n in range(3)]


def test_a_span_without_length_gives_equal_dates() -> None:
    same = "2024-11-07T12:00:00.000Z"
    assert dates_inside(same, same, 6, _NOON - timedelta(days=1)) == [_NOON] * 6


def test_without_dates_ours_follow_what_stands_before_them() -> None:
    assert dates_inside(None, None, 2, _NOON) == [_NOON, _NOON]


@given(st.none() | _dates, st.none() | _dates, st.integers(0, 8), _dates)
def test_ours_never_go_back_nor_beyond_the_span(
    first: datetime | None, last: datetime | None, count: int, after: datetime
) -> None:
    spelled = [None if one is None else write_date(one) for one in (first, last)]
    dates = dates_inside(spelled[0], spelled[1], count, after)
    begin, end = first or after, last or first or after
    assert len(dates) == count
    assert dates == sorted(dates)
    assert all(after <= one <= max(after, begin, end) for one in dates)


@pytest.mark.parametrize(
    ("before", "now", "date"),
    [
        ("2024-11-07T12:00:00.000Z", "2024-11-07T12:00:01.000Z", "2024-11-07T12:00:01.000Z"),
        ("2024-11-07T12:00:00.000Z", "2024-11-07T12:00:00.000Z", "2024-11-07T12:00:00.001Z"),
        ("2030-01-01T00:00:00+00:00", "2024-11-07T12:00:00.000Z", "2030-01-01T00:00:00.001Z"),
        ("9999-12-31T23:59:59.999Z", "2024-11-07T12:00:00.000Z", "9999-12-31T23:59:59.999Z"),
        (None, "2024-11-07T12:00:00.000Z", "2024-11-07T12:00:00.000Z"),
        ("yesterday", "2024-11-07T12:00:00.000Z", "2024-11-07T12:00:00.000Z"),
    ],
)
def test_a_clock_that_was_set_back_dates_nothing_earlier(
    before: str | None, now: str, date: str
) -> None:
    assert moved_on(before, now) == date


def test_at_the_end_of_all_dates_ours_stand_still() -> None:
    last = "9999-12-31T23:59:59.999Z"
    assert [write_date(one) for one in dates_inside(last, last, 3, _NOON)] == [last] * 3


_LOS_ANGELES = ZoneInfo("America/Los_Angeles")
_ZONES = st.sampled_from(
    ["America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati", "Europe/London", "UTC"]
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2025-12-30T05:30:00.000Z", "2025-12-29T21:30:00-08:00"),
        ("2025-12-30T05:30:00.250Z", "2025-12-29T21:30:00.250-08:00"),
        ("2025-07-01T04:00:00+00:00", "2025-06-30T21:00:00-07:00"),
        ("2025-12-30 05:30", "2025-12-29T21:30:00-08:00"),
    ],
)
def test_a_date_has_the_day_of_the_persons_zone(text: str, shown: str) -> None:
    assert in_zone(text, _LOS_ANGELES) == shown
    assert day_of(shown) == shown[:10]


@pytest.mark.parametrize("text", ["2025-12-30", "2025-12-30T01:00:00+09:00"])
def test_a_day_that_is_named_already_stays(text: str) -> None:
    assert in_zone(text, _LOS_ANGELES) == text


@pytest.mark.parametrize("text", [None, "", "yesterday", "1970-01-01T00:00:00.000Z", "1970-01-01"])
def test_what_is_no_date_and_the_first_moment_of_1970_have_no_day(text: str | None) -> None:
    assert in_zone(text, _LOS_ANGELES) == in_zone(text, UTC) == day_of(text) == ""


@given(_dates.filter(lambda when: 1972 < when.year < 9999), _ZONES)
def test_a_date_is_the_same_moment_in_every_zone(when: datetime, name: str) -> None:
    shown = in_zone(write_date(when), ZoneInfo(name))
    assert parse_date(shown) == when
    assert shown[:10] == when.astimezone(ZoneInfo(name)).date().isoformat()
    assert in_zone(write_date(when), UTC) == write_date(when)
