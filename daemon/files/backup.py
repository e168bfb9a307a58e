"""Keeps what is about to be replaced: the first export of each chat, and each updated file, packed and listed.

INDEX.tsv is the plain list: one line a version, only ever added to. A version that is removed later gets a second
line, of the kind "removed", so the numbers of the others stay. A line that a kill or a full disk cut short is no line;
it is cleared away before the next one is added.

    backups/README.txt, INDEX.tsv
    backups/originals/<first 2 of sha256>/<sha256>.json.gz     the first original of each chat, for ever
    backups/versions/<chat>/<UTC>-<first 8 of sha256>.json.gz  what stood in updated/ before a new file
    backups/unlisted/...                                       what the index does not name, and is not whole
"""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from hashlib import file_digest, sha256
from itertools import chain, count
from pathlib import Path
from typing import Literal, cast, get_args

from daemon.files.write import (
    file_errors,
    flush_file,
    flush_folder,
    make_private,
    pack,
    read_blocks,
    refuse_link,
    replace_file,
    sha256_of,
    unpack,
)
from rules.errors import FileTrouble

Kind = Literal["original", "updated", "removed"]


@dataclass(frozen=True, slots=True)
class IndexLine:
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
    file: str = ""
    packed_sha256: str = ""


@dataclass(frozen=True, slots=True)
class UnreadableLine:
    """A line, counted from 1, that is not one of ours."""

    number: int


@dataclass(frozen=True, slots=True)
class Version:
    """A kept file: `sha256` and `size` (bytes) are those of its content, `path` is where it lies packed."""

    number: int
    kind: Kind
    written_at: str
    sha256: str
    size: int
    path: Path
    chat_id: str


@dataclass(frozen=True, slots=True)
class Damage:
    """A file in the backups folder that is not what it was, and in what way."""

    path: Path
    reason: str


def keep_original(
    folder: Path, chat_id: str, title: str, blocks: Sequence[bytes], when: str
) -> Version:
    """Keep the content `blocks` as the original of a chat, unless one is kept already; the one that is kept.

    `when` is UTC with milliseconds and `Z`, as the index shows it. The blocks are gone through twice.
    Returns when all is on the disk. Raises FileTrouble.
    """
    for version in versions(folder, chat_id):
        if version.kind == "original":
            return version
    content = sha256()
    for block in blocks:
        content.update(block)
    digest = content.hexdigest()
    line = IndexLine(when, chat_id, title, "original", digest, sum(map(len, blocks)))
    return _store(
        folder, line, folder / "originals" / digest[:2] / f"{digest}.json.gz", iter(blocks)
    )


def keep_version(
    folder: Path, chat_id: str, title: str, stem: str, path: Path, when: str
) -> Version:
    """Keep what stands at `path` now; `stem` is the name of the chat's file without `.json`.

    `when` as for `keep_original`. Content that is kept for this chat already, and is whole, is not kept
    twice: that version is the answer. Returns when all is on the disk. Raises FileTrouble, also when `path`
    changes in the meantime.
    """
    with file_errors(path, "read"), path.open("rb") as file:
        digest, size = file_digest(file, "sha256").hexdigest(), file.tell()
        for number, line in standing(folder):
            if (line.chat_id, line.sha256) == (chat_id, digest) and _fault(folder, line) is None:
                return _version(folder, number, line)
        file.seek(0)
        # A name that no file has yet, even if the clock was set back; names of one shelf sort by time.
        stamp, shelf = (
            "".join(letter for letter in when if letter.isalnum()),
            folder / "versions" / stem,
        )
        numbers = chain([""], map("-{}".format, count(2)))
        places = (shelf / f"{stamp}-{digest[:8]}{number}{path.suffix}.gz" for number in numbers)
        place = next(place for place in places if not place.exists())
        return _store(
            folder,
            IndexLine(when, chat_id, title, "updated", digest, size),
            place,
            read_blocks(file),
        )


def versions(folder: Path, chat_id: str) -> tuple[Version, ...]:
    """All versions of a chat that are kept, oldest first by the index. Raises FileTrouble.

    They are numbered from 1, and keep their numbers when others are removed.
    """
    return all_versions(folder).get(chat_id, ())


def all_versions(folder: Path) -> Mapping[str, tuple[Version, ...]]:
    """The versions of every chat, by its id. Raises FileTrouble."""
    chats: dict[str, tuple[Version, ...]] = {}
    for number, line in standing(folder):
        chats[line.chat_id] = (*chats.get(line.chat_id, ()), _version(folder, number, line))
    return chats


def read_version(version: Version) -> bytes:
    """The content of a kept file. Raises FileTrouble when it is gone, unreadable or damaged."""
    return b"".join(unpack(version.path, version.size, version.sha256))


def check(folder: Path, is_chosen: Callable[[str], bool] = lambda file: True) -> tuple[Damage, ...]:
    """Read every kept file that is `is_chosen`; name those gone or damaged, and the unreadable lines of the index.

    `is_chosen` is asked with the file's place below the folder. Raises FileTrouble when the index itself
    cannot be read.
    """
    lost = [line.number for line in read_index(folder) if isinstance(line, UnreadableLine)]
    damages: dict[Path, Damage] = {}
    for _, line in standing(folder):
        path = folder / line.file
        if path not in damages and is_chosen(line.file) and (reason := _fault(folder, line)):
            damages[path] = Damage(path, reason)
    return (
        *(Damage(folder / INDEX, f"Line {number} cannot be read.") for number in lost),
        *damages.values(),
    )


