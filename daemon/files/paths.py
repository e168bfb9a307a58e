"""The folders of memproc: absolute paths, or every reason why they cannot be used."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from os.path import realpath
from pathlib import Path
from tempfile import gettempdir

from platformdirs import user_state_path

# Characters; no system goes to longer paths without tricks, and resolving them takes long.
_LONGEST = 4096
_NAMES = ("inbox", "updated", "backups", "state")


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders of `[folders]`: absolute, without `~` and symbolic links.

    They need not exist yet.
    """

    inbox: Path
    updated: Path
    backups: Path
    state: Path


@dataclass(frozen=True, slots=True)
class NoPath:
    """A text that cannot become a path; `reason` completes "inbox: ..."."""

    reason: str


@dataclass(frozen=True, slots=True)
class RefusedFolders:
    """Folders that cannot be used: the names that take part, the one to change first, and why."""

    names: tuple[str, ...]
    reason: str


def resolve_folders(written: str, base: Path) -> Path | NoPath:
    """Return the absolute path of `written`, from `base` if it is relative; `~` is the home."""
    if "\0" in written:
        return NoPath("must not hold a NUL character")
    if len(written) > _LONGEST:
        return NoPath(f"must not be longer than {_LONGEST} characters")
    try:
        path = Path(written).expanduser()
    except RuntimeError:
        path = Path(written)
    if written.startswith("~") and not path.is_absolute():
        return NoPath(
            f"{Path(written).parts[0]} has no home folder on this system; write the full path"
        )
    return Path(realpath(base / path))


def settle_folders(written: Mapping[str, str]) -> Folders | tuple[RefusedFolders, ...]:
    """Return the folders that `written` (setting -> text) names, or all that forbids using them.

    An empty `state` is the platform's state folder. The inbox is the person's: it is never the root
    or the home folder, and what memproc writes never lies in it or around it.
    """
    here = Path()
    places = {name: resolve_folders(written[name] or str(default_state()), here) for name in _NAMES}
    paths = {name: place for name, place in places.items() if isinstance(place, Path)}
    if len(paths) < len(places):
        return tuple(
            RefusedFolders((name,), no.reason)
            for name, no in places.items()
            if isinstance(no, NoPath)
        )
    folders = Folders(**paths)
    return tuple(_refusals(folders, resolve_folders("~", here))) or folders


def archive_path(state: Path) -> Path:
    """Return the archive's place: one SQLite file in the state folder."""
    return state / "archive.sqlite3"


def arrivals_folder(state: Path) -> Path:
    """Return the folder that keeps copies of dropped files until they have been worked on."""
    return state / "arrivals"


def brought_folder(state: Path) -> Path:
    """Return the folder of chats that were brought from another program, as they were made."""
    return state / "brought"


def expanded_folder(updated: Path) -> Path:
    """Return the folder that `memproc expand` writes to, since `updated` is for files to import."""
    return updated.parent / "expanded"


def default_state() -> Path:
    """Return the platform's folder for programs' data, used where no state folder is named."""
    return user_state_path("memproc", appauthor=False)


def runtime_folder() -> Path:
    """Return the folder for locks, and for what is useful only until the next start.

    It need not exist.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and Path(runtime).is_dir():
        return Path(runtime) / "memproc"
    return Path(gettempdir()) / (f"memproc-{os.getuid()}" if hasattr(os, "getuid") else "memproc")


def _refusals(folders: Folders, home: Path | NoPath) -> Iterator[RefusedFolders]:
    # As macOS and Windows compare paths: upper and lower case are one folder there.
    alike = {name: Path(str(getattr(folders, name)).casefold()) for name in _NAMES}
    if isinstance(home, Path) and Path(str(home).casefold()).is_relative_to(alike["inbox"]):
        yield RefusedFolders(
            ("inbox",), f"must not be {folders.inbox}: give exports a folder of their own"
        )
        return
    expanded = expanded_folder(folders.updated)
    for name in ("inbox", "updated"):
        if alike[name] == Path(str(expanded).casefold()):
            yield RefusedFolders((name,), f"must not be {expanded}: memproc expand writes there")
    yield from _overlaps(alike)


def _overlaps(alike: Mapping[str, Path]) -> Iterator[RefusedFolders]:
    inbox = alike["inbox"]
    for name, other in combinations(_NAMES, 2):
        if alike[name] == alike[other]:
            yield RefusedFolders((other, name), f"must not be the same folder as {name}")
        elif name == "inbox" and alike[other].is_relative_to(inbox):
            yield RefusedFolders((other, name), "must not lie in the inbox")
        elif name == "inbox" and inbox.is_relative_to(alike[other]):
            yield RefusedFolders((name, other), f"must not lie in the folder {other}")
