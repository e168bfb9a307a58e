"""Reads an export, a JSON text or a ZIP, block by block.

The whole file is walked over once, to find where its chats lie; after that only the chats are read, one at a time, as
long as the file is the one that was walked over.
"""

import errno
import io
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import BinaryIO

from daemon.files.candidates import LARGEST_BYTES, sighting_of
from daemon.files.write import BLOCK, remedy
from rules.arrival import Sighting
from rules.errors import FileTrouble, NotAnExport
from rules.typingmind import document
from rules.typingmind.chat import Chat
from rules.typingmind.document import DocumentLayout, lay_out_chunk, lay_out_document
from rules.typingmind.foreign_files import explain_bad_json, of_archive
from rules.typingmind.spans import BadJson


@dataclass(frozen=True, slots=True)
class ExportPart:
    """One JSON text of an export; `entry` is its name in a ZIP."""

    entry: str
    layout: DocumentLayout


@dataclass(frozen=True, slots=True)
class Export:
    """A whole export: its parts (one, or a ZIP's several), and which file it came from."""

    path: Path
    parts: tuple[ExportPart, ...]
    sha256: str
    fingerprint: Sighting

    @property
    def chat_ids(self) -> tuple[str, ...]:
        """The ids of every chat of every part, in order; empty for a chat that names none."""
        return tuple(outline.chat_id for part in self.parts for outline in part.layout.outlines)

    def chats(self) -> Iterator[Chat]:
        """Every chat, one at a time, in order. Raises FileTrouble where the file is another by now."""
        with self._again() as file:
            bundle = Bundle(self.path.name, file)
            for part in self.parts:
                for chat in _chats(bundle, part):
                    self.refuse_changed(file)
                    yield chat

    def refuse_changed(self, file: BinaryIO) -> None:
        """Raise FileTrouble where this open file is not, or not as, it was when it was read."""
        if sighting_of(os.fstat(file.fileno())) != self.fingerprint:
            raise FileTrouble(
                f"{self.path.name} was changed while memproc read it.",
                "Drop it again when it is complete.",
            )

    @contextmanager
    def _again(self) -> Iterator[BinaryIO]:
        """The file, once more open: the same when the block begins, and when it ends."""
        with _opened(self.path) as file:
            self.refuse_changed(file)
            yield file
            self.refuse_changed(file)


def read_export(path: Path) -> Export:
    """Read and understand the export at `path`.

    Raises FileTrouble where the file cannot be read, NotAnExport where it is something else.
    """
    with _opened(path) as file:
        fingerprint = sighting_of(os.fstat(file.fileno()))
        refuse_large(path.name, fingerprint.size)
        sha256 = file_digest(file, "sha256").hexdigest()
        export = Export(
            path, tuple(_parts(path.name, Bundle(path.name, file))), sha256, fingerprint
        )
        export.refuse_changed(file)
    return export


def chats_in(name: str, data: bytes) -> tuple[Chat, ...]:
    """All chats of an export that is in memory. Raises NotAnExport."""
    bundle = Bundle(name, io.BytesIO(data))
    return tuple(chat for part in _parts(name, bundle) for chat in _chats(bundle, part))


def without_chats(name: str, data: bytes, chat_ids: Set[str]) -> bytes:
    """An export that is in memory, without these chats: JSON for JSON, a ZIP for a ZIP. Raises NotAnExport."""
    bundle = Bundle(name, io.BytesIO(data))
    texts: dict[str, bytes] = {}
    for part in _parts(name, bundle):
        with bundle.text(part.entry) as text:
            texts[part.entry] = document.without_chats(text.read(), part.layout, chat_ids)
    if not bundle.is_zip:
        return texts[INDEX]
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for entry in old.infolist():
            new.writestr(entry, texts.get(entry.filename) or old.read(entry))
    return buffer.getvalue()


def fingerprint_of(path: Path) -> Sighting | None:
    """The place and size of the file as it is now, or None where there is none."""
    try:
        return sighting_of(path.stat())
    except OSError:
        return None


INDEX = "data.json"

DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError)
"""The errors of the standard library for a broken ZIP; ValueError for offsets and names that cannot be."""
_MOST_ENTRIES = 20_000
_ENTRY_SIGN = b"PK\x01\x02"  # before each entry of a ZIP's directory, which is read whole
METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_MIB = 1 << 20
_BLOCK_BYTES = 1 << 18


