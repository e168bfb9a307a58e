"""Packed files: gzip, unpacked block by block and hashed, and the ZIP that TypingMind exports.

Such a ZIP has an index, and files with chats. It may have been unpacked to a folder, and that
folder zipped again.
"""

import errno
import gzip
import os
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import file_digest, sha256
from io import BytesIO
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import BinaryIO

from daemon.files.candidates import INDEX, LARGEST_BYTES, MOST_ENTRIES, export_parts, open_file
from daemon.files.reasons import file_errors, remedy
from rules.errors import FileTrouble, NotAnExport
from rules.typingmind.foreign_files import ENOUGH, Foreign, other_program

BLOCK = 1 << 20
"""The bytes of files that are read at once."""

DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError)
"""What the standard library raises for a broken ZIP; ValueError for impossible offsets or names."""
_OF_MACOS = "__MACOSX/"
_ENTRY_SIGN = b"PK\x01\x02"  # before each entry of a ZIP's directory, which is read whole
ZIP_SIGNS = (b"PK\x03\x04", b"PK\x05\x06")
METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_MIB = 1 << 20
BLOCK_BYTES = 1 << 18
"""The bytes of JSON texts that are read at once: smaller, since each block is decoded."""


class Bundle:
    """An open export, which the opener of its file closes. `name` is its name in errors."""

    def __init__(self, name: str, file: BinaryIO) -> None:
        """Raise NotAnExport for a ZIP that is damaged, or not TypingMind's."""
        self.name = name
        self._file = file
        file.seek(0)
        self._package = open_package(name, file) if file.read(4) in ZIP_SIGNS else None
        self._folder = ""
        if self._package is None:
            return
        names = self._package.namelist()
        if INDEX in names:
            return
        if foreign := _program_in(self._package):
            raise foreign.refusal(name)
        # A ZIP that a person has packed again has its index in a folder. Files that macOS adds
        # are ignored.
        entries = [entry for entry in names if not entry.startswith(_OF_MACOS)]
        indexes = [entry for entry in entries if entry.endswith(f"/{INDEX}")]
        if not indexes:
            raise NotAnExport(
                f"{name} is a ZIP file without a {INDEX}, so it is no TypingMind export.",
                "In TypingMind choose Settings, App Data, Export; drop that ZIP as it is.",
            )
        if len(indexes) > 1:
            raise NotAnExport(
                f"{name} holds {len(indexes):,} exports, each in a folder of its own.",
                "Unpack it, and drop each of the folders.",
            )
        self._folder = indexes[0].removesuffix(INDEX)

    @property
    def is_zip(self) -> bool:
        """Return whether it is a ZIP of several texts, INDEX first, and not a single JSON text."""
        return self._package is not None

    @contextmanager
    def text(self, entry: str) -> Iterator[BinaryIO]:
        """Open one of its texts. Raise NotAnExport where a ZIP is damaged."""
        if self._package is None:
            self._file.seek(0)
            yield self._file
            return
        try:
            text = self._package.open(self.place(entry))
            with text:
                yield text  # type: ignore[misc]  # it reads and seeks, and no more is needed
        except DAMAGE as fault:
            raise damaged_zip(self.name) from fault

    def place(self, entry: str) -> str:
        """Return a text's name in the ZIP: with a folder in front if that was packed again."""
        return f"{self._folder}{entry}"

    def allow(self, entries: Iterable[str]) -> None:
        """Raise NotAnExport where one of these texts is missing or locked, or all are too large."""
        if self._package is None:
            return
        by_name = {entry.filename: entry for entry in self._package.infolist()}
        names = [self.place(entry) for entry in entries]
        parts = [by_name[name] for name in names if name in by_name]
        lacking = len(names) - len(parts)
        for is_wrong, what, next_step in (
            (
                lacking > 0,
                f"lacks {lacking} of the parts that it names",
                "Export again from TypingMind.",
            ),
            (
                any(part.flag_bits & 1 for part in parts),
                "is an encrypted ZIP file",
                "Unlock it first, or export again from TypingMind.",
            ),
            (
                any(part.compress_type not in METHODS for part in parts),
                "is a ZIP file packed in an unusual way",
                "Drop the ZIP as TypingMind wrote it.",
            ),
        ):
            if is_wrong:
                raise NotAnExport(f"{self.name} {what}.", next_step)
        refuse_large(f"{self.name}, unpacked,", sum(part.file_size for part in parts))


