"""Puts arrivals back into the queue, so that the loop has their work done again; light, for the daemon itself."""

from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.arrivals import Arrival, change_state, find_arrival
from daemon.files.candidates import sighting_of
from daemon.inbox.intake import Taken, copy_path, take
from rules.arrival import State

_REASON = "its work was put off, and is tried again"
_AGAIN: tuple[State, ...] = ("waiting", "paused", "set aside", "written")


def enqueue(
    archive: Archive, state: Path, arrivals: tuple[int, ...], now: str, *, done: bool = False
) -> tuple[int, ...]:
    """Have these arrivals worked on again, with all their tries; gives back those that can be.

    With `done`, those too on which there was nothing to do.

    memproc's copy is used, or made again where the dropped file still lies there as it was. `state` is the
    state folder.
    """
    enqueued = []
    for number in arrivals:
        arrival = find_arrival(archive, number)
        if (arrival.state in _AGAIN or (done and arrival.state == "done")) and _has_copy(state, arrival):
            change_state(archive, number, "copied", _REASON, "", now, tries=0)
            enqueued.append(number)
    return tuple(enqueued)


def content_of(state: Path, arrival: Arrival) -> Path | None:
    """Where the content of an arrival can be read: memproc's copy, or the dropped file as it was; else None."""
    if arrival.sha256 and (copy := copy_path(state, arrival.sha256, arrival.path)).is_file():
        return copy
    return Path(arrival.path) if _lies_there(arrival) else None


def _lies_there(arrival: Arrival) -> bool:
    try:
        return sighting_of(Path(arrival.path).lstat()) == arrival.sighting
    except OSError:
        return False


def _has_copy(state: Path, arrival: Arrival) -> bool:
    """Whether memproc's copy is there, or could be made again."""
    path = content_of(state, arrival)
    if path is None or path != Path(arrival.path):
        return path is not None
    taken = take(path, arrival.sighting, state, lambda found: None if found == arrival.sha256 else "it is another")
    return isinstance(taken, Taken)
