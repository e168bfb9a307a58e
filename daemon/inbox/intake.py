"""Take a complete file out of the inbox: a copy of our own, named by its content.

A file that is neither JSON nor a ZIP counts as complete. Where its name is no export's, the scanner
says what it is, and it is not taken; else the reader of exports does.

A temporary file next to the copies -> copy and hash -> was it changed meanwhile? -> flush -> into
its place -> flush the folder
"""

import os
import zipfile
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from time import time_ns
from typing import BinaryIO

from daemon.archive.archive import Archive
from daemon.archive.arrivals import Arrival, change_state, find_arrival, is_needed
from daemon.files.candidates import LARGEST_BYTES, export_parts, open_file, sighting_at
from daemon.files.foreign import program_at
from daemon.files.packing import BLOCK, open_dropped
from daemon.files.paths import arrivals_folder
from daemon.files.private import flush_folder, make_private
from daemon.files.reasons import file_errors
from daemon.files.write import flush_file, put_in_place, temporary_file
from rules.arrival import Incomplete, Sighting, State
from rules.errors import FileTrouble

_END_BYTES = 64 << 10
"""How much of a file's beginning and end is looked at."""
_MIB = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ZIP_SIGNS = (b"PK\x03\x04", b"PK\x05\x06")
_BLANKS = b" \t\r\n"
_CHANGED = "it changed while it was copied"
_TRIED_AGAIN = "its work was put off, and is tried again"
_AGAIN: tuple[State, ...] = ("waiting", "paused", "skipped", "written")


class Changed(Exception):
    """The file was changed, replaced or removed meanwhile, so no copy was kept; it says how."""


def look_inside(path: Path) -> Incomplete | None:
    """Return why the content is not to be taken as it is, or None; only its two ends are read.

    A JSON text is complete if it ends with a bracket, a ZIP if it has its directory. What was cut
    off at a bracket by chance is left to the reader of exports, which says so. What another program
    exported is never taken: the person chooses what to bring from it. Links are not followed. A
    file that cannot be opened or read counts as incomplete, with the system's reason: another
    program may hold it.
    """
    try:
        size, foreign = sighting_at(path).size, program_at(path)
        if foreign:
            reason = f"it is {foreign.what}, and waits for you"
            return Incomplete(reason, foreign.step_for(path.name))
        if size > LARGEST_BYTES:
            most = f"memproc reads exports of up to {LARGEST_BYTES / _MIB:,.0f} MiB"
            next_step = "Export single chats instead of everything at once."
            return Incomplete(f"it has {size / _MIB:,.0f} MiB, and {most}", next_step)
        return next(filter(None, map(_look_at_part, export_parts(path) or (path,))), None)
    except OSError as error:
        return Incomplete(f"it cannot be read yet: {error.strerror or error}")


