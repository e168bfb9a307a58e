"""Read an export from disk: a JSON file, or a ZIP with a `data.json` and chunks, within limits of size.

Everything is read before the work begins, so that what happens to the file meanwhile cannot mix in.
"""

import hashlib
import io
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rules.errors import FileTrouble, NotAnExport
from rules.export.chat import Chat
from rules.export.document import Document, read_chunk, read_document

LARGEST_BYTES = 512 << 20
"""A JSON text, or all texts of a ZIP unpacked. TypingMind itself takes 512 MB as ZIP."""
_MOST_ENTRIES = 20_000
_ENTRY_SIGN = b"PK\x01\x02"  # before each entry of a ZIP's directory, which is read whole
_INDEX = "data.json"
_ENCRYPTED = 1
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError)
"""What the standard library raises for a broken ZIP; ValueError for offsets and names that cannot be."""
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Stand:
    """What a file looked like when it was read: a change of any of these means that it is another file."""

    inode: int
    size: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class Export:
    """A whole export: its documents (one, or a ZIP's several), and which file it came from."""

    path: Path
    documents: tuple[Document, ...]
    sha256: str
    stand: Stand

    @property
    def chats(self) -> tuple[Chat, ...]:
        """Every chat of every document, in order."""
        return tuple(chat for document in self.documents for chat in document.chats)


def read_export(path: Path) -> Export:
    """Read and understand the export at `path`.

    Raises FileTrouble where the file cannot be read, NotAnExport where it is something else.
    """
    stand, data = _read(path)
    sha256 = hashlib.sha256(data).hexdigest()
    return Export(path, documents(path.name, data), sha256, stand)


def documents(name: str, data: bytes) -> tuple[Document, ...]:
    """The JSON texts that a file's bytes hold: one, or those of a ZIP. Raises NotAnExport."""
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return tuple(_unpack(name, data))
    document = read_document(name, data)
    if document.chunks:
        raise NotAnExport(
            f"{name} is the index of a ZIP export, and the chats are in the other files of that ZIP.",
            "Drop the ZIP file itself, not what was inside.",
        )
    return (document,)


def stand_of(path: Path) -> Stand | None:
    """What the file looks like now, or None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return Stand(found.st_ino, found.st_size, found.st_mtime_ns)


def _read(path: Path) -> tuple[Stand, bytes]:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise FileTrouble(f"{path} is no regular file.", "Name an export, or the folder that holds exports.")
        # O_NONBLOCK: should the file have become a named pipe, opening it would wait for a writer for ever.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(file.fileno())
            if found.st_size > LARGEST_BYTES:
                raise _too_large(path.name, found.st_size)
            return Stand(found.st_ino, found.st_size, found.st_mtime_ns), file.read(LARGEST_BYTES)
    except FileNotFoundError as fault:
        raise FileTrouble(f"There is no file {path}.", "Check the path; nothing was done.") from fault
    except OSError as fault:
        raise FileTrouble(
            f"{path} cannot be read: {fault.strerror}.", "Allow memproc's user to read it, then try again."
        ) from fault


def _unpack(name: str, data: bytes) -> Iterator[Document]:
    if data.count(_ENTRY_SIGN) > _MOST_ENTRIES:
        raise NotAnExport(f"{name} holds more than {_MOST_ENTRIES:,} files.", "Export single chats instead.")
    with _open(name, data) as package:
        entries = {entry.filename: entry for entry in package.infolist()}
        if _INDEX not in entries:
            raise NotAnExport(
                f"{name} is a ZIP file without a {_INDEX}, so it is no TypingMind export.",
                "In TypingMind choose Settings, App Data, Export; drop that ZIP as it is.",
            )
        _allow(name, [entries[_INDEX]])
        index = read_document(f"{name}:{_INDEX}", _content(name, package, entries[_INDEX]))
        yield index
        chunks = _chunks(name, index, entries)
        _allow(name, [entries[_INDEX], *chunks])
        for chunk in chunks:
            yield read_chunk(f"{name}:{chunk.filename}", _content(name, package, chunk))


def _open(name: str, data: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except _DAMAGE as fault:
        raise _damaged(name) from fault


def _chunks(name: str, index: Document, entries: Mapping[str, zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The ZIP's entries that hold further chats, each once."""
    wanted = dict.fromkeys(index.chunks)
    if missing := wanted.keys() - entries.keys():
        raise NotAnExport(f"{name} lacks {len(missing)} of the parts that it names.", "Export again from TypingMind.")
    return [entries[path] for path in wanted]


def _allow(name: str, entries: Sequence[zipfile.ZipInfo]) -> None:
    """Nothing is unpacked that is locked, or larger in all than what we read."""
    if any(entry.flag_bits & _ENCRYPTED for entry in entries):
        raise NotAnExport(f"{name} is an encrypted ZIP file.", "Unlock it first, or export again from TypingMind.")
    if any(entry.compress_type not in _METHODS for entry in entries):
        raise NotAnExport(f"{name} is a ZIP file packed in an unusual way.", "Drop the ZIP as TypingMind wrote it.")
    size = sum(entry.file_size for entry in entries)
    if size > LARGEST_BYTES:
        raise _too_large(f"{name}, unpacked,", size)


def _content(name: str, package: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """One file of the ZIP, never more than its directory claims, whatever it unpacks to."""
    try:
        with package.open(entry) as file:
            return file.read(entry.file_size)
    except _DAMAGE as fault:
        raise _damaged(name) from fault


def _damaged(name: str) -> NotAnExport:
    return NotAnExport(
        f"{name} is a ZIP file that is damaged or cut off.",
        "If it is still being written, wait; otherwise export again from TypingMind.",
    )


def _too_large(name: str, size: int) -> NotAnExport:
    return NotAnExport(
        f"{name} has {size / _MIB:,.0f} MiB, and memproc reads exports of up to {LARGEST_BYTES / _MIB:,.0f} MiB.",
        "Export single chats instead of everything at once.",
    )
