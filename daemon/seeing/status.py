"""Gathers what `memproc status` shows, from the archive alone; nothing is asked of the daemon itself."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.arrivals import Outcome, newest_outcomes
from daemon.archive.batches import open_batches
from daemon.archive.jobs import Job, jobs
from daemon.archive.signs import Sign
from daemon.batches.pauses import LONGEST_SECONDS, age
from daemon.seeing.money import Money, spent
from daemon.seeing.pausing import Paused, paused
from daemon.seeing.problems import Problem, Watch, problems
from rules.arrival import IN_HAND, UNTAKEN
from rules.typingmind.dates import write_date

HEALTHY, ATTENTION, NOT_RUNNING = 0, 1, 2
MOST_QUEUED = 100
_NEVER = Sign("", "")
_OPEN = (*UNTAKEN, *IN_HAND)
_OF_THE_DAEMON = frozenset({"pid", "started_at", "watch_mode", "last_event", "last_scan", "last_cookie"})


@dataclass(frozen=True, slots=True)
class Life:
    """Proof of life; all times are UTC, and empty for what has never been."""

    pid: str
    since: str
    last_sign: str
    """When the daemon gave its newest sign, whatever it was."""
    mode: str
    """`native`, `poll` or `none`."""
    why: str
    last_event: str
    last_scan: str
    last_cookie: str


@dataclass(frozen=True, slots=True)
class Queued:
    """A file that memproc is not through with, and what it waits for."""

    arrival: int
    file: str
    state: str
    reason: str
    changed_at: str
    next_look_at: str | None
    tries: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A batch that has been sent."""

    requests: int
    since: str


@dataclass(frozen=True, slots=True)
class Status:
    """All that `memproc status` shows."""

    now: str
    running: bool
    paused: Paused | None
    problems: tuple[Problem, ...]
    life: Life
    files: dict[str, int]
    """How many files are in each state."""
    queue: tuple[Queued, ...]
    """The first hundred, in the order in which they are further on."""
    outcomes: tuple[Outcome, ...]
    """One for each chat, newest first."""
    money: Money
    jobs: tuple[Job, ...]
    """Next one first."""
    batches: tuple[Waiting, ...] = ()
    """Batches whose end is waited for, oldest first."""

    @property
    def open_files(self) -> dict[str, int]:
        """The same for the files that memproc is not through with."""
        return {state: number for state, number in self.files.items() if state in _OPEN}

    @property
    def exit_code(self) -> int:
        """0 healthy, 1 something wants attention, 2 not running."""
        if not self.running:
            return NOT_RUNNING
        return ATTENTION if self.problems else HEALTHY


def status(
    archive: Archive,
    now: datetime,
    running: bool,
    rescan_seconds: float,
    is_there: Callable[[str], bool] = os.path.lexists,
) -> Status:
    """The status at `now`. `running`: a daemon holds the lock; `is_there`: whether a file still lies there."""
    given, present = _signs(archive), write_date(now)
    return Status(
        present,
        running,
        paused(archive, present),
        problems(archive, given, Watch(present, running, rescan_seconds), is_there),
        _life(given),
        dict(archive.run("SELECT state, count(*) FROM arrival GROUP BY state ORDER BY state")),
        _queue(archive),
        newest_outcomes(archive),
        spent(archive, now),
        jobs(archive),
        tuple(
            Waiting(len(batch.items), batch.began_at)
            for batch in open_batches(archive)
            if age(batch, present) < LONGEST_SECONDS
        ),
    )


def _signs(archive: Archive) -> dict[str, Sign]:
    return {name: Sign(value, at) for name, value, at in archive.run("SELECT name, value, at FROM sign")}


def _life(given: dict[str, Sign]) -> Life:
    def at(name: str) -> str:
        return given.get(name, _NEVER).at

    theirs = (sign.at for name, sign in given.items() if name in _OF_THE_DAEMON)
    pid, mode, why = (given.get(name, _NEVER).value for name in ("pid", "watch_mode", "watch_note"))
    looks = (at(name) for name in ("last_event", "last_scan", "last_cookie"))
    return Life(pid, at("started_at"), max(theirs, default=""), mode, why, *looks)


def _queue(archive: Archive) -> tuple[Queued, ...]:
    rows = archive.run(
        """
        SELECT id, path, state, reason, changed_at, next_look_at, tries FROM arrival
        WHERE state IN ('working', 'planned', 'copied', 'waiting', 'paused', 'settling', 'seen')
        ORDER BY CASE state WHEN 'working' THEN 1 WHEN 'planned' THEN 2 WHEN 'copied' THEN 3 WHEN 'waiting' THEN 4
                 WHEN 'paused' THEN 5 WHEN 'settling' THEN 6 ELSE 7 END, id LIMIT ?
        """,
        (MOST_QUEUED,),
    )
    return tuple(Queued(number, Path(path).name, *rest) for number, path, *rest in rows)
