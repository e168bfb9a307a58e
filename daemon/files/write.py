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
from daemon.files.trouble import told
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
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=path.parent)
    temp = Path(name)
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
    return written


def sweep(folder: Path) -> tuple[Path, ...]:
    """Remove the unfinished files that a kill or a power cut left in `folder`, and name them.

    Only while the lock is held: another memproc's unfinished files look the same.
    """
    with told(folder, "tidied up"):
        left = [found for found in folder.glob(f"{TEMPORARY}*") if found.is_file() and not found.is_symlink()]
        for file in left:
            file.unlink(missing_ok=True)
    return tuple(left)


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
