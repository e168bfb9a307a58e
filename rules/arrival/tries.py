"""What happens to a file after the work on it has failed: another try after a while, or, after three, none."""

from dataclasses import dataclass
from datetime import datetime, timedelta

MOST_FAILURES = 3
_PAUSES_SECONDS = (10, 60)
_OUTAGE_PAUSES_SECONDS = (10, 60, 300, 900, 1800)


@dataclass(frozen=True, slots=True)
class Again:
    """The file is tried again, not before `at`."""

    at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class GivenUp:
    """The file is set aside; the others go on."""

    reason: str
    next_step: str


def after_outage(outages: int, now: datetime) -> datetime:
    """When to try again after something that passes by itself, for the `outages`-th time in a row; for ever."""
    return now + timedelta(seconds=_OUTAGE_PAUSES_SECONDS[min(max(outages, 1), len(_OUTAGE_PAUSES_SECONDS)) - 1])


def after_failure(failures: int, why: str, now: datetime) -> Again | GivenUp:
    """What to do after the work on a file has failed for the `failures`-th time, counted from 1.

    `why` is a sentence without its full stop. The second try comes ten seconds later, the third a minute later.
    """
    if failures >= MOST_FAILURES:
        return GivenUp(
            f"The work on it failed {failures} times. The last time, {why}.",
            "See what happened with: memproc logs. What models have answered is kept: drop the file again, or run "
            "memproc run with its name, to have it tried once more.",
        )
    pause = _PAUSES_SECONDS[max(failures, 1) - 1]
    return Again(
        now + timedelta(seconds=pause),
        f"The work on it failed ({failures} of {MOST_FAILURES} times): {why}. It is tried again after {pause} s.",
    )
