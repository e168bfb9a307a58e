"""Remove versions from the backups, list those that the index lost, and clean up after kills.

A backup that the index lost gets its line again if it is undamaged; any other file is moved to
`unlisted`, and never deleted.
"""

import gzip
import re
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import file_digest, sha256
from pathlib import Path, PurePosixPath

from daemon.files.backup import Version
from daemon.files.backup_index import IndexLine, append, kept_lines, read_index
from daemon.files.paths import Folders, arrivals_folder, expanded_folder, free_place
from daemon.files.private import flush_folder, make_private
from daemon.files.read import chats_in
from daemon.files.reasons import file_errors
from daemon.files.write import put_in_place, replace_file, sweep
from rules.errors import FileTrouble, MemprocError
from rules.typingmind.dates import write_date

UNLISTED = "unlisted"
_SHELVES = ("originals/*/*.gz", "versions/*/*.gz")
_VERSION = re.compile(
    r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-([0-9a-f]{8})(?:-\d+)?\.(?:json|zip)\.gz"
)
STAGE = ".memproc-import"
"""The folder in which an import prepares everything, inside the folder that it is for."""
_NOTE = "export-unfinished"


def list_again(folder: Path) -> tuple[FileTrouble, ...]:
    """Add every undamaged backup to the index, and move all other files to `unlisted`.

    Return the troubles with files that could not be read or moved, which stay and do not stop the
    others. Call it only while the archive's lock is held. Raise FileTrouble where the index cannot
    be read or written.
    """
    removed = _removed(folder)
    lines: list[IndexLine] = []
    troubles: list[FileTrouble] = []
    named = {folder / line.file for _, line in kept_lines(folder)}
    for path in sorted(path for shelf in _SHELVES for path in folder.glob(shelf)):
        if path in named or not path.is_file() or path.is_symlink():
            continue
        try:
            removal = removed.get(path.relative_to(folder).as_posix())
            if removal and is_removed(path, removal):
                continue
            if line := _line_of(folder, path):
                lines.append(line)
            else:
                _put_aside(folder, path)
        except FileTrouble as trouble:
            troubles.append(trouble)
    for line in sorted(lines, key=lambda line: line.written_at):
        append(folder, line)
    return tuple(troubles)


def _removed(folder: Path) -> dict[str, IndexLine]:
    """Return the last line about the removal of each file, by its path below the folder."""
    lines = (line for line in read_index(folder) if isinstance(line, IndexLine))
    return {line.file: line for line in lines if line.kind == "removed"}


def is_removed(path: Path, line: IndexLine) -> bool:
    """Return whether this very file is the one that `line` removes.

    It may be another one of the same name, listed in a later line that the index lost.
    """
    with file_errors(path, "read"), path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest() == line.packed_sha256


def _line_of(folder: Path, path: Path) -> IndexLine | None:
    """Return the line for a backup; None where it is damaged, or its name does not fit."""
    with file_errors(path, "read"):
        packed = path.read_bytes()
    try:
        content = gzip.decompress(packed)
        chats = chats_in(path.name.removesuffix(".gz"), content)
    except (OSError, EOFError, zlib.error, MemprocError):
        return None
    digest = sha256(content).hexdigest()
    version = _VERSION.fullmatch(path.name)
    is_original = path.parent.parent.name == "originals"
    named = path.name.split(".")[0] if is_original else version[8] if version else " "
    if not chats or not digest.startswith(named):
        return None
    return IndexLine(
        written_at="{}-{}-{}T{}:{}:{}.{}Z".format(*version.groups())
        if version and not is_original
        else changed_at(path),
        chat_id=chats[0].chat_id,
        title=chats[0].title,
        kind="original" if is_original else "updated",
        sha256=digest,
        size=len(content),
        file=path.relative_to(folder).as_posix(),
        packed_sha256=sha256(packed).hexdigest(),
    )


def as_its_file_says(version: Version) -> Version | None:
    """Return the version by its own file, if that is undamaged and fits its name; else None.

    This rescues a file whose line in the index is damaged. Raise FileTrouble.
    """
    line = _line_of(version.path.parents[2], version.path) if version.path.is_file() else None
    return replace(version, sha256=line.sha256, size=line.size) if line else None


