"""The index of the backups: a readable line of text for each version."""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Literal, cast, get_args

from daemon.files.private import flush_folder
from daemon.files.reasons import file_errors
from daemon.files.write import flush_file, refuse_link, replace_file

Kind = Literal["original", "updated", "brought", "removed"]
INDEX = "INDEX.tsv"
_HASH = re.compile(r"[0-9a-f]{64}")
_LONGEST_TITLE = 200
README = """\
These are the backups of memproc.

memproc turns the old part of long TypingMind conversations into memories. Before it writes a chat
again, it keeps what was there in this folder.

  originals/   the first export of each chat that memproc saw, kept for ever; and each conversation
               that was brought from another program, as that program wrote it (kind "brought")
  versions/    what memproc had written for a chat before it wrote it again, one folder a chat:
               all of the last day, the newest of each day for 14 days, of each week for 8 weeks,
               and of each month for ever; memproc removes the others when it runs in the background
  INDEX.tsv    the list of both, oldest first; a spreadsheet opens it. A version that was removed
               has a second line, of the kind "removed"
  unlisted/    files that lay among them, that INDEX.tsv does not name, and that are damaged or none
               of memproc's; they are yours to look at, and never removed

With memproc:

  memproc versions CHAT       lists the versions of a chat
  memproc restore CHAT 3      shows what would change, and gives you version 3 back

Without memproc:

  1. Find the chat in INDEX.tsv. The column "file" says where a version lies.
  2. Unpack that file: `gunzip --keep FILE.json.gz`, or any program that opens .gz files.
  3. In TypingMind, import the .json file that comes out. It replaces the chat of the same id.

The column "sha256" is the hash of the unpacked file, "packed_sha256" that of the .gz file.

These files hold your conversations. Keep the folder to yourself.
"""


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One kept version: `file` is its path below the backups folder, `packed_sha256` its hash.

    `sha256` and `size` (bytes) are those of the unpacked content. The hash comes last, so that a
    line that was cut short never ends with a whole one.
    """

    written_at: str
    chat_id: str
    title: str
    kind: Kind
    sha256: str
    size: int
    file: str = ""
    packed_sha256: str = ""


_HEADER = "\t".join(field.name for field in fields(IndexLine)) + "\n"


@dataclass(frozen=True, slots=True)
class UnreadableLine:
    """A line, counted from 1, that is not one of ours."""

    number: int


def read_index(folder: Path) -> tuple[IndexLine | UnreadableLine, ...]:
    """Return all lines, oldest first; none if there is no index yet. Raise FileTrouble."""
    path = folder / INDEX
    with file_errors(path, "read"):
        content = path.read_bytes() if path.exists() else b""
    whole, cut = _parted(content)
    lines: list[IndexLine | UnreadableLine] = []
    for number, text in enumerate(whole.split(b"\n"), 1):
        if text.strip() and not text.startswith(b"written_at\t"):
            lines.append(_parse(text) or UnreadableLine(number))
    if last := _parse(cut):
        lines.append(last)
    return tuple(lines)


def kept_lines(folder: Path) -> Iterator[tuple[int, IndexLine]]:
    """Yield the lines whose version is still kept, each with its number in its chat.

    A chat's numbers count all versions that it ever had. Raise FileTrouble when the index cannot be
    read.
    """
    lines = [line for line in read_index(folder) if isinstance(line, IndexLine)]
    removed_at = {line.file: place for place, line in enumerate(lines) if line.kind == "removed"}
    numbers: Counter[str] = Counter()
    for place, line in enumerate(lines):
        if line.kind != "removed":
            numbers[line.chat_id] += line.kind != "brought"
            # A clock that was set back may give a file the name of one that was removed before.
            if place > removed_at.get(line.file, -1):
                yield numbers[line.chat_id], line


def append(folder: Path, line: IndexLine) -> None:
    """Add a line, which is on the disk when this returns. Raises FileTrouble."""
    path = folder / INDEX

    def open_private(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_CREAT, 0o600)

    with file_errors(path, "written"):
        refuse_link(path)
        with open(path, "r+b", opener=open_private) as file:
            content = file.read()
            whole, cut = _parted(content)
            # The byte at which the new line goes, and what must come before it.
            begin, before = (
                (len(content), "\n") if _parse(cut) else (len(whole), "" if whole else _HEADER)
            )
            file.truncate(begin)
            file.seek(begin)
            file.write((before + _text(line)).encode())
            file.flush()
            flush_file(file.fileno())
        flush_folder(folder)


def rewrite_index(folder: Path, change: Callable[[IndexLine], IndexLine | None]) -> None:
    """Write the index again with each line as `change` returns it; None leaves a line out.

    Unreadable lines are dropped, too, since they name nothing; `list_again` lists their files once
    more. Raise FileTrouble.
    """
    if (folder / INDEX).exists():
        changed = [change(line) for line in read_index(folder) if isinstance(line, IndexLine)]
        replace_file(
            folder / INDEX, [_HEADER.encode(), *(_text(line).encode() for line in changed if line)]
        )


def _parted(content: bytes) -> tuple[bytes, bytes]:
    """Return the whole lines, up to the last line break, and the rest."""
    end = content.rfind(b"\n") + 1
    return content[:end], content[end:]


def _text(line: IndexLine) -> str:
    """Return a line's text: the id escaped as in JSON, the title without unprintable characters."""
    shown = "".join(
        letter if letter.isprintable() else " " for letter in line.title[:_LONGEST_TITLE]
    )
    safe = replace(line, chat_id=json.dumps(line.chat_id)[1:-1], title=" ".join(shown.split()))
    return "\t".join(str(value) for value in astuple(safe)) + "\n"


def _parse(text: bytes) -> IndexLine | None:
    try:
        columns = text.decode().rstrip("\r").split("\t")
        written_at, chat_id, title, kind, content, size, file, packed = columns
        known_id = str(json.loads(f'"{chat_id}"'))
        length = int(size)
    except ValueError:
        return None
    if kind not in get_args(Kind) or not _HASH.fullmatch(content) or not _HASH.fullmatch(packed):
        return None
    return IndexLine(written_at, known_id, title, cast("Kind", kind), content, length, file, packed)
