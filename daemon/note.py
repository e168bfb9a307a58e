"""Where a mistake in memproc happened, in a file that can be sent to those who mend it; no values stand in it (D19)."""

import os
import platform
import traceback
from tempfile import mkstemp


def note(bug: BaseException) -> str:
    """Write the note, and say where it lies. Values are left out: they might be message texts."""
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
