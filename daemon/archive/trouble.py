"""SQLite's errors as sentences for a person: damage, a full disk, a lock, a denied folder."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from threading import get_ident

from daemon.files.reasons import explain
from daemon.files.write import TEMPORARY
from rules.errors import ArchiveError, DamagedChat

MEND = (
    "Copy the whole folder away first. Then put the newest sound copy of the archive, out of its "
    "folder copies, in its place, or move the archive away where there is none, and run: "
    "memproc rebuild. Exports, updated files and backups do not depend on it."
)
"""The way on where an archive is damaged."""

_A_LITTLE = 1 << 17
"""Bytes; more than SQLite wants at once for its files in the archive's folder."""
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_DENIED = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PERM", "SQLITE_AUTH")
# Damage that SQLite itself does not notice: a table is gone, or a text holds what is no text.
_SIGNS_OF_DAMAGE = (
    "no such table", "no such column", "no such index", "no such function", "has no column named",
    "cannot join using column", "Could not decode to UTF-8", "malformed database schema",
)  # fmt: skip
_SENTENCES = (
    (
        ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL"),
        "Another program keeps the archive {} locked.",
        "Close it (a database viewer, perhaps), and run again.",
    ),
    (("SQLITE_FULL",), "The disk of the archive {} is full.", "Free some space, and run again."),
)
_RAISED: dict[int, BaseException] = {}
"""The errors raised in functions that SQLite calls, by the number of the thread."""


@contextmanager
def archive_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's error in the block into ArchiveError; our own SQL's mistakes stay.

    What was raised in a function that SQLite called, Ctrl-C most often, is raised again as it was.
    """
    try:
        yield
    # SQLite's own words about tables whose names are no text any more.
    except UnicodeDecodeError as fault:
        raise damaged(path, "its tables are not those of its version") from fault
    except sqlite3.Error as fault:
        if str(fault) == "user-defined function raised exception":
            raise _RAISED.pop(get_ident(), KeyboardInterrupt()) from fault
        if (trouble := _trouble(path, fault)) is None:
            raise
        raise trouble from fault


@contextmanager
def kept_from_sqlite() -> Iterator[None]:
    """Keep what is raised in a function that SQLite calls, and would swallow."""
    try:
        yield
    except BaseException as fault:  # an interruption above all
        _RAISED[get_ident()] = fault
        raise


def damaged(path: Path, what: str = "") -> ArchiveError:
    """Return the error for a damaged archive; `what` says where, if that is known."""
    return ArchiveError(f"The archive {path} is damaged{f': {what}' if what else ''}.", MEND)


def damaged_chat(damage: str) -> DamagedChat:
    """Return the error for a chat; `damage` says what of it is damaged."""
    return DamagedChat(f"What the archive keeps of this chat is damaged: {damage}.", MEND)


def _trouble(path: Path, fault: sqlite3.Error) -> ArchiveError | None:
    name = getattr(fault, "sqlite_errorname", "")
    if name.startswith(_DAMAGED) or any(sign in str(fault) for sign in _SIGNS_OF_DAMAGE):
        return damaged(path)
    if name.startswith(_DENIED):
        return unusable(path, name)
    for beginnings, message, next_step in _SENTENCES:
        if name.startswith(beginnings):
            return ArchiveError(message.format(path), next_step)
    return None


def unusable(path: Path, name: str = "SQLITE_IOERR") -> ArchiveError:
    """Return the error where SQLite may not read or write, with the reason that the system gives.

    SQLite does not say why, so the archive is read again, and a little is written in its folder.
    """
    try:
        with path.open("rb") as file:
            file.read(1)
        with TemporaryFile(prefix=TEMPORARY, dir=path.parent) as file:
            file.write(bytes(_A_LITTLE))
            file.flush()
            os.fsync(file.fileno())
    except OSError as fault:
        reason, next_step = explain(fault)
        return ArchiveError(f"The archive {path} cannot be read or written: {reason}.", next_step)
    return ArchiveError(
        f"The archive {path} cannot be read or written ({name}).",
        "Look whether its disk is full, read-only or failing, and whether your account may write "
        "there. Then run memproc again: what was kept is whole.",
    )
