"""Pack the one file that moves everything to another computer, the parcel, and read it.

It is packed while no chat is worked on; the daemon may run. memproc.toml is included byte for byte,
unless it holds a secret.
"""

import io
import re
import stat
import zipfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Self

import tomli
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from daemon.archive.archive import Archive, check_integrity
from daemon.archive.row_lines import lines_of_rows
from daemon.archive.row_rules import AGAIN
from daemon.archive.schema import VERSION
from daemon.files.lock import hold
from daemon.files.packing import BLOCK, DAMAGE, METHODS, read_blocks
from daemon.files.paths import Folders, archive_path, arrivals_folder
from daemon.files.private import make_private
from daemon.files.reasons import file_errors
from daemon.files.removal import writing_to
from daemon.files.write import TEMPORARY, replace_file
from primer.models import is_secret
from rules.errors import ArchiveError, FileTrouble, NotFound

MANIFEST, ARCHIVE, SETTINGS = "MANIFEST.json", "archive.txt", "memproc.toml"
ASIDE = "before-import-"
"""The prefix of the folders into which an import moves what was there before."""

_FOLDERS = ("backups", "updated", "arrivals")
_RISKY = re.compile(r'[\\:*?"<>|\x00-\x1f]')
_LARGEST_MANIFEST = 64 << 20  # bytes; half a million files have fewer
_PACKED = frozenset({".gz", ".zip"})


