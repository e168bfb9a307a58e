"""Move a skipped file out of the inbox into `backups/aside`, and bring it back.

Only the person's press does so. A file is copied and flushed before it is removed from its old
place, never replaces another, and is not moved while it is being processed. A folder that is read
like its ZIP is moved as a whole.
"""

import os
from contextlib import suppress
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.arrivals import arrivals_of, find_arrival
from daemon.files.candidates import export_parts, open_file
from daemon.files.lock import hold
from daemon.files.packing import read_blocks, sha256_of
from daemon.files.paths import Folders
from daemon.files.private import flush_folder, make_private
from daemon.files.reasons import file_errors
from daemon.files.removal import remove_file
from daemon.files.write import replace_file
from rules.arrival import IN_HAND, UNTAKEN
from rules.errors import FileTrouble, NotFound

_DOING = "is processing the inbox"


def aside_folder(backups: Path) -> Path:
    """Return the folder of files that the person has put aside; nothing leaves it by itself."""
    return backups / "aside"


def files_aside(backups: Path) -> tuple[Path, ...]:
    """Return the files that were put aside, by name. Raises FileTrouble."""
    folder = aside_folder(backups)
    if not folder.is_dir():
        return ()
    with file_errors(folder, "read"):
        return tuple(sorted(path for path in folder.iterdir() if is_movable(path)))


def put_aside(folders: Folders, name: str) -> Path:
    """Move a file out of the inbox, and return where it is now.

    Raises NotFound, Busy while a chat is worked on, and FileTrouble while the file itself is.
    """
    path = _inside(folders.inbox, name)
    with hold(folders.state / "lock", _DOING):
        with Archive.read(folders.state) as archive:
            for number in arrivals_of(archive, [str(path)])[-1:]:
                arrival = find_arrival(archive, number)
                is_taken = arrival.state in IN_HAND
                if is_taken or (arrival.state in UNTAKEN and not arrival.next_step):
                    raise FileTrouble(
                        f"{path.name} is being processed.", "Wait until it is done, then try again."
                    )
        return _move(path, aside_folder(folders.backups))


def return_to_inbox(folders: Folders, name: str) -> Path:
    """Move a file that was put aside into the inbox again.

    Raises NotFound, Busy and FileTrouble.
    """
    path = _inside(aside_folder(folders.backups), name)
    with hold(folders.state / "lock", _DOING):
        return _move(path, folders.inbox)


def free_path(folder: Path, name: str) -> Path:
    """Return an unused path for `name` in the folder, with a number where the name is taken."""
    path, number = folder / name, 1
    while os.path.lexists(path):
        number += 1
        path = folder / f"{Path(name).stem} {number}{Path(name).suffix}"
    return path


def _inside(folder: Path, name: str) -> Path:
    """Return the export of that name in the folder. Raises NotFound."""
    path = folder / name
    if name != path.name or not is_movable(path):
        raise NotFound(f"{folder} holds no file {name} now.", "Load the page again.")
    return path


def is_movable(path: Path) -> bool:
    """Return whether it is a file, or a folder that is read like its ZIP, and not a link."""
    with suppress(OSError):  # the name may be too long for a file
        is_export = path.is_file() or bool(export_parts(path))
        return is_export and not path.is_symlink() and not path.name.startswith(".")
    return False


def _move(path: Path, folder: Path) -> Path:
    """Copy the file to an unused name in the folder, then remove it. Raises FileTrouble."""
    make_private(folder)
    target = free_path(folder, path.name)
    if path.is_dir():
        with file_errors(path, "moved"):
            path.rename(target)
            flush_folder(folder)
        return target
    with file_errors(path, "read"), open_file(path) as file:
        before = os.fstat(file.fileno())
        written = replace_file(target, read_blocks(file))
    now = path.stat()
    is_same = (before.st_ino, before.st_mtime_ns, before.st_size) == (
        now.st_ino,
        now.st_mtime_ns,
        now.st_size,
    )
    if not is_same or sha256_of(target) != written.sha256:
        remove_file(target)
        raise FileTrouble(f"{path.name} was written to meanwhile.", "Try again in a moment.")
    os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
    remove_file(path)
    return target
