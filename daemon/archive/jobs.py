"""Timed jobs as rows of the archive: when each is due, and how it went. So none is forgotten by a restart.

A job that came due while the machine slept, or while memproc was off, is still due afterwards: once. The daemon's
signs, and what the person has been told, are here too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from daemon.archive.archive import Archive
from rules.retention import PARTS, Timing, next_due
from rules.typingmind.dates import write_date

_COLUMNS = "name, due_at, began_at, ended_at, error"
_PART = "verified_part"


@dataclass(frozen=True, slots=True)
class Job:
    """A timed job; the times are texts in UTC, and `error` is what went wrong the last time, as sentences."""

    name: str
    due_at: str
    began_at: str | None
    ended_at: str | None
    error: str | None


def set_jobs(archive: Archive, timings: Mapping[str, Timing], now: datetime) -> None:
    """Have exactly these jobs, each due at its next time from `now` (local), or before that where it is already.

    For the start, and for changed settings. A due time that a wrong clock has put far ahead comes back.
    """
    with archive.transaction():
        for job in jobs(archive):
            if job.name not in timings:
                archive.run("DELETE FROM job WHERE name = ?", (job.name,))
        for name, timing in timings.items():
            archive.run(
                "INSERT INTO job (name, due_at) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET due_at = min(due_at, excluded.due_at)",
                (name, write_date(next_due(timing, now))),
            )


def jobs(archive: Archive) -> tuple[Job, ...]:
    """All jobs, the one that is due first at the beginning."""
    return tuple(Job(*row) for row in archive.run(f"SELECT {_COLUMNS} FROM job ORDER BY due_at, name"))  # noqa: S608


def due_jobs(archive: Archive, now: str) -> tuple[str, ...]:
    """Names of the jobs whose time has come, the oldest first."""
    return archive.column("SELECT name FROM job WHERE due_at <= ? ORDER BY due_at, name", (now,))


def begin_job(archive: Archive, name: str, now: str) -> None:
    """Note that the job has begun. It stays due until it has ended, so a kill in the middle does not lose it."""
    archive.run("UPDATE job SET began_at = ? WHERE name = ?", (now, name))


def end_job(archive: Archive, name: str, now: str, due_at: str, error: str | None) -> None:
    """Note that the job has ended, or could not be done because of `error`; it is due again at `due_at`."""
    archive.run("UPDATE job SET ended_at = ?, due_at = ?, error = ? WHERE name = ?", (now, due_at, error, name))


def part_to_verify(archive: Archive) -> int:
    """Which part of the backups is verified next, from 0: days on which the machine is off leave none out."""
    last = sign(archive, _PART)
    return (int(last.value) + 1) % PARTS if last else 0


def part_verified(archive: Archive, part: int, now: str) -> None:
    """Remember that this part has been verified."""
    set_sign(archive, _PART, str(part), now)


@dataclass(frozen=True, slots=True)
class Sign:
    """A value that the daemon has set about itself, or was told, and when."""

    value: str
    at: str


def sign(archive: Archive, name: str) -> Sign | None:
    """The sign of that name, or None."""
    row = archive.one("SELECT value, at FROM sign WHERE name = ?", (name,))
    return Sign(*row) if row else None


def set_sign(archive: Archive, name: str, value: str, when: str) -> None:
    """Set the sign of that name; it is on the disk when this returns."""
    archive.run(
        "INSERT INTO sign (name, value, at) VALUES (?, ?, ?) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at",
        (name, value, when),
    )


def remove_signs(archive: Archive, *names: str) -> None:
    """Remove the signs of these names."""
    with archive.transaction():
        archive.run_many("DELETE FROM sign WHERE name = ?", [(name,) for name in names])


def is_news(archive: Archive, text: str, when: str) -> bool:
    """Whether this was never told before; from now on it counts as told."""
    new = "INSERT OR IGNORE INTO notice (text, told_at) VALUES (?, ?) RETURNING 1"
    return archive.value(new, (text, when)) is not None
