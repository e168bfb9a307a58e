"""Scan the inbox: compare it with the archive, and take files that are complete and unchanged.

Events only say when to scan. A file that one scan misses is found by the next, and known files are
not touched.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.arrivals import (
    Arrival,
    Present,
    change_state,
    compare_inbox,
    find_arrival,
    known_content,
    mark_copied,
    note_waiting,
    record_sightings,
)
from daemon.archive.log import entries_after, newest_entry
from daemon.events import FileIs
from daemon.files.candidates import (
    Candidate,
    UnusableFile,
    candidates,
    is_named_as_export,
    what_it_is,
)
from daemon.files.reasons import trouble
from daemon.inbox.intake import Changed, forget_copy, look_inside, take, unreadable
from daemon.inbox.watch_plan import WatchPlan
from rules.arrival import Incomplete, Stillness, Wait, decide, update_stillness
from rules.errors import FileTrouble
from rules.typingmind.dates import parse_date, write_date

_FILES_AT_ONCE = 100
_BYTES_AT_ONCE = 256 << 20
"""The most files and bytes that one scan takes; the rest is left to the next, to free the loop."""

_NO_ROOM_PAUSE = 60.0


@dataclass(frozen=True, slots=True)
class Scanned:
    """The result of a scan."""

    next_look_seconds: float | None
    """Seconds until the next scan, even without an event; None if only an event needs one."""
    changes: tuple[FileIs, ...]
    notes: tuple[str, ...]
    """Notes for the person on the inbox: files that cannot be used as they are, a full disk."""


class Scanner:
    """Remembers between scans how long each untaken file has been unchanged.

    A restart forgets that: every file must then be unchanged for the full time again.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._stillness: dict[int, Stillness] = {}

    def scan(self, plan: WatchPlan, now: str, monotonic: float) -> Scanned:
        """Scan the inbox once, and move every file on that is ready for its next step.

        `now` is for the archive, `monotonic` for measuring, in seconds. Raise FileTrouble where the
        inbox cannot be read, and ArchiveError.
        """
        before = newest_entry(self._archive)
        try:
            entries = list(candidates(plan.inbox, plan.subfolders))
        except OSError as error:
            raise trouble(error, plan.inbox, "read") from error
        self._plan, self._now, self._monotonic = plan, now, monotonic
        files = [entry for entry in entries if isinstance(entry, Candidate)]
        sightings = ((file.path, file.sighting) for file in files)
        self._see(*compare_inbox(self._archive, sightings))
        notes = list(self._take_those_due())
        for entry in entries:
            if isinstance(entry, UnusableFile):
                name = entry.path.removeprefix(f"{plan.inbox}{os.sep}")
                notes.append(f"{name}: {entry.reason}")
        noted = (entry.event for entry in entries_after(self._archive, before))
        changes = tuple(event for event in noted if isinstance(event, FileIs))
        looks = [stillness.look_at for stillness in self._stillness.values()]
        next_look = max(min(looks) - monotonic, 0.0) if looks else None
        return Scanned(next_look, changes, tuple(notes))

    def _see(self, files: Sequence[Present], vanished: Sequence[int]) -> None:
        """Record what was seen, and how long each untaken file has been unchanged."""
        new_numbers: dict[str, int] = {}
        if vanished or any(file.comparison != "unchanged" for file in files):
            new_numbers = record_sightings(self._archive, files, vanished, self._now)
        before, self._stillness = self._stillness, {}
        settle_seconds = self._plan.settle_seconds
        for file in files:
            number = new_numbers.get(file.path, file.arrival)
            last = file.sighting
            if file.last and number == file.arrival:
                last = file.last
            stillness = update_stillness(
                before.get(number), last, file.sighting, self._monotonic, settle_seconds
            )
            self._stillness[number] = stillness
            if file.comparison == "changed":
                self._unsettled(find_arrival(self._archive, number), stillness)

    def _take_those_due(self) -> Sequence[str]:
        """Look into the files that are due, and take the ready ones.

        Return notes on what stops all of them.
        """
        now = self._monotonic
        due = sorted(
            number for number, stillness in self._stillness.items() if stillness.look_at <= now
        )
        size = 0
        for number in due[:_FILES_AT_ONCE]:
            arrival = find_arrival(self._archive, number)
            size += arrival.size
            try:
                replaced = self._look(arrival)
            except FileTrouble as no_room:
                self._waits(arrival, Wait(_NO_ROOM_PAUSE, no_room.message, no_room.next_step))
                later = self._monotonic + _NO_ROOM_PAUSE
                for number in self._stillness.keys() & set(due):
                    self._stillness[number] = replace(self._stillness[number], look_at=later)
                return [no_room.message]
            for older in replaced:
                forget_copy(self._archive, self._plan.state, find_arrival(self._archive, older))
            if size > _BYTES_AT_ONCE:
                break
        return []

    def _look(self, arrival: Arrival) -> Sequence[int]:
        """Take a file if it is complete. Return the numbers of the arrivals that it replaces.

        Raise FileTrouble where no file can be taken.
        """
        stillness, path = self._stillness[arrival.id], Path(arrival.path)
        wait = self._decide(arrival, stillness, look_inside(path))
        if wait:
            self._waits(arrival, wait)
            look_at = self._monotonic + wait.seconds
            self._stillness[arrival.id] = replace(stillness, look_at=look_at)
            return ()
        if is_named_as_export(arrival.path):
            return self._take(arrival, path)
        try:
            reason, next_step = what_it_is(path)
        except OSError as error:
            self._settles_again(arrival, unreadable(error).reason)
            return ()
        change_state(self._archive, arrival.id, "skipped", reason, next_step, self._now)
        del self._stillness[arrival.id]
        return ()

    def _take(self, arrival: Arrival, path: Path) -> Sequence[int]:
        """Copy a complete file, unless its content is known. Return the arrivals that it replaces."""
        known_here = partial(known_content, self._archive)
        try:
            digest, why_known = take(path, arrival.sighting, self._plan.state, known_here)
        except Changed as changed:
            self._settles_again(arrival, str(changed))
            return ()
        del self._stillness[arrival.id]
        if why_known:
            change_state(self._archive, arrival.id, "done", why_known, "", self._now, sha256=digest)
            return ()
        return mark_copied(self._archive, arrival.id, digest, self._now)

    def _settles_again(self, arrival: Arrival, reason: str) -> None:
        """Look at a file once it was unchanged for the full time again.

        It has changed meanwhile, or could not be read.
        """
        settled_at = self._monotonic + self._plan.settle_seconds
        stillness = Stillness(self._monotonic, settled_at, reason)
        self._stillness[arrival.id] = stillness
        self._unsettled(arrival, stillness)

    def _unsettled(self, arrival: Arrival, stillness: Stillness) -> None:
        """Record that a file is not complete yet, or still changes."""
        wait = self._decide(arrival, stillness, None)
        if wait:
            self._waits(arrival, wait)

    def _decide(
        self, arrival: Arrival, stillness: Stillness, fault: Incomplete | None
    ) -> Wait | None:
        """Return what a file waits for; None where it may be taken."""
        # If the clock was set back, this time is too short for a while.
        waited = _time(self._now) - _time(arrival.seen_at)
        return decide(
            stillness, self._monotonic, waited.total_seconds(), self._plan.settle_seconds, fault
        )

    def _waits(self, arrival: Arrival, wait: Wait) -> None:
        """Record in the archive what the file waits for."""
        again = write_date(_time(self._now) + timedelta(seconds=wait.seconds))
        note_waiting(self._archive, arrival.id, wait.reason, wait.next_step, self._now, again)


def _time(text: str) -> datetime:
    """Return a time of the archive; the earliest possible time if it cannot be read."""
    return parse_date(text) or datetime.min.replace(tzinfo=UTC)
