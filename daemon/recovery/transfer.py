"""What a killed `export-archive` or `import-archive` has left, and how the next memproc finds it to take it away."""

import json
import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeGuard

import tomli

from daemon.config.loading import load
from daemon.config.writing import toml_text
from daemon.files.lock import Busy, hold
from daemon.files.packed import BLOCK
from daemon.files.paths import Folders
from daemon.files.write import TEMPORARY, file_errors, replace_file, sweep
from daemon.inbox.intake import copies_folder
from daemon.models.addresses import host_of, names_a_host
from primer.request import is_secret
from rules.errors import FileTrouble

COPY = f"{TEMPORARY}export-"
"""How the name of the archive's passing copy begins."""
STAGE = ".memproc-import"
"""The folder in which an import gets everything ready, beside where it goes."""
_NOTE, _LOCK = "export-unfinished", "export.lock"


@contextmanager
def exporting(state: Path, folder: Path) -> Iterator[None]:
    """As long as the block runs, this process alone packs the archive of `state`, into `folder`.

    Raises Busy where another one does, and FileTrouble.
    """
    note = state / _NOTE
    with hold(state / _LOCK, "is packing this archive"):
        _clear(note)
        replace_file(note, [str(folder).encode(errors="surrogateescape")])
        try:
            yield
        finally:
            with file_errors(note, "removed"):
                note.unlink(missing_ok=True)


def sweep_export(state: Path) -> None:
    """Take away what a killed one has left; nothing while one is at work, or while its folder is not there."""
    if (state / _NOTE).exists():
        with suppress(Busy), hold(state / _LOCK, "is packing this archive"):
            _clear(state / _NOTE)


def sweep_stages(folders: Folders) -> None:
    """Take away what an import got ready and never put in its place. Only while the archive's lock is held."""
    for folder in (folders.state, folders.backups, folders.updated, copies_folder(folders.state)):
        with file_errors(folder / STAGE, "removed"):
            if (folder / STAGE).is_dir():
                shutil.rmtree(folder / STAGE)


def _clear(note: Path) -> None:
    with file_errors(note, "read"):
        folder = Path(note.read_bytes().decode(errors="surrogateescape")) if note.exists() else None
    if folder is not None and folder.is_dir():
        for prefix in (TEMPORARY, COPY):
            sweep(folder, prefix)
        with file_errors(note, "removed"):
            note.unlink()


MANIFEST, ARCHIVE, SETTINGS = "MANIFEST.json", "archive.sqlite3", "memproc.toml"
FOLDERS = ("backups", "updated", "arrivals")
ASIDE = "before-import-"
"""How the names of folders begin into which an import puts what was there."""
LARGEST_MANIFEST = 64 << 20
"""Bytes; half a million files have fewer."""

_VERSION = 1
_HASH = re.compile(r"[0-9a-f]{64}")
_RISKY = re.compile(r'[\\:*?"<>|\x00-\x1f]')


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: its name with slashes, its size in bytes, and its SHA-256."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything that a moving file holds, when it was made, and which settings are not in it."""

    made_at: str
    left_out: tuple[str, ...]
    files: tuple[Entry, ...]

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(entry.size for entry in self.files)


def written(manifest: Manifest) -> bytes:
    """The manifest as it stands in the file."""
    return json.dumps({"memproc": _VERSION, **asdict(manifest)}, ensure_ascii=False, indent=1).encode() + b"\n"


def read_manifest(content: bytes) -> Manifest:
    """The manifest, with names that lead nowhere else. Raises FileTrouble where it is none of ours."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as fault:
        raise refused("its list of contents cannot be read") from fault
    if not isinstance(found, dict) or found.get("memproc") != _VERSION:
        raise refused("it was not made by this memproc, or by a newer one")
    files, left_out = found.get("files"), found.get("left_out")
    if not isinstance(files, list) or not isinstance(left_out, list) or not all(map(_is_entry, files)):
        raise refused("its list of contents is not in order")
    entries = tuple(Entry(one["name"], one["size"], one["sha256"]) for one in files)
    for entry in entries:
        if not _is_allowed(entry.name):
            raise refused(f"it holds {entry.name!r}, which has no place in it")
    names = [entry.name.casefold() for entry in entries]
    if len(names) != len(set(names)) or ARCHIVE not in names:
        raise refused("it holds a file twice, or no archive")
    return Manifest(str(found.get("made_at")), tuple(map(str, left_out)), entries)


def refused(reason: str) -> FileTrouble:
    """Why a moving file cannot be taken over."""
    return FileTrouble(
        f"The file cannot be taken over: {reason}. Nothing was changed.",
        "Make it anew on the old computer, with: memproc export-archive FILE",
    )


def _is_entry(one: object) -> TypeGuard[Mapping[str, str]]:
    if not isinstance(one, dict):
        return False
    name, size, sha256 = one.get("name"), one.get("size"), one.get("sha256")
    is_a_size = isinstance(size, int) and not isinstance(size, bool) and size >= 0
    return isinstance(name, str) and is_a_size and isinstance(sha256, str) and bool(_HASH.fullmatch(sha256))


def _is_allowed(name: str) -> bool:
    """It names a file where files of its kind lie, on every system, and nothing above or outside."""
    if name in (ARCHIVE, SETTINGS):
        return True
    folder, *inside = name.split("/")
    return (
        folder in FOLDERS
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


_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError)
"""What the standard library raises for a broken ZIP."""
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


def look_into(path: Path) -> Manifest:
    """What a moving file says that it holds; its names are proved, and nothing else yet. Raises FileTrouble."""
    with opened(path) as package:
        return manifest_of(package)


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The ZIP; whatever is broken in it becomes a refusal."""
    try:
        with file_errors(path, "read"), zipfile.ZipFile(path) as package:
            yield package
    except _DAMAGE as fault:
        raise refused("it is damaged or cut off, or no moving file") from fault


def manifest_of(package: zipfile.ZipFile) -> Manifest:
    """The list of contents, where the ZIP holds just these files, each once, and no links or folders."""
    infos = {info.filename: info for info in package.infolist()}
    if MANIFEST not in infos or len(infos) != len(package.infolist()):
        raise refused("it has no list of contents, or a name twice")
    for info in infos.values():
        kind = stat.S_IFMT(info.external_attr >> 16)
        if info.is_dir() or kind not in (0, stat.S_IFREG) or info.flag_bits & 1 or info.compress_type not in _METHODS:
            raise refused(f"{info.filename!r} in it is no plain file")
    with package.open(MANIFEST) as file:
        listed = file.read(LARGEST_MANIFEST + 1)
    if len(listed) > LARGEST_MANIFEST:
        raise refused("its list of contents is too long")
    manifest = read_manifest(listed)
    if {entry.name for entry in manifest.files} | {MANIFEST} != infos.keys():
        raise refused("it holds other files than its list of contents says")
    return manifest


def content(package: zipfile.ZipFile, entry: Entry) -> Iterator[bytes]:
    """A file of the ZIP, never more of it than the list says."""
    left = entry.size
    with package.open(entry.name) as file:
        while block := file.read(min(BLOCK, left + 1)):
            left -= len(block)
            if left < 0:
                raise refused(f"{entry.name!r} in it is larger than its list of contents says")
            yield block
