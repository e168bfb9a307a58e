"""Pack everything that a new computer needs into one file, while no chat is worked on; the daemon may run."""

import io
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from daemon.archive.archive import Archive, check
from daemon.files.lock import hold
from daemon.files.paths import Folders, archive_path
from daemon.files.removal import COPY, writing_to
from daemon.files.write import BLOCK, TEMPORARY, file_errors, make_private, replace_file
from daemon.recovery.parcel import (
    ARCHIVE,
    ASIDE,
    MANIFEST,
    SETTINGS,
    Manifest,
    PackedFile,
    look_into,
    movable_settings,
    places,
)
from rules.errors import ArchiveError, FileTrouble, NotFound

_PACKED = frozenset({".gz", ".zip"})
_MEND = (
    "See all faults with: memproc verify. The copies of the last days lie in the folder `copies` beside the archive."
)


@dataclass(frozen=True, slots=True)
class Parcel:
    """A packed file that stands in its place: where, its size in bytes, and what it holds."""

    path: Path
    size: int
    manifest: Manifest


def export_archive(folders: Folders, settings: Path | None, path: Path, now: str) -> Parcel:
    """Pack archive, backups, updated exports and settings into a new file at `path`, rights 0600.

    `settings` is the memproc.toml that counts, or None. Raises FileTrouble where `path` exists already, NotFound
    where there is no archive, ArchiveError where it is damaged, and Busy while a chat is worked on.
    """
    _refuse_existing(path)
    if not archive_path(folders.state).exists():
        raise NotFound(f"There is no archive in {folders.state} yet.", "Compress an export first: memproc run")
    make_private(path.parent)
    own, left_out = movable_settings(settings) if settings else (b"", ())
    with (
        hold(folders.state / "lock"),
        writing_to(path.parent, folders.state),
        _copy_of(folders.state, path.parent) as archive,
    ):
        contents = {name: _read(file) for name, file in {ARCHIVE: archive, **_files(folders)}.items()}
        if own:
            contents[SETTINGS] = iter([own])
        size = replace_file(path, _unless_existing(_zip(contents, now, left_out), path)).size
    return Parcel(path, size, look_into(path))


def _refuse_existing(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise FileTrouble(f"{path} exists already.", "Name another file, or move that one away.")


def _unless_existing(blocks: Iterator[bytes], path: Path) -> Iterator[bytes]:
    """The blocks; but nothing is overwritten that somebody has put in the place meanwhile."""
    yield from blocks
    _refuse_existing(path)


def _files(folders: Folders) -> dict[str, Path]:
    """Every file that is packed beside the archive, by its name in the parcel. Links are not followed."""
    found: dict[str, Path] = {}
    for folder, place in places(folders).items():
        with file_errors(place, "read"):
            inside = [path for path in sorted(place.rglob("*")) if path.is_file() and not path.is_symlink()]
        for path in inside:
            name = path.relative_to(place)
            if not any(part.startswith((TEMPORARY, ASIDE)) for part in name.parts):
                found[f"{folder}/{name.as_posix()}"] = path
    return found


@contextmanager
def _copy_of(state: Path, folder: Path) -> Iterator[Path]:
    """A proved copy of the archive in `folder`, for as long as the block runs."""
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


def _read(path: Path) -> Iterator[bytes]:
    with file_errors(path, "read"), path.open("rb") as file:
        while block := file.read(BLOCK):
            yield block


class _Pipe(io.RawIOBase):
    """Where a ZIP is written to, until its bytes are taken: it needs no file, and is never whole in memory."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []

    def write(self, block: bytes, /) -> int:  # type: ignore[override]
        """Hold some more bytes."""
        self._blocks.append(bytes(block))
        return len(self._blocks[-1])

    def take(self) -> bytes:
        """The bytes since the last time."""
        taken, self._blocks = b"".join(self._blocks), []
        return taken


def _zip(contents: Mapping[str, Iterator[bytes]], now: str, left_out: tuple[str, ...]) -> Iterator[bytes]:
    """The parcel, block by block, its manifest last."""
    pipe, entries = _Pipe(), list[PackedFile]()
    with zipfile.ZipFile(pipe, "w") as package:
        for name, blocks in contents.items():
            digest, size = sha256(), 0
            with package.open(_info(name), "w", force_zip64=True) as packed:
                for block in blocks:
                    digest.update(block)
                    size += len(block)
                    packed.write(block)
                    yield pipe.take()
            entries.append(PackedFile(name=name, size=size, sha256=digest.hexdigest()))
        manifest = Manifest(made_at=now, left_out=left_out, files=tuple(entries))
        package.writestr(_info(MANIFEST), manifest.model_dump_json(indent=1) + "\n")
    yield pipe.take()


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_STORED if Path(name).suffix in _PACKED else zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    return info
