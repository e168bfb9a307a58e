"""A file in the inbox: its states, when it may be taken, and when it is tried again.

compare     what happened to the file at a path
decide      whether it may be taken now
after_failure, after_outage     when the work on it is tried again

memproc waits for a file that is still being written, with pauses that double up to a minute. After
an hour it also asks for the person's attention.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

State = Literal[
    "seen",
    "settling",
    "copied",
    "working",
    "written",
    "done",
    "waiting",
    "paused",
    "skipped",
    "stopped",
    "gone",
]
"""
seen        it is in the inbox, and has to stay unchanged for a while
settling    it was checked again, and still grows, is not complete, or cannot be taken yet
copied      memproc has its own copy, and will work on it
working     it is being worked on
written     its updated exports are in their places
done        there was nothing to do; the reason says why
waiting     it is tried again automatically at its time; a next step may help, as for a full disk
paused      it waits for the budget, or for the person
skipped     it cannot be processed as it is; there is a reason and a next step
stopped     the run by hand that worked on it ended before it was finished
gone        it left the inbox, or was replaced by a newer file, before it was worked on
"""

UNTAKEN: tuple[State, ...] = ("seen", "settling")
"""memproc has no copy yet, so the file in the inbox counts."""

IN_HAND: tuple[State, ...] = ("copied", "working", "waiting", "paused")
"""memproc has a copy, and has not finished with it."""

FINISHED: tuple[State, ...] = ("written", "done", "gone")
"""Nothing more will be done, and the copy is not needed."""
LONGEST_PAUSE = 60.0
"""The most seconds between two checks of a file that is not complete."""
ATTENTION_AFTER = 3600.0
"""The seconds after which a file that could not be taken needs the person's attention."""
RARE_PAUSE = 600.0
"""The seconds between two later checks: reading a large file each minute slows the computer."""
_SHORTEST_PAUSE = 1.0
_NEXT_STEP = (
    "Look whether the download or the copy still goes on; if not, export the chat again and drop "
    "the new file."
)
MOST_FAILURES = 3
_PAUSES_SECONDS = (10, 60)
_OUTAGE_PAUSES_SECONDS = (10, 60, 300, 900, 1800)
_LONGEST_ASKED_SECONDS = 86_400.0
"""A provider that asks for a longer wait is asked again after a day."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A file as it was seen; it was written if any of these changed (`size` in bytes)."""

    device: int
    inode: int
    size: int
    mtime_ns: int

    def same_file(self, other: "Sighting") -> bool:
        """Return whether both are the same file, even if it was written to in between."""
        return (self.device, self.inode) == (other.device, other.inode)


Comparison = Literal["new", "replaced", "changed", "unchanged"]
"""
new         never seen here, or has new content in place of a file that was taken
replaced    another file in place of one that was not taken yet
changed     the same file, not taken yet, was written to
unchanged   as it was when it was last seen
"""


def compare(state: State | None, last: Sighting | None, present: Sighting) -> Comparison:
    """Compare the file at a path with its newest arrival, whose state and sighting may be None.

    A file that is found again after it was gone is a new one.
    """
    if last is None or state is None or state == "gone":
        return "new"
    if last == present:
        return "unchanged"
    if state not in UNTAKEN:
        return "new"
    return "changed" if last.same_file(present) else "replaced"


@dataclass(frozen=True, slots=True)
class Stillness:
    """Since when a file has been unchanged, in seconds of a monotonic clock."""

    since: float
    look_at: float
    """When to read the file, unless it changes before."""
    moved: str = ""
    """How it was seen to change ("still growing"); empty as long as it did not."""


@dataclass(frozen=True, slots=True)
class Incomplete:
    """Why the content cannot be taken: it ends too early, or cannot be read yet."""

    reason: str
    next_step: str = ""
    """What the person can do; empty where waiting may help."""


@dataclass(frozen=True, slots=True)
class Wait:
    """The file may not be taken yet; it is checked again after `seconds`."""

    seconds: float
    reason: str
    next_step: str = ""
    """What the person can do; empty where their attention is not needed."""


def update_stillness(
    before: Stillness | None, last: Sighting, present: Sighting, now: float, settle_seconds: float
) -> Stillness:
    """Update since when a file has been unchanged: any change starts this time again.

    `before` is None at the first check since memproc was started.
    """
    if last != present:
        return Stillness(
            now,
            now + settle_seconds,
            "still growing" if present.size > last.size else "still changing",
        )
    return before or Stillness(now, now + settle_seconds)


def decide(
    stillness: Stillness, now: float, waited: float, settle_seconds: float, fault: Incomplete | None
) -> Wait | None:
    """Return how long the file still has to wait at `now`; None where it may be taken.

    `waited` is the time since it was first seen, `fault` what is wrong with its content. All times
    are in seconds.
    """
    unchanged = now - stillness.since
    if unchanged < settle_seconds:
        is_late = stillness.moved and waited >= ATTENTION_AFTER
        return Wait(
            max(stillness.since + settle_seconds - now, 0.0),
            stillness.moved,
            _NEXT_STEP if is_late else "",
        )
    if fault is None:
        return None
    if fault.next_step or waited >= ATTENTION_AFTER:
        return Wait(RARE_PAUSE, fault.reason, fault.next_step or _NEXT_STEP)
    return Wait(min(max(unchanged, _SHORTEST_PAUSE), LONGEST_PAUSE), fault.reason)


def after_outage(outages: int, now: datetime, asked_seconds: float = 0.0) -> datetime:
    """Return when to try a file again after its `outages`-th temporary fault; it is never given up.

    Every fault since the file was dropped counts. It is not tried before the `asked_seconds` of a
    provider have passed, limited to a day.
    """
    nth = min(max(outages, 1), len(_OUTAGE_PAUSES_SECONDS))
    asked = min(asked_seconds, _LONGEST_ASKED_SECONDS)
    return now + timedelta(seconds=max(_OUTAGE_PAUSES_SECONDS[nth - 1], asked))


def after_failure(failures: int, why: str, now: datetime) -> tuple[datetime | None, str, str]:
    """Return when to try a file again after its `failures`-th failure, why, and the next step.

    The time is None where the file is skipped. `why` is a sentence without its full stop.
    """
    if failures >= MOST_FAILURES:
        return (
            None,
            f"The work on it failed {failures} times. The last time, {why}.",
            "See what happened with: memproc logs. What models have answered is kept: drop the "
            "file again, or run memproc run with its name, to have it tried once more.",
        )
    pause = _PAUSES_SECONDS[max(failures, 1) - 1]
    reason = (
        f"The work on it failed ({failures} of {MOST_FAILURES} times): {why}. "
        f"It is tried again after {pause} s."
    )
    return now + timedelta(seconds=pause), reason, ""
