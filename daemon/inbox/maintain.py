"""Keeps the archive in order: proved, its log of changes folded in, and a copy of every day, for seven days."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from daemon.archive.archive import Archive, check
from daemon.archive.arrivals import is_needed
from daemon.files.paths import arrivals_folder
from daemon.files.write import TEMPORARY, file_errors, flush_file, flush_folder, make_private, put_in_place, sweep

COPIES = 7
_DAY = timedelta(days=1)
_MEND = (
    "The copies of the days before were kept. Copy the whole folder away first, then put the newest sound one in the "
    "archive's place."
)


@dataclass(frozen=True, slots=True)
class Maintained:
    """The archive's copy of today, and the files that were removed; `problem` says why there is none, or is empty."""

    copy: Path | None
    removed: tuple[Path, ...]
    problem: str


def maintain(archive: Archive, state: Path, now: datetime) -> Maintained:
    """Prove the archive, and copy it to `state`/copies under the day of `now`.

    A damaged one is not copied, and removes no copy. Copies of dropped files that no arrival needs any more
    go after a day. Only while the archive's lock is held. Raises ArchiveError, or FileTrouble.
    """
    removed = tuple(_arrivals_removed(archive, state, now))
    if faults := check(archive):
        return Maintained(None, removed, f"The archive is damaged ({faults[0]}), so it was not copied. {_MEND}")
    archive.run("PRAGMA optimize")
    archive.run("PRAGMA wal_checkpoint(TRUNCATE)")
    folder = state / "copies"
    make_private(folder)
    sweep(folder)
    copy = folder / f"archive-{now:%Y-%m-%d}.sqlite3"
    _copy(archive, copy)
    return Maintained(copy, (*removed, *_copies_removed(folder)), "")


def _copy(archive: Archive, path: Path) -> None:
    """Write a copy in one step: `path` holds the old one or the new one, whole. Other programs may go on writing."""
    with file_errors(path, "written"):
        # SQLite takes an empty file for its copy: so nobody else can read it, from its first byte on.
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=path.parent)
        os.close(handle)
    try:
        archive.run("VACUUM INTO ?", (name,))
        with file_errors(path, "written"):
            with Path(name).open("r+b") as file:
                flush_file(file.fileno())
            put_in_place(Path(name), path)
            flush_folder(path.parent)
    finally:
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)


def _copies_removed(folder: Path) -> Iterator[Path]:
    """All but the newest seven, by the day in their names."""
    for path in sorted(folder.glob("archive-????-??-??.sqlite3"))[:-COPIES]:
        with file_errors(path, "removed"):
            path.unlink(missing_ok=True)
        yield path


def _arrivals_removed(archive: Archive, state: Path, now: datetime) -> Iterator[Path]:
    """What a daemon that was killed between the end of the work and the removal has left."""
    oldest = (now - _DAY).timestamp()
    for path in sorted(arrivals_folder(state).glob("[!.]*")):
        with file_errors(path, "removed"):
            if path.stat().st_mtime < oldest and not is_needed(archive, path.stem):
                path.unlink(missing_ok=True)
                yield path