def changed_at(path: Path) -> str:
    """Return when a file was last changed, by its own date. Raise FileTrouble."""
    with file_errors(path, "looked at"):
        return write_date(datetime.fromtimestamp(path.stat().st_mtime, UTC))


def _put_aside(folder: Path, path: Path) -> None:
    """Move a file that is not an undamaged backup to `unlisted`, replacing no other."""
    shelf = folder / UNLISTED / path.relative_to(folder).parent
    for private in (folder / UNLISTED, shelf):
        make_private(private)
    with file_errors(path, "moved"):
        put_in_place(path, free_place(shelf, path.name))
        for changed in (shelf, path.parent):
            flush_folder(changed)


def remove_version(folder: Path, version: Version, when: str) -> None:
    """Remove a version that was in updated/: first in the index, then the file.

    A kill between the two leaves a file that is not a version any more, for `finish_removals`. In
    the other order it would leave a version without a file, which is damage. Raise FileTrouble.
    """
    lines = [line for _, line in kept_lines(folder) if folder / line.file == version.path]
    if any(line.kind != "updated" or not _is_ours(line) for line in lines):
        raise FileTrouble(
            f"{version.path} is not removed: it is not one of memproc's versions.",
            "Nothing was changed. If INDEX.tsv in that folder was edited, "
            'look at its column "file".',
        )
    for line in lines:
        append(folder, replace(line, written_at=when, kind="removed"))
    remove_file(version.path)


def finish_removals(folder: Path) -> tuple[Path, ...]:
    """Remove the files whose removal was cut short after the index had named it.

    Raise FileTrouble.
    """
    kept, unfinished = {line.file for _, line in kept_lines(folder)}, []
    for file, line in sorted(_removed(folder).items()):
        path = folder / file
        is_gone = file not in kept and _is_ours(line)
        if is_gone and path.exists() and is_removed(path, line):
            unfinished.append(path)
    for path in unfinished:
        remove_file(path)
    return tuple(unfinished)


def _is_ours(line: IndexLine) -> bool:
    """Return whether the file is in the folder of versions: a person may edit the index."""
    first, *others = PurePosixPath(line.file).parts or ("",)
    return first == "versions" and bool(others) and ".." not in others


def remove_file(path: Path) -> None:
    """Remove a file, if it is there, and flush its folder. Raise FileTrouble."""
    with file_errors(path, "removed"):
        path.unlink(missing_ok=True)
        if path.parent.exists():
            flush_folder(path.parent)


@contextmanager
def writing_to(folder: Path, state: Path) -> Iterator[None]:
    """Note that the block writes into a folder of the person's, to clean up after a kill.

    Call it only while the lock of the archive in `state` is held. Raise FileTrouble.
    """
    note = state / _NOTE
    sweep(state)
    _sweep_noted(state)
    replace_file(note, [str(folder).encode(errors="surrogateescape")])
    try:
        yield
    finally:
        with file_errors(note, "removed"):
            note.unlink(missing_ok=True)


def tidy_up(folders: Folders) -> tuple[FileTrouble, ...]:
    """Remove unfinished files of killed processes, and list their backups; return the troubles.

    Call it only while the lock of the archive is held. Raise FileTrouble.
    """
    state, backups, updated = folders.state, folders.backups, folders.updated
    shelves = (
        path
        for part in ("originals", "versions")
        for path in (backups / part).glob("*")
        if path.is_dir()
    )
    for folder in (updated, expanded_folder(updated), state, state / "copies", backups, *shelves):
        sweep(folder)
    for folder in (state, backups, updated, arrivals_folder(state)):
        with file_errors(folder / STAGE, "removed"):
            if (folder / STAGE).is_dir():
                shutil.rmtree(folder / STAGE)
    _sweep_noted(state)
    try:
        return list_again(backups)
    except FileTrouble:
        return ()  # whatever needs the index will report that it cannot be read


def _sweep_noted(state: Path) -> None:
    """Sweep the folder that a killed process wrote to, once there: a USB stick may be away."""
    note = state / _NOTE
    with file_errors(note, "read"):
        folder = Path(note.read_bytes().decode(errors="surrogateescape")) if note.exists() else None
    if folder is not None and folder.is_dir():
        sweep(folder)
        with file_errors(note, "removed"):
            note.unlink()
