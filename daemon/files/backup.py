"""Keep what is about to be replaced: each chat's first export, and each updated file.

INDEX.tsv is the plain list, with one line for each version; lines are only ever added. Removing a
version adds a second line, of the kind "removed", so that the numbers of the others stay. A line
that a kill or a full disk cut short is ignored, and removed before the next one is added.

    backups/README.txt, INDEX.tsv
    backups/originals/<first 2 of sha256>/<sha256>.json.gz     each chat's first original, for ever
    backups/originals/<...>/<sha256>-<chat id>.json.gz         conversations that were brought
    backups/versions/<chat>/<UTC>-<first 8 of sha256>.json.gz  files of updated/ before a new one
    backups/unlisted/...                                       damaged files that no line names
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path

from daemon.files.backup_index import (
    INDEX,
    README,
    IndexLine,
    Kind,
    UnreadableLine,
    append,
    kept_lines,
    read_index,
)
from daemon.files.packing import pack, read_blocks, sha256_of, unpack
from daemon.files.paths import free_place
from daemon.files.private import make_private
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file
from rules.errors import FileTrouble


@dataclass(frozen=True, slots=True)
class Version:
    """A kept file: `sha256` and `size` (bytes) of its content, and its packed copy's `path`."""

    number: int
    kind: Kind
    written_at: str
    sha256: str
    size: int
    path: Path
    chat_id: str


@dataclass(frozen=True, slots=True)
class Damage:
    """A file in the backups folder that is not what was kept, and in what way."""

    path: Path
    reason: str


def keep_original(
    folder: Path, chat_id: str, title: str, blocks: Sequence[bytes], when: str
) -> Version:
    """Keep the content `blocks` as the original of a chat, unless it has one; return the original.

    `when` is UTC with milliseconds and `Z`, as the index shows it. The blocks are read twice. All
    is on the disk when this returns. Raise FileTrouble.
    """
    for version in versions_of(folder, chat_id):
        if version.kind == "original":
            return version
    content = sha256()
    for block in blocks:
        content.update(block)
    digest = content.hexdigest()
    line = IndexLine(when, chat_id, title, "original", digest, sum(map(len, blocks)))
    place = folder / "originals" / digest[:2] / f"{digest}.json.gz"
    return _listed(folder, _store(folder, line, place, iter(blocks)))


def keep_version(
    folder: Path, chat_id: str, title: str, stem: str, path: Path, when: str
) -> Version:
    """Keep the file at `path`; `stem` is the name of the chat's file without `.json`.

    `when` as for `keep_original`. If an undamaged version of this chat has the same content, return
    that one. All is on the disk when this returns. Raise FileTrouble, also when `path` changes
    meanwhile.
    """
    with file_errors(path, "read"), path.open("rb") as file:
        digest, size = file_digest(file, "sha256").hexdigest(), file.tell()
        for number, line in kept_lines(folder):
            is_same = (line.chat_id, line.sha256) == (chat_id, digest)
            if is_same and _fault(folder, line) is None:
                return _version(folder, number, line)
        file.seek(0)
        # Names in a folder sort by time; after a clock was set back, one may be taken already.
        stamp = "".join(letter for letter in when if letter.isalnum())
        shelf = folder / "versions" / stem
        place = free_place(shelf, f"{stamp}-{digest[:8]}", f"{path.suffix}.gz")
        line = IndexLine(when, chat_id, title, "updated", digest, size)
        return _listed(folder, _store(folder, line, place, read_blocks(file)))


def keep_brought(folder: Path, chat_id: str, title: str, raw: bytes, when: str) -> None:
    """Keep a conversation that was brought into a chat, as the other program wrote it.

    It is not a version of the chat, since TypingMind could not import it. `when` as for
    `keep_original`. It is on the disk when this returns. Raise FileTrouble.
    """
    digest = sha256(raw).hexdigest()
    for _, line in kept_lines(folder):
        if (line.kind, line.chat_id, line.sha256) == ("brought", chat_id, digest):
            return
    line = IndexLine(when, chat_id, title, "brought", digest, len(raw))
    place = folder / "originals" / digest[:2] / f"{digest}-{chat_id}.json.gz"
    _store(folder, line, place, iter([raw]))


def versions_of(folder: Path, chat_id: str) -> tuple[Version, ...]:
    """Return the versions of a chat that are kept, oldest first by the index. Raise FileTrouble.

    They are numbered from 1, and keep their numbers when others are removed.
    """
    return all_versions(folder).get(chat_id, ())


def all_versions(folder: Path) -> Mapping[str, tuple[Version, ...]]:
    """Return the versions of every chat, by its id. Raise FileTrouble."""
    chats: dict[str, tuple[Version, ...]] = {}
    for number, line in kept_lines(folder):
        if line.kind != "brought":
            chats[line.chat_id] = (*chats.get(line.chat_id, ()), _version(folder, number, line))
    return chats


def read_version(version: Version) -> bytes:
    """Return the content of a kept file.

    Raise FileTrouble when it is gone, unreadable or damaged.
    """
    return b"".join(unpack(version.path, version.size, version.sha256))


def check_backups(
    folder: Path, is_chosen: Callable[[str], bool] = lambda file: True
) -> tuple[Damage, ...]:
    """Read every kept file that `is_chosen`; return what is gone, damaged or unreadable.

    Unreadable lines of the index count as damage. `is_chosen` gets a file's path below the folder.
    Raise FileTrouble where the index itself cannot be read.
    """
    lost = [line.number for line in read_index(folder) if isinstance(line, UnreadableLine)]
    damages: dict[Path, Damage] = {}
    for _, line in kept_lines(folder):
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
    """Return why a file is not what was kept; None if it is, byte for byte."""
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


def _listed(folder: Path, line: IndexLine) -> Version:
    """Return the newest version of a chat: the one that this line has just listed."""
    return versions_of(folder, line.chat_id)[-1]


def _store(folder: Path, line: IndexLine, place: Path, blocks: Iterator[bytes]) -> IndexLine:
    """Write the content to `place`, and its line into the index. Return the line.

    Two chats may have the same original, which is written once.
    """
    make_private(place.parent)
    if not (folder / "README.txt").exists():  # the person may have changed it
        replace_file(folder / "README.txt", [README.encode()])
    placed = replace(
        line, file=place.relative_to(folder).as_posix(), packed_sha256=sha256_of(place) or ""
    )
    if not place.exists() or _fault(folder, placed) is not None:
        placed = replace(
            placed, packed_sha256=replace_file(place, pack(_checked(blocks, line.sha256))).sha256
        )
    append(folder, placed)
    return placed


def _checked(blocks: Iterator[bytes], expected: str) -> Iterator[bytes]:
    """Yield the blocks. Raise FileTrouble at their end if they do not have this hash."""
    digest = sha256()
    for block in blocks:
        digest.update(block)
        yield block
    if digest.hexdigest() != expected:
        raise FileTrouble(
            "A chat's file was changed by another program while it was being kept.",
            "Run memproc again.",
        )