class Bundle:
    """An export's file while it is open; whoever has opened it closes it. `name` is what errors call it."""

    def __init__(self, name: str, file: BinaryIO) -> None:
        """Raises NotAnExport for a ZIP that is damaged, or none of TypingMind's."""
        self.name = name
        self._file = file
        file.seek(0)
        self._package = (
            _open(name, file) if file.read(4) in (b"PK\x03\x04", b"PK\x05\x06") else None
        )

    @property
    def is_zip(self) -> bool:
        """Whether it holds several texts, the one named INDEX first; else one, whose name does not matter."""
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
            with text:
                yield text  # type: ignore[misc]  # it reads and seeks, which is all that is asked of it
        except DAMAGE as fault:
            raise damaged(self.name) from fault

    def allow(self, entries: Iterable[str]) -> None:
        """Refuse what a ZIP does not have, what is locked, and more in all than is read. Raises NotAnExport."""
        if self._package is None:
            return
        by_name = {entry.filename: entry for entry in self._package.infolist()}
        names = list(entries)
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
    file.seek(0)
    # About how many entries the directory has: signs that are in the contents count too.
    entries, rest = 0, b""
    while block := file.read(BLOCK):
        entries += (rest + block).count(_ENTRY_SIGN)
        rest = block[1 - len(_ENTRY_SIGN) :]
    if entries > _MOST_ENTRIES:
        raise NotAnExport(
            f"{name} holds more than {_MOST_ENTRIES:,} files.", "Export single chats instead."
        )
    try:
        package = zipfile.ZipFile(file)
    except (*DAMAGE, OSError) as fault:
        # An offset that cannot be is an OSError, where the file lies on a disk.
        if isinstance(fault, OSError) and fault.errno != errno.EINVAL:
            raise
        raise damaged(name) from fault
    names = set(package.namelist())
    if INDEX not in names:
        if foreign := of_archive(names):
            raise foreign.refusal(name)
        raise NotAnExport(
            f"{name} is a ZIP file without a {INDEX}, so it is no TypingMind export.",
            "In TypingMind choose Settings, App Data, Export; drop that ZIP as it is.",
        )
    return package


LayOut = Callable[[str, Iterable[bytes]], DocumentLayout]


def _parts(name: str, bundle: Bundle) -> Iterator[ExportPart]:
    bundle.allow([INDEX])
    index = _part(f"{name}:{INDEX}" if bundle.is_zip else name, bundle, INDEX, lay_out_document)
    chunks = dict.fromkeys(index.layout.chunks)
    if chunks and not bundle.is_zip:
        raise NotAnExport(
            f"{name} is the index of a ZIP export, and the chats are in the other files of that ZIP.",
            "Drop the ZIP file itself, not what was inside.",
        )
    yield index
    bundle.allow([INDEX, *chunks])
    for chunk in chunks:
        yield _part(f"{name}:{chunk}", bundle, chunk, lay_out_chunk)


def _part(name: str, bundle: Bundle, entry: str, lay_out: LayOut) -> ExportPart:
    try:
        with bundle.text(entry) as text:
            return ExportPart(entry, lay_out(name, _blocks(text)))
    except BadJson as fault:
        with bundle.text(entry) as text:
            whole = b"".join(_blocks(text))
        raise explain_bad_json(name, whole.decode("latin-1"), fault) from fault


def _chats(bundle: Bundle, part: ExportPart) -> Iterator[Chat]:
    with bundle.text(part.entry) as text:
        for outline in part.layout.outlines:
            text.seek(outline.span.start)
            yield outline.chat(text.read(outline.span.stop - outline.span.start))


def _blocks(text: BinaryIO) -> Iterator[bytes]:
    """The blocks of a text from where it stands, at least one."""
    yield text.read(_BLOCK_BYTES)
    while block := text.read(_BLOCK_BYTES):
        yield block


@contextmanager
def _opened(path: Path) -> Iterator[io.BufferedReader]:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise FileTrouble(
                f"{path} is no regular file.", "Name an export, or the folder that holds exports."
            )
        # O_NONBLOCK: should the file have become a named pipe, opening it would wait for a writer for ever.
        handle = os.open(
            path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        )
        file = os.fdopen(handle, "rb")
        try:
            yield file
        finally:
            with suppress(OSError):  # all that was wanted of it has been read
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
