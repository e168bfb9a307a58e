"""The daemon's files and their states, compared with what is in the inbox now.

Files of a run by hand have rows in the same table (work.py), which are ignored here.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import PurePath

from daemon.archive.archive import Archive
from daemon.archive.log import note
from daemon.archive.outputs import last_output
from daemon.archive.records import list_columns
from daemon.events import FileIs
from daemon.files.clock import in_full
from rules.arrival import (
    FINISHED,
    IN_HAND,
    MOST_FAILURES,
    UNTAKEN,
    Comparison,
    Sighting,
    State,
    compare,
)
from rules.conversation.memory import EXTRACTED
from rules.errors import ArchiveError

_RENEW_PLACE = "UPDATE arrival SET device = ?, inode = ?, size = ?, mtime_ns = ? WHERE id = ?"
_TAKE_FROM_HAND = """
    UPDATE arrival SET by = 'daemon', seen_at = ?, sha256 = NULL, tries = 0
    WHERE id = (SELECT max(id) FROM arrival WHERE by <> 'daemon' AND state <> 'working'
                AND path = ? AND inode = ? AND size = ? AND mtime_ns = ?) RETURNING id
"""
"""Makes the daemon's a row that a run by hand has left for the same file."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A dropped file: its place and size when last seen, and its state."""

    id: int
    path: str
    device: int
    inode: int
    size: int
    mtime_ns: int
    sha256: str | None
    """The hash of its content; None until memproc has a copy."""
    state: State
    reason: str
    next_step: str
    """What the person should do next; empty where nothing is asked of them."""
    tries: int
    """How often the work on it has failed."""
    next_look_at: str | None
    seen_at: str
    changed_at: str

    @property
    def sighting(self) -> Sighting:
        """Return the file's place and size when it was last seen."""
        return Sighting(self.device, self.inode, self.size, self.mtime_ns)


def find_arrival(archive: Archive, arrival_id: int) -> Arrival:
    """Return the arrival of that number. Raises ArchiveError where it is unknown."""
    for arrival in _select(archive, "WHERE id = ?", arrival_id):
        return arrival
    raise ArchiveError(
        f"The archive knows no arrival {arrival_id}.", "Check it with: memproc verify"
    )


def next_work(archive: Archive, now: str) -> Arrival | None:
    """Return the next arrival to process: copied, or waiting until a time that has come; or None.

    The oldest comes first, so that the newest copy of a chat comes last.
    """
    waiting = """
        WHERE (state = 'copied' AND (next_look_at IS NULL OR next_look_at <= ?1))
           OR (state IN ('waiting', 'paused') AND next_look_at <= ?1)
        ORDER BY id LIMIT 1
    """
    return next(iter(_select(archive, waiting, now)), None)


def waiting_arrivals(archive: Archive) -> tuple[int, ...]:
    """Return the numbers of the arrivals that wait for a time, budget or person, oldest first."""
    return archive.column("SELECT id FROM arrival WHERE state IN ('waiting', 'paused') ORDER BY id")


def paused_arrivals(archive: Archive) -> tuple[int, ...]:
    """Return the numbers of the arrivals that wait for the budget or the person, oldest first."""
    return archive.column("SELECT id FROM arrival WHERE state = 'paused' ORDER BY id")


def skipped_or_extracted(archive: Archive) -> tuple[Arrival, ...]:
    """Return the arrivals worth another attempt, oldest first: skipped ones, then extracted ones.

    Extracted are those from which a chat's newest updated export was made, if it has memories that
    only the built-in engine wrote. Work that broke off three times is not tried again: the person
    was told to drop the file once more.
    """
    skipped = (
        "WHERE by = 'daemon' AND state = 'skipped' AND sha256 IS NOT NULL AND tries < ? ORDER BY id"
    )
    extracted = """
        WHERE id IN (
            SELECT max(arrival.id) FROM arrival
            JOIN output ON source_sha256 = arrival.sha256
            WHERE by = 'daemon' AND state = 'written'
                AND output.id = (
                    SELECT max(id) FROM output AS other WHERE other.chat_id = output.chat_id)
              AND EXISTS (
                  SELECT 1 FROM memory JOIN chat ON chat.id = memory.chat
                  WHERE chat.chat_id = output.chat_id AND forgotten_at IS NULL AND pinned = 0
                        AND (level = 1 OR memory.id IN (SELECT fold FROM fold_member))
                        AND NOT EXISTS (
                            SELECT 1 FROM edition WHERE edition.memory = memory.id AND made <> ?))
            GROUP BY arrival.sha256
        ) ORDER BY id
    """
    return _select(archive, skipped, MOST_FAILURES) + _select(archive, extracted, EXTRACTED)


