"""Turn errors of files into sentences: what happened, and what the person can do."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rules.errors import FileTrouble, MemprocError

_FULL = "Free some space there, then run memproc again. What was there before is whole."
_ELSEWHERE = "or choose another folder in memproc.toml, under [folders]."
_REFUSED = f"Give your account the right to do so, {_ELSEWHERE}"
_WRITABLE = f"Make it writable, {_ELSEWHERE}"
_DISK = (
    "Check the disk before anything else is written to it. What was there before was not touched."
)
_AWAY = "Look whether its disk or network share is there and answers, then run memproc again."
_MOVED = "Look whether its folder was moved, or its disk taken away."
_FILES = (
    "Close other programs, or raise the limit of open files (ulimit -n), then run memproc again."
)
_LOCKS = "Choose a folder on a disk of this computer in memproc.toml, under [folders]."
_REASONS = {
    errno.ENOSPC: ("the disk is full", _FULL),
    errno.EDQUOT: ("your share of the disk is used up", _FULL),
    errno.EROFS: ("the disk is read-only", _WRITABLE),
    errno.EACCES: ("your account is not allowed to", _REFUSED),
    errno.EPERM: ("the system does not allow it", _REFUSED),
    errno.EIO: ("the disk reported an error", _DISK),
    errno.ENOENT: ("it is not there", _MOVED),
    errno.EMFILE: ("memproc has too many files open", _FILES),
    errno.ENOLCK: ("the file system there gives no locks", _LOCKS),
    errno.EBUSY: ("another program is using it", "Close it there, then run memproc again."),
    errno.ESTALE: ("the network share does not know it any more", _AWAY),
    errno.ENOTCONN: ("its network share is not connected", _AWAY),
}
"""The errors that people meet and can mend; all others are told in the system's words."""
_HELD_OPEN = (5, 32, 33)


@contextmanager
def file_errors(path: Path, done: str) -> Iterator[None]:
    """Turn an OSError in the block into FileTrouble: `path` could not be `done` ("written")."""
    try:
        yield
    except OSError as error:
        raise trouble(error, path, done) from error


def trouble(error: OSError, path: Path, done: str) -> FileTrouble:
    """Return the sentence and the next step for the system's error."""
    reason, next_step = explain(error)
    return FileTrouble(f"{path} could not be {done}: {reason}.", next_step)


def explain(error: OSError) -> tuple[str, str]:
    """Return the system's reason as half a sentence, and the next step."""
    if held_open(error):
        return (
            "another program has it open, or it is protected",
            "Close it there, then run memproc again.",
        )
    reason = error.strerror or str(error)
    return _REASONS.get(
        error.errno or 0, (f"the system says: {reason}", "Mend that, then run memproc again.")
    )


def remedy(error: OSError, if_refused: str) -> str:
    """Return the next step alone; `if_refused` where nothing but a right is missing."""
    return if_refused if error.errno in (errno.EACCES, errno.EPERM) else explain(error)[1]


def unforeseen(fault: MemprocError | OSError) -> MemprocError:
    """Return the error for the person, also for an unforeseen one, which may not name its file."""
    if isinstance(fault, MemprocError):
        return fault
    is_named = isinstance(fault.filename, (str, bytes))
    name = os.fsdecode(fault.filename) if is_named else "A file that memproc works with"
    return trouble(fault, Path(name), "used")


def held_open(error: OSError) -> bool:
    """Return whether this is how Windows says that another program has the file open.

    Often that is a virus scanner.
    """
    return getattr(error, "winerror", None) in _HELD_OPEN
