"""Write files whole or not at all, packed where they are kept; make private folders; say what the system refused.

A new file is written beside the old one, put on the disk, read back, and takes its place in one step.
"""

import errno
import gzip
import os
import stat
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import file_digest, sha256
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from rules.errors import FileTrouble, MemprocError

TEMPORARY = ".memproc-"
"""The beginning of the names of our unfinished files."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that stands in its place and was read back: its hash and its size in bytes."""

    path: Path
    sha256: str
    size: int


def replace_file(path: Path, blocks: Iterable[bytes]) -> WrittenFile:
    """Put a file of these `blocks` at `path`, rights 0600, in the place of any that stands there.

    The folder has to be there. Raises FileTrouble (disk full, read-only, damaged on the way...); then, and
    when `blocks` itself raises, the old file is untouched. After a failed flush nothing is tried again: the
    system may by then have forgotten what it could not write.
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
            # Closing writes what is still in the buffer: on a full disk that fails once more.
            with suppress(OSError):
                file.close()
        with file_errors(path, "written"):
            with temp.open("rb") as written:
                read_back = file_digest(written, "sha256").hexdigest()
            if read_back != digest.hexdigest():
                raise FileTrouble(
                    f"{path} was not written: what came back from the disk is not what was sent to it.",
                    "Check the disk and the memory of this computer. The old file is whole.",
                )
            put_in_place(temp, path)
            flush_folder(path.parent)
    finally:
        # Gone when all went well. If the disk refuses this too, the first error is the one to tell.
        with suppress(OSError):
            temp.unlink(missing_ok=True)
        if mark is not None:
            os.close(mark)
    return WrittenFile(path, digest.hexdigest(), size)


def refuse_link(path: Path) -> None:
    """Raise FileTrouble where a link is in the place of a file of ours: it may lead to somebody else's.

    Folders may be links, and so may memproc.toml, whose own file is looked up before it is written.
    """
    if path.is_symlink():
        raise FileTrouble(
            f"{path} is a link to another file, so nothing was written.",
            "memproc writes only files of its own. Move the link away, or put the file itself there.",
        )


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


def sweep(folder: Path) -> tuple[Path, ...]:
    """Remove the unfinished files that a kill or a power cut left in `folder`, and name them.

    What a running process is writing stays.
    """
    with file_errors(folder, "tidied up"):
        left = [
            file
            for file in folder.glob(f"{TEMPORARY}*")
            if file.is_file() and not file.is_symlink()
        ]
        return tuple(file for file in left if _swept(file))


def _swept(file: Path) -> bool:
    try:
        handle = os.open(file, os.O_RDWR)
    except (FileNotFoundError, PermissionError):
        handle = None  # gone meanwhile, or without the right to read it
    except OSError:
        return (
            False  # too many files are open, say: nobody can tell whose it is, so it stays for now
        )
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


def make_private(folder: Path) -> None:
    """Make `folder` and its missing parents, each 0700, ready to be written to.

    A folder that already exists keeps its rights: it may be shared on purpose. Raises FileTrouble when
    something else stands there, when it cannot be made, or when it can be seen but not be written to.
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
    # The umask may have taken rights from the owner too.
    folder.chmod(0o700)
    flush_folder(folder.parent)


def make_own(folder: Path) -> None:
    """Make `folder`, 0700, where anybody can make folders, as in /tmp; what stands there already must be ours alone.

    Somebody else may have made it first, to have what we write, or to keep us from working. Raises FileTrouble where
    it is a link, somebody else's, or open to others.
    """
    make_private(folder)
    with file_errors(folder, "looked at"):
        is_ours = is_own(folder)
    if not is_ours:
        raise FileTrouble(
            f"{folder} is not a folder of your own that nobody else can open.",
            "Have it removed, or set $XDG_RUNTIME_DIR to a folder that is yours alone; then start memproc again.",
        )


def is_own(folder: Path) -> bool:
    """Whether it is a folder, no link, and ours, and nobody else can open it. Raises OSError."""
    status = folder.lstat()
    is_ours = stat.S_ISDIR(status.st_mode) and (
        not hasattr(os, "getuid") or status.st_uid == os.getuid()
    )
    return is_ours and not (os.name == "posix" and status.st_mode & 0o077)


def flush_folder(folder: Path) -> None:
    """Put the names in `folder` on the disk, so that they outlast a power cut. Raises OSError."""
    if sys.platform == "win32":
        return  # Windows has no such call for folders: NTFS keeps a journal of names.
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some network file systems know no fsync for folders; the names are in their server's care.
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(handle)