def is_outdated(archive: Archive, arrival: Arrival, chat_id: str) -> bool:
    """Return whether the chat was restored or updated from another file since this one came."""
    last = last_output(archive, chat_id)
    return (
        last is not None
        and last.source_sha256 != arrival.sha256
        and last.written_at >= arrival.seen_at
    )


def known_content(archive: Archive, sha256: str) -> str | None:
    """Return why an export of this content needs no work, as a clause, or None.

    A skipped one may be tried again, and one that was removed before its turn counts as new.
    """
    if archive.value("SELECT 1 FROM output WHERE sha256 = ?", (sha256,)):
        return (
            "memproc wrote this file itself: import it in TypingMind, and drop a new export when "
            "you have talked on"
        )
    same = [
        arrival
        for arrival in _select(archive, "WHERE by = 'daemon' AND sha256 = ? ORDER BY id", sha256)
        if arrival.state != "gone"
    ]
    for arrival in same:
        name, day = PurePath(arrival.path).name, in_full(arrival.changed_at)[:10]
        if arrival.state in IN_HAND:
            return f"the same content waits to be worked on already, as {name}"
        if arrival.state == "written":
            return f"already done: the same content was worked on as {name}, on {day}"
    if same and all(arrival.state == "done" for arrival in same):
        name, day = PurePath(same[0].path).name, in_full(same[0].changed_at)[:10]
        return f"already done: the same content was dropped as {name}, on {day}"
    return None


def is_needed(archive: Archive, sha256: str) -> bool:
    """Return whether an arrival of this content is unfinished, so that its copy must stay."""
    states = archive.column(
        "SELECT state FROM arrival WHERE by = 'daemon' AND sha256 = ?", (sha256,)
    )
    return any(state not in FINISHED for state in states)


def in_hand(archive: Archive, sha256: str) -> Arrival | None:
    """Return the newest unfinished arrival of this content, or None."""
    same = _select(archive, "WHERE by = 'daemon' AND sha256 = ? ORDER BY id DESC", sha256)
    return next((arrival for arrival in same if arrival.state in IN_HAND), None)


def newest_number(archive: Archive) -> int:
    """Return the number of the newest arrival; 0 where there is none."""
    return int(archive.value("SELECT coalesce(max(id), 0) FROM arrival"))


def _select(archive: Archive, where: str, value: object) -> tuple[Arrival, ...]:
    arrivals = f"SELECT {list_columns(Arrival)} FROM arrival {where}"  # noqa: S608
    return archive.rows(Arrival, arrivals, (value,))


def change_state(
    archive: Archive,
    arrival_id: int,
    state: State,
    reason: str,
    next_step: str,
    when: str,
    next_look_at: str | None = None,
    tries: int | None = None,
    sha256: str | None = None,
) -> FileIs:
    """Move an arrival to another state, and log that. Return the logged event.

    `tries` and `sha256` stay as they are where they are None.
    """
    with archive.transaction():
        path = archive.value(
            """
            UPDATE arrival SET state = ?, reason = ?, next_step = ?, next_look_at = ?,
                changed_at = ?, tries = coalesce(?, tries), sha256 = coalesce(?, sha256)
            WHERE id = ? RETURNING path
            """,
            (state, reason, next_step, next_look_at, when, tries, sha256, arrival_id),
        )
        event = FileIs(arrival_id, PurePath(path).name, state, reason, next_step)
        note(archive, event, when)
    return event


def note_waiting(
    archive: Archive,
    arrival_id: int,
    reason: str,
    next_step: str,
    when: str,
    next_look_at: str | None,
) -> None:
    """Record what an untaken file waits for.

    It is logged only if the state or next step changed.
    """
    with archive.transaction():
        is_known = archive.column(
            """
            UPDATE arrival SET reason = ?, next_look_at = ?
            WHERE id = ? AND state = 'settling' AND next_step = ? RETURNING id
            """,
            (reason, next_look_at, arrival_id, next_step),
        )
        if not is_known:
            change_state(archive, arrival_id, "settling", reason, next_step, when, next_look_at)