def _look_at_part(path: Path) -> Incomplete | None:
    """Return why a file is not complete, or None. Raise OSError."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        begin = file.read(_END_BYTES)
        if begin.startswith(_ZIP_SIGNS):
            is_whole = zipfile.is_zipfile(file)
            return None if is_whole else Incomplete(f"ZIP without its directory at byte {size}")
        file.seek(max(0, size - _END_BYTES))
        last = file.read(_END_BYTES).rstrip(_BLANKS)[-1:]
    signs = (*_ZIP_SIGNS, _BYTE_ORDER_MARK)
    if size and any(sign.startswith(begin) for sign in signs):
        return Incomplete(f"it has {size} bytes so far")
    if begin and not begin.strip(b"\0"):  # its place on the disk is kept, and not filled yet
        return Incomplete("it holds zeros so far")
    text = begin.removeprefix(_BYTE_ORDER_MARK).lstrip(_BLANKS)
    if not text and last in _BYTE_ORDER_MARK:
        return Incomplete("it is empty so far")
    if text[:1] in (b"{", b"[") and last not in (b"}", b"]"):
        return Incomplete(f"JSON not closed at byte {size}")
    return None


def take(
    source: Path, sighting: Sighting, state: Path, known: Callable[[str], str | None]
) -> tuple[str, str]:
    """Copy the file that `sighting` describes into the state folder, rights 0600.

    Return its SHA-256, and the reason of `known` why that content needs no work; then no copy is
    kept. A copy is as old as the file, so that an older export never passes for a newer one. It
    outlasts a power cut, and nothing unfinished is ever left. Raise Changed where the file is
    another by now, and FileTrouble where none can be taken: the disk is full, the folder not
    writable.
    """
    folder = arrivals_folder(state)
    make_private(folder)
    with temporary_file(folder) as temp:
        with temp.open("r+b", buffering=0) as copy:
            digest = _copy(source, sighting, copy)
            if reason := known(digest):
                return digest, reason
            with file_errors(temp, "written"):
                flush_file(copy.fileno())
        place = copy_path(state, digest, source.name)
        with suppress(OSError):  # a disk that cannot keep such a time keeps today's
            os.utime(temp, ns=(time_ns(), sighting.mtime_ns))
        with file_errors(place, "written"):
            put_in_place(temp, place)
            flush_folder(folder)
        return digest, ""


def _copy(source: Path, sighting: Sighting, copy: BinaryIO) -> str:
    """Copy the whole content, and return its SHA-256, if the file stays the same to the end."""
    try:
        if sighting_at(source) != sighting:
            raise Changed(_CHANGED)
        with open_dropped(source) as file:
            size = os.fstat(file.fileno()).st_size if source.is_dir() else sighting.size
            digest, poured = _pour(file, copy, size)
        is_same = sighting_at(source) == sighting
    except OSError as error:
        raise Changed(f"it could not be read to its end: {error.strerror or error}") from error
    if not is_same or poured != size:
        raise Changed(_CHANGED)
    return digest


def _pour(file: BinaryIO, copy: BinaryIO, size: int) -> tuple[str, int]:
    """Copy at most a block beyond `size`; return the SHA-256, and the number of bytes copied."""
    digest, poured = sha256(), 0
    while poured <= size and (block := file.read(BLOCK)):
        digest.update(block)
        with file_errors(Path(str(copy.name)), "written"):
            left = memoryview(block)
            while left:  # on a disk that is nearly full, only a part is written at first
                left = left[copy.write(left) :]
        poured += len(block)
    return digest.hexdigest(), poured


def copy_path(state: Path, content_sha256: str, name: str) -> Path:
    """Return the path of memproc's copy of a content that was dropped under this `name`."""
    return arrivals_folder(state) / f"{content_sha256}{Path(name).suffix.lower()}"


def forget_copy(archive: Archive, state: Path, arrival: Arrival) -> None:
    """Remove the copy of a finished arrival, unless an unfinished one has the same content.

    Raise FileTrouble.
    """
    if arrival.sha256 is None or is_needed(archive, arrival.sha256):
        return
    path = copy_path(state, arrival.sha256, arrival.path)
    with file_errors(path, "removed"):
        path.unlink(missing_ok=True)


def content_of(state: Path, arrival: Arrival) -> Path | None:
    """Return where an arrival can be read: memproc's copy, or the dropped file; else None."""
    if arrival.sha256:
        copy = copy_path(state, arrival.sha256, arrival.path)
        if copy.is_file():
            return copy
    dropped = Path(arrival.path)
    with suppress(OSError):
        is_same = sighting_at(dropped) == arrival.sighting
        return dropped if is_same else None
    return None


def enqueue(
    archive: Archive, state: Path, arrivals: tuple[int, ...], now: str, *, done: bool = False
) -> tuple[int, ...]:
    """Have these arrivals worked on again, with all their tries; return those that can be.

    With `done`, include those that had nothing to do. Use memproc's copy, or make it again where
    the dropped file is still there, unchanged. `state` is the state folder.
    """
    enqueued = []
    for number in arrivals:
        arrival = find_arrival(archive, number)
        is_open = arrival.state in _AGAIN or (done and arrival.state == "done")
        if is_open and _has_copy(state, arrival):
            change_state(archive, number, "copied", _TRIED_AGAIN, "", now, tries=0)
            enqueued.append(number)
    return tuple(enqueued)


def _has_copy(state: Path, arrival: Arrival) -> bool:
    """Return whether memproc's copy is there, or could be made again."""
    path = content_of(state, arrival)
    if path != Path(arrival.path):
        return path is not None

    def known(digest: str) -> str:
        return "" if digest == arrival.sha256 else "another"

    try:
        _, why_none = take(path, arrival.sighting, state, known)
    except (Changed, FileTrouble):
        return False
    return not why_none
