"""What an export's file holds: one JSON text, or a ZIP with a `data.json` and chunks, within limits of size."""

import errno
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from rules.errors import NotAnExport

LARGEST_BYTES = 512 << 20
"""A JSON text, or all texts of a ZIP unpacked. TypingMind itself takes 512 MB as ZIP."""
INDEX = "data.json"
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError)
"""What the standard library raises for a broken ZIP; ValueError for offsets and names that cannot be."""
_MOST_ENTRIES = 20_000
_ENTRY_SIGN = b"PK\x01\x02"  # before each entry of a ZIP's directory, which is read whole
_ENCRYPTED = 1
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_BLOCK_BYTES = 1 << 20
_MIB = 1 << 20


class Bundle:
    """An export's file while it is open; whoever has opened it closes it. `name` is what errors call it."""

    def __init__(self, name: str, file: BinaryIO) -> None:
        """Raises NotAnExport for a ZIP that is damaged, or none of TypingMind's."""
        self.name = name
        self._file = file
        file.seek(0)
        self._package = _open(name, file) if file.read(4) in (b"PK\x03\x04", b"PK\x05\x06") else None

    @property
    def is_zip(self) -> bool:
        """It holds several texts, the one named INDEX first; else one, whose name does not matter."""
        return self._package is not None

    @contextmanager
    def text(self, entry: str) -> Iterator[BinaryIO]:
        """One of its texts, from the beginning; of a ZIP's never more than its directory claims. Raises NotAnExport."""
        if self._package is None:
            self._file.seek(0)
            yield self._file
            return
        try:
            text = self._package.open(entry)
        except DAMAGE as fault:
            raise damaged(self.name) from fault
        with text:
            yield text  # type: ignore[misc]  # it reads and seeks, which is all that is asked of it

    def allow(self, entries: Iterable[str]) -> None:
        """Only what a ZIP has, what is not locked, and no more in all than what we read. Raises NotAnExport."""
        if self._package is None:
            return
        there = {entry.filename: entry for entry in self._package.infolist()}
        wanted = list(entries)
        if missing := sum(entry not in there for entry in wanted):
            raise NotAnExport(
                f"{self.name} lacks {missing} of the parts that it names.", "Export again from TypingMind."
            )
        found = [there[entry] for entry in wanted]
        if any(entry.flag_bits & _ENCRYPTED for entry in found):
            raise NotAnExport(
                f"{self.name} is an encrypted ZIP file.", "Unlock it first, or export again from TypingMind."
            )
        if any(entry.compress_type not in _METHODS for entry in found):
            raise NotAnExport(
                f"{self.name} is a ZIP file packed in an unusual way.", "Drop the ZIP as TypingMind wrote it."
            )
        refuse_large(f"{self.name}, unpacked,", sum(entry.file_size for entry in found))


def refuse_large(name: str, size: int) -> None:
    """Raise NotAnExport where so many bytes are more than we read."""
    if size > LARGEST_BYTES:
        raise NotAnExport(
            f"{name} has {size / _MIB:,.0f} MiB, and memproc reads exports of up to {LARGEST_BYTES / _MIB:,.0f} MiB.",
            "Export single chats instead of everything at once.",
        )


def damaged(name: str) -> NotAnExport:
    """The error for a ZIP that cannot be unpacked."""
    return NotAnExport(
        f"{name} is a ZIP file that is damaged or cut off.",
        "If it is still being written, wait; otherwise export again from TypingMind.",
    )


def _open(name: str, file: BinaryIO) -> zipfile.ZipFile:
    if _entries(file) > _MOST_ENTRIES:
        raise NotAnExport(f"{name} holds more than {_MOST_ENTRIES:,} files.", "Export single chats instead.")
    try:
        package = zipfile.ZipFile(file)
    except (*DAMAGE, OSError) as fault:
        # An offset that cannot be is an OSError, where the file lies on a disk.
        if isinstance(fault, OSError) and fault.errno != errno.EINVAL:
            raise
        raise damaged(name) from fault
    if INDEX not in package.namelist():
        raise NotAnExport(
            f"{name} is a ZIP file without a {INDEX}, so it is no TypingMind export.",
            "In TypingMind choose Settings, App Data, Export; drop that ZIP as it is.",
        )
    return package


def _entries(file: BinaryIO) -> int:
    """About how many entries the directory has: signs that are in the contents count too."""
    file.seek(0)
    found, rest = 0, b""
    while block := file.read(_BLOCK_BYTES):
        found += (rest + block).count(_ENTRY_SIGN)
        rest = block[1 - len(_ENTRY_SIGN) :]
    return found
