"""Decides when a file in the inbox may be taken: it has stood still, and its content is complete.

A file that is still being written is waited for, with pauses that double up to a minute; after an hour
it wants the person's attention, and is waited for all the same.
"""

from dataclasses import dataclass

from rules.arrival.sighting import Sighting

LONGEST_PAUSE = 60.0
"""Seconds between two looks at a file that is not complete."""

ATTENTION_AFTER = 3600.0
"""Seconds after which a file that could not be taken is the person's matter."""

RARE_PAUSE = 600.0
"""Seconds between two looks after that: reading a large file every minute for days would be felt."""

_SHORTEST_PAUSE = 1.0
_NEXT_STEP = "Look whether the download or the copy still goes on; if not, export the chat again and drop the new file."


@dataclass(frozen=True, slots=True)
class Standing:
    """How long a file has stood still, on a clock that is never set (seconds)."""

    since: float
    look_at: float
    """When to look inside; earlier only if the file changes."""
    moved: str = ""
    """How it was seen changing ("still growing"), or nothing as long as it was not."""


@dataclass(frozen=True, slots=True)
class Whole:
    """The content is complete, or is nothing of which one could say that it is not."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The content ends too early, or cannot be read yet."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unfit:
    """The file will not be taken as it is, however long it stands still."""

    reason: str
    next_step: str


Content = Whole | Unfinished | Unfit


@dataclass(frozen=True, slots=True)
class Settling:
    """It has not stood still for long enough; `again` is in seconds."""

    again: float
    reason: str


@dataclass(frozen=True, slots=True)
class Ready:
    """It may be taken."""


@dataclass(frozen=True, slots=True)
class Growing:
    """It stands still, and is not complete; `again` is in seconds."""

    again: float
    reason: str


@dataclass(frozen=True, slots=True)
class NeedsAttention:
    """It could not be taken for too long; it is still waited for. `again` is in seconds."""

    again: float
    reason: str
    next_step: str


Decision = Settling | Ready | Growing | NeedsAttention


def stand(before: Standing | None, last: Sighting, present: Sighting, now: float, settle_seconds: float) -> Standing:
    """How long the file has stood still by `now`; any change, and a first look, starts again.

    `before` is None at the first look since memproc was started.
    """
    if last != present:
        return Standing(now, now + settle_seconds, "still growing" if present.size > last.size else "still changing")
    return before or Standing(now, now + settle_seconds)


def unsettled(standing: Standing, now: float, waited: float, settle_seconds: float) -> Settling | NeedsAttention:
    """What a file waits for that has not stood still for long enough; see `decide` for the times."""
    left = max(standing.since + settle_seconds - now, 0.0)
    if standing.moved and waited >= ATTENTION_AFTER:
        return NeedsAttention(left, standing.moved, _NEXT_STEP)
    return Settling(left, standing.moved)


def decide(standing: Standing, now: float, waited: float, settle_seconds: float, content: Content) -> Decision:
    """Whether the file may be taken at `now`, and if not, what it waits for and when to look again.

    `waited` is the time since it was first seen, `content` what was found inside. All times are in
    seconds. Source: "Watching" of the daemon's requirements, second point.
    """
    stood = now - standing.since
    if stood < settle_seconds:
        return unsettled(standing, now, waited, settle_seconds)
    match content:
        case Whole():
            return Ready()
        case Unfit(reason, next_step):
            return NeedsAttention(RARE_PAUSE, reason, next_step)
        case Unfinished(reason) if waited >= ATTENTION_AFTER:
            return NeedsAttention(RARE_PAUSE, reason, _NEXT_STEP)
        case Unfinished(reason):
            return Growing(min(max(stood, _SHORTEST_PAUSE), LONGEST_PAUSE), reason)
