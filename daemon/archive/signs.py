"""Signs: values that the daemon and its runs keep about themselves, or were told.

Among them are the notices that were told once, and the run that goes on, or the newest one: its
progress, its end, and the wish that it stop.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from daemon.archive.archive import Archive, misfit
from rules.conversation.memory import CHUNK_LEVEL, EXTRACTED
from rules.typingmind.dates import parse_date

_RUN = "run"
_STOP = "stop_run"
_TOO_EARLY = 0.05
"""Below this share of the work, the time so far says nothing about the rest."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A value that the daemon has set about itself, or was told, and when."""

    value: str
    at: str


def sign(archive: Archive, name: str) -> Sign | None:
    """Return the sign of that name, or None."""
    return archive.first(Sign, "SELECT value, at FROM sign WHERE name = ?", (name,))


def signs_of(archive: Archive, beginning: str) -> Mapping[str, str]:
    """Return the values of the signs with this prefix, by the rest of their names."""
    rows = archive.run(
        "SELECT substr(name, length(?1) + 1), value FROM sign "
        "WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name",
        (beginning,),
    )
    return dict(rows)


def all_signs(archive: Archive) -> dict[str, Sign]:
    """Return every sign, by its name."""
    rows = archive.run("SELECT name, value, at FROM sign")
    return {name: Sign(value, at) for name, value, at in rows}


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
    """Return True the first time that a notice is told; from then on it counts as told."""
    new = "INSERT OR IGNORE INTO notice (text, told_at) VALUES (?, ?) RETURNING 1"
    return archive.value(new, (text, when)) is not None


def memories_made(archive: Archive, since: str) -> tuple[int, int]:
    """Count the memories made since then: those that a model wrote, and those extracted."""
    made = """
        SELECT count(DISTINCT memory) FILTER (WHERE made <> ?1),
               count(DISTINCT memory) FILTER (WHERE made = ?1)
        FROM edition JOIN memory ON memory.id = edition.memory
        WHERE kind = 'as-of' AND level = ?2 AND written_at >= ?3
    """
    written, extracted = archive.run(made, (EXTRACTED, CHUNK_LEVEL, since))[0]
    return written, extracted


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The progress of a run: `done` of `of` memories, after `answered` of about `calls` calls.

    Times are texts in UTC. One that has ended says so, and what went wrong in it.
    """

    by_hand: bool
    """Whether a person said `memproc run`; else the daemon did."""
    began_at: str
    chat_id: str = ""
    title: str = ""
    chat_began_at: str = ""
    done: int = 0
    of: int = 0
    answered: int = 0
    calls: int = 0
    usd: float = 0.0
    """The cost of all its calls so far, as far as prices are known."""
    kept_at: str = ""
    """The time at which this was written down."""
    ended_at: str = ""
    outcome: str = ""
    """The outcome of its chats, or that it was interrupted; empty while it goes on."""
    written: int = 0
    """The memories that a model has written in it, known at its end."""
    extracted: int = 0
    """Those that the built-in engine has extracted, known at its end."""
    why_extracted: str = ""
    """Half a sentence on why no model wrote these; empty where there are none."""
    trouble: str = ""
    """Why it failed, or what it skipped, as sentences; empty where all went well."""
    next_step: str = ""
    seconds_left: float | None = None
    """The seconds left for this chat, if it goes on so; None while that is too early to say."""


def keep_run(archive: Archive, run: RunProgress, when: str) -> None:
    """Store the run's progress; there is one run at a time. Durable when this returns."""
    set_sign(archive, _RUN, json.dumps(asdict(replace(run, kept_at=when))), when)


def kept_run(archive: Archive, now: str) -> RunProgress | None:
    """Return the newest run, ended or not, with the seconds left; None where there was none."""
    entry = sign(archive, _RUN)
    try:
        values = json.loads(entry.value if entry else "null")
        run = RunProgress(**values)
    except (TypeError, ValueError):
        return None
    if misfit(RunProgress, tuple(map(type, asdict(run).values()))):
        return None
    return replace(run, seconds_left=seconds_left(run, now))


def seconds_left(run: RunProgress, now: str) -> float | None:
    """Estimate the seconds that the chat still takes; None while that is too early to say.

    Calls are counted rather than memories: several are written at once, and the last of them are
    alone.
    """
    began, here = parse_date(run.chat_began_at), parse_date(now)
    if began is None or here is None or run.ended_at:
        return None
    of_calls = 0 < run.answered < run.calls
    share = run.answered / run.calls if of_calls else run.done / run.of if run.of else 0.0
    if share < _TOO_EARLY:
        return None
    return max(0.0, (here - began).total_seconds()) * (1 - share) / share


def ask_to_stop(archive: Archive, run: RunProgress, when: str) -> None:
    """Ask this run, and no later one, to end. Durable when this returns."""
    set_sign(archive, _STOP, run.began_at, when)


def is_told_to_stop(archive: Archive, run: RunProgress) -> bool:
    """Return whether this run was asked to end."""
    entry = sign(archive, _STOP)
    return entry is not None and entry.value == run.began_at
