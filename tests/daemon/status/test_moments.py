"""Times as people say them."""

import pytest

from daemon.files.clock import in_full, local, span, with_span
from tests.daemon.status.filled import ago, ahead

NOW = ago()


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-3, "0 seconds"), (0.9, "0 seconds"), (1, "1 second"), (59.9, "59 seconds"), (60, "1 minute"),
     (7199, "1 hour"), (7200, "2 hours"), (86_400, "1 day"), (3e9, "34,722 days")],
)  # fmt: skip
def test_a_span_is_said_in_its_largest_unit(seconds: float, said: str) -> None:
    assert span(seconds) == said


def test_a_time_of_today_needs_no_date() -> None:
    assert local(ago(hours=2), NOW) == "10:00:00"
    assert local(ago(hours=13), NOW) == "2026-11-20 23:00"
    assert in_full(ago(hours=2)) == "2026-11-21 10:00:00"


def test_how_long_ago_and_how_soon() -> None:
    assert with_span(ago(minutes=5), NOW) == "11:55:00 (5 minutes ago)"
    assert with_span(ahead(days=2), NOW) == "2026-11-23 12:00 (in 2 days)"
    assert with_span("", NOW) == "never"


@pytest.mark.parametrize("text", ["soon", "2026-13-01T00:00:00.000Z"])
def test_what_is_no_time_stays_as_it_is(text: str) -> None:
    assert (local(text, NOW), with_span(text, NOW), in_full(text)) == (text, text, text)
