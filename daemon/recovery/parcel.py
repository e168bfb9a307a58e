"""The file that moves everything to another computer: its list of contents, its settings, and what is allowed in it."""

import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal, Self

import tomli
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from daemon.config.as_toml import toml_text
from daemon.config.loading import load
from daemon.files.paths import Folders, arrivals_folder
from daemon.files.read import DAMAGE, METHODS
from daemon.files.write import BLOCK, file_errors
from daemon.models.addresses import host_of, names_a_host
from primer.reply import is_secret
from rules.errors import FileTrouble

MANIFEST, ARCHIVE, SETTINGS = "MANIFEST.json", "archive.sqlite3", "memproc.toml"
ASIDE = "before-import-"
"""Begins the names of the folders into which an import puts what was there before."""

_FOLDERS = ("backups", "updated", "arrivals")
_RISKY = re.compile(r'[\\:*?"<>|\x00-\x1f]')
_LARGEST_MANIFEST = 64 << 20  # bytes; half a million files have fewer


class PackedFile(BaseModel):
    """One file: its name with slashes, its size in bytes, and its SHA-256."""

    model_config = ConfigDict(frozen=True)
    name: str
    size: Annotated[int, Field(strict=True, ge=0)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """Everything that a parcel holds, when it was made, and which settings are not in it."""

    model_config = ConfigDict(frozen=True)
    memproc: Literal[1] = 1
    """The version of the format."""
    made_at: str
    left_out: tuple[str, ...]
    files: tuple[PackedFile, ...]

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(entry.size for entry in self.files)

    @model_validator(mode="after")
    def _has_allowed_names(self) -> Self:
        """Every name leads to its own place, on systems that ignore case, too."""
        names = [entry.name.casefold() for entry in self.files]
        if len(names) != len(set(names)) or ARCHIVE not in names or not all(_is_allowed(e.name) for e in self.files):
            raise ValueError("a name leads elsewhere, or is there twice, or there is no archive")
        return self


def places(folders: Folders) -> dict[str, Path]:
    """The folder on this computer for each folder of a parcel."""
    return dict(zip(_FOLDERS, (folders.backups, folders.updated, arrivals_folder(folders.state)), strict=True))


def look_into(path: Path) -> Manifest:
    """What a parcel says that it holds; its names are proved, and nothing else yet. Raises FileTrouble."""
    with opened(path) as (_, manifest):
        return manifest


@contextmanager
def opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """Open a parcel that holds just the files of its manifest. Raises FileTrouble for whatever is broken in it."""
    try:
        with file_errors(path, "read"), zipfile.ZipFile(path) as package:
            yield package, _manifest(package)
    except DAMAGE as fault:
        raise refused("it is damaged or cut off, or no moving file") from fault


def content(package: zipfile.ZipFile, entry: PackedFile) -> Iterator[bytes]:
    """A file of the parcel, never more of it than the manifest says. Raises FileTrouble."""
    left = entry.size
    with package.open(entry.name) as file:
        while block := file.read(min(BLOCK, left + 1)):
            left -= len(block)
            if left < 0:
                raise refused(f"{entry.name!r} in it is larger than its list of contents says")
            yield block


def refused(reason: str) -> FileTrouble:
    """Why a parcel cannot be taken over."""
    return FileTrouble(
        f"The file cannot be taken over: {reason}. Nothing was changed.",
        "Make it anew on the old computer, with: memproc export-archive FILE",
    )


def _manifest(package: zipfile.ZipFile) -> Manifest:
    infos = {info.filename: info for info in package.infolist()}
    if MANIFEST not in infos or len(infos) != len(package.infolist()):
        raise refused("it has no list of contents, or a name twice")
    for info in infos.values():
        kind = stat.S_IFMT(info.external_attr >> 16)
        if info.is_dir() or kind not in (0, stat.S_IFREG) or info.flag_bits & 1 or info.compress_type not in METHODS:
            raise refused(f"{info.filename!r} in it is no plain file")
    with package.open(MANIFEST) as file:
        listed = file.read(_LARGEST_MANIFEST + 1)
    try:
        manifest = Manifest.model_validate_json(listed[:_LARGEST_MANIFEST])
    except ValidationError as fault:
        raise refused("its list of contents is not in order, or was made by a newer memproc") from fault
    if {entry.name for entry in manifest.files} | {MANIFEST} != infos.keys():
        raise refused("it holds other files than its list of contents says")
    return manifest


def _is_allowed(name: str) -> bool:
    """Whether it names a file where files of its kind lie, on every system, and nothing above or outside."""
    if name in (ARCHIVE, SETTINGS):
        return True
    folder, *inside = name.split("/")
    return (
        folder in _FOLDERS
        and bool(inside)
        and not _RISKY.search(name)
        and all(part.strip(" .") == part.strip() and part not in ("", ".", "..") for part in inside)
    )


_ASKED = frozenset({"agent", "context_manager", "fallback", "embedding"})
_HERE_ALONE = frozenset({"folders", "texts"})
_WITH_OPTIONS = frozenset({"models", "chats"})


def movable_settings(path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The settings in the file `path`, as far as they may go, and the dotted names of those that may not.

    Folders, and a folder of texts of the person's own, are this computer's. Raises ConfigurationError.
    """
    tables = load(path).model_dump(mode="json", exclude_unset=True)
    left_out: list[str] = []
    kept = _kept(tables, (), left_out, in_options=False)
    return toml_text(kept).encode(), tuple(left_out)


def _kept(
    table: dict[str, object], place: tuple[str, ...], left_out: list[str], *, in_options: bool
) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in table.items():
        here = (*place, name)
        with_options = in_options or name in _WITH_OPTIONS
        if _is_of_this_computer(here) or (in_options and is_secret(name)):
            left_out.append(".".join(here))
        elif isinstance(value, dict):
            found[name] = _kept(value, here, left_out, in_options=with_options)
        elif isinstance(value, list) and with_options:
            found[name] = list(_kept_in(value, here, left_out))
        else:
            found[name] = value
    return found


def _is_of_this_computer(here: tuple[str, ...]) -> bool:
    return here[-1] in _HERE_ALONE and here[:-1] in ((), ("chats", "override"))


def _kept_in(values: list[object], place: tuple[str, ...], left_out: list[str]) -> Iterator[object]:
    for value in values:
        yield _kept(value, place, left_out, in_options=True) if isinstance(value, dict) else value


def without_hosts(content: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The settings with a # before each line that names a host, and the dotted names of these settings, with the hosts.

    `content` is a memproc.toml that can be used. It stays as it is where it names no host.
    """
    tables = tomli.loads(content.decode("utf-8-sig"))
    mark, named = f"host {sha256(content).hexdigest()}", list[str]()
    marked = {name: _marked(value, (name,), mark, named) for name, value in tables.items()}
    if not named:
        return content, ()
    lines = zip(toml_text(tables).splitlines(), toml_text(marked).splitlines(), strict=True)
    text = "".join(f"#{line}\n" if mark in other else f"{line}\n" for line, other in lines)
    return text.encode(), tuple(named)


def _marked(value: object, place: tuple[str, ...], mark: str, named: list[str]) -> object:
    """The tables with `mark` in the place of every value that names a host; `named` gets what these are."""
    match value:
        case dict():
            return {name: _marked(inner, (*place, name), mark, named) for name, inner in value.items()}
        case list():
            return [_marked(inner, place, mark, named) for inner in value]
        case str() if _names_a_host(place, value):
            address = value if "options" in place else value.partition("/")[2]
            named.append(f"{'.'.join(place)} ({host_of(address)})")
            return mark
    return value


def _names_a_host(place: tuple[str, ...], value: str) -> bool:
    if "options" in place:
        return names_a_host(place[place.index("options") + 1 :], value)
    return place[-1] in _ASKED and "://" in value
