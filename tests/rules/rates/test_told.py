"""What headers say of rate limits, in both dialects, and what is no such header."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.rate_limits import LONGEST_SECONDS, Limit, limits_told

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


def anthropic(kind: str, limit: str, remaining: str, reset: str) -> dict[str, str]:
    facts = {"limit": limit, "remaining": remaining, "reset": reset}
    return {f"llm_provider-anthropic-ratelimit-{kind}-{fact}": value for fact, value in facts.items()}


def openai(kind: str, limit: str, remaining: str, reset: str) -> dict[str, str]:
    facts = {"limit": limit, "remaining": remaining, "reset": reset}
    return {f"x-ratelimit-{fact}-{kind}": value for fact, value in facts.items()}


def test_anthropic_tells_four_limits_with_the_dates_at_which_they_are_full() -> None:
    headers = {
        **anthropic("requests", "50", "49", "2026-11-21T12:00:01.500Z"),
        **anthropic("tokens", "60000", "1000", "2026-11-21T12:00:30.250+00:00"),
        **anthropic("input-tokens", "50000", "0", "2026-11-21T13:00:20.125+01:00"),
        **anthropic("output-tokens", "10000", "10000", "2026-11-21T11:59:59Z"),
    }
    assert limits_told(headers, NOW) == (
        Limit("requests", 50, 49, 1.5),
        Limit("tokens", 60_000, 1000, 30.25),
        Limit("input-tokens", 50_000, 0, 20.125),
        Limit("output-tokens", 10_000, 10_000, 0.0),
    )


def test_a_date_in_whole_seconds_may_mean_the_second_s_end() -> None:
    (limit,) = limits_told(anthropic("requests", "5", "0", "2026-11-21T12:00:10Z"), NOW)
    assert limit.full_in == 11.0


@pytest.mark.parametrize(
    ("span", "seconds"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("120ms", 0.12),
        ("2m59.56s", 179.56),
        ("1h2m3s", 3723.0),
        ("500µs", 0.0005),
        ("7.66s", 7.66),
        ("0s", 0.0),
        ("17", 17.0),
        ("0.5", 0.5),
    ],
)
def test_openai_tells_spans(span: str, seconds: float) -> None:
    (limit,) = limits_told(openai("tokens", "90000", "12", span), NOW)
    assert (limit.kind, limit.limit, limit.remaining) == ("tokens", 90_000, 12)
    assert limit.full_in == pytest.approx(min(seconds, LONGEST_SECONDS))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        openai("requests", "", "1", "1s"),
        openai("requests", "0", "0", "1s"),
        openai("requests", "-5", "1", "1s"),
        openai("requests", "10", "many", "1s"),
        openai("requests", "10", "1.5", "1s"),
        openai("requests", "10", "٣", "1s"),
        openai("requests", "10", "1", "soon"),
        openai("requests", "10", "1", "nan"),
        openai("requests", "10", "1", "-1s"),
        openai("requests", "10", "1", "1764000000"),
        openai("requests", "10", "1", "9" * 400 + "s"),
        openai("tokens_usage_based", "10", "1", "1s"),
        anthropic("requests", "10", "1", "2026-99-99T00:00:00Z"),
        anthropic("unified", "10", "1", "2026-11-21T12:00:01Z"),
        {"x-ratelimit-remaining-requests": "0", "x-ratelimit-limit-requests": "5"},
    ],
)
def test_what_is_no_limit_is_passed_over(headers: dict[str, str]) -> None:
    assert limits_told(headers, NOW) == ()


def test_one_broken_limit_takes_no_other_with_it() -> None:
    headers = {**openai("requests", "10", "?", "1s"), **openai("tokens", "100", "7", "1s")}
    assert limits_told(headers, NOW) == (Limit("tokens", 100, 7, 1.0),)


def test_no_more_is_left_than_the_limit() -> None:
    assert limits_told(openai("tokens", "100", "900", "1s"), NOW) == (Limit("tokens", 100, 100, 1.0),)


@pytest.mark.parametrize("wrong_by", [timedelta(hours=-3), timedelta(minutes=4)])
def test_a_clock_that_is_wrong_here_does_not_count(wrong_by: timedelta) -> None:
    headers = {**anthropic("requests", "5", "0", "2026-11-21T12:00:20.5Z"), "Date": format_datetime(NOW, usegmt=True)}
    (limit,) = limits_told(headers, NOW + wrong_by)
    assert limit.full_in == 20.5


def test_a_clock_that_is_right_is_finer_than_the_provider_s_header() -> None:
    headers = {**anthropic("requests", "5", "0", "2026-11-21T12:00:20.5Z"), "Date": format_datetime(NOW, usegmt=True)}
    (limit,) = limits_told(headers, NOW + timedelta(seconds=0.75))
    assert limit.full_in == 19.75


@given(
    st.dictionaries(
        st.sampled_from(sorted({**openai("tokens", "", "", ""), **anthropic("requests", "", "", ""), "date": ""})),
        st.one_of(st.text(max_size=30), st.from_regex(r"[0-9.]{1,20}[a-zµ]{0,2}", fullmatch=True), st.just("5")),
    )
)
def test_whatever_a_provider_sends_is_read_or_passed_over(headers: dict[str, str]) -> None:
    for limit in limits_told(headers, NOW):
        assert 0 <= limit.remaining <= limit.limit
        assert 0.0 <= limit.full_in <= LONGEST_SECONDS