class PackedFile(BaseModel):
    """One file: its name with slashes, its size in bytes, and its SHA-256."""

    model_config = ConfigDict(frozen=True)
    name: str
    size: Annotated[int, Field(strict=True, ge=0)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """Everything that a parcel holds, when it was made, and what was left out."""

    model_config = ConfigDict(frozen=True)
    memproc: Annotated[int, Field(strict=True, ge=VERSION, le=VERSION)] = VERSION
    """The version of the archive's tables."""
    made_at: str
    left_out: tuple[str, ...]
    files: tuple[PackedFile, ...]

    @property
    def size(self) -> int:
        """Return the bytes of all files together."""
        return sum(entry.size for entry in self.files)

    @model_validator(mode="after")
    def _has_allowed_names(self) -> Self:
        """Check that every name leads to its own place, on systems that ignore case, too."""
        names = [entry.name.casefold() for entry in self.files]
        is_twice = len(names) != len(set(names))
        if is_twice or ARCHIVE not in names or not all(_is_allowed(e.name) for e in self.files):
            raise ValueError("a name leads elsewhere, or is there twice, or there is no archive")
        return self


def _is_allowed(name: str) -> bool:
    """Return whether a name leads, on every system, to a file inside the folder of its kind."""
    folder, *inside = name.split("/")
    return name in (ARCHIVE, SETTINGS) or (
        folder in _FOLDERS
        and bool(inside)
        and not _RISKY.search(name)
        and all(part.strip(" .") == part.strip() and part not in ("", ".", "..") for part in inside)
    )


@dataclass(frozen=True, slots=True)
class Parcel:
    """A parcel: its path, its size in bytes, and its manifest."""

    path: Path
    size: int
    manifest: Manifest


def map_places(folders: Folders) -> dict[str, Path]:
    """Return the folder on this computer for each folder of a parcel."""
    folders_here = (folders.backups, folders.updated, arrivals_folder(folders.state))
    return dict(zip(_FOLDERS, folders_here, strict=True))


def export_archive(folders: Folders, settings: Path | None, path: Path, now: str) -> Parcel:
    """Pack archive, backups, updated exports and settings into a new file at `path`, rights 0600.

    `settings` is the path of the memproc.toml in use, or None. Raise FileTrouble where `path`
    exists already, NotFound where there is no archive, ArchiveError where it is damaged, and Busy
    while a chat is worked on.
    """
    _refuse_existing(path)
    if not archive_path(folders.state).exists():
        raise NotFound(
            f"There is no archive in {folders.state} yet.", "Compress an export first: memproc run"
        )
    make_private(path.parent)
    tables = tomli.loads(settings.read_text("utf-8-sig")) if settings else {}
    left_out = (f"{SETTINGS} (it holds a secret)",) if _holds_secret(tables) else ()
    with (
        hold(folders.state / "lock"),
        writing_to(path.parent, folders.state),
        Archive.read(folders.state) as archive,
    ):
        # One transaction, so that all rows are of one moment although the daemon may write
        # meanwhile.
        archive.run("BEGIN")
        if faults := check_integrity(archive):
            raise ArchiveError(
                f"The archive is damaged ({faults[0]}), so it was not packed.",
                "See all faults with: memproc verify. The copies of the last days lie in the "
                "folder `copies` beside the archive.",
            )
        files = {ARCHIVE: lines_of_rows(archive), **_files(folders)}
        if settings and not left_out:
            files[SETTINGS] = _content(settings)
        with closing(_zip(files, path, now, left_out)) as blocks:
            size = replace_file(path, blocks).size
    return Parcel(path, size, look_into(path))


def _refuse_existing(path: Path) -> None:
    """Raise FileTrouble where something exists at the path, even a broken link."""
    if path.exists() or path.is_symlink():
        raise FileTrouble(f"{path} exists already.", "Name another file, or move that one away.")


def _holds_secret(value: object) -> bool:
    """Return whether settings hold a secret anywhere in their tables and lists."""
    if isinstance(value, dict):
        return any(is_secret(name) or _holds_secret(inner) for name, inner in value.items())
    return isinstance(value, list) and any(map(_holds_secret, value))


def _files(folders: Folders) -> dict[str, Generator[bytes]]:
    """Return the files to pack with the archive by name in the parcel; links are not followed."""
    files: dict[str, Generator[bytes]] = {}
    for folder, place in map_places(folders).items():
        with file_errors(place, "read"):
            inside = [
                path
                for path in sorted(place.rglob("*"))
                if path.is_file() and not path.is_symlink()
            ]
        for path in inside:
            name = path.relative_to(place)
            if not any(part.startswith((TEMPORARY, ASIDE)) for part in name.parts):
                files[f"{folder}/{name.as_posix()}"] = _content(path)
    return files


def _content(path: Path) -> Generator[bytes]:
    with file_errors(path, "read"), path.open("rb") as file:
        yield from read_blocks(file)


class _Pipe(io.RawIOBase):
    """A file object that a ZIP is written to and read from, without a disk or much memory."""

    def __init__(self) -> None:
        self._held = bytearray()

    def write(self, block: bytes, /) -> int:  # type: ignore[override]
        """Append bytes."""
        self._held += block
        return len(block)

    def take(self) -> bytes:
        """Return the bytes that were written since the last call."""
        taken, self._held = bytes(self._held), bytearray()
        return taken


def _zip(
    files: Mapping[str, Generator[bytes]], path: Path, now: str, left_out: tuple[str, ...]
) -> Generator[bytes]:
    """Yield the parcel for `path` in blocks, its manifest last.

    At the end, raise FileTrouble if something exists at `path` by now.
    """
    pipe, entries = _Pipe(), list[PackedFile]()
    with zipfile.ZipFile(pipe, "w") as package:
        for name, blocks in files.items():
            digest, size = sha256(), 0
            with package.open(_info(name), "w", force_zip64=True) as packed, closing(blocks):
                for block in blocks:
                    digest.update(block)
                    size += len(block)
                    packed.write(block)
                    yield pipe.take()
            entries.append(PackedFile(name=name, size=size, sha256=digest.hexdigest()))
        manifest = Manifest(made_at=now, left_out=left_out, files=tuple(entries))
        package.writestr(_info(MANIFEST), manifest.model_dump_json(indent=1) + "\n")
    yield pipe.take()
    _refuse_existing(path)


def _info(name: str) -> zipfile.ZipInfo:
    """Return the description of an entry, with rights 0600; compressed files are only stored."""
    info = zipfile.ZipInfo(name)
    info.compress_type = (
        zipfile.ZIP_STORED if Path(name).suffix in _PACKED else zipfile.ZIP_DEFLATED
    )
    info.external_attr = 0o600 << 16
    return info


def look_into(path: Path) -> Manifest:
    """Return the manifest of a parcel, of which only the names are checked here.

    Raise FileTrouble.
    """
    with opened(path) as (_, manifest):
        return manifest


@contextmanager
def opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """Open a parcel, and check that it holds exactly the files of its manifest.

    Raise FileTrouble if it is damaged.
    """
    try:
        with file_errors(path, "read"), zipfile.ZipFile(path) as package:
            yield package, _manifest(package)
    except DAMAGE as fault:
        raise refused("it is damaged or cut off, or no moving file") from fault


def _manifest(package: zipfile.ZipFile) -> Manifest:
    """Read the manifest.

    Raise FileTrouble where the package does not hold exactly what it lists.
    """
    infos = {info.filename: info for info in package.infolist()}
    if MANIFEST not in infos or len(infos) != len(package.infolist()):
        raise refused("it has no list of contents, or a name twice")
    for info in infos.values():
        is_regular = stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG)
        can_be_unpacked = not info.flag_bits & 1 and info.compress_type in METHODS
        if info.is_dir() or not (is_regular and can_be_unpacked):
            raise refused(f"{info.filename!r} in it is no plain file")
    with package.open(MANIFEST) as file:
        listed = file.read(_LARGEST_MANIFEST)
    try:
        manifest = Manifest.model_validate_json(listed)
    except ValidationError as fault:
        reason = "its list of contents is not in order, or was made by a newer memproc"
        raise refused(reason) from fault
    if {entry.name for entry in manifest.files} | {MANIFEST} != infos.keys():
        raise refused("it holds other files than its list of contents says")
    return manifest


def content(package: zipfile.ZipFile, entry: PackedFile) -> Iterator[bytes]:
    """Yield a file of the parcel, never more than its manifest says. Raise FileTrouble."""
    bytes_left = entry.size
    with package.open(entry.name) as file:
        while block := file.read(min(BLOCK, bytes_left + 1)):
            bytes_left -= len(block)
            if bytes_left < 0:
                raise refused(f"{entry.name!r} in it is larger than its list of contents says")
            yield block


def refused(reason: str, name: str = "The file") -> FileTrouble:
    """Return the error for a parcel of this name that cannot be imported."""
    return FileTrouble(
        f"{name} cannot be taken over: {reason}. Nothing was changed.",
        AGAIN,
    )
