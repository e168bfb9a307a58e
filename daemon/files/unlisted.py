"""Backups that the index does not name: a kill came between the file and its line, or something became of the index.

One that is whole gets its line again; any other goes to `unlisted`, beside the rest. Nothing is ever deleted here.
"""

import gzip
import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import file_digest, sha256
from itertools import count
from pathlib import Path

from daemon.files.folders import flush_folder, make_private
from daemon.files.index import Line, append, read_index, standing
from daemon.files.read import chats_in
from daemon.files.swap import put_in_place
from daemon.files.trouble import told
from rules.errors import MemprocError
from rules.typingmind.dates import write_date

UNLISTED = "unlisted"
_SHELVES = ("originals/*/*.gz", "versions/*/*.gz")
_VERSION = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-([0-9a-f]{8})(?:-\d+)?\.(?:json|zip)\.gz")


def list_again(folder: Path) -> None:
    """See to it that the index names every backup that is whole, and that no other lies among them.

    Only while the archive's lock is held. Raises FileTrouble, also where the index itself cannot be read.
    """
    lines: list[Line] = []
    for path in _unnamed(folder):
        line = _line_of(folder, path)
        if line is None:
            _put_aside(folder, path)
        else:
            lines.append(line)
    for line in sorted(lines, key=lambda line: line.written_at):
        append(folder, line)


def is_removed(path: Path, line: Line) -> bool:
    """Whether this is the very file of which a line says that it was removed: an index may have lost later lines."""
    with told(path, "read"), path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest() == line.packed_sha256


def _unnamed(folder: Path) -> Iterator[Path]:
    named = {line.file for _, line in standing(folder)}
    removed = {line.file: line for line in read_index(folder) if isinstance(line, Line) and line.kind == "removed"}
    for path in sorted(path for shelf in _SHELVES for path in folder.glob(shelf)):
        file = path.relative_to(folder).as_posix()
        is_named = file in named or (file in removed and is_removed(path, removed[file]))
        if not is_named and path.is_file() and not path.is_symlink():
            yield path


def _line_of(folder: Path, path: Path) -> Line | None:
    """The line for a backup; None where it is not whole, or not the content that its name says."""
    with told(path, "read"):
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
    return Line(
        written_at=_changed_at(path)
        if is_original or not version
        else "{}-{}-{}T{}:{}:{}.{}Z".format(*version.groups()),
        chat_id=chats[0].chat_id,
        title=chats[0].title,
        kind="original" if is_original else "updated",
        sha256=digest,
        size=len(content),
        file=path.relative_to(folder).as_posix(),
        packed_sha256=sha256(packed).hexdigest(),
    )


def _changed_at(path: Path) -> str:
    with told(path, "looked at"):
        return write_date(datetime.fromtimestamp(path.stat().st_mtime, UTC))


def _put_aside(folder: Path, path: Path) -> None:
    shelf = folder / UNLISTED / path.relative_to(folder).parent
    for private in (folder / UNLISTED, shelf):
        make_private(private)
    names = (f"{path.name}{f'-{number}' if number > 1 else ''}" for number in count(1))
    place = next(shelf / name for name in names if not (shelf / name).exists())
    with told(path, "moved"):
        put_in_place(path, place)
        for changed in (shelf, path.parent):
            flush_folder(changed)
