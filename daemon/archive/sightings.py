"""Compares what lies in the inbox with the arrivals that the archive knows, all files at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from daemon.archive.archive import Archive
from rules.arrival import Comparison, Sighting, compare

_AT_ONCE = 500
"""Rows of one statement: SQLite takes 32,766 values."""


@dataclass(frozen=True, slots=True)
class Present:
    """A file that lies in the inbox, beside the newest arrival at its path (0 where there is none)."""

    path: str
    sighting: Sighting
    arrival: int
    last: Sighting | None
    comparison: Comparison


def fill(archive: Archive, files: Iterable[tuple[str, Sighting]]) -> None:
    """Put down what lies in the inbox now, in a table of this connection that is never written to the disk."""
    archive.run("PRAGMA temp_store = MEMORY")  # the names of a person's files are not for the system's temporary folder
    archive.run("DROP TABLE IF EXISTS temp.present")
    archive.run(
        """
        CREATE TEMP TABLE present (
            path TEXT PRIMARY KEY, device INTEGER NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL,
            mtime_ns INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """
    )
    rest = iter(files)
    while some := list(islice(rest, _AT_ONCE)):
        values = [(path, seen.device, seen.inode, seen.size, seen.mtime_ns) for path, seen in some]
        rows = ", ".join(["(?, ?, ?, ?, ?)"] * len(some))
        archive.run(f"INSERT OR REPLACE INTO temp.present VALUES {rows}", list(chain.from_iterable(values)))  # noqa: S608


def clear(archive: Archive) -> None:
    """Let go of what `fill` put down."""
    archive.run("DROP TABLE IF EXISTS temp.present")


def to_look_at(archive: Archive) -> tuple[Present, ...]:
    """The files that are new or changed, or not taken yet; those of one scan in the order they were written in."""
    rows = archive.run(
        """
        SELECT p.path, p.device, p.inode, p.size, p.mtime_ns, a.id, a.state, a.device, a.inode, a.size, a.mtime_ns
        FROM temp.present AS p
        LEFT JOIN arrival AS a ON a.id = (SELECT max(id) FROM arrival WHERE path = p.path)
        WHERE a.id IS NULL OR a.state IN ('seen', 'settling', 'gone')
           OR (a.device, a.inode, a.size, a.mtime_ns) <> (p.device, p.inode, p.size, p.mtime_ns)
        ORDER BY p.mtime_ns, p.path
        """
    )
    found = []
    for path, device, inode, size, mtime_ns, arrival, state, *numbers in rows:
        present, last = Sighting(device, inode, size, mtime_ns), Sighting(*numbers) if arrival else None
        found.append(Present(path, present, arrival or 0, last, compare(state, last, present)))
    return tuple(found)


def vanished(archive: Archive) -> tuple[tuple[int, str], ...]:
    """The arrivals that were not taken yet, and whose files are not there any more: their numbers and paths."""
    rows = archive.run(
        """
        SELECT id, path FROM arrival
        WHERE state IN ('seen', 'settling') AND path NOT IN (SELECT path FROM temp.present) ORDER BY id
        """
    )
    return tuple((number, path) for number, path in rows)


def record_sightings(archive: Archive, files: Sequence[Present], left: Sequence[int], when: str) -> dict[str, int]:
    """Write down in one transaction what a scan saw; gives back the numbers of the new arrivals by their paths.

    `left` are the arrivals whose files are not there any more.
    """
    with archive.transaction():
        _leave(archive, left, "it was taken out of the inbox before memproc had copied it", when)
        replaced = [file.arrival for file in files if file.comparison == "replaced"]
        _leave(archive, replaced, "another file was put in its place before memproc had copied it", when)
        _move_on(archive, [file for file in files if file.comparison == "changed"])
        return _enter(archive, [file for file in files if file.comparison in ("new", "replaced")], when)


def _enter(archive: Archive, files: Sequence[Present], when: str) -> dict[str, int]:
    before = archive.run("SELECT coalesce(max(id), 0) FROM arrival")[0][0]
    archive.run_many(
        "INSERT INTO arrival (path, device, inode, size, mtime_ns, state, seen_at, changed_at) "
        "VALUES (?, ?, ?, ?, ?, 'seen', ?, ?)",
        [(file.path, *_numbers(file.sighting), when, when) for file in files],
    )
    archive.run(
        "INSERT INTO arrival_step (arrival, state, reason, at) "
        "SELECT id, state, reason, seen_at FROM arrival WHERE id > ? ORDER BY id",
        (before,),
    )
    return dict(archive.run("SELECT path, id FROM arrival WHERE id > ?", (before,)))


def _move_on(archive: Archive, files: Sequence[Present]) -> None:
    archive.run_many(
        "UPDATE arrival SET device = ?, inode = ?, size = ?, mtime_ns = ? WHERE id = ?",
        [(*_numbers(file.sighting), file.arrival) for file in files],
    )


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


def _numbers(sighting: Sighting) -> tuple[int, int, int, int]:
    return sighting.device, sighting.inode, sighting.size, sighting.mtime_ns
