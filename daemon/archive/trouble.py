"""What keeps memproc from working with the archive, as sentences for the person.

These are SQLite's errors: damage, a full disk, a lock, a denied folder; and an unfinished import,
which is noted in a file so that no command works with half an archive.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from threading import get_ident

from daemon.files.private import flush_folder
from daemon.files.reasons import explain, file_errors
from daemon.files.write import TEMPORARY, replace_file
from rules.errors import ArchiveError, DamagedChat

MEND = (
    "Copy the whole folder away first. Then put the newest sound copy of the archive, out of its "
    "folder copies, in its place, or move the archive away where there is none, and run: "
    "memproc rebuild. Exports, updated files and backups do not depend on it."
)
"""The next step where an archive is damaged."""

_A_LITTLE = 1 << 17
"""Bytes: more than SQLite needs at once for its files in the archive's folder."""
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_DENIED = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PERM", "SQLITE_AUTH")
# Damage that SQLite does not report as such: a table is gone, or a text is not UTF-8.
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
"""What was raised in functions that SQLite calls, by the thread's number."""

_NOTE = "import-unfinished"


@contextmanager
def archive_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors in the block into ArchiveError, except for mistakes in our own SQL.

    What a function that SQLite called has raised, most often KeyboardInterrupt, is raised again.
    """
    try:
        yield
    # Names of tables in SQLite's message may be damaged, and not be UTF-8.
    except UnicodeDecodeError as fault:
        raise damaged(path, "its tables are not those of its version") from fault
    except sqlite3.Error as fault:
        if str(fault) == "user-defined function raised exception":
            raise _RAISED.pop(get_ident(), KeyboardInterrupt()) from fault
        name = getattr(fault, "sqlite_errorname", "")
        if name.startswith(_DAMAGED) or any(sign in str(fault) for sign in _SIGNS_OF_DAMAGE):
            raise damaged(path) from fault
        if name.startswith(_DENIED):
            raise unusable(path, name) from fault
        for beginnings, message, next_step in _SENTENCES:
            if name.startswith(beginnings):
                raise ArchiveError(message.format(path), next_step) from fault
        raise


def keep_from_sqlite(fault: BaseException) -> None:
    """Keep for `archive_errors` what a function raises that SQLite calls, and would swallow."""
    _RAISED[get_ident()] = fault


def damaged(path: Path, what: str = "") -> ArchiveError:
    """Return the error for a damaged archive; `what` says where, if that is known."""
    return ArchiveError(f"The archive {path} is damaged{f': {what}' if what else ''}.", MEND)


def damaged_chat(damage: str) -> DamagedChat:
    """Return the error for a damaged chat; `damage` is a clause on what is damaged."""
    return DamagedChat(f"What the archive keeps of this chat is damaged: {damage}.", MEND)


def unusable(path: Path, name: str = "SQLITE_IOERR") -> ArchiveError:
    """Return the error where SQLite may not read or write, with the system's reason.

    SQLite does not give it, so the archive is read and a little written in its folder, to see why.
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


def begin_import(state: Path, file: Path) -> None:
    """Note that an archive is being imported into this folder. Raises FileTrouble."""
    replace_file(state / _NOTE, [str(file.absolute()).encode(errors="replace")])


def end_import(state: Path) -> None:
    """Remove the note, once everything is in its place. Raises FileTrouble."""
    with file_errors(state / _NOTE, "removed"):
        (state / _NOTE).unlink(missing_ok=True)
        flush_folder(state)


def is_unfinished(state: Path) -> bool:
    """Return whether an import was begun here and has not ended. Raises FileTrouble."""
    with file_errors(state / _NOTE, "looked at"):
        return (state / _NOTE).exists()


def refuse_unfinished(state: Path) -> None:
    """Raise ArchiveError, with the next step, where an import has not ended."""
    if not is_unfinished(state):
        return
    with file_errors(state / _NOTE, "read"):
        file = (state / _NOTE).read_bytes().decode(errors="replace")
    raise ArchiveError(
        f"An archive was being taken over into {state}, and that has not ended: perhaps only a "
        "part of it is there.",
        f"Finish it with: memproc import-archive {file} --yes. To do without it, move what lies in "
        f"the folders before-import-... back to where it was, and remove {state / _NOTE}.",
    )
