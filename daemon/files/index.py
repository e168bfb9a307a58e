"""INDEX.tsv, the plain list of what the backups folder keeps: one line a version, only ever added to.

A version that is removed later gets a second line, of the kind "removed", so the numbers of the others stay.
A line that a kill or a full disk cut short is no line; it is cleared away before the next one is added.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Literal, cast, get_args

from daemon.files.folders import flush_folder
from daemon.files.trouble import told
from daemon.files.write import flush_file

INDEX = "INDEX.tsv"
Kind = Literal["original", "updated", "removed"]
_HASH = re.compile(r"[0-9a-f]{64}")
_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Line:
    """One kept version: `file` lies below the backups folder, and `packed_sha256` is the hash of that file.

    `sha256` and `size` (bytes) are those of the content, unpacked. The hash comes last: a line that was
    cut short never ends in a whole one.
    """

    written_at: str
    chat_id: str
    title: str
    kind: Kind
    sha256: str
    size: int
    file: str
    packed_sha256: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line, counted from 1, that is not one of ours."""

    number: int


_COLUMNS = [field.name for field in fields(Line)]
_HEADER = "\t".join(_COLUMNS) + "\n"


def read_index(folder: Path) -> tuple[Line | Unreadable, ...]:
    """All lines, oldest first; none where there is no index yet. Raises FileTrouble when it cannot be read."""
    path = folder / INDEX
    with told(path, "read"):
        content = path.read_bytes() if path.exists() else b""
    whole, cut = _parted(content)
    lines = [
        _parse(text) or Unreadable(number)
        for number, text in enumerate(whole.split(b"\n"), 1)
        if text.strip() and not text.startswith(b"written_at\t")
    ]
    last = _parse(cut)
    return (*lines, last) if last else tuple(lines)


def standing(folder: Path) -> Iterator[tuple[int, Line]]:
    """The lines whose version is still kept, each with its number among all that its chat ever had.

    Raises FileTrouble when the index cannot be read.
    """
    lines = [line for line in read_index(folder) if isinstance(line, Line)]
    removed_at = {line.file: place for place, line in enumerate(lines) if line.kind == "removed"}
    numbers: Counter[str] = Counter()
    for place, line in enumerate(lines):
        if line.kind != "removed":
            numbers[line.chat_id] += 1
            # A clock that was set back may give a file the name of one that was removed before.
            if place > removed_at.get(line.file, -1):
                yield numbers[line.chat_id], line


def append(folder: Path, line: Line) -> None:
    """Add a line, and return when it is on the disk. Raises FileTrouble."""
    path = folder / INDEX
    with told(path, "written"):
        with open(path, "r+b", opener=_open_private) as file:
            begin, before = _mended(file.read())
            file.truncate(begin)
            file.seek(begin)
            file.write((before + _text(line)).encode())
            file.flush()
            flush_file(file.fileno())
        flush_folder(folder)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o600)


def _parted(content: bytes) -> tuple[bytes, bytes]:
    """The whole lines, and what stands after the last line break."""
    end = content.rfind(b"\n") + 1
    return content[:end], content[end:]


def _mended(content: bytes) -> tuple[int, str]:
    """Where the next line goes, in bytes, and what has to stand before it."""
    whole, cut = _parted(content)
    if _parse(cut):
        return len(content), "\n"
    return len(whole), "" if whole else _HEADER


def _text(line: Line) -> str:
    """Ids keep every character, escaped as in JSON; titles, which only people read, lose the odd ones."""
    shown = "".join(letter if letter.isprintable() else " " for letter in line.title[:_LONGEST_TITLE])
    safe = replace(line, chat_id=json.dumps(line.chat_id)[1:-1], title=" ".join(shown.split()))
    return "\t".join(str(value) for value in astuple(safe)) + "\n"


def _parse(text: bytes) -> Line | None:
    try:
        columns = text.decode().rstrip("\r").split("\t")
        written_at, chat_id, title, kind, content, size, file, packed = columns
        known_id = str(json.loads(f'"{chat_id}"'))
        length = int(size)
    except ValueError:
        return None
    if kind not in get_args(Kind) or not _HASH.fullmatch(content) or not _HASH.fullmatch(packed):
        return None
    return Line(written_at, known_id, title, cast("Kind", kind), content, length, file, packed)
