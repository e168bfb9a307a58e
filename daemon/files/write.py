"""Writes a file at once or not at all: whatever happens, its place holds the old file or the new one, whole.

temp in the same folder -> write -> flush -> read back -> into its place -> flush the folder
"""

import errno
import os
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path

from daemon.files.folders import flush_folder
from daemon.files.swap import put_in_place
from daemon.files.trouble import held_open, told
from rules.errors import FileTrouble

TEMPORARY = ".memproc-"
"""How the names of our unfinished files begin."""


@dataclass(frozen=True, slots=True)
class Written:
    """A file that stands in its place and was read back: its hash and its size in bytes."""

    path: Path
    sha256: str
    size: int


def replace_file(path: Path, blocks: Iterable[bytes]) -> Written:
    """Put a file of these `blocks` at `path`, rights 0600, in the place of any that stands there.

    The folder has to be there. Raises FileTrouble (disk full, read-only, damaged on the way...); then, and
    when `blocks` itself raises, the old file is untouched. After a failed flush nothing is tried again: the
    system may by then have forgotten what it could not write.
    """
    with told(path, "written"):
        handle, temp, mark = _unfinished(path.parent)
    try:
        written = _write(handle, path, blocks)
        with told(path, "written"):
            _read_back(temp, written)
            put_in_place(temp, path)
            flush_folder(path.parent)
    finally:
        # Gone when all went well. If the disk refuses this too, the first error is the one to tell.
        with suppress(OSError):
            temp.unlink(missing_ok=True)
        if mark is not None:
            os.close(mark)
    return written


def sweep(folder: Path, prefix: str = TEMPORARY) -> tuple[Path, ...]:
    """Remove the unfinished files that a kill or a power cut left in `folder`, and name them.

    What a running process is writing stays.
    """
    with told(folder, "tidied up"):
        return tuple(file for file in folder.glob(f"{prefix}*") if _is_left(file, prefix) and _swept(file))


def _is_left(file: Path, prefix: str) -> bool:
    # What export-archive makes by the hand of SQLite bears no mark: its own note tells when it may go.
    is_marked = prefix != TEMPORARY or not file.name.startswith(f"{TEMPORARY}export-")
    return is_marked and file.is_file() and not file.is_symlink()


def _swept(file: Path) -> bool:
    try:
        handle = os.open(file, os.O_RDWR)
    except OSError:
        handle = None  # gone meanwhile, or without the right to read it
    try:
        if handle is not None and not _marked(handle):
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


def _unfinished(folder: Path) -> tuple[int, Path, int | None]:
    """A new file, open, and what marks it as a running process's own until that is closed. Raises OSError."""
    while True:
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=folder)
        if sys.platform == "win32":
            return handle, Path(name), None  # there nobody can remove an open file
        if _marked(handle) and os.fstat(handle).st_nlink:
            return handle, Path(name), os.dup(handle)
        os.close(handle)  # another process has swept it away before it was marked


def _marked(handle: int) -> bool:
    """Mark an open file as this process's own; False where it is another's. The system lets go of it at its end."""
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


def _write(handle: int, path: Path, blocks: Iterable[bytes]) -> Written:
    digest, size = sha256(), 0
    file = os.fdopen(handle, "wb")
    try:
        for block in blocks:
            with told(path, "written"):
                file.write(block)
            digest.update(block)
            size += len(block)
        with told(path, "written"):
            file.flush()
            flush_file(file.fileno())
    finally:
        # Closing writes what is still in the buffer: on a full disk that fails once more.
        with suppress(OSError):
            file.close()
    return Written(path, digest.hexdigest(), size)


def flush_file(handle: int) -> None:
    """Put an open file on the disk itself. Raises OSError."""
    if sys.platform == "darwin":
        # fsync on macOS leaves the data in the drive's own cache; only this call empties that too.
        import fcntl

        try:
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
        except OSError as error:
            # Disks of other makers and network shares may not know it.
            if error.errno not in (errno.ENOTSUP, errno.ENOTTY, errno.EINVAL):
                raise
        else:
            return
    os.fsync(handle)


def _read_back(temp: Path, written: Written) -> None:
    with temp.open("rb") as file:
        found = file_digest(file, "sha256").hexdigest()
    if found != written.sha256:
        raise FileTrouble(
            f"{written.path} was not written: what came back from the disk is not what was sent to it.",
            "Check the disk and the memory of this computer. The old file is whole.",
        )
