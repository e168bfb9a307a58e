"""Remove versions from the backups, list backups that the index lost, and take away what killed processes have left.

Of the backups that the index lost, one that is whole gets its line again; any other goes to `unlisted`, beside the
rest, and is not deleted.
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
from itertools import count
from pathlib import Path, PurePosixPath

from daemon.files.backup import Version
from daemon.files.backup_index import IndexLine, append, kept_lines, read_index
from daemon.files.paths import Folders, arrivals_folder, expanded_folder
from daemon.files.private import flush_folder, make_private
from daemon.files.read import chats_in
from daemon.files.reasons import file_errors
from daemon.files.sweeping import sweep
from daemon.files.write import put_in_place, replace_file
from rules.errors import FileTrouble, MemprocError
from rules.typingmind.dates import write_date

UNLISTED = "unlisted"
_SHELVES = ("originals/*/*.gz", "versions/*/*.gz")
_VERSION = re.compile(
    r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-([0-9a-f]{8})(?:-\d+)?\.(?:json|zip)\.gz"
)
STAGE = ".memproc-import"
"""The folder in which an import gets everything ready, beside where it goes."""
_NOTE = "export-unfinished"


def list_again(folder: Path) -> tuple[FileTrouble, ...]:
    """See to it that the index names every backup that is whole, and that no other lies among them.

    The answer says which files could not be read or moved: those stay as they are, and stop no other. Only while the
    archive's lock is held. Raises FileTrouble where the index itself cannot be read or written.
    """
    named = {line.file for _, line in kept_lines(folder)}
    removed = _removed(folder)
    lines: list[IndexLine] = []
    troubles: list[FileTrouble] = []
    for path in sorted(path for shelf in _SHELVES for path in folder.glob(shelf)):
        file = path.relative_to(folder).as_posix()
        if file in named or not path.is_file() or path.is_symlink():
            continue
        try:
            if file in removed and is_removed(path, removed[file]):
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
    """The last lines that say that a file was removed, by its place."""
    lines = (line for line in read_index(folder) if isinstance(line, IndexLine))
    return {line.file: line for line in lines if line.kind == "removed"}


def is_removed(path: Path, line: IndexLine) -> bool:
    """Whether this is the very file of which a line says that it was removed: an index may have lost later lines."""
    with file_errors(path, "read"), path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest() == line.packed_sha256


def _line_of(folder: Path, path: Path) -> IndexLine | None:
    """The line for a backup; None where it is not whole, or not the content that its name says."""
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
    """The version by its own file, where that is whole and is the content that its name tells; else None.

    So a file can be had back of which the line in the index is what is damaged. Raises FileTrouble.
    """
    line = _line_of(version.path.parents[2], version.path) if version.path.is_file() else None
    return replace(version, sha256=line.sha256, size=line.size) if line else None


def changed_at(path: Path) -> str:
    """When a file was changed last, by its own date. Raises FileTrouble."""
    with file_errors(path, "looked at"):
        return write_date(datetime.fromtimestamp(path.stat().st_mtime, UTC))


def _put_aside(folder: Path, path: Path) -> None:
    """Move a file that is no whole backup to `unlisted`, in the place of no other."""
    shelf = folder / UNLISTED / path.relative_to(folder).parent
    for private in (folder / UNLISTED, shelf):
        make_private(private)
    names = (f"{path.name}{f'-{number}' if number > 1 else ''}" for number in count(1))
    place = next(shelf / name for name in names if not (shelf / name).exists())
    with file_errors(path, "moved"):
        put_in_place(path, place)
        for changed in (shelf, path.parent):
            flush_folder(changed)


def remove_version(folder: Path, version: Version, when: str) -> None:
    """Remove a version that stood in updated/; the index says so first, and then the file goes.

    The other way round, a kill between the two would leave a version whose file is gone, which is damage.
    So it leaves a file that is no version any more: `finish_removals` takes it away. Raises FileTrouble.
    """
    lines = [line for _, line in kept_lines(folder) if folder / line.file == version.path]
    if any(line.kind != "updated" or not _is_ours(line) for line in lines):
        raise FileTrouble(
            f"{version.path} is not removed: it is not one of memproc's versions.",
            'Nothing was changed. If INDEX.tsv in that folder was edited, look at its column "file".',
        )
    for line in lines:
        append(folder, replace(line, written_at=when, kind="removed"))
    _unlink(version.path)


def finish_removals(folder: Path) -> tuple[Path, ...]:
    """Take away the files whose removal was cut short after the index had said it. Raises FileTrouble."""
    kept = {line.file for _, line in kept_lines(folder)}
    removed = sorted(_removed(folder).items())
    gone = [(folder / file, line) for file, line in removed if file not in kept and _is_ours(line)]
    left = tuple(path for path, line in gone if path.exists() and is_removed(path, line))
    for path in left:
        _unlink(path)
    return left


def _is_ours(line: IndexLine) -> bool:
    """Whether the file lies where versions lie: the index is a text that anyone can edit."""
    first, *others = PurePosixPath(line.file).parts or ("",)
    return first == "versions" and bool(others) and ".." not in others


def _unlink(path: Path) -> None:
    with file_errors(path, "removed"):
        path.unlink(missing_ok=True)
        if path.parent.exists():
            flush_folder(path.parent)


@contextmanager
def writing_to(folder: Path, state: Path) -> Iterator[None]:
    """Note that this process writes into a folder of the person's, until the block ends; sweep up after a killed one.

    Only while the lock of the archive in `state` is held. Raises FileTrouble.
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
    """Remove unfinished files of killed processes, and list backups that they have not listed yet, or say why not.

    Only while the lock of the archive is held. Raises FileTrouble.
    """
    backups, arrivals = folders.backups, arrivals_folder(folders.state)
    shelves = (
        path
        for part in ("originals", "versions")
        for path in (backups / part).glob("*")
        if path.is_dir()
    )
    expanded = expanded_folder(folders.updated)
    for folder in (
        folders.updated,
        expanded,
        folders.state,
        folders.state / "copies",
        backups,
        *shelves,
    ):
        sweep(folder)
    for folder in (folders.state, backups, folders.updated, arrivals):
        with file_errors(folder / STAGE, "removed"):
            if (folder / STAGE).is_dir():
                shutil.rmtree(folder / STAGE)
    _sweep_noted(folders.state)
    try:
        return list_again(backups)
    except FileTrouble:
        return ()  # an index that cannot be read stops what needs it


def _sweep_noted(state: Path) -> None:
    """Sweep the folder that a killed process wrote to; not while it is away, as a stick may be."""
    note = state / _NOTE
    with file_errors(note, "read"):
        folder = Path(note.read_bytes().decode(errors="surrogateescape")) if note.exists() else None
    if folder is not None and folder.is_dir():
        sweep(folder)
        with file_errors(note, "removed"):
            note.unlink()
