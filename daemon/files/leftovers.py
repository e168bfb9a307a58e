"""Take away what killed processes have left; a note remembers folders outside of memproc's own."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from daemon.files.paths import Folders, arrivals_folder, expanded_folder
from daemon.files.removal import list_again
from daemon.files.write import TEMPORARY, file_errors, replace_file, sweep
from rules.errors import FileTrouble

COPY = f"{TEMPORARY}export-"
"""Begins the name of a copy of the archive that SQLite writes; it bears no mark of the process that makes it."""
STAGE = ".memproc-import"
"""The folder in which an import gets everything ready, beside where it goes."""
_NOTE = "export-unfinished"


@contextmanager
def writing_to(folder: Path, state: Path) -> Iterator[None]:
    """Note that this process writes into a folder of the person's, until the block ends.

    Only while the lock of the archive in `state` is held. Raises FileTrouble.
    """
    note = state / _NOTE
    _sweep_noted(state)
    replace_file(note, [str(folder).encode(errors="surrogateescape")])
    try:
        yield
    finally:
        with file_errors(note, "removed"):
            note.unlink(missing_ok=True)


def tidy_up(folders: Folders) -> None:
    """Remove unfinished files of killed processes, and list backups that they have not listed yet.

    Only while the lock of the archive is held. Raises FileTrouble.
    """
    backups, arrivals = folders.backups, arrivals_folder(folders.state)
    shelves = (path for part in ("originals", "versions") for path in (backups / part).glob("*") if path.is_dir())
    expanded = expanded_folder(folders.updated)
    for folder in (folders.updated, expanded, folders.state, folders.state / "copies", backups, *shelves):
        sweep(folder)
    for folder in (folders.state, backups, folders.updated, arrivals):
        with file_errors(folder / STAGE, "removed"):
            if (folder / STAGE).is_dir():
                shutil.rmtree(folder / STAGE)
    _sweep_noted(folders.state)
    with suppress(FileTrouble):  # an index that cannot be read stops what needs it
        list_again(backups)


def _sweep_noted(state: Path) -> None:
    """Sweep the folder that a killed process wrote to; not while it is away, as a stick may be."""
    note = state / _NOTE
    with file_errors(note, "read"):
        folder = Path(note.read_bytes().decode(errors="surrogateescape")) if note.exists() else None
    if folder is not None and folder.is_dir():
        for prefix in (TEMPORARY, COPY):
            sweep(folder, prefix)
        with file_errors(note, "removed"):
            note.unlink()