def pack(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the `blocks` as a gzip file without a name or a time in it."""
    packed = BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=packed, mtime=0) as file:
        for block in blocks:
            file.write(block)
            yield packed.getvalue()
            packed.seek(0)
            packed.truncate()
    yield packed.getvalue()


def read_blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the rest of an open file, block by block."""
    while block := file.read(BLOCK):
        yield block


def unpack(path: Path, size: int, content_sha256: str) -> Iterator[bytes]:
    """Yield the content of a kept file, block by block, never more than its `size` in bytes.

    Raise FileTrouble when the file cannot be read, and at the end when the content is not what was
    kept. So nothing of it may be used before the last block has come.
    """
    digest, bytes_left = sha256(), size
    with file_errors(path, "read"), path.open("rb") as packed:
        try:
            with gzip.GzipFile(fileobj=packed) as file:
                while bytes_left >= 0 and (block := file.read(min(BLOCK, bytes_left + 1))):
                    bytes_left -= len(block)
                    digest.update(block)
                    if bytes_left >= 0:
                        yield block
        except (gzip.BadGzipFile, EOFError, zlib.error):
            bytes_left = -1
    if bytes_left or digest.hexdigest() != content_sha256:
        raise FileTrouble(
            f"{path} is damaged: what is in it is not what was kept.",
            "`memproc versions` lists the other versions that are kept.",
        )


def sha256_of(path: Path) -> str | None:
    """Return the hash of the file's bytes, or None where there is no file that can be read."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def refuse_large(name: str, size: int) -> None:
    """Raise NotAnExport where `size`, in bytes, is more than memproc reads."""
    if size > LARGEST_BYTES:
        raise NotAnExport(
            f"{name} has {size / _MIB:,.0f} MiB, and memproc reads exports of up to "
            f"{LARGEST_BYTES / _MIB:,.0f} MiB.",
            "Export single chats instead of everything at once.",
        )


def damaged_zip(name: str) -> NotAnExport:
    """Return the error for a ZIP that cannot be unpacked."""
    return NotAnExport(
        f"{name} is a ZIP file that is damaged or cut off.",
        "If it is still being written, wait; otherwise export again from TypingMind.",
    )


def program_of(name: str, file: BinaryIO) -> Foreign | None:
    """Return the program whose export an open file is, if its conversations can be brought."""
    file.seek(0)
    head = file.read(ENOUGH)
    if not head.startswith(ZIP_SIGNS):
        return other_program(head)
    try:
        package = open_package(name, file)
    except NotAnExport:
        return None
    return None if INDEX in package.namelist() else _program_in(package)


def _program_in(package: zipfile.ZipFile) -> Foreign | None:
    """Return the program whose export a ZIP is, by the beginnings of its JSON texts."""
    for entry in package.infolist():
        if entry.filename.casefold().endswith(".json"):
            with suppress(*DAMAGE, RuntimeError), package.open(entry) as text:
                if foreign := other_program(text.read(ENOUGH)):
                    return foreign
    return None


def open_package(name: str, file: BinaryIO) -> zipfile.ZipFile:
    """Open a ZIP of any program. Raises NotAnExport where it is damaged, or has too many files."""
    file.seek(0)
    # About how many entries the directory has: the same bytes in the contents are counted, too.
    entries, end = 0, b""
    while block := file.read(BLOCK):
        entries += (end + block).count(_ENTRY_SIGN)
        end = block[1 - len(_ENTRY_SIGN) :]
    if entries > MOST_ENTRIES:
        raise NotAnExport(
            f"{name} holds more than {MOST_ENTRIES:,} files.", "Export single chats instead."
        )
    try:
        return zipfile.ZipFile(file)
    except (*DAMAGE, OSError) as fault:
        # For a file on a disk, an impossible offset raises OSError.
        if isinstance(fault, OSError) and fault.errno != errno.EINVAL:
            raise
        raise damaged_zip(name) from fault


def open_dropped(path: Path) -> BinaryIO:
    """Open a file, or an unpacked ZIP as a ZIP again, never through a link.

    Raises OSError, and NotAnExport where it is larger than memproc reads.
    """
    parts = export_parts(path)
    if len(parts) < 2:
        return open_file(parts[0] if parts else path)
    refuse_large(path.name, sum(part.lstat().st_size for part in parts))
    with ExitStack() as opened:
        # The file has no name on the disk. Equal parts give equal bytes.
        file = opened.enter_context(TemporaryFile())
        with zipfile.ZipFile(file, "w") as package:
            for part in parts:
                entry = zipfile.ZipInfo(part.relative_to(path).as_posix())
                with open_file(part) as text, package.open(entry, "w") as packed:
                    copyfileobj(text, packed, BLOCK)
        file.seek(0)
        opened.pop_all()
    return file


@contextmanager
def open_export(path: Path) -> Iterator[BinaryIO]:
    """Open an export for reading. Raises FileTrouble where it is gone or cannot be read."""
    try:
        if export_parts(path):
            with open_dropped(path) as file:
                yield file
            return
        if not stat.S_ISREG(path.stat().st_mode):
            raise FileTrouble(
                f"{path} is no regular file.", "Name an export, or the folder that holds exports."
            )
        # O_NONBLOCK: if the file has become a named pipe, opening it would wait for ever.
        handle = os.open(
            path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        )
        file = os.fdopen(handle, "rb")
        try:
            yield file
        finally:
            with suppress(OSError):  # everything needed has been read
                file.close()
    except FileNotFoundError as fault:
        raise FileTrouble(
            f"There is no file {path}.", "Check the path; nothing was done."
        ) from fault
    except OSError as fault:
        raise FileTrouble(
            f"{path} cannot be read: {fault.strerror or fault}.",
            remedy(fault, "Allow memproc's user to read it, then try again."),
        ) from fault
