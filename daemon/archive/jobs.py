"""Timed jobs, signs of the daemon, and the counts that `memproc status` shows.

A job that came due while the machine slept or memproc was off is still due afterwards, once.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from daemon.archive.archive import Archive, columns
from daemon.archive.arrivals import ChatOutcome
from daemon.archive.signs import set_sign, sign
from rules.arrival import IN_HAND, UNTAKEN
from rules.retention import PARTS, Timing, next_due
from rules.typingmind.dates import write_date

_PART = "verified_part"
_NOTICE = "notice "
# No newer file has taken the place of the arrival; the same content once more is no newer file.
_IN_ITS_PLACE = """NOT EXISTS (
    SELECT 1 FROM arrival AS later WHERE later.path = arrival.path AND later.id > arrival.id
    AND NOT (later.state = 'done' AND later.sha256 IS arrival.sha256))"""


@dataclass(frozen=True, slots=True)
class Job:
    """A timed job; times are texts in UTC, `error` is what last went wrong, as sentences."""

    name: str
    due_at: str
    began_at: str | None
    ended_at: str | None
    error: str | None


def set_jobs(archive: Archive, timings: Mapping[str, Timing], now: datetime) -> None:
    """Have exactly these jobs, each due at its next time from `now` (local), or earlier if it was.

    For the start and for changed settings. A due time far ahead, from a wrong clock, comes back.
    """
    with archive.transaction():
        names = json.dumps(list(timings))
        archive.run("DELETE FROM job WHERE name NOT IN (SELECT value FROM json_each(?))", (names,))
        for name, timing in timings.items():
            archive.run(
                "INSERT INTO job (name, due_at) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET due_at = min(due_at, excluded.due_at)",
                (name, write_date(next_due(timing, now))),
            )


def jobs(archive: Archive) -> tuple[Job, ...]:
    """Return all jobs, the one that is due first at the beginning."""
    return archive.rows(Job, f"SELECT {columns(Job)} FROM job ORDER BY due_at, name")  # noqa: S608


def due_jobs(archive: Archive, now: str) -> tuple[str, ...]:
    """Return the names of the jobs whose time has come, the oldest first."""
    return archive.column("SELECT name FROM job WHERE due_at <= ? ORDER BY due_at, name", (now,))


def begin_job(archive: Archive, name: str, now: str) -> None:
    """Note that the job has begun. It stays due until it ends, so that no kill loses it."""
    archive.run("UPDATE job SET began_at = ? WHERE name = ?", (now, name))


def end_job(archive: Archive, name: str, now: str, due_at: str, error: str | None) -> None:
    """Note that the job has ended, with `error` or None; it is due again at `due_at`."""
    archive.run(
        "UPDATE job SET ended_at = ?, due_at = ?, error = ? WHERE name = ?",
        (now, due_at, error, name),
    )


def part_to_verify(archive: Archive) -> int:
    """Return the part of the backups to verify next, from 0; days without the machine skip none."""
    last = sign(archive, _PART)
    return (int(last.value) + 1) % PARTS if last else 0


def part_verified(archive: Archive, part: int, now: str) -> None:
    """Remember that this part has been verified."""
    set_sign(archive, _PART, str(part), now)


def files_by_state(archive: Archive) -> dict[str, int]:
    """Return the number of files in each state."""
    return dict(archive.run("SELECT state, count(*) FROM arrival GROUP BY state ORDER BY state"))


@dataclass(frozen=True, slots=True)
class QueuedFile:
    """A file that is not finished, and what it waits for."""

    arrival: int
    file: str
    state: str
    reason: str
    changed_at: str
    next_look_at: str | None
    tries: int


def queued_files(archive: Archive, most: int) -> tuple[QueuedFile, ...]:
    """Return up to `most` unfinished files, the one that is furthest on first."""
    states = ", ".join(f"'{state}'" for state in (*IN_HAND, *UNTAKEN))
    rows = archive.run(
        f"""
        SELECT id, path, state, reason, changed_at, next_look_at, tries
        FROM arrival WHERE state IN ({states})
        ORDER BY CASE state WHEN 'working' THEN 1 WHEN 'planned' THEN 2 WHEN 'copied' THEN 3
                 WHEN 'waiting' THEN 4 WHEN 'paused' THEN 5 WHEN 'settling' THEN 6 ELSE 7 END,
                 id LIMIT ?
        """,  # noqa: S608  the states are ours
        (most,),
    )
    return tuple(QueuedFile(arrival, Path(path).name, *rest) for arrival, path, *rest in rows)


@dataclass(frozen=True, slots=True)
class RecentFile:
    """A dropped file that is unfinished or ended lately, and what became of its chats."""

    arrival: int
    path: str
    state: str
    reason: str
    next_step: str
    outcomes: tuple[ChatOutcome, ...] = ()


def recent_files(archive: Archive, since: str, most: int) -> tuple[RecentFile, ...]:
    """Return unfinished files and those that ended after `since`, newest first, at most `most`."""
    unfinished = ", ".join(f"'{state}'" for state in (*IN_HAND, *UNTAKEN))
    rows = archive.run(
        f"""
        SELECT id, path, state, reason, next_step FROM arrival
        WHERE (state IN ({unfinished}) OR changed_at > ?) AND state <> 'gone'
        ORDER BY id DESC LIMIT ?
        """,  # noqa: S608  the states are ours
        (since, most),
    )
    outcomes = f"SELECT {columns(ChatOutcome)} FROM outcome WHERE arrival = ? ORDER BY id"  # noqa: S608
    return tuple(
        RecentFile(
            number, path, state, reason, step, archive.rows(ChatOutcome, outcomes, (number,))
        )
        for number, path, state, reason, step in rows
    )


def paths_read(archive: Archive) -> frozenset[str]:
    """Return the paths of all files that the daemon or a run has come to."""
    paths = "SELECT path FROM arrival UNION SELECT path FROM file_seen"
    return frozenset(archive.column(paths))


@dataclass(frozen=True, slots=True)
class OpenTrouble:
    """A chat or a file that a person has to look at, and the path of the file in the inbox."""

    name: str
    reason: str
    next_step: str
    path: str


def chats_in_trouble(archive: Archive) -> tuple[OpenTrouble, ...]:
    """Return the chats that were skipped and have not come again since, the newest first.

    Those without a next step are tried again by themselves.
    """
    in_trouble = f"""
        WITH by_title AS (SELECT title, max(id) AS newest FROM outcome GROUP BY title),
             by_chat AS (SELECT chat_id, max(id) AS newest FROM outcome GROUP BY chat_id)
        SELECT outcome.title, outcome.detail, outcome.next_step, arrival.path FROM outcome
        JOIN arrival ON arrival.id = outcome.arrival
        JOIN by_title ON by_title.title = outcome.title AND by_title.newest = outcome.id
        JOIN by_chat ON by_chat.chat_id = outcome.chat_id
                     AND (by_chat.newest = outcome.id OR outcome.chat_id = '')
        WHERE outcome.kind = 'skipped' AND outcome.next_step <> '' AND {_IN_ITS_PLACE}
        ORDER BY outcome.id DESC
    """  # noqa: S608
    return archive.rows(OpenTrouble, in_trouble)


def files_in_trouble(archive: Archive) -> tuple[OpenTrouble, ...]:
    """Return files skipped or waiting for the person, newest first, not counting their chats."""
    in_trouble = f"""
        SELECT path, iif(reason <> '', reason,
                iif(state = 'skipped', 'It was skipped.', 'It is ' || state || '.')),
            next_step, path FROM arrival
        WHERE (state = 'skipped'
            OR (next_step <> '' AND state NOT IN ('written', 'done', 'gone')))
        AND id NOT IN (SELECT arrival FROM outcome WHERE kind = 'skipped' AND next_step <> '')
        AND {_IN_ITS_PLACE} ORDER BY id DESC
    """  # noqa: S608
    return tuple(
        replace(trouble, name=Path(trouble.path).name)
        for trouble in archive.rows(OpenTrouble, in_trouble)
    )


def notice_is_due(archive: Archive, cause: str, since: str, now: str, most: int) -> bool:
    """Return whether a notice of this cause may be shown now, and count it as shown.

    It may not where one of the same cause was shown after `since`, or `most` of any cause. What a
    clock that was set back has left in the future counts for nothing.
    """
    name = f"{_NOTICE}{cause}"
    mark = (len(_NOTICE), _NOTICE)
    recent = archive.run(
        "SELECT name FROM sign WHERE substr(name, 1, ?) = ? AND at > ? AND at <= ?",
        (*mark, since, now),
    )
    if (name,) in recent or len(recent) >= most:
        return False
    archive.run("DELETE FROM sign WHERE substr(name, 1, ?) = ? AND at <= ?", (*mark, since))
    set_sign(archive, name, "", now)
    return True


def structural_faults(archive: Archive) -> list[str]:
    """Find faults in the archive's structure; quick, since no message is held against its hash."""
    return [str(fault) for (fault,) in archive.run("PRAGMA quick_check") if fault != "ok"]


def settings_of_chats(archive: Archive) -> list[tuple[str, bytes, bytes]]:
    """Return every chat's id and its JSON around the messages; the one seen last at the end."""
    return archive.run("SELECT chat_id, head, tail FROM chat ORDER BY last_seen, id")
