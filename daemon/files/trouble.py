"""Says in a clear sentence why a file or folder could not be used, and what the person can do."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rules.errors import FileTrouble

_FULL = "Free some space there, then run memproc again. What stood there before is whole."
_REFUSED = "Give your account the right to do so, or choose another folder in memproc.toml, under [folders]."
_DISK = "Check the disk before anything else is written to it. What stood there before was not touched."

_REASONS = {
    errno.ENOSPC: ("the disk is full", _FULL),
    errno.EDQUOT: ("your share of the disk is used up", _FULL),
    errno.EFBIG: ("the file would be larger than this disk or your account allows", _FULL),
    errno.EROFS: ("the disk is read-only", "Make it writable, or choose another folder in memproc.toml."),
    errno.EACCES: ("your account is not allowed to", _REFUSED),
    errno.EPERM: ("the system does not allow it", _REFUSED),
    errno.ENAMETOOLONG: ("its name is too long for this disk", "Choose a folder with a shorter path."),
    errno.EIO: ("the disk reported an error", _DISK),
    errno.ENOENT: ("it is not there", "Look whether its folder was moved, or its disk taken away."),
    errno.ENOTDIR: ("a part of its path is a file", "Move that file away, or choose another folder."),
    errno.EISDIR: ("a folder stands in its place", "Move that folder away, then run memproc again."),
}
_SOME_FILE = Path("A file that memproc works with")
_HELD_OPEN = (5, 32, 33)


@contextmanager
def told(path: Path, done: str) -> Iterator[None]:
    """Turn the system's error inside the block into FileTrouble: `path` could not be `done` ("written")."""
    try:
        yield
    except OSError as error:
        raise trouble(error, path, done) from error


def trouble(error: OSError, path: Path, done: str) -> FileTrouble:
    """The sentence and the next step for what the system said."""
    if held_open(error):
        reason = (
            "another program has it open, or it is protected",
            "Close it there, then run memproc again.",
        )
    else:
        said = error.strerror or str(error)
        reason = _REASONS.get(error.errno or 0, (f"the system says: {said}", "Mend that, then run memproc again."))
    return FileTrouble(f"{path} could not be {done}: {reason[0]}.", reason[1])


def unforeseen(error: OSError) -> FileTrouble:
    """The same for an error that came where nobody foresaw one. The system does not always name the file."""
    return trouble(error, Path(os.fsdecode(error.filename)) if error.filename else _SOME_FILE, "used")


def held_open(error: OSError) -> bool:
    """Whether this is how Windows says that another program, often a virus scanner, has the file open."""
    return getattr(error, "winerror", None) in _HELD_OPEN
