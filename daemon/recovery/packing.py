"""Everything that a new computer needs, packed into one file, also while the daemon runs.

The archive is copied as it is at one moment. If a chat was written while its files were packed, archive and files
would not fit together: then all is packed once more.
"""

import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from daemon.archive.archive import Archive, check
from daemon.files.packed import BLOCK
from daemon.files.paths import Folders, archive_path
from daemon.files.write import TEMPORARY, file_errors, make_private, replace_file
from daemon.inbox.intake import copies_folder
from daemon.recovery.transfer import (
    ARCHIVE,
    ASIDE,
    COPY,
    FOLDERS,
    MANIFEST,
    SETTINGS,
    Entry,
    Manifest,
    exporting,
    movable_settings,
    written,
)
from rules.errors import ArchiveError, FileTrouble, NotFound

_TRIES = 5
_PACKED = frozenset({".gz", ".zip"})


@dataclass(frozen=True, slots=True)
class Packed:
    """A moving file that stands in its place: where, its size in bytes, and what it holds."""

    path: Path
    size: int
    manifest: Manifest


class _Changed(Exception):
    """A file went away, or a chat was written, while all was packed."""


def export_archive(folders: Folders, settings: Path | None, path: Path, now: str) -> Packed:
    """Pack archive, backups, updated exports and settings into a new file at `path`, rights 0600.

    `settings` is the memproc.toml that counts, or None. Raises FileTrouble where `path` exists already, NotFound
    where there is no archive, ArchiveError where it is damaged.
    """
    _refuse_existing(path)
    if not archive_path(folders.state).exists():
        raise NotFound(f"There is no archive in {folders.state} yet.", "Compress an export first: memproc run")
    make_private(path.parent)
    own, left_out = movable_settings(settings) if settings else (b"", ())
    with exporting(folders.state, path.parent):
        return _export(folders, own, left_out, path, now)


def _export(folders: Folders, own: bytes, left_out: tuple[str, ...], path: Path, now: str) -> Packed:
    for _ in range(_TRIES):
        before = _stand(folders)
        manifest = Manifest(now, left_out, ())
        try:
            with _copy_of(folders.state, path.parent) as archive:
                entries: list[Entry] = []
                blocks = _blocks(_files(folders, archive), own, manifest, entries)
                size = replace_file(path, _unless(blocks, folders, before, path)).size
        except _Changed:
            continue
        return Packed(path, size, Manifest(now, left_out, tuple(entries)))
    raise FileTrouble(
        "The archive was written to each time while it was packed, so there is no file yet.",
        "Run this again when memproc has less to do; `memproc status` says what it does.",
    )


def _refuse_existing(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise FileTrouble(f"{path} exists already.", "Name another file, or move that one away.")


def _stand(folders: Folders) -> tuple[object, ...]:
    """What changes when a chat is written: the files, and the archive's accounts of them."""
    with Archive.read(folders.state) as archive:
        accounts = archive.run("SELECT (SELECT count(*) FROM output), (SELECT count(*) FROM chat)")
    files = _files(folders, archive_path(folders.state))
    return tuple(accounts), tuple((name, _size_and_date(path)) for name, path in files.items() if name != ARCHIVE)


def _size_and_date(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns


def _files(folders: Folders, archive: Path) -> dict[str, Path]:
    """Every file that is packed, by its name in the moving file. Links are not followed."""
    places = dict(zip(FOLDERS, (folders.backups, folders.updated, copies_folder(folders.state)), strict=True))
    found = {ARCHIVE: archive}
    for folder, place in places.items():
        with file_errors(place, "read"):
            found |= {
                f"{folder}/{path.relative_to(place).as_posix()}": path
                for path in sorted(place.rglob("*"))
                if path.is_file() and not path.is_symlink() and not _is_passing(path.relative_to(place))
            }
    return found


def _is_passing(path: Path) -> bool:
    """Unfinished, or put aside by an import."""
    return any(part.startswith((TEMPORARY, ASIDE)) for part in path.parts)


@contextmanager
def _copy_of(state: Path, folder: Path) -> Iterator[Path]:
    """A proved copy of the archive in this folder, as long as the block runs."""
    with file_errors(folder, "written"):
        handle, name = tempfile.mkstemp(prefix=COPY, dir=folder)
        os.close(handle)
    try:
        with Archive.read(state) as archive:
            if faults := check(archive):
                raise ArchiveError(f"The archive is damaged ({faults[0]}), so it was not packed.", _MEND)
            archive.run("VACUUM INTO ?", (name,))
        yield Path(name)
    finally:
        # If the disk refuses this too, the first error is the one to tell.
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)


def _blocks(files: Mapping[str, Path], settings: bytes, manifest: Manifest, entries: list[Entry]) -> Iterator[bytes]:
    """The moving file, block by block; `entries` gets what has been packed."""
    held = _Held()
    with zipfile.ZipFile(held, "w") as package:
        for name, path in files.items():
            yield from _one(package, held, name, _read(path), entries)
        if settings:
            yield from _one(package, held, SETTINGS, iter([settings]), entries)
        found = Manifest(manifest.made_at, manifest.left_out, tuple(entries))
        package.writestr(_info(MANIFEST), written(found))
    yield held.taken()


def _one(
    package: zipfile.ZipFile, held: "_Held", name: str, content: Iterator[bytes], entries: list[Entry]
) -> Iterator[bytes]:
    digest, size = sha256(), 0
    with package.open(_info(name), "w", force_zip64=True) as packed:
        for block in content:
            digest.update(block)
            size += len(block)
            packed.write(block)
            yield held.taken()
    entries.append(Entry(name, size, digest.hexdigest()))


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_STORED if Path(name).suffix in _PACKED else zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    return info


def _read(path: Path) -> Iterator[bytes]:
    with file_errors(path, "read"):
        try:
            file = path.open("rb")
        except FileNotFoundError as fault:
            raise _Changed from fault
        with file:
            while block := file.read(BLOCK):
                yield block


def _unless(blocks: Iterator[bytes], folders: Folders, before: tuple[object, ...], path: Path) -> Iterator[bytes]:
    """The blocks, provided that at their end nothing has changed, and that nobody has made the file meanwhile."""
    yield from blocks
    if _stand(folders) != before:
        raise _Changed
    _refuse_existing(path)


class _Held:
    """Where a ZIP is written to, until its bytes are taken: no file, so that it can go on to one block by block."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []

    def write(self, block: bytes) -> int:
        """Hold some more bytes."""
        self._blocks.append(bytes(block))
        return len(block)

    def flush(self) -> None:
        """Nothing is on its way."""

    def close(self) -> None:
        """Nothing is open."""

    def taken(self) -> bytes:
        """The bytes since the last time."""
        found, self._blocks = b"".join(self._blocks), []
        return found


_MEND = (
    "See all faults with: memproc verify. The copies of the last days lie in the folder `copies` beside the archive."
)