_FULL = "Free some space there, then run memproc again. What stood there before is whole."
_REFUSED = "Give your account the right to do so, or choose another folder in memproc.toml, under [folders]."
_DISK = (
    "Check the disk before anything else is written to it. What stood there before was not touched."
)
_AWAY = "Look whether its disk or network share is there and answers, then run memproc again."
_FILES = (
    "Close other programs, or raise the limit of open files (ulimit -n), then run memproc again."
)
_REASONS = {
    errno.ENOSPC: ("the disk is full", _FULL),
    errno.EDQUOT: ("your share of the disk is used up", _FULL),
    errno.EFBIG: ("the file would be larger than this disk or your account allows", _FULL),
    errno.EROFS: (
        "the disk is read-only",
        "Make it writable, or choose another folder in memproc.toml.",
    ),
    errno.EACCES: ("your account is not allowed to", _REFUSED),
    errno.EPERM: ("the system does not allow it", _REFUSED),
    errno.ENAMETOOLONG: (
        "its name is too long for this disk",
        "Choose a folder with a shorter path.",
    ),
    errno.EIO: ("the disk reported an error", _DISK),
    errno.ENOENT: ("it is not there", "Look whether its folder was moved, or its disk taken away."),
    errno.ENOTDIR: (
        "a part of its path is a file",
        "Move that file away, or choose another folder.",
    ),
    errno.EMFILE: ("memproc has too many files open", _FILES),
    errno.ENFILE: ("all programs together have too many files open", _FILES),
    errno.ENOLCK: (
        "the file system there gives no locks",
        "Choose a folder on a disk of this computer in memproc.toml, under [folders].",
    ),
    errno.ELOOP: (
        "links in its path lead round in a circle",
        "Correct the links, or choose another folder.",
    ),
    errno.ENOTSUP: (
        "the file system there cannot do that",
        "Choose a folder on another disk, under [folders].",
    ),
    errno.EBUSY: ("another program is using it", "Close it there, then run memproc again."),
    errno.ETXTBSY: ("another program is using it", "Close it there, then run memproc again."),
    errno.ESTALE: ("the network share does not know it any more", _AWAY),
    errno.ETIMEDOUT: ("its disk does not answer", _AWAY),
    errno.ENXIO: ("its disk is not there", _AWAY),
    errno.ENODEV: ("its disk is not there", _AWAY),
    errno.ENOTCONN: ("its network share is not connected", _AWAY),
    errno.ENOMEM: ("the memory is used up", "Close other programs, then run memproc again."),
    errno.EISDIR: (
        "a folder stands in its place",
        "Move that folder away, then run memproc again.",
    ),
}

_HELD_OPEN = (5, 32, 33)


@contextmanager
def file_errors(path: Path, done: str) -> Iterator[None]:
    """Turn the system's error inside the block into FileTrouble: `path` could not be `done` ("written")."""
    try:
        yield
    except OSError as error:
        raise trouble(error, path, done) from error


def trouble(error: OSError, path: Path, done: str) -> FileTrouble:
    """The sentence and the next step for what the system said."""
    reason, next_step = explain(error)
    return FileTrouble(f"{path} could not be {done}: {reason}.", next_step)


def explain(error: OSError) -> tuple[str, str]:
    """The system's reason as half a sentence, and the next step."""
    if held_open(error):
        return (
            "another program has it open, or it is protected",
            "Close it there, then run memproc again.",
        )
    reason = error.strerror or str(error)
    return _REASONS.get(
        error.errno or 0, (f"the system says: {reason}", "Mend that, then run memproc again.")
    )


def remedy(error: OSError, if_refused: str) -> str:
    """The next step alone; `if_refused` where nothing but a right is missing."""
    return if_refused if error.errno in (errno.EACCES, errno.EPERM) else explain(error)[1]


def unforeseen(fault: MemprocError | OSError) -> MemprocError:
    """The error for the person, also where the system's came unforeseen; it does not always name the file."""
    if isinstance(fault, MemprocError):
        return fault
    is_named = isinstance(fault.filename, (str, bytes))
    name = os.fsdecode(fault.filename) if is_named else "A file that memproc works with"
    return trouble(fault, Path(name), "used")


def held_open(error: OSError) -> bool:
    """Whether this is how Windows says that another program, often a virus scanner, has the file open."""
    return getattr(error, "winerror", None) in _HELD_OPEN


BLOCK = 1 << 20
"""Bytes read at once."""


def pack(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The `blocks` as a gzip file without a name or a time in it."""
    packed = BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=packed, mtime=0) as file:
        for block in blocks:
            file.write(block)
            yield packed.getvalue()
            packed.seek(0)
            packed.truncate()
    yield packed.getvalue()


def read_blocks(file: BinaryIO) -> Iterator[bytes]:
    """The rest of an open file, block by block."""
    while block := file.read(BLOCK):
        yield block


def unpack(path: Path, size: int, content_sha256: str) -> Iterator[bytes]:
    """The content of a kept file, block by block, never more than its `size` in bytes.

    Raises FileTrouble when the file cannot be read, and at the end when the content is not the one that
    was kept. So use nothing of it before the last block has come.
    """
    digest, left = sha256(), size
    with file_errors(path, "read"), path.open("rb") as packed:
        try:
            with gzip.GzipFile(fileobj=packed) as file:
                while left >= 0 and (block := file.read(min(BLOCK, left + 1))):
                    left -= len(block)
                    digest.update(block)
                    if left >= 0:
                        yield block
        except (gzip.BadGzipFile, EOFError, zlib.error):
            left = -1
    if left or digest.hexdigest() != content_sha256:
        raise FileTrouble(
            f"{path} is damaged: what is in it is not what was kept.",
            "`memproc versions` lists the other versions that are kept.",
        )


def sha256_of(path: Path) -> str | None:
    """The hash of the file's bytes, or None where there is no file that can be read."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
