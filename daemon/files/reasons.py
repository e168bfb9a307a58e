"""Turn errors into sentences: what happened, and what the person can do.

Errors of files are foreseen. Any other is the system's, described in a sentence, or our own
mistake, whose place goes into the sentence and into a file for a bug report: types, files, lines
and functions. The exception's own words are left out, since they might quote a message.
"""

import errno
import os
import platform
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp

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
"""The errors that people meet and can mend; all others are described in the system's words."""
_HELD_OPEN = (5, 32, 33)

_PACKAGES = ("daemon", "rules", "primer", "service")
_ROOT = Path(__file__).parents[2]


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
    """Return the next step alone; `if_refused` where only a permission is missing."""
    return if_refused if error.errno in (errno.EACCES, errno.EPERM) else explain(error)[1]


def unforeseen(fault: MemprocError | OSError) -> MemprocError:
    """Return the error as one for the person; an OSError may name no file."""
    if isinstance(fault, MemprocError):
        return fault
    is_named = isinstance(fault.filename, (str, bytes))
    name = os.fsdecode(fault.filename) if is_named else "A file that memproc works with"
    return trouble(fault, Path(name), "used")


def held_open(error: OSError) -> bool:
    """Return whether this is Windows's error for a file that another program has open.

    Often that is a virus scanner.
    """
    return getattr(error, "winerror", None) in _HELD_OPEN


def describe(fault: Exception) -> tuple[str, str]:
    """Return the sentence on what happened, and the next step."""
    if isinstance(fault, OSError):
        trouble = unforeseen(fault)
        return trouble.message, trouble.next_step
    if isinstance(fault, MemoryError):
        return (
            "The memory of this machine, or what memproc may use of it, is used up.",
            "Close other programs, then run memproc again; what is finished is kept.",
        )
    place = type(fault).__name__
    for frame in traceback.extract_tb(fault.__traceback__):
        path = Path(frame.filename)  # the last frame in memproc's own code counts
        if path.is_relative_to(_ROOT) and path.relative_to(_ROOT).parts[0] in _PACKAGES:
            file_in_memproc = path.relative_to(_ROOT).as_posix()
            place = (
                f"{type(fault).__name__} in {file_in_memproc}, line {frame.lineno}, {frame.name}"
            )
    try:
        next_step = f"Please report the file {_write_report(fault)}"
    except OSError:  # the disk itself may be the trouble
        next_step = "Please report this sentence."
    return (
        f"This is a mistake in memproc itself ({place}). Nothing of yours was changed by it.",
        next_step,
    )


def _write_report(bug: BaseException) -> str:
    """Write the file for a bug report, and return its path."""
    from importlib.metadata import version  # half of what `--help` would have to load

    python = f"Python {platform.python_version()}, {platform.system()}"
    lines = [f"memproc {version('memproc-daemon')}, {python}"]
    for frame in traceback.extract_tb(bug.__traceback__):
        lines.append(f"{frame.filename}:{frame.lineno} in {frame.name}")
    cause = bug.__cause__ or bug.__context__
    name = type(bug).__name__
    lines.append(f"{name}, from {type(cause).__name__}" if cause else name)
    handle, path = mkstemp(prefix="memproc-mistake-", suffix=".txt")
    with os.fdopen(handle, "w") as file:
        file.write("\n".join(lines) + "\n")
    return path
