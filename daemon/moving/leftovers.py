"""What a killed `export-archive` or `import-archive` has left, and how the next memproc finds it to take it away."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from daemon.files.lock import Busy, hold
from daemon.files.trouble import told
from daemon.files.write import TEMPORARY, replace_file, sweep
from daemon.paths import Folders
from daemon.watching.intake import copies_folder

COPY = f"{TEMPORARY}export-"
"""How the name of the archive's passing copy begins."""
STAGE = ".memproc-import"
"""The folder in which an import gets everything ready, beside where it goes."""
_NOTE, _LOCK = "export-unfinished", "export.lock"


@contextmanager
def exporting(state: Path, folder: Path) -> Iterator[None]:
    """As long as the block runs, this process alone packs the archive of `state`, into `folder`.

    Raises Busy where another one does, and FileTrouble.
    """
    note = state / _NOTE
    with hold(state / _LOCK, "is packing this archive"):
        _clear(note)
        replace_file(note, [str(folder).encode(errors="surrogateescape")])
        try:
            yield
        finally:
            with told(note, "removed"):
                note.unlink(missing_ok=True)


def sweep_export(state: Path) -> None:
    """Take away what a killed one has left; nothing while one is at work, or while its folder is not there."""
    if (state / _NOTE).exists():
        with suppress(Busy), hold(state / _LOCK, "is packing this archive"):
            _clear(state / _NOTE)


def sweep_stages(folders: Folders) -> None:
    """Take away what an import got ready and never put in its place. Only while the archive's lock is held."""
    for folder in (folders.state, folders.backups, folders.updated, copies_folder(folders.state)):
        with told(folder / STAGE, "removed"):
            if (folder / STAGE).is_dir():
                shutil.rmtree(folder / STAGE)


def _clear(note: Path) -> None:
    with told(note, "read"):
        folder = Path(note.read_bytes().decode(errors="surrogateescape")) if note.exists() else None
    if folder is not None and folder.is_dir():
        for prefix in (TEMPORARY, COPY):
            sweep(folder, prefix)
        with told(note, "removed"):
            note.unlink()
