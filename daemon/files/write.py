"""Write files whole or not at all, and sweep up the unfinished ones of killed processes.

A new file is written next to the old one, flushed to the disk, read back, and then replaces it.
"""

import errno
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path

from daemon.files.private import flush_folder
from daemon.files.reasons import file_errors, held_open
from rules.errors import FileTrouble

TEMPORARY = ".memproc-"
"""The prefix of the names of our unfinished files."""
_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 0.8)
"""Seconds: together about as long as a virus scanner holds a new file open."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that is in place and was read back: its hash and its size in bytes."""

    path: Path
    sha256: str
    size: int


def replace_file(path: Path, blocks: Iterable[bytes]) -> WrittenFile:
    """Write `blocks` to a file at `path`, rights 0600, replacing any file there.

    The folder must exist. Raise FileTrouble (disk full, read-only, damaged on the way...); then,
    and when `blocks` itself raises, the old file is untouched. A failed flush is not repeated,
    since the system may by then have dropped what it could not write.
    """
    with file_errors(path, "written"):
        refuse_link(path)
        handle, temp, mark = _unfinished(path.parent)
    digest, size = sha256(), 0
    try:
        file = os.fdopen(handle, "wb")
        try:
            for block in blocks:
                with file_errors(path, "written"):
                    file.write(block)
                digest.update(block)
                size += len(block)
            with file_errors(path, "written"):
                file.flush()
                flush_file(file.fileno())
        finally:
            # Closing writes what is left in the buffer, which fails again on a full disk.
            with suppress(OSError):
                file.close()
        with file_errors(path, "written"):
            with temp.open("rb") as written:
                read_back = file_digest(written, "sha256").hexdigest()
            if read_back != digest.hexdigest():
                raise FileTrouble(
                    f"{path} was not written: what came back from the disk is not what was sent "
                    "to it.",
                    "Check the disk and the memory of this computer. The old file is whole.",
                )
            put_in_place(temp, path)
            flush_folder(path.parent)
    finally:
        # If all went well it is gone. If the disk refuses this, too, the first error must be
        # raised.
        with suppress(OSError):
            temp.unlink(missing_ok=True)
        if mark is not None:
            os.close(mark)
    return WrittenFile(path, digest.hexdigest(), size)


def refuse_link(path: Path) -> None:
    """Raise FileTrouble where `path` is a link, which may lead to a file of someone else.

    Folders may be links, and so may memproc.toml, whose target is resolved before it is written.
    """
    if path.is_symlink():
        raise FileTrouble(
            f"{path} is a link to another file, so nothing was written.",
            "memproc writes only files of its own. "
            "Move the link away, or put the file itself there.",
        )


def _unfinished(folder: Path) -> tuple[int, Path, int | None]:
    """Open a new file, and a second handle that marks it as in use until it is closed.

    Raise OSError.
    """
    while True:
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=folder)
        if sys.platform == "win32":
            return handle, Path(name), None  # Windows lets no process remove an open file
        if mark_unfinished(handle) and os.fstat(handle).st_nlink:
            return handle, Path(name), os.dup(handle)
        os.close(handle)  # another process swept it up before it was marked


@contextmanager
def temporary_file(folder: Path) -> Iterator[Path]:
    """Make an empty file in `folder`, rights 0600, for the block. Raise FileTrouble.

    The block may move it to its place.
    """
    with file_errors(folder, "written to"):
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=folder)
        os.close(handle)
    try:
        yield Path(name)
    finally:
        # If the disk refuses this, too, the first error must be raised.
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)


def mark_unfinished(handle: int) -> bool:
    """Mark an open file as this process's own while it runs; return False if it is another's."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without such marks
    return True


def flush_file(handle: int) -> None:
    """Flush an open file to the disk itself. Raise OSError."""
    if sys.platform == "darwin":
        # On macOS, fsync leaves the data in the drive's own cache; only this call empties that,
        # too.
        import fcntl

        try:
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
        except OSError as error:
            # Network shares and some disks do not support it.
            if error.errno not in (errno.ENOTSUP, errno.ENOTTY, errno.EINVAL):
                raise
        else:
            return
    os.fsync(handle)


def put_in_place(
    temp: Path,
    path: Path,
    move: Callable[[Path, Path], None] = os.replace,
    wait: Callable[[float], None] = time.sleep,
) -> None:
    """Move `temp` to `path` atomically, over any file there.

    Raise OSError; `path` is then untouched. On Windows, a file that another program has open cannot
    be replaced; this is retried for about two seconds. The content is never copied into the old
    file instead.
    """
    for pause in _PAUSES:
        try:
            return move(temp, path)
        except OSError as error:
            if not held_open(error):
                raise
        wait(pause)
    return move(temp, path)


def sweep(folder: Path) -> tuple[Path, ...]:
    """Remove the unfinished files that a kill or a power cut left in `folder`, and return them.

    Files that a running process is writing stay.
    """
    with file_errors(folder, "tidied up"):
        unfinished = [
            file
            for file in folder.glob(f"{TEMPORARY}*")
            if file.is_file() and not file.is_symlink()
        ]
        return tuple(file for file in unfinished if _swept(file))


def _swept(file: Path) -> bool:
    try:
        handle = os.open(file, os.O_RDWR)
    except (FileNotFoundError, PermissionError):
        handle = None  # removed meanwhile, or not readable for us
    except OSError:
        return False  # too many open files, perhaps: whether it is in use is unknown, so it stays
    try:
        if handle is not None and not mark_unfinished(handle):
            return False
        if sys.platform == "win32" and handle is not None:
            os.close(handle)
            handle = None
        file.unlink(missing_ok=True)
    except OSError as error:
        if not held_open(error):
            raise
        return False
    finally:
        if handle is not None:
            os.close(handle)
    return True
