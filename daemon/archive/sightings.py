"""Compares what lies in the inbox with the arrivals that the archive knows, and writes down what has changed."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

from daemon.archive.archive import Archive
from rules.arrival import UNTAKEN, Comparison, Sighting, compare


@dataclass(frozen=True, slots=True)
class Present:
    """A file that lies in the inbox, beside the newest arrival at its path (0 where there is none)."""

    path: str
    sighting: Sighting
    arrival: int
    last: Sighting | None
    comparison: Comparison


def compare_inbox(
    archive: Archive, files: Iterable[tuple[str, Sighting]]
) -> tuple[tuple[Present, ...], tuple[int, ...]]:
    """The files that are new or changed, or not taken yet, in the order they were written in.

    And the numbers of the arrivals that were not taken yet, and whose files are not there any more.
    """
    present = dict(files)
    newest = {
        path: (number, state, Sighting(*numbers))
        for path, number, state, *numbers in archive.run(
            "SELECT path, id, state, device, inode, size, mtime_ns FROM arrival "
            "WHERE id IN (SELECT max(id) FROM arrival GROUP BY path)"
        )
    }
    to_look_at = []
    for path, sighting in sorted(present.items(), key=lambda file: (file[1].mtime_ns, file[0])):
        number, state, last = newest.get(path, (0, None, None))
        if state in (None, "gone", *UNTAKEN) or last != sighting:
            to_look_at.append(Present(path, sighting, number, last, compare(state, last, sighting)))
    untaken = archive.run("SELECT id, path FROM arrival WHERE state IN ('seen', 'settling') ORDER BY id")
    return tuple(to_look_at), tuple(number for number, path in untaken if path not in present)


def record_sightings(archive: Archive, files: Sequence[Present], left: Sequence[int], when: str) -> dict[str, int]:
    """Write down in one transaction what a scan saw; the numbers of the new arrivals by their paths.

    `left` are the arrivals whose files are not there any more.
    """
    with archive.transaction():
        _leave(archive, left, "it was taken out of the inbox before memproc had copied it", when)
        replaced = [file.arrival for file in files if file.comparison == "replaced"]
        _leave(archive, replaced, "another file was put in its place before memproc had copied it", when)
        archive.run_many(
            "UPDATE arrival SET device = ?, inode = ?, size = ?, mtime_ns = ? WHERE id = ?",
            [(*astuple(file.sighting), file.arrival) for file in files if file.comparison == "changed"],
        )
        return _enter(archive, [file for file in files if file.comparison in ("new", "replaced")], when)


def _enter(archive: Archive, files: Sequence[Present], when: str) -> dict[str, int]:
    before = archive.value("SELECT coalesce(max(id), 0) FROM arrival")
    archive.run_many(
        "INSERT INTO arrival (path, device, inode, size, mtime_ns, state, seen_at, changed_at) "
        "VALUES (?, ?, ?, ?, ?, 'seen', ?, ?)",
        [(file.path, *astuple(file.sighting), when, when) for file in files],
    )
    archive.run(
        "INSERT INTO arrival_step (arrival, state, reason, at) "
        "SELECT id, state, reason, seen_at FROM arrival WHERE id > ? ORDER BY id",
        (before,),
    )
    return dict(archive.run("SELECT path, id FROM arrival WHERE id > ?", (before,)))


def _leave(archive: Archive, arrivals: Sequence[int], reason: str, when: str) -> None:
    archive.run_many(
        "UPDATE arrival SET state = 'gone', reason = ?, next_step = '', next_look_at = NULL, changed_at = ? "
        "WHERE id = ?",
        [(reason, when, number) for number in arrivals],
    )
    archive.run_many(
        "INSERT INTO arrival_step (arrival, state, reason, at) VALUES (?, 'gone', ?, ?)",
        [(number, reason, when) for number in arrivals],
    )
