"""Let one memproc at a time work with an archive, and tell a second one which process holds it.

The system holds the lock on an open file, so it ends with the process, however that ends.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from daemon.files.reasons import file_errors
from daemon.files.write import refuse_link, replace_file
from rules.errors import MemprocError
from rules.typingmind.dates import parse_date, write_date

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class Busy(MemprocError):
    """Another memproc holds the lock."""


@contextmanager
def hold(path: Path, doing: str = "is working with this archive") -> Iterator[None]:
    """Hold the lock file `path` for as long as the block runs.

    Raise Busy at once when another process, or another part of this one, holds it; FileTrouble when
    it cannot be locked. Its folder must exist. A file next to it names the holder; `doing`
    completes the sentence that a second memproc shows.
    """
    with file_errors(path, "locked"):
        handle = _locked(path)
    if handle is None:
        raise Busy(
            f"Another memproc{_holder(path)} {doing}.",
            "Wait for it, or stop it, then run this again.",
        )
    try:
        holder = {"pid": os.getpid(), "since": write_date(datetime.now(UTC))}
        replace_file(_holder_file(path), [json.dumps(holder).encode() + b"\n"])
        yield
    finally:
        # This file only serves the sentence of a second memproc: errors with it do not matter.
        with suppress(OSError):
            _holder_file(path).unlink(missing_ok=True)
        # An error here must not hide what the block raised; the lock ends with the process anyway.
        with suppress(OSError):
            os.close(handle)


def daemon_lock(state: Path) -> Path:
    """Return the file that the daemon of this state folder locks for as long as it lives."""
    return state / "daemon.lock"


def daemon_runs(state: Path) -> bool:
    """Return whether the daemon of this state folder runs. Raises FileTrouble as `is_held`."""
    return is_held(daemon_lock(state))


def is_held(path: Path) -> bool:
    """Return whether the lock is held, without making anything or disturbing the holder.

    Raise FileTrouble where that cannot be found out.
    """
    with file_errors(path, "looked at"):
        if not _holder_file(path).exists():
            return False
        # A killed process leaves this file, so only the lock itself tells.
        handle = _locked(path)
        if handle is not None:
            os.close(handle)
        return handle is None


def _locked(path: Path) -> int | None:
    """Return the handle of a file that holds the lock until closed; None where another has it.

    The filelock package does the same, but loads asyncio: 24 ms at the start of every command.
    """
    refuse_link(path)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # Windows says that the permission is denied
        os.close(handle)
        return None
    except OSError:
        os.close(handle)
        raise
    return handle


def _holder_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _holder(path: Path) -> str:
    """Return ` (process 123, since 12:01:07)` in local time, or nothing if unknown."""
    try:
        holder = json.loads(_holder_file(path).read_bytes())
        process = int(holder["pid"])
        since = parse_date(str(holder.get("since")))
    except (AttributeError, KeyError, OSError, TypeError, ValueError):
        return ""
    if since is None:
        return f" (process {process})"
    local, today = since.astimezone(), datetime.now(UTC).astimezone().date()
    time = f"{local:%H:%M:%S}" if local.date() == today else f"{local:%Y-%m-%d %H:%M:%S}"
    return f" (process {process}, since {time})"
