"""Which files of a folder may be exports: regular files with the right ending, none that is still arriving."""

import os
from collections.abc import Iterator
from pathlib import Path

from rules.errors import FileTrouble

_ENDINGS = (".json", ".zip")


def exports_in(path: Path) -> tuple[Path, ...]:
    """The file itself, or what a folder holds, oldest first, so that the newest copy of a chat comes last.

    Links, hidden files and downloads that still go on are passed over. Raises FileTrouble.
    """
    if not path.is_dir():
        return (path,)
    try:
        found = [(entry.stat(follow_symlinks=False).st_mtime_ns, Path(entry.path)) for entry in _candidates(path)]
    except OSError as fault:
        raise FileTrouble(
            f"The folder {path} cannot be read: {fault.strerror}.",
            "Allow memproc's user to read it, then try again.",
        ) from fault
    return tuple(found_path for _, found_path in sorted(found))


def _candidates(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name.casefold()
            if name.endswith(_ENDINGS) and not name.startswith(".") and entry.is_file(follow_symlinks=False):
                yield entry
