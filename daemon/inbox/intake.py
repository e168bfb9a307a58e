"""Take a complete file out of the inbox: a copy of our own, named by its content, that nothing can change any more.

A JSON text is complete with its last bracket, a ZIP with its directory. A file that is neither counts as complete:
whoever reads it as an export will say what it is.

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
from daemon.archive.arrivals import Arrival, change_state, find_arrival, is_needed
from daemon.files.candidates import LARGEST_BYTES, sighting_of
from daemon.files.paths import arrivals_folder
from daemon.files.write import BLOCK, TEMPORARY, file_errors, flush_file, flush_folder, make_private, put_in_place
from rules.arrival import Closed, Content, Open, Sighting, State, Unfinished, Unfit, Whole, follow
from rules.errors import FileTrouble

_TAIL_BYTES = 256 << 10
_MIB = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
_ZIP_SIGNS = (b"PK\x03\x04", b"PK\x05\x06")
_DIRECTORY = b"PK\x01\x02"
_DIRECTORY_END = b"PK\x05\x06"
_END_BYTES = 22
_LONGEST_COMMENT = 0xFFFF
_IN_LARGE_FORM = 0xFFFFFFFF


def look_inside(path: Path) -> Content:
    """Whether the content is complete; at most a megabyte or two of it is in memory at once.

    Links are not followed. What cannot be opened or read counts as unfinished, with the system's reason:
    another program may hold it.
    """
    try:
        with open_file(path) as file:
            return _content(file, os.fstat(file.fileno()).st_size)
    except OSError as error:
        return Unfinished(f"it cannot be read yet: {error.strerror or error}")


def open_file(path: Path) -> BinaryIO:
    """Open a regular file for reading, never through a link, never waiting. Raises OSError."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_CLOEXEC"):
        flags |= getattr(os, name, 0)
    return os.fdopen(os.open(path, flags), "rb")


def _content(file: BinaryIO, size: int) -> Content:
    if size > LARGEST_BYTES:
        return Unfit(
            f"it has {size / _MIB:,.0f} MiB, and memproc reads exports of up to {LARGEST_BYTES / _MIB:,.0f} MiB",
            "Export single chats instead of everything at once.",
        )
    begin = file.read(4)
    if _is_cut_off(begin):
        return Unfinished(f"it has {size} bytes so far" if size else "it is empty so far")
    file.seek(0)
    if not begin.strip(b"\0"):
        return Unfinished("it holds zeros so far")  # its place on the disk is kept, and not filled yet
    return _zip(file, size) if begin in _ZIP_SIGNS else _json(file)


def _is_cut_off(begin: bytes) -> bool:
    """Whether these first bytes, if they are all, end inside the sign that a file of our kinds begins with."""
    return any(len(begin) < len(sign) and sign.startswith(begin) for sign in (*_ZIP_SIGNS, _BYTE_ORDER_MARK))


def _json(file: BinaryIO) -> Content:
    block = file.read(_TAIL_BYTES)
    read = len(block)
    text = block.removeprefix(_BYTE_ORDER_MARK).lstrip(_SPACE)
    while block and not text:
        block = file.read(_TAIL_BYTES)
        read += len(block)
        text = block.lstrip(_SPACE)
    if not text:
        return Unfinished("it is empty so far")
    return _closed(file, text, read) if text[:1] in (b"{", b"[") else Whole()


def _closed(file: BinaryIO, text: bytes, read: int) -> Content:
    state = Open()
    while text:
        if (hole := text.find(b"\0")) >= 0:
            # JSON has no zero bytes: programs that fetch a file in pieces leave them where a piece is missing.
            return Unfinished(f"JSON has a gap at byte {read - len(text) + hole}")
        after = follow(state, text)
        if isinstance(after, Closed):
            return Whole()
        state = after
        text = file.read(_TAIL_BYTES)
        read += len(text)
    return Unfinished(f"JSON not closed at byte {read}")


def _zip(file: BinaryIO, size: int) -> Content:
    """A ZIP's directory is written last: with it, the file is complete."""
    tail = min(size, _END_BYTES + _LONGEST_COMMENT)
    file.seek(size - tail)
    end = file.read(tail)
    place = end.rfind(_DIRECTORY_END)
    if place < 0 or len(end) - place < _END_BYTES:
        return Unfinished(f"ZIP without its directory at byte {size}")
    entries = int.from_bytes(end[place + 10 : place + 12], "little")
    length = int.from_bytes(end[place + 12 : place + 16], "little")
    offset = int.from_bytes(end[place + 16 : place + 20], "little")
    if entries == 0 or _IN_LARGE_FORM in (length, offset):
        return Whole()  # nothing inside, or the directory is described elsewhere: the reader will see
    file.seek(offset)  # from the beginning, so that the directory of a ZIP inside this one does not count
    return Whole() if file.read(4) == _DIRECTORY else Unfinished(f"ZIP without its directory at byte {size}")


_CHANGED = "it changed while it was copied"
_REASON = "its work was put off, and is tried again"
_AGAIN: tuple[State, ...] = ("waiting", "paused", "set aside", "written")


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
    while poured <= size and (block := file.read(BLOCK)):
        digest.update(block)
        with file_errors(Path(str(copy.name)), "written"):
            copy.write(block)
        poured += len(block)
    return _Copied(digest.hexdigest(), poured)


def enqueue(
    archive: Archive, state: Path, arrivals: tuple[int, ...], now: str, *, done: bool = False
) -> tuple[int, ...]:
    """Have these arrivals worked on again, with all their tries; gives back those that can be.

    With `done`, those too on which there was nothing to do.

    memproc's copy is used, or made again where the dropped file still lies there as it was. `state` is the
    state folder.
    """
    enqueued = []
    for number in arrivals:
        arrival = find_arrival(archive, number)
        if (arrival.state in _AGAIN or (done and arrival.state == "done")) and _has_copy(state, arrival):
            change_state(archive, number, "copied", _REASON, "", now, tries=0)
            enqueued.append(number)
    return tuple(enqueued)


def content_of(state: Path, arrival: Arrival) -> Path | None:
    """Where the content of an arrival can be read: memproc's copy, or the dropped file as it was; else None."""
    if arrival.sha256 and (copy := copy_path(state, arrival.sha256, arrival.path)).is_file():
        return copy
    return Path(arrival.path) if _lies_there(arrival) else None


def _lies_there(arrival: Arrival) -> bool:
    try:
        return sighting_of(Path(arrival.path).lstat()) == arrival.sighting
    except OSError:
        return False


def _has_copy(state: Path, arrival: Arrival) -> bool:
    """Whether memproc's copy is there, or could be made again."""
    path = content_of(state, arrival)
    if path is None or path != Path(arrival.path):
        return path is not None
    taken = take(path, arrival.sighting, state, lambda found: None if found == arrival.sha256 else "it is another")
    return isinstance(taken, Taken)
