"""Removes a version from the backups, in an order in which a kill does no harm; which one, the rules decide."""

from dataclasses import replace
from pathlib import Path, PurePosixPath

from daemon.files.backup import Version
from daemon.files.folders import flush_folder
from daemon.files.index import Line, append, read_index, standing
from daemon.files.trouble import told
from daemon.files.unlisted import is_removed
from rules.errors import FileTrouble

_KEPT = 'Nothing was changed. If INDEX.tsv in that folder was edited, look at its column "file".'


def remove_version(folder: Path, version: Version, when: str) -> None:
    """Remove a version that stood in updated/; the index says so first, and then the file goes.

    The other way round, a kill between the two would leave a version whose file is gone, which is damage.
    So it leaves a file that is no version any more: `finish_removals` takes it away. Raises FileTrouble.
    """
    lines = [line for _, line in standing(folder) if folder / line.file == version.path]
    if any(line.kind != "updated" or not _is_ours(line) for line in lines):
        raise FileTrouble(f"{version.path} is not removed: it is not one of memproc's versions.", _KEPT)
    for line in lines:
        append(folder, replace(line, written_at=when, kind="removed"))
    _unlink(version.path)


def finish_removals(folder: Path) -> tuple[Path, ...]:
    """Take away the files whose removal was cut short after the index had said it. Raises FileTrouble."""
    lines = [line for line in read_index(folder) if isinstance(line, Line)]
    removed = {line.file: line for line in lines if line.kind == "removed" and _is_ours(line)}
    kept = {line.file for _, line in standing(folder)}
    gone = [(folder / file, line) for file, line in sorted(removed.items()) if file not in kept]
    left = tuple(path for path, line in gone if path.exists() and is_removed(path, line))
    for path in left:
        _unlink(path)
    return left


def _is_ours(line: Line) -> bool:
    """Whether the file lies where versions lie: the index is a text that anyone can edit."""
    first, *others = PurePosixPath(line.file).parts or ("",)
    return first == "versions" and bool(others) and ".." not in others


def _unlink(path: Path) -> None:
    with told(path, "removed"):
        path.unlink(missing_ok=True)
        if path.parent.exists():
            flush_folder(path.parent)
