"""Packs what is kept as gzip, the same bytes for the same content every time, and unpacks it."""

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from daemon.files.write import file_errors
from rules.errors import FileTrouble

BLOCK = 1 << 20
"""Bytes read at once."""

_LEVEL = 6
# Written by hand, because zlib puts the kind of system here, and gzip tools the time and the name.
_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_PLAIN_DEFLATE = -zlib.MAX_WBITS
_WITH_HEADER = zlib.MAX_WBITS | 16
_NEXT = "`memproc versions` lists the other versions that are kept."


def pack(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The `blocks` as a gzip file without a name or a time in it."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _PLAIN_DEFLATE)
    sum_so_far, size = 0, 0
    yield _HEADER
    for block in blocks:
        sum_so_far = zlib.crc32(block, sum_so_far)
        size += len(block)
        yield packer.compress(block)
    yield packer.flush()
    yield sum_so_far.to_bytes(4, "little") + (size & 0xFFFFFFFF).to_bytes(4, "little")


def read_blocks(file: BinaryIO) -> Iterator[bytes]:
    """The rest of an open file, block by block."""
    while block := file.read(BLOCK):
        yield block


def unpack(path: Path, size: int, content_sha256: str) -> Iterator[bytes]:
    """The content of a kept file, block by block, never more than its `size` in bytes.

    Raises FileTrouble when the file cannot be read, and at the end when the content is not the one that
    was kept. So use nothing of it before the last block has come.
    """
    digest, left = sha256(), size
    unpacker = zlib.decompressobj(_WITH_HEADER)
    with file_errors(path, "read"), path.open("rb") as file:
        try:
            for packed in read_blocks(file):
                while packed and not unpacker.eof:
                    block = unpacker.decompress(packed, BLOCK)
                    packed = unpacker.unconsumed_tail
                    left -= len(block)
                    if left < 0:
                        raise _damaged(path)
                    digest.update(block)
                    yield block
        except zlib.error as error:
            raise _damaged(path) from error
    if left or not unpacker.eof or digest.hexdigest() != content_sha256:
        raise _damaged(path)


def _damaged(path: Path) -> FileTrouble:
    return FileTrouble(f"{path} is damaged: what is in it is not what was kept.", _NEXT)


def sha256_of(path: Path) -> str | None:
    """The hash of the file's bytes, or None where there is no file that can be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
