"""The cookie: an empty file that appears in the inbox for an instant, so that its event proves the watch alive."""

import os
import re
import time
from pathlib import Path

_NAME = re.compile(r"\.memproc-cookie-\d+-\d+")


def is_cookie(name: str) -> bool:
    """Whether a file of this name is a cookie of some memproc."""
    return _NAME.fullmatch(name) is not None


def lay(inbox: Path) -> str:
    """Make a cookie in the inbox and return its name. Raises OSError where that cannot be."""
    name = f".memproc-cookie-{os.getpid()}-{time.time_ns()}"
    os.close(os.open(inbox / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return name


def take_away(inbox: Path, name: str) -> None:
    """Remove the cookie of this name; none is needed where the name is empty. Raises OSError."""
    if name:
        (inbox / name).unlink(missing_ok=True)


def sweep(inbox: Path) -> None:
    """Take away the cookies of a memproc that was killed between the two steps. Raises OSError."""
    with os.scandir(inbox) as entries:
        left = [entry for entry in entries if is_cookie(entry.name) and entry.is_file(follow_symlinks=False)]
    for entry in left:
        if entry.stat(follow_symlinks=False).st_size == 0:
            Path(entry.path).unlink(missing_ok=True)
