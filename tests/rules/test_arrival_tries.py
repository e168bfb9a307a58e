"""Three failures of one file set it aside; before that it is tried again, each time later."""

from datetime import UTC, datetime, timedelta

import pytest

from rules.arrival import MOST_FAILURES, after_failure, after_outage

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
WHY = "the worker was killed (signal 9)"


@pytest.mark.parametrize(("failures", "seconds"), [(1, 10), (2, 60)])
def test_a_file_is_tried_again_after_a_growing_pause(failures: int, seconds: int) -> None:
    again, reason, next_step = after_failure(failures, WHY, NOW)
    assert again == NOW + timedelta(seconds=seconds)
    assert WHY in reason
    assert f"{failures} of 3" in reason
    assert not next_step


@pytest.mark.parametrize("failures", [MOST_FAILURES, MOST_FAILURES + 1, 1000])
def test_three_failures_set_a_file_aside_with_a_remedy(failures: int) -> None:
    again, reason, next_step = after_failure(failures, WHY, NOW)
    assert again is None
    assert WHY in reason
    assert next_step.startswith(
        "See what happened with: memproc logs. What models have answered is kept:"
    )
    assert next_step.endswith("or run memproc run with its name, to have it tried once more.")


@pytest.mark.parametrize(
    ("outages", "seconds"), [(0, 10), (1, 10), (2, 60), (3, 300), (4, 900), (5, 1800), (60, 1800)]
)
def test_what_passes_by_itself_is_waited_for_ever_longer_and_for_ever(
    outages: int, seconds: int
) -> None:
    assert after_outage(outages, NOW) == NOW + timedelta(seconds=seconds)
