"""One look at the inbox: what lies there is compared with the archive, and what stands still is taken.

Events only say when to look. What was missed is found by the next look, and what is known is not touched.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.arrivals import (
    Arrival,
    ArrivalStep,
    Present,
    change_state,
    compare_inbox,
    find_arrival,
    known_content,
    last_step,
    mark_copied,
    note_waiting,
    record_sightings,
    steps_after,
)
from daemon.files.candidates import Candidate, OtherFile, UnusableFile, candidates, has_ending, what_it_is
from daemon.files.write import trouble
from daemon.inbox.intake import Changed, NotTaken, NotWanted, Taken, forget_copy, look_inside, take
from daemon.inbox.watch_plan import WatchPlan
from rules.arrival import Growing, NeedsAttention, Ready, Settling, Sighting, Stillness, decide, stand, unsettled
from rules.typingmind.message import parse_date, write_date

_FILES_AT_ONCE = 100
_BYTES_AT_ONCE = 256 << 20
"""After so much one scan leaves the rest to the next, so that the loop never stands still for long."""

_NO_ROOM_PAUSE = 60.0


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a scan did, and when the next one is needed even if nothing happens (seconds; None: not at all)."""

    next_look_seconds: float | None
    changes: tuple[ArrivalStep, ...]
    notes: tuple[str, ...]
    """What the person should know of the inbox: files that cannot be used as they lie there, a full disk."""
    standings: Mapping[int, Stillness]
    """How long each file that is not taken yet has stood still; for the next scan."""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """The inbox cannot be read; nothing was changed in the archive."""

    reason: str
    next_step: str


@dataclass(frozen=True, slots=True)
class _Watch:
    """What the parts of one scan share; `monotonic` is in seconds, and is never set back."""

    archive: Archive
    plan: WatchPlan
    now: str
    monotonic: float


def scan(
    archive: Archive, plan: WatchPlan, now: str, monotonic: float, standings: Mapping[int, Stillness]
) -> Scanned | Unreachable:
    """Look through the inbox once, and move every file on that can be moved on.

    `standings` are those of the scan before, or empty after a start: every file then has to stand still
    anew. `now` is for the archive, `monotonic` for measuring. Raises ArchiveError.
    """
    watch, passed, begin = _Watch(archive, plan, now, monotonic), list[UnusableFile](), last_step(archive)
    try:
        files, left = compare_inbox(archive, _files(plan, passed))
    except OSError as error:
        told = trouble(error, plan.inbox, "read")
        return Unreachable(told.message, told.next_step)
    sighted = _sighted(watch, files, left, standings)
    waiting, trouble_met = _take_those_due(watch, sighted)
    notes = (*trouble_met, *(f"{_inside(plan.inbox, file.path)}: {file.reason}" for file in passed))
    return Scanned(_next_look(watch, waiting), steps_after(archive, begin), notes, waiting)


def _files(plan: WatchPlan, passed: list[UnusableFile]) -> Iterator[tuple[str, Sighting]]:
    """The files of the inbox, one by one; those that cannot be used are put into `passed`."""
    for entry in candidates(plan.inbox, plan.subfolders):
        match entry:
            case Candidate(path, sighting) | OtherFile(path, sighting):
                yield path, sighting
            case UnusableFile():
                passed.append(entry)


def _sighted(
    watch: _Watch, files: Sequence[Present], left: Sequence[int], standings: Mapping[int, Stillness]
) -> dict[int, Stillness]:
    """Write down what was seen, and say of each file that is not taken yet how long it has stood still."""
    entered: Mapping[str, int] = {}
    if left or any(file.comparison != "unchanged" for file in files):
        entered = record_sightings(watch.archive, files, left, watch.now)
    found = {}
    for file in files:
        number = entered.get(file.path, file.arrival)
        last = file.last if file.last and number == file.arrival else file.sighting
        found[number] = stand(standings.get(number), last, file.sighting, watch.monotonic, watch.plan.settle_seconds)
        if file.comparison == "changed":
            _say_unsettled(watch, find_arrival(watch.archive, number), found[number])
    return found


