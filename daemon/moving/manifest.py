"""What a moving file holds, and what it may hold: its list of contents, and the names that are allowed in it.

archive.sqlite3            a copy of the archive, whole as it was at one moment
backups/..., updated/...   as they lie in these folders
arrivals/...               copies of dropped files that wait to be worked on
memproc.toml               the settings, without secrets and without the old computer's folders
MANIFEST.json              names, sizes and hashes of all these; it comes last
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TypeGuard

from rules.errors import FileTrouble

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
