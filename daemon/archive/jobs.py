"""Timed jobs, and notices that were shown.

A job that came due while the machine slept or memproc was off is still due afterwards, once.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from daemon.archive.archive import Archive
from daemon.archive.records import columns
from daemon.archive.signs import set_sign, sign
from rules.retention import PARTS, Timing, next_due
from rules.typingmind.dates import write_date

_PART = "verified_part"
_NOTICE = "notice "


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
