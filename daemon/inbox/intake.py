"""Takes a file that stands still: a copy of our own, named by its content, that nothing can change any more.

temp beside the copies -> copy and hash -> was it changed meanwhile? -> flush -> into its place -> flush the folder
"""

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from daemon.archive.archive import Archive
from daemon.archive.arrivals import Arrival, is_needed
from daemon.files.candidates import sighting_of
from daemon.files.paths import arrivals_folder
from daemon.files.write import TEMPORARY, file_errors, flush_file, flush_folder, make_private, put_in_place
from daemon.inbox.complete import open_file
from rules.arrival import Sighting
from rules.errors import FileTrouble

_BLOCK = 1 << 20
_CHANGED = "it changed while it was copied"


@dataclass(frozen=True, slots=True)
class Taken:
    """The copy stands in its place and lasts; `size` is in bytes."""

    path: Path
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class NotWanted:
    """The content needs no work, for this reason, so no copy was kept."""

    sha256: str
    reason: str


@dataclass(frozen=True, slots=True)
class Changed:
    """The file was changed, replaced or taken away under our hands, so no copy was kept."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotTaken:
    """memproc could not write the copy (disk full, folder not writable): no other file can be taken either."""

    reason: str
    next_step: str


@dataclass(frozen=True, slots=True)
class _Copied:
    sha256: str
    size: int


def copy_path(state: Path, content_sha256: str, name: str) -> Path:
    """Where the copy of a content lies that was dropped under this `name`."""
    return arrivals_folder(state) / f"{content_sha256}{Path(name).suffix.lower()}"


def take(
    source: Path, sighting: Sighting, state: Path, known: Callable[[str], str | None]
) -> Taken | NotWanted | Changed | NotTaken:
    """Copy the file that `sighting` describes into the state folder, rights 0600, unless it is another by now.

    `known` is asked with the content's SHA-256 why it needs no work; None means that it does. What is given
    back as Taken outlasts a power cut; in all other cases nothing unfinished is left behind.
    """
    try:
        make_private(arrivals_folder(state))
        return _take(source, sighting, state, known)
    except FileTrouble as trouble:
        return NotTaken(trouble.message, trouble.next_step)


def forget_copy(archive: Archive, state: Path, arrival: Arrival) -> None:
    """Remove the copy of a finished arrival, unless another one that is not finished has the same content.

    Raises FileTrouble.
    """
    if arrival.sha256 is None or is_needed(archive, arrival.sha256):
        return
    path = copy_path(state, arrival.sha256, arrival.path)
    with file_errors(path, "removed"):
        path.unlink(missing_ok=True)


def _take(
    source: Path, sighting: Sighting, state: Path, known: Callable[[str], str | None]
) -> Taken | NotWanted | Changed | NotTaken:
    folder = arrivals_folder(state)
    with file_errors(folder, "written to"):
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=folder)
    temp = Path(name)
    try:
        with os.fdopen(handle, "wb", buffering=0) as copy:
            copied = _copy(source, sighting, copy)
            if isinstance(copied, Changed):
                return copied
            if reason := known(copied.sha256):
                return NotWanted(copied.sha256, reason)
            with file_errors(temp, "written"):
                flush_file(copy.fileno())
        place = copy_path(state, copied.sha256, source.name)
        with file_errors(place, "written"):
            put_in_place(temp, place)
            flush_folder(folder)
        return Taken(place, copied.sha256, copied.size)
    finally:
        # Gone when all went well. If the disk refuses this too, the first error is the one to tell.
        with suppress(OSError):
            temp.unlink(missing_ok=True)


def _copy(source: Path, sighting: Sighting, copy: BinaryIO) -> _Copied | Changed:
    """The whole content into `copy`, and its hash, if it is the same file from the beginning to the end."""
    try:
        with open_file(source) as file:
            if sighting_of(os.fstat(file.fileno())) != sighting:
                return Changed(_CHANGED)
            copied = _pour(file, copy, sighting.size)
            unchanged = sighting_of(os.fstat(file.fileno())) == sighting
        same_place = sighting_of(os.lstat(source)) == sighting
    except OSError as error:
        return Changed(f"it could not be read to its end: {error.strerror or error}")
    return copied if unchanged and same_place and copied.size == sighting.size else Changed(_CHANGED)


def _pour(file: BinaryIO, copy: BinaryIO, size: int) -> _Copied:
    digest, poured = sha256(), 0
    while poured <= size and (block := file.read(_BLOCK)):
        digest.update(block)
        with file_errors(Path(str(copy.name)), "written"):
            copy.write(block)
        poured += len(block)
    return _Copied(digest.hexdigest(), poured)
