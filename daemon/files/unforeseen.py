"""What is told of an exception that nobody foresaw: of the system's, or of a mistake in memproc with its place.

The place stands in a sentence, and in a file that can be sent to those who mend it: types, files, lines and functions.
What the exception says is left out, since it might quote a message.
"""

import os
import platform
import traceback
from pathlib import Path
from tempfile import mkstemp

from daemon.files.write import unforeseen

_OURS = ("daemon", "rules", "primer", "service")
_MORE_MEMORY = "Close other programs, then run memproc again; what is finished is kept."
_ROOT = Path(__file__).parents[2]


def account(fault: Exception) -> tuple[str, str]:
    """What happened, and the next step; the place of a mistake of ours is kept in a file, too."""
    if isinstance(fault, OSError):
        trouble = unforeseen(fault)
        return trouble.message, trouble.next_step
    if isinstance(fault, MemoryError):
        return "The memory of this machine, or what memproc may use of it, is used up.", _MORE_MEMORY
    place = f"{type(fault).__name__}{_place(fault)}"
    return f"This is a mistake in memproc itself ({place}). Nothing of yours was changed by it.", _report(fault)


def _place(bug: BaseException) -> str:
    """Where in our own code it was, as half a sentence."""
    frames = [(Path(frame.filename), frame) for frame in traceback.extract_tb(bug.__traceback__)]
    ours = [(path.relative_to(_ROOT), frame) for path, frame in frames if path.is_relative_to(_ROOT)]
    ours = [(path, frame) for path, frame in ours if path.parts[0] in _OURS]
    if not ours:
        return ""
    path, frame = ours[-1]
    return f" in {path.as_posix()}, line {frame.lineno}, {frame.name}"


def _report(bug: BaseException) -> str:
    try:
        return f"Please report the file {_written(bug)}"
    except OSError:  # the disk may be what the trouble is about
        return "Please report this sentence."


def _written(bug: BaseException) -> str:
    """Write the file, and say where it lies."""
    from importlib.metadata import version  # half of what `--help` would have to load

    frames = traceback.extract_tb(bug.__traceback__)
    lines = [f"memproc {version('memproc-daemon')}, Python {platform.python_version()}, {platform.system()}"]
    lines += [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    chain = bug.__cause__ or bug.__context__
    lines.append(type(bug).__name__ + (f", from {type(chain).__name__}" if chain else ""))
    handle, path = mkstemp(prefix="memproc-mistake-", suffix=".txt")
    with os.fdopen(handle, "w") as file:
        file.write("\n".join(lines) + "\n")
    return path
