"""Lets one memproc at a time work with an archive, and tells the second one who holds it.

The system itself holds the lock, on an open file: it ends with its process, however that ends.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from daemon.files.write import file_errors, replace_file
from rules.errors import MemprocError
from rules.typingmind.message import parse_date, write_date


class Busy(MemprocError):
    """Another memproc holds the lock."""


@contextmanager
def hold(path: Path, doing: str = "is working with this archive") -> Iterator[None]:
    """Hold the lock file `path` for as long as the block runs.

    Raises Busy at once when another process, or another part of this one, holds it; FileTrouble when the
    lock cannot be made. Its folder has to be there. Who holds it stands beside it, for people; `doing` is what
    they do, for the sentence of a second one.
    """
    lock = FileLock(path, timeout=0, mode=0o600)
    with file_errors(path, "locked"):
        try:
            lock.acquire()
        except Timeout as taken:
            raise _busy(path, doing) from taken
    try:
        holder = {"pid": os.getpid(), "since": write_date(datetime.now(UTC))}
        replace_file(_beside(path), [json.dumps(holder).encode() + b"\n"])
        yield
    finally:
        # It only serves the sentence of a second memproc; the lock is what counts.
        with suppress(OSError):
            _beside(path).unlink(missing_ok=True)
        # What the block raised is what there is to tell. The system takes the lock back with the process at the latest.
        with suppress(OSError):
            lock.release()


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock. Nothing is made, and a holder is not disturbed.

    Raises FileTrouble where that cannot be found out.
    """
    with file_errors(path, "looked at"):
        if not _beside(path).exists():
            return False
        # It may be left of a process that was killed: only the lock itself tells.
        try:
            with FileLock(path, timeout=0, mode=0o600):
                return False
        except Timeout:
            return True


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _busy(path: Path, doing: str) -> Busy:
    return Busy(
        f"Another memproc{_holder(_beside(path))} {doing}.",
        "Wait for it, or stop it, then run this again.",
    )


def _holder(beside: Path) -> str:
    """` (process 123, since 12:01:07)` in local time, or nothing where the holder has not said it yet."""
    try:
        holder = json.loads(beside.read_bytes())
    except (OSError, ValueError):
        return ""
    if not isinstance(holder, dict) or not isinstance(holder.get("pid"), int):
        return ""
    since = parse_date(str(holder.get("since")))
    return f" (process {holder['pid']}{_since(since) if since else ''})"


def _since(began: datetime) -> str:
    local, today = began.astimezone(), datetime.now(UTC).astimezone().date()
    return f", since {local:%H:%M:%S}" if local.date() == today else f", since {local:%Y-%m-%d %H:%M:%S}"
