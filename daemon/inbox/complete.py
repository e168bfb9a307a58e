"""Whether a file in the inbox is complete: a JSON text closed to its last bracket, a ZIP with its directory.

A file that is neither counts as complete: whoever reads it as an export will say what it is.
"""

import os
from pathlib import Path
from typing import BinaryIO

from rules.arrival import Closed, Content, Open, Unfinished, Unfit, Whole, follow

LARGEST_BYTES = 512 << 20
"""No export larger than this is read."""

_BLOCK = 256 << 10
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
    block = file.read(_BLOCK)
    read = len(block)
    text = block.removeprefix(_BYTE_ORDER_MARK).lstrip(_SPACE)
    while block and not text:
        block = file.read(_BLOCK)
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
        text = file.read(_BLOCK)
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
