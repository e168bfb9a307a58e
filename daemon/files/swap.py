"""Puts a finished file in the place of another, in one step, and waits a little where Windows asks for it."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from daemon.files.trouble import held_open

_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 0.8)
"""Seconds; together about as long as a virus scanner holds a new file open."""


def put_in_place(
    temp: Path,
    path: Path,
    move: Callable[[Path, Path], None] = os.replace,
    wait: Callable[[float], None] = time.sleep,
) -> None:
    """Move `temp` to `path` at once, over any file there. Raises OSError; `path` is then untouched.

    On Windows a file that another program has open cannot be replaced: that is tried again for two
    seconds. The content is never copied into the old file instead.
    """
    for pause in _PAUSES:
        try:
            return move(temp, path)
        except OSError as error:
            if not held_open(error):
                raise
        wait(pause)
    return move(temp, path)
