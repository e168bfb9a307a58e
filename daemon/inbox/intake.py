"""Take a complete file from the inbox: make a copy of our own, named by its content.

A file that is neither JSON nor a ZIP counts as complete. If it is not named as exports are, the
scanner says what it is, and it is not taken; else the reader of exports says so.

Steps: temporary file next to the copies -> copy and hash -> changed meanwhile? -> flush -> move
into place -> flush the folder
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
"""The bytes that are read of a file's beginning and of its end."""
_MIB = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ZIP_SIGNS = (b"PK\x03\x04", b"PK\x05\x06")
_BLANKS = b" \t\r\n"
_CHANGED = "it changed while it was copied"
_TRIED_AGAIN = "its work was put off, and is tried again"
_AGAIN: tuple[State, ...] = ("waiting", "paused", "skipped", "written")


class Changed(Exception):
    """The file was changed, replaced or removed while it was copied, so no copy was kept."""


def look_inside(path: Path) -> Incomplete | None:
    """Return why the content must not be taken yet, or None; only its two ends are read.

    A JSON text is complete if it ends with a bracket, a ZIP if it has its directory. A text that
    happens to be cut off at a bracket is left to the reader of exports. Another program's export is
    never taken: the person chooses what to bring from it. Links are not followed. A file that
    cannot be opened or read counts as incomplete, with the system's reason: another program may
    have it open.
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
        return unreadable(error)


def unreadable(error: OSError) -> Incomplete:
    """Return that a file cannot be read now, with the system's reason."""
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
    if begin and not begin.strip(b"\0"):  # space is reserved on the disk, but not filled yet
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

    Return its SHA-256, and the reason that `known` gives why this content needs no work, or "". If
    there is a reason, no copy is kept. The copy gets the file's time, so that an older export never
    passes for a newer one. It survives a power cut, and nothing unfinished is left. Raise Changed
    where the file is a different one by now, and FileTrouble where no file can be taken: the disk
    is full, or the folder not writable.
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
        with suppress(OSError):  # a disk that cannot store such a time stores today's
            os.utime(temp, ns=(time_ns(), sighting.mtime_ns))
        with file_errors(place, "written"):
            put_in_place(temp, place)
            flush_folder(folder)
        return digest, ""


def _copy(source: Path, sighting: Sighting, copy: BinaryIO) -> str:
    """Copy the whole content, and return its SHA-256.

    Raise Changed unless the file stays the same.
    """
    try:
        if sighting_at(source) != sighting:
            raise Changed(_CHANGED)
        with open_dropped(source) as file:
            size = os.fstat(file.fileno()).st_size if source.is_dir() else sighting.size
            digest, copied = _copy_blocks(file, copy, size)
        is_same = sighting_at(source) == sighting
    except OSError as error:
        raise Changed(f"it could not be read to its end: {error.strerror or error}") from error
    if not is_same or copied != size:
        raise Changed(_CHANGED)
    return digest


def _copy_blocks(file: BinaryIO, copy: BinaryIO, size: int) -> tuple[str, int]:
    """Copy at most a block beyond `size`. Return the SHA-256, and the number of bytes copied."""
    digest, copied = sha256(), 0
    while copied <= size and (block := file.read(BLOCK)):
        digest.update(block)
        with file_errors(Path(str(copy.name)), "written"):
            unwritten = memoryview(block)
            while unwritten:  # on a nearly full disk, a write may take only a part
                unwritten = unwritten[copy.write(unwritten) :]
        copied += len(block)
    return digest.hexdigest(), copied


def copy_path(state: Path, content_sha256: str, name: str) -> Path:
    """Return the path of memproc's copy of a file with this content and `name`."""
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
    """Return the path to read an arrival at: memproc's copy, or the dropped file; else None."""
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
    """Queue these arrivals again, with all their attempts. Return those that could be queued.

    With `done`, those are included that had nothing to do. Each needs memproc's copy, which is made
    again if the dropped file is still there, unchanged. `state` is the state folder.
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
    """Return whether memproc's copy is there, making it again if possible."""
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
