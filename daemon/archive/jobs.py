"""Timed jobs, and notices that were shown.

A job that came due while the machine slept or memproc was off is due afterwards, and runs once.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from daemon.archive.archive import Archive
from daemon.archive.records import list_columns
from daemon.archive.signs import set_sign, sign
from rules.retention import PARTS, Timing, next_due
from rules.typingmind.dates import write_date

_PART = "verified_part"
_NOTICE = "notice "


@dataclass(frozen=True, slots=True)
class Job:
    """A timed job. Times are texts in UTC; `error` has sentences on what last went wrong."""

    name: str
    due_at: str
    began_at: str | None
    ended_at: str | None
    error: str | None


def set_jobs(archive: Archive, timings: Mapping[str, Timing], now: datetime) -> None:
    """Make these the only jobs, each due next after `now` (local), or earlier if it was.

    This is done at the start and after changed settings. It corrects due times far in the future,
    left by a wrong clock.
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
    """Return all jobs, in the order in which they are due."""
    sql = f"SELECT {list_columns(Job)} FROM job ORDER BY due_at, name"  # noqa: S608
    return archive.rows(Job, sql)


def due_jobs(archive: Archive, now: str) -> tuple[str, ...]:
    """Return the names of the jobs whose time has come, the oldest first."""
    return archive.column("SELECT name FROM job WHERE due_at <= ? ORDER BY due_at, name", (now,))


def begin_job(archive: Archive, name: str, now: str) -> None:
    """Record that the job has begun.

    It stays due until it ends, so that a kill does not lose it.
    """
    archive.run("UPDATE job SET began_at = ? WHERE name = ?", (now, name))


def end_job(archive: Archive, name: str, now: str, due_at: str, error: str | None) -> None:
    """Record that the job has ended, with `error` or None, and is due again at `due_at`."""
    archive.run(
        "UPDATE job SET ended_at = ?, due_at = ?, error = ? WHERE name = ?",
        (now, due_at, error, name),
    )


def part_to_verify(archive: Archive) -> int:
    """Return the part of the backups to verify next, counted from 0; no part is skipped."""
    last = sign(archive, _PART)
    return (int(last.value) + 1) % PARTS if last else 0


def part_verified(archive: Archive, part: int, now: str) -> None:
    """Record that this part has been verified."""
    set_sign(archive, _PART, str(part), now)


def notice_is_due(archive: Archive, cause: str, since: str, now: str, most: int) -> bool:
    """Return whether a notice of this cause may be shown now, and if so, count it as shown.

    It may not if one of the same cause, or `most` of any cause, were shown after `since`. Records
    with a time in the future, left by a wrong clock, are ignored.
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
    """Return faults in the archive's structure.

    This is quick, since no message's hash is checked.
    """
    return [str(fault) for (fault,) in archive.run("PRAGMA quick_check") if fault != "ok"]


def settings_of_chats(archive: Archive) -> list[tuple[str, bytes, bytes]]:
    """Return every chat's id and its JSON around the messages, the most recently seen chat last."""
    return archive.run("SELECT chat_id, head, tail FROM chat ORDER BY last_seen, id")
