"""Private folders and files: made for this user alone, and flushed to the disk."""

import errno
import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO

from daemon.files.reasons import file_errors
from rules.errors import FileTrouble


def make_private(folder: Path) -> None:
    """Make `folder` and its missing parents, each 0700, ready to be written to.

    An existing folder keeps its rights: it may be shared on purpose. Raise FileTrouble where
    something else is at the path, or the folder cannot be made or written to.
    """
    with file_errors(folder, "made"):
        for path in (*reversed(folder.parents), folder):
            if not path.is_dir():
                _make(path)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileTrouble(
            f"{folder} cannot be written to: the folder or its disk is read-only for your account.",
            "Make it writable, or choose another folder in memproc.toml, under [folders].",
        )


def _make(folder: Path) -> None:
    if folder.is_symlink() or folder.exists():
        raise FileTrouble(
            f"{folder} is not a folder.",
            "Move it away, or choose another folder in memproc.toml, under [folders].",
        )
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return
    # The umask may have taken rights even from the owner.
    folder.chmod(0o700)
    flush_folder(folder.parent)


def make_new(file: Path) -> BinaryIO:
    """Make a private file that was not there, and open it to write. Raises FileExistsError."""
    return os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")


def make_own(folder: Path) -> None:
    """Make `folder`, 0700, in a place open to all such as /tmp; an existing one must be ours alone.

    Another account may have made it first, to read what we write or to keep us from working. Raise
    FileTrouble where it is a link, another account's, or open to others.
    """
    make_private(folder)
    with file_errors(folder, "looked at"):
        is_ours = is_own(folder)
    if not is_ours:
        raise FileTrouble(
            f"{folder} is not a folder of your own that nobody else can open.",
            "Have it removed, or set $XDG_RUNTIME_DIR to a folder that is yours alone; "
            "then start memproc again.",
        )


def is_own(folder: Path) -> bool:
    """Return whether it is a folder, not a link, that only we can open. Raise OSError."""
    status = folder.lstat()
    is_ours = stat.S_ISDIR(status.st_mode) and (
        not hasattr(os, "getuid") or status.st_uid == os.getuid()
    )
    return is_ours and not (os.name == "posix" and status.st_mode & 0o077)


def flush_folder(folder: Path) -> None:
    """Flush the names in `folder` to the disk, so that they survive a power cut. Raise OSError."""
    if sys.platform == "win32":
        return  # Windows has no such call for folders: NTFS keeps a journal of names.
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some network file systems have no fsync for folders: their server keeps the names.
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(handle)
