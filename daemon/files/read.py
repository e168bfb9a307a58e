"""Read an export from disk: a JSON file, or a ZIP with a `data.json` and chunks, within limits of size.

The whole file is walked over before the work begins. Then its chats are read again, one at a time, so that a
large export needs no more memory than its largest chat. What happens to the file meanwhile cannot mix in: every
block of it is hashed the first time, and compared the second.
"""

import io
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from daemon.files.blocks import Again, OtherBytes, first_time
from daemon.files.bundle import DAMAGE, INDEX, Bundle, damaged, refuse_large
from daemon.files.trouble import remedy
from rules.errors import FileTrouble, NotAnExport
from rules.typingmind.chat import Chat
from rules.typingmind.document import Layout, explain_bad_json, lay_out_chunk, lay_out_document
from rules.typingmind.spans import BadJson

LayOut = Callable[[str, Iterable[bytes]], Layout]


@dataclass(frozen=True, slots=True)
class Stand:
    """What a file looked like when it was read: a change of any of these means that it is another file."""

    inode: int
    size: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class Part:
    """One JSON text of an export; `entry` is its name in a ZIP, `hashes` are those of what was read, block by block."""

    entry: str
    layout: Layout
    hashes: tuple[bytes, ...]


Known = Callable[[str], tuple[Part, ...] | None]


@dataclass(frozen=True, slots=True)
class Export:
    """A whole export: its parts (one, or a ZIP's several), and which file it came from."""

    path: Path
    parts: tuple[Part, ...]
    sha256: str
    stand: Stand

    @property
    def chat_ids(self) -> tuple[str, ...]:
        """Of every chat of every part, in order; empty for one that names none."""
        return tuple(outline.chat_id for part in self.parts for outline in part.layout.outlines)

    def chats(self) -> Iterator[Chat]:
        """Every chat, one at a time, in order. Raises FileTrouble where the file is another by now."""
        with _opened(self.path) as file, _unchanged(self.path):
            bundle = Bundle(self.path.name, file)
            for part in self.parts:
                yield from _chats(bundle, part)

    def blocks(self, part: Part) -> Iterator[bytes]:
        """All bytes of a part. Raises FileTrouble where the file is another by now."""
        with (
            _opened(self.path) as file,
            _unchanged(self.path),
            Bundle(self.path.name, file).text(part.entry) as text,
        ):
            yield from Again(text, part.hashes)


def read_export(path: Path, known: Known = lambda _: None) -> Export:
    """Read and understand the export at `path`. Where `known` has its parts, by its SHA-256, it is not walked over.

    Raises FileTrouble where the file cannot be read, NotAnExport where it is something else.
    """
    with _opened(path) as file:
        stand = _stand(os.fstat(file.fileno()))
        refuse_large(path.name, stand.size)
        sha256 = file_digest(file, "sha256").hexdigest()
        parts = known(sha256) or tuple(_parts(path.name, Bundle(path.name, file)))
        if _stand(os.fstat(file.fileno())) != stand:
            raise _changed(path)
    return Export(path, parts, sha256, stand)


def chats_in(name: str, data: bytes) -> tuple[Chat, ...]:
    """All chats of an export that is in memory. Raises NotAnExport."""
    bundle = Bundle(name, io.BytesIO(data))
    return tuple(chat for part in _parts(name, bundle) for chat in _chats(bundle, part))


def stand_of(path: Path) -> Stand | None:
    """What the file looks like now, or None where there is none."""
    try:
        return _stand(path.stat())
    except OSError:
        return None


def _parts(name: str, bundle: Bundle) -> Iterator[Part]:
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


def _part(name: str, bundle: Bundle, entry: str, lay_out: LayOut) -> Part:
    hashes: list[bytes] = []
    try:
        with bundle.text(entry) as text:
            layout = lay_out(name, _undamaged(bundle, first_time(text, hashes)))
    except BadJson as fault:
        with bundle.text(entry) as text:
            whole = b"".join(_undamaged(bundle, first_time(text, [])))
        raise explain_bad_json(name, whole.decode("latin-1"), fault) from fault
    return Part(entry, layout, tuple(hashes))


def _chats(bundle: Bundle, part: Part) -> Iterator[Chat]:
    with bundle.text(part.entry) as text:
        again = Again(text, part.hashes)
        for outline in part.layout.outlines:
            yield outline.chat(again.slice(outline.span))


def _undamaged(bundle: Bundle, blocks: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield from blocks
    except DAMAGE as fault:
        raise damaged(bundle.name) from fault


@contextmanager
def _unchanged(path: Path) -> Iterator[None]:
    try:
        yield
    except (OtherBytes, NotAnExport, *DAMAGE) as fault:
        raise _changed(path) from fault


def _changed(path: Path) -> FileTrouble:
    return FileTrouble(f"{path.name} was changed while memproc read it.", "Drop it again when it is complete.")


@contextmanager
def _opened(path: Path) -> Iterator[io.BufferedReader]:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise FileTrouble(f"{path} is no regular file.", "Name an export, or the folder that holds exports.")
        # O_NONBLOCK: should the file have become a named pipe, opening it would wait for a writer for ever.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        file = os.fdopen(handle, "rb")
        try:
            yield file
        finally:
            with suppress(OSError):  # all that was wanted of it has been read
                file.close()
    except FileNotFoundError as fault:
        raise FileTrouble(f"There is no file {path}.", "Check the path; nothing was done.") from fault
    except OSError as fault:
        raise FileTrouble(
            f"{path} cannot be read: {fault.strerror or fault}.",
            remedy(fault, "Allow memproc's user to read it, then try again."),
        ) from fault


def _stand(found: os.stat_result) -> Stand:
    return Stand(found.st_ino, found.st_size, found.st_mtime_ns)