def _take_those_due(watch: _Watch, standings: Mapping[int, Stillness]) -> tuple[dict[int, Stillness], tuple[str, ...]]:
    """Look into the files whose time has come, and take those that are ready; those that wait, and what went wrong."""
    left, size = dict(standings), 0
    due = sorted(number for number, standing in standings.items() if standing.look_at <= watch.monotonic)
    for number in due[:_FILES_AT_ONCE]:
        if size > _BYTES_AT_ONCE:
            break
        arrival = find_arrival(watch.archive, number)
        size += arrival.size
        match _look(watch, arrival, standings[number]):
            case Stillness() as standing:
                left[number] = standing
            case NotTaken(reason):
                later = watch.monotonic + _NO_ROOM_PAUSE
                return left | {each: replace(left[each], look_at=later) for each in due if each in left}, (reason,)
            case None:
                del left[number]
    return left, ()


def _look(watch: _Watch, arrival: Arrival, standing: Stillness) -> Stillness | NotTaken | None:
    """Take a file if it is complete; else how it goes on. None: it is taken, or need not be."""
    content = look_inside(Path(arrival.path))
    decision = decide(standing, watch.monotonic, _waited(watch, arrival), watch.plan.settle_seconds, content)
    if isinstance(decision, Ready):
        return _take(watch, arrival)
    _say(watch, arrival, decision)
    return replace(standing, look_at=watch.monotonic + decision.again)


def _take(watch: _Watch, arrival: Arrival) -> Stillness | NotTaken | None:
    archive, plan = watch.archive, watch.plan
    if not has_ending(arrival.path):
        reason, next_step = what_it_is(Path(arrival.path))
        change_state(archive, arrival.id, "set aside", reason, next_step, watch.now)
        return None
    taken = take(Path(arrival.path), arrival.sighting, plan.state, partial(known_content, archive))
    match taken:
        case Taken(_, sha256):
            for older in mark_copied(archive, arrival.id, sha256, watch.now):
                forget_copy(archive, plan.state, find_arrival(archive, older))
        case NotWanted(sha256, reason):
            change_state(archive, arrival.id, "done", reason, "", watch.now, sha256=sha256)
        case Changed(reason):
            anew = Stillness(watch.monotonic, watch.monotonic + plan.settle_seconds, reason)
            _say_unsettled(watch, arrival, anew)
            return anew
        case NotTaken(reason, next_step):
            _say(watch, arrival, NeedsAttention(_NO_ROOM_PAUSE, reason, next_step))
            return taken
    return None


def _say_unsettled(watch: _Watch, arrival: Arrival, standing: Stillness) -> None:
    _say(watch, arrival, unsettled(standing, watch.monotonic, _waited(watch, arrival), watch.plan.settle_seconds))


def _say(watch: _Watch, arrival: Arrival, decision: Settling | Growing | NeedsAttention) -> None:
    """Put into the archive what the file waits for."""
    next_step = decision.next_step if isinstance(decision, NeedsAttention) else ""
    again = write_date(_time(watch.now) + timedelta(seconds=decision.again))
    note_waiting(watch.archive, arrival.id, decision.reason, next_step, watch.now, again)


def _waited(watch: _Watch, arrival: Arrival) -> float:
    """Seconds since the file was first seen; a clock that was set back makes it less, never wrong for long."""
    return (_time(watch.now) - _time(arrival.seen_at)).total_seconds()


def _time(text: str) -> datetime:
    return parse_date(text) or datetime.min.replace(tzinfo=UTC)


def _next_look(watch: _Watch, standings: Mapping[int, Stillness]) -> float | None:
    if not standings:
        return None
    return max(min(standing.look_at for standing in standings.values()) - watch.monotonic, 0.0)


def _inside(inbox: Path, path: str) -> str:
    return path.removeprefix(f"{inbox}{os.sep}")
