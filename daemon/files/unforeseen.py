"""Describe an unforeseen exception: the system's in a sentence, our own mistake with its place.

The place goes into a sentence, and into a file for a bug report: types, files, lines and functions.
The exception's own words are left out, since they might quote a message.
"""

import os
import platform
import traceback
from pathlib import Path
from tempfile import mkstemp

from daemon.files.reasons import unforeseen

_PACKAGES = ("daemon", "rules", "primer", "service")
_ROOT = Path(__file__).parents[2]


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
        path = Path(frame.filename)  # the last one in memproc's own code counts
        if path.is_relative_to(_ROOT) and path.relative_to(_ROOT).parts[0] in _PACKAGES:
            own = path.relative_to(_ROOT).as_posix()
            place = f"{type(fault).__name__} in {own}, line {frame.lineno}, {frame.name}"
    try:
        next_step = f"Please report the file {_write_report(fault)}"
    except OSError:  # the disk may be what the trouble is about
        next_step = "Please report this sentence."
    return (
        f"This is a mistake in memproc itself ({place}). Nothing of yours was changed by it.",
        next_step,
    )


def _write_report(bug: BaseException) -> str:
    """Write the file for a bug report, and return its path."""
    from importlib.metadata import version  # half of what `--help` would have to load

    frames = traceback.extract_tb(bug.__traceback__)
    cause = bug.__cause__ or bug.__context__
    lines = [
        f"memproc {version('memproc-daemon')}, "
        f"Python {platform.python_version()}, {platform.system()}",
        *(f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames),
        type(bug).__name__ + (f", from {type(cause).__name__}" if cause else ""),
    ]
    handle, path = mkstemp(prefix="memproc-mistake-", suffix=".txt")
    with os.fdopen(handle, "w") as file:
        file.write("\n".join(lines) + "\n")
    return path
