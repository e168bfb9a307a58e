"""Says in a clear sentence what SQLite reports about the archive, and what the person can do."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from daemon.files.write import TEMPORARY, explain, file_errors, flush_folder, replace_file
from rules.errors import ArchiveError

MEND = (
    "Copy the whole folder away first. Then put the newest sound copy of the archive, out of its folder copies, in its "
    "place, or move the archive away where there is none, and run: memproc rebuild. Exports, updated files and backups "
    "do not depend on it."
)
"""The way on where an archive is damaged."""

_A_LITTLE = 1 << 17
"""Bytes; more than SQLite wants at once beside its archive."""
_LOCKED = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_DENIED = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PERM", "SQLITE_AUTH")
# Damage that SQLite itself does not notice: a table is gone, or a text holds what is no text.
_SIGNS_OF_DAMAGE = ("no such table", "Could not decode to UTF-8", "malformed database schema")


@contextmanager
def archive_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's error inside the block into ArchiveError; a mistake in our own SQL stays what it is."""
    try:
        yield
    except sqlite3.Error as fault:
        if (trouble := _trouble(path, fault)) is None:
            raise
        raise trouble from fault


def damaged(path: Path, what: str = "") -> ArchiveError:
    """The sentence for an archive that is damaged; `what` says where, if that is known."""
    return ArchiveError(f"The archive {path} is damaged{f': {what}' if what else ''}.", MEND)


def _trouble(path: Path, fault: sqlite3.Error) -> ArchiveError | None:
    name = getattr(fault, "sqlite_errorname", "")
    if name.startswith(_LOCKED):
        return ArchiveError(
            f"Another program keeps the archive {path} locked.", "Close it (a database viewer, perhaps), and run again."
        )
    if name.startswith(_DAMAGED) or any(sign in str(fault) for sign in _SIGNS_OF_DAMAGE):
        return damaged(path)
    if name.startswith("SQLITE_FULL"):
        return ArchiveError(f"The disk of the archive {path} is full.", "Free some space, and run again.")
    if name.startswith(_DENIED):
        return unusable(path, name)
    return None


def unusable(path: Path, name: str = "SQLITE_IOERR") -> ArchiveError:
    """The error where SQLite may not read or write. SQLite does not say why, so the system is asked once more."""
    if (fault := _tried(path)) is not None:
        reason, next_step = explain(fault)
        return ArchiveError(f"The archive {path} cannot be read or written: {reason}.", next_step)
    return ArchiveError(
        f"The archive {path} cannot be read or written ({name}).",
        "Look whether its disk is full, read-only or failing, and whether your account may write there. "
        "Then run memproc again: what was kept is whole.",
    )


def _tried(path: Path) -> OSError | None:
    """The system's error when the archive is read and a little is written beside it; None where both work."""
    try:
        with path.open("rb") as file:
            file.read(1)
        with TemporaryFile(prefix=TEMPORARY, dir=path.parent) as file:
            file.write(bytes(_A_LITTLE))
            file.flush()
            os.fsync(file.fileno())
    except OSError as fault:
        return fault
    return None


_NOTE = "import-unfinished"


def begin_import(state: Path, file: Path) -> None:
    """Note that an archive is being taken over into this folder. Raises FileTrouble."""
    replace_file(state / _NOTE, [str(file.absolute()).encode(errors="replace")])


def end_import(state: Path) -> None:
    """All of it is in its place. Raises FileTrouble."""
    with file_errors(state / _NOTE, "removed"):
        (state / _NOTE).unlink(missing_ok=True)
        flush_folder(state)


def is_unfinished(state: Path) -> bool:
    """Whether an import was begun here and has not ended. Raises FileTrouble."""
    with file_errors(state / _NOTE, "looked at"):
        return (state / _NOTE).exists()


def refuse_unfinished(state: Path) -> None:
    """Raise ArchiveError, which says how to go on, where an import has not ended."""
    if not is_unfinished(state):
        return
    with file_errors(state / _NOTE, "read"):
        file = (state / _NOTE).read_bytes().decode(errors="replace")
    raise ArchiveError(
        f"An archive was being taken over into {state}, and that has not ended: perhaps only a part of it is there.",
        f"Finish it with: memproc import-archive {file} --yes. To do without it, move what lies in the folders "
        f"before-import-... back to where it was, and remove {state / _NOTE}.",
    )
