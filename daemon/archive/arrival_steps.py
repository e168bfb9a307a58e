"""The changes of state that arrivals went through, in their order: what a scan did, and what the history shows."""

from dataclasses import dataclass

from daemon.archive.archive import Archive
from rules.arrival import State


@dataclass(frozen=True, slots=True)
class Step:
    """One change of an arrival's state, with the next step that the arrival asks for now."""

    number: int
    arrival: int
    path: str
    state: State
    reason: str
    next_step: str
    at: str


def last_step(archive: Archive) -> int:
    """The number of the newest step of any arrival; 0 where there is none."""
    return int(archive.run("SELECT coalesce(max(id), 0) FROM arrival_step")[0][0])


def steps_after(archive: Archive, number: int) -> tuple[Step, ...]:
    """The steps that came after that one, in their order."""
    rows = archive.run(
        """
        SELECT step.id, arrival, path, step.state, step.reason, next_step, at
        FROM arrival_step AS step JOIN arrival ON arrival.id = step.arrival WHERE step.id > ? ORDER BY step.id
        """,
        (number,),
    )
    return tuple(Step(*row) for row in rows)
