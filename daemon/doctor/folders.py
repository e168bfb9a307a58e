"""Folders: they are there, they are the person's own and nobody else's, and their disks have room."""

import os
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from daemon.doctor.finding import Finding, error, ok, warning
from daemon.doctor.place import Place
from daemon.paths import archive_path

_OTHERS = 0o077
_TIGHT_BYTES, _FULL_BYTES = 1_000_000_000, 200_000_000


def folders(place: Place) -> Iterator[Finding]:
    """The four folders are there. All but the inbox come with the first run."""
    worked = archive_path(place.folders.state).exists()
    missing = [(name, path) for name, path in _named(place) if not path.is_dir()]
    for name, path in missing:
        if path.exists():
            told = f"{path} is not a folder."
            yield error(f"folder {name}", told, "Move it away, or choose another folder in memproc.toml, [folders].")
        elif worked or name == "inbox":
            told = f"{path} is not there. Was it moved, or its disk taken away?"
            yield error(f"folder {name}", told, "Put it back; to make a new one: memproc init")
        else:
            yield warning(f"folder {name}", f"{path} is not there yet.", "memproc init")
    if not missing:
        yield ok("folders", f"All four are there: {', '.join(str(path) for _, path in _named(place))}.")


def rights(place: Place) -> Iterator[Finding]:
    """The folders belong to the account, which may use them, and nobody else can look into them (0700, 0600)."""
    if place.machine.system == "win32":
        yield ok("rights", "On Windows, what lies in a person's own folders is theirs alone.")
        return
    found = [finding for name, path in _there(place) for finding in _rights(place, name, path)]
    yield from found or [ok("rights", "What memproc keeps is yours, and nobody else can read it.")]


def disk(place: Place) -> Iterator[Finding]:
    """There is room on each disk that the folders lie on: below 200 MB is an error, below 1 GB a warning."""
    disks: dict[int, list[str]] = {}
    room: dict[int, int] = {}
    for name, path in _there(place):
        number = path.stat().st_dev
        disks.setdefault(number, []).append(name)
        room.setdefault(number, place.free(path))
    for number, names in disks.items():
        told = f"{room[number] / 1e9:,.1f} GB are free for {', '.join(names)}."
        if room[number] < _FULL_BYTES:
            yield error("disk space", told, "Free some space: below 200 MB the next write may fail.")
        elif room[number] < _TIGHT_BYTES:
            yield warning("disk space", told, "Free some space before it runs out.")
        else:
            yield ok("disk space", told)


def _rights(place: Place, name: str, path: Path) -> Iterator[Finding]:
    stands = path.stat()
    if stands.st_uid != place.machine.user:
        told = f"{path} belongs to another account (number {stands.st_uid})."
        yield error(f"folder {name}", told, f"sudo chown -R {place.machine.user} {quote(str(path))}")
    elif not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        told = f"{path} cannot be read and written by your account."
        yield error(f"folder {name}", told, f"chmod u+rwx {quote(str(path))}")
    elif stands.st_mode & _OTHERS:
        told = f"Other accounts can look into {path}, where your conversations lie."
        yield warning(f"folder {name}", told, f"chmod 700 {quote(str(path))}")
    elif name != "inbox" and (open_to_others := [file for file in path.rglob("*") if _is_open(file)]):
        told = f"In {path}, other accounts have rights to {open_to_others[0]} ({len(open_to_others):,} in all)."
        yield warning(f"folder {name}", told, f"chmod -R go= {quote(str(path))}")


def _is_open(file: Path) -> bool:
    """Whether others have rights to a file; one that has just gone has none."""
    try:
        return bool(file.lstat().st_mode & _OTHERS) and not file.is_symlink()
    except FileNotFoundError:
        return False


def _named(place: Place) -> tuple[tuple[str, Path], ...]:
    house = place.folders
    return (("inbox", house.inbox), ("updated", house.updated), ("backups", house.backups), ("state", house.state))


def _there(place: Place) -> list[tuple[str, Path]]:
    return [(name, path) for name, path in _named(place) if path.is_dir()]