def mark_copied(archive: Archive, arrival_id: int, sha256: str, when: str) -> tuple[int, ...]:
    """Note that memproc has its own copy.

    Return the numbers of the arrivals that this one replaces. Skipped ones with the same name or
    content are replaced: dropping a file again is the person's answer to the skip. A skipped one
    stays if a done file at another path has its content. An older copy that waits keeps its turn:
    it may hold what the newer one does not.
    """
    with archive.transaction():
        path = find_arrival(archive, arrival_id).path
        replaced = archive.column(
            """
            SELECT id FROM arrival AS older
            WHERE id <> ? AND state = 'skipped' AND (sha256 = ? OR (
                path = ? AND NOT EXISTS (
                    SELECT 1 FROM arrival AS same
                    WHERE same.sha256 = older.sha256 AND same.state = 'done')))
            ORDER BY id
            """,
            (arrival_id, sha256, path),
        )
        for older in replaced:
            reason = f"{PurePath(path).name} was dropped anew before this one was done"
            change_state(archive, older, "gone", reason, "", when)
        change_state(archive, arrival_id, "copied", "", "", when, sha256=sha256)
    return replaced


def resume_after_restart(archive: Archive, when: str) -> tuple[int, ...]:
    """Queue the arrivals again that were in work when memproc ended; their failures still count."""
    with archive.transaction():
        interrupted = archive.column(
            "SELECT id FROM arrival WHERE by = 'daemon' AND state = 'working' ORDER BY id"
        )
        reason = "memproc was stopped during the work, and goes on"
        for arrival_id in interrupted:
            change_state(archive, arrival_id, "copied", reason, "", when)
    return interrupted


def retry_paused(archive: Archive, now: str) -> None:
    """Have the arrivals that wait for the budget or the person looked at again at once."""
    archive.run("UPDATE arrival SET next_look_at = ? WHERE state = 'paused'", (now,))


def arrivals_of(archive: Archive, paths: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of the arrivals that came from these paths."""
    return archive.column(
        "SELECT id FROM arrival WHERE path IN (SELECT value FROM json_each(?))",
        (json.dumps(list(paths)),),
    )


@dataclass(frozen=True, slots=True)
class Present:
    """A file in the inbox, and the newest arrival at its path (0 where there is none)."""

    path: str
    sighting: Sighting
    arrival: int
    last: Sighting | None
    comparison: Comparison


def compare_inbox(
    archive: Archive, files: Iterable[tuple[str, Sighting]]
) -> tuple[tuple[Present, ...], tuple[int, ...]]:
    """Return the inbox's new, changed and untaken files, oldest first, and the vanished arrivals.

    Vanished are untaken arrivals whose files are gone; they are returned by their numbers.
    """
    present = dict(files)
    newest = {
        path: (number, state, Sighting(*numbers))
        for path, number, state, *numbers in archive.run(
            "SELECT path, id, state, device, inode, size, mtime_ns FROM arrival "
            "WHERE id IN (SELECT max(id) FROM arrival WHERE by = 'daemon' GROUP BY path)"
        )
    }
    to_look_at = []
    for path, sighting in sorted(present.items(), key=lambda file: (file[1].mtime_ns, file[0])):
        number, state, last = newest.get(path, (0, None, None))
        if state in (None, "gone", *UNTAKEN) or last != sighting:
            to_look_at.append(Present(path, sighting, number, last, compare(state, last, sighting)))
    untaken = archive.run(
        "SELECT id, path FROM arrival WHERE state IN ('seen', 'settling') ORDER BY id"
    )
    return tuple(to_look_at), tuple(number for number, path in untaken if path not in present)


def record_sightings(
    archive: Archive, files: Sequence[Present], vanished: Sequence[int], when: str
) -> dict[str, int]:
    """Store what a scan saw, in one transaction. Return the numbers of new arrivals by their paths.

    `vanished` are the arrivals whose files are gone.
    """
    entered: dict[str, int] = {}
    with archive.transaction():
        for number in vanished:
            reason = "it was taken out of the inbox before memproc had copied it"
            change_state(archive, number, "gone", reason, "", when)
        for file in files:
            if file.comparison == "replaced":
                reason = "another file was put in its place before memproc had copied it"
                change_state(archive, file.arrival, "gone", reason, "", when)
            place = file.sighting
            if file.comparison == "changed":
                archive.run(_RENEW_PLACE, (*astuple(place), file.arrival))
            elif file.comparison in ("new", "replaced"):
                times = {"seen_at": when, "changed_at": when}
                row = {"path": file.path, **asdict(place), **times, "state": "seen"}
                file_values = (when, file.path, place.inode, place.size, place.mtime_ns)
                number = archive.value(_TAKE_FROM_HAND, file_values) or archive.insert(
                    "arrival", row
                )
                change_state(archive, number, "seen", "", "", when)
                entered[file.path] = number
    return entered