def _version(folder: Path, number: int, line: IndexLine) -> Version:
    return Version(
        number, line.kind, line.written_at, line.sha256, line.size, folder / line.file, line.chat_id
    )


def _fault(folder: Path, line: IndexLine) -> str | None:
    """Why a kept file is not what was kept; None when it is, to the byte."""
    path = folder / line.file
    if not path.is_file():
        return "The file is gone."
    try:
        with file_errors(path, "read"), path.open("rb") as file:
            if file_digest(file, "sha256").hexdigest() != line.packed_sha256:
                return "The file is damaged: its bytes are not those that were written."
        for _ in unpack(path, line.size, line.sha256):
            pass
    except FileTrouble as trouble:
        return trouble.message
    return None


def _store(folder: Path, line: IndexLine, place: Path, blocks: Iterator[bytes]) -> Version:
    """Write the content to `place`, and its line into the index. Two chats may have one original, written once."""
    make_private(place.parent)
    if not (folder / "README.txt").exists():  # one that the person has changed stays
        replace_file(folder / "README.txt", [_TEXT.encode()])
    placed = replace(
        line, file=place.relative_to(folder).as_posix(), packed_sha256=sha256_of(place) or ""
    )
    if not place.exists() or _fault(folder, placed) is not None:
        placed = replace(
            placed, packed_sha256=replace_file(place, pack(_same(blocks, line.sha256))).sha256
        )
    append(folder, placed)
    return versions(folder, line.chat_id)[-1]


def _same(blocks: Iterator[bytes], expected: str) -> Iterator[bytes]:
    """The blocks, provided that they are still the content whose hash was taken."""
    digest = sha256()
    for block in blocks:
        digest.update(block)
        yield block
    if digest.hexdigest() != expected:
        raise FileTrouble(
            "A chat's file was changed by another program while it was being kept.",
            "Run memproc again.",
        )


INDEX = "INDEX.tsv"

_HASH = re.compile(r"[0-9a-f]{64}")
_LONGEST_TITLE = 200
_COLUMNS = [field.name for field in fields(IndexLine)]
_HEADER = "\t".join(_COLUMNS) + "\n"


def read_index(folder: Path) -> tuple[IndexLine | UnreadableLine, ...]:
    """All lines, oldest first; none where there is no index yet. Raises FileTrouble when it cannot be read."""
    path = folder / INDEX
    with file_errors(path, "read"):
        content = path.read_bytes() if path.exists() else b""
    whole, cut = _parted(content)
    lines = [
        _parse(text) or UnreadableLine(number)
        for number, text in enumerate(whole.split(b"\n"), 1)
        if text.strip() and not text.startswith(b"written_at\t")
    ]
    last = _parse(cut)
    return (*lines, last) if last else tuple(lines)


def standing(folder: Path) -> Iterator[tuple[int, IndexLine]]:
    """The lines whose version is still kept, each with its number among all that its chat ever had.

    Raises FileTrouble when the index cannot be read.
    """
    lines = [line for line in read_index(folder) if isinstance(line, IndexLine)]
    removed_at = {line.file: place for place, line in enumerate(lines) if line.kind == "removed"}
    numbers: Counter[str] = Counter()
    for place, line in enumerate(lines):
        if line.kind != "removed":
            numbers[line.chat_id] += 1
            # A clock that was set back may give a file the name of one that was removed before.
            if place > removed_at.get(line.file, -1):
                yield numbers[line.chat_id], line


def append(folder: Path, line: IndexLine) -> None:
    """Add a line, and return when it is on the disk. Raises FileTrouble."""
    path = folder / INDEX

    def open_private(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_CREAT, 0o600)

    with file_errors(path, "written"):
        refuse_link(path)
        with open(path, "r+b", opener=open_private) as file:
            content = file.read()
            whole, cut = _parted(content)
            # Where the next line goes, in bytes, and what has to stand before it.
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
    """Write the index anew with every line as `change` gives it back; None: without it. Raises FileTrouble.

    A line that cannot be read goes, since nobody knows what it names; `list_again` lists its file once more.
    """
    if (folder / INDEX).exists():
        changed = [change(line) for line in read_index(folder) if isinstance(line, IndexLine)]
        replace_file(
            folder / INDEX, [_HEADER.encode(), *(_text(line).encode() for line in changed if line)]
        )


def _parted(content: bytes) -> tuple[bytes, bytes]:
    """The whole lines, and what stands after the last line break."""
    end = content.rfind(b"\n") + 1
    return content[:end], content[end:]


def _text(line: IndexLine) -> str:
    """Ids keep every character, escaped as in JSON; titles, which only people read, lose the odd ones."""
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


_TEXT = """\
These are the backups of memproc.

memproc turns the old part of long TypingMind conversations into memories. Before it writes a chat
anew, it keeps what was there in this folder.

  originals/   the first export of each chat that memproc saw, kept for ever
  versions/    what memproc had written for a chat before it wrote it anew, one folder a chat:
               all of the last day, the newest of each day for 14 days, of each week for 8 weeks,
               and of each month for ever; the others are removed when memproc runs in the background
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
