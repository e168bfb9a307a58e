"""Read an export, a JSON text or a ZIP, block by block.

The whole file is read once, to find the places of its chats. After that only the chats are read,
one at a time, as long as the file has not changed.
"""

import io
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import BinaryIO

from daemon.files.candidates import INDEX, LARGEST_BYTES, sighting_at, sighting_of
from daemon.files.packing import BLOCK_BYTES, Bundle, open_export, program_of, refuse_large
from rules.arrival import Sighting
from rules.errors import FileTrouble, NotAnExport
from rules.typingmind import document
from rules.typingmind.chat import Chat, chat_in_export
from rules.typingmind.document import DocumentLayout, lay_out_chunk, lay_out_document
from rules.typingmind.foreign_files import explain_bad_json
from rules.typingmind.spans import BadJson

_LayOut = Callable[[str, Iterable[bytes]], DocumentLayout]


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
        """Return the ids of all chats of all parts, in order; empty for a chat without an id."""
        return tuple(chat_id for part in self.parts for chat_id in part.layout.chat_ids)

    def chats(self) -> Iterator[Chat]:
        """Yield every chat, in order. Raise FileTrouble where the file has changed since."""
        with open_export(self.path) as file:
            self.refuse_changed()
            bundle = Bundle(self.path.name, file)
            for part in self.parts:
                for chat in _chats(bundle, part):
                    self.refuse_changed()
                    yield chat
            self.refuse_changed()

    def refuse_changed(self) -> None:
        """Raise FileTrouble where the file is gone or has changed since it was read."""
        if fingerprint_of(self.path) != self.fingerprint:
            raise FileTrouble(
                f"{self.path.name} was changed while memproc read it.",
                "Drop it again when it is complete.",
            )


def read_export(path: Path) -> Export:
    """Read the export at `path`, and find its chats.

    Raise FileTrouble where the file cannot be read, NotAnExport where it is something else.
    """
    with open_export(path) as file:
        fingerprint = sighting_at(path) if path.is_dir() else sighting_of(os.fstat(file.fileno()))
        # A smaller export of another program is recognized when it is read.
        if fingerprint.size > LARGEST_BYTES and (foreign := program_of(path.name, file)):
            raise foreign.refusal(path.name)
        refuse_large(path.name, fingerprint.size)
        file.seek(0)
        sha256 = file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # it is a file
        export = Export(
            path, tuple(_parts(path.name, Bundle(path.name, file))), sha256, fingerprint
        )
        export.refuse_changed()
    return export


def chats_in(name: str, data: bytes) -> tuple[Chat, ...]:
    """Return all chats of an export that is in memory. Raise NotAnExport."""
    bundle = Bundle(name, io.BytesIO(data))
    return tuple(chat for part in _parts(name, bundle) for chat in _chats(bundle, part))


def export_without_chats(name: str, data: bytes, chat_ids: Set[str]) -> bytes:
    """Return an export in memory without these chats: JSON for JSON, a ZIP for a ZIP.

    Raise NotAnExport.
    """
    bundle = Bundle(name, io.BytesIO(data))
    texts: dict[str, bytes] = {}
    for part in _parts(name, bundle):
        with bundle.text(part.entry) as text:
            without = document.without_chats(text.read(), part.layout, chat_ids)
            texts[bundle.place(part.entry)] = without
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
    """Return the place and size of the file or folder now; None where there is none."""
    try:
        return sighting_at(path) if path.is_dir() else sighting_of(path.stat())
    except OSError:
        return None


def _parts(name: str, bundle: Bundle) -> Iterator[ExportPart]:
    bundle.allow([INDEX])
    index = _part(f"{name}:{INDEX}" if bundle.is_zip else name, bundle, INDEX, lay_out_document)
    chunks = dict.fromkeys(index.layout.chunks)
    if chunks and not bundle.is_zip:
        raise NotAnExport(
            f"{name} is the index of a ZIP export, "
            "and the chats are in the other files of that ZIP.",
            "Drop the ZIP file itself, or the whole folder that it was unpacked to.",
        )
    yield index
    bundle.allow([INDEX, *chunks])
    for chunk in chunks:
        yield _part(f"{name}:{chunk}", bundle, chunk, lay_out_chunk)


def _part(name: str, bundle: Bundle, entry: str, lay_out: _LayOut) -> ExportPart:
    try:
        with bundle.text(entry) as text:
            return ExportPart(entry, lay_out(name, _blocks(text)))
    except BadJson as fault:
        with bundle.text(entry) as text:
            whole = b"".join(_blocks(text))
        raise explain_bad_json(name, whole.decode("latin-1"), fault) from fault


def _chats(bundle: Bundle, part: ExportPart) -> Iterator[Chat]:
    with bundle.text(part.entry) as text:
        for span in part.layout.spans:
            text.seek(span.start)
            yield chat_in_export(text.read(span.stop - span.start))


def _blocks(text: BinaryIO) -> Iterator[bytes]:
    """Yield the rest of a text in blocks, at least one."""
    yield text.read(BLOCK_BYTES)
    while block := text.read(BLOCK_BYTES):
        yield block
