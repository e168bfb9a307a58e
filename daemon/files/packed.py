"""Packs what is kept as gzip, the same bytes for the same content every time, and unpacks it."""

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from daemon.files.write import file_errors
from rules.errors import FileTrouble

BLOCK = 1 << 20
"""Bytes read at once."""
_LEVEL = 6
_NEXT = "`memproc versions` lists the other versions that are kept."


def pack(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The `blocks` as a gzip file without a name or a time in it."""
    packed = BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=_LEVEL, fileobj=packed, mtime=0) as file:
        for block in blocks:
            file.write(block)
            yield packed.getvalue()
            packed.seek(0)
            packed.truncate()
    yield packed.getvalue()


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
    with file_errors(path, "read"), path.open("rb") as packed:
        try:
            with gzip.GzipFile(fileobj=packed) as file:
                while left >= 0 and (block := file.read(min(BLOCK, left + 1))):
                    left -= len(block)
                    digest.update(block)
                    if left >= 0:
                        yield block
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise _damaged(path) from error
    if left or digest.hexdigest() != content_sha256:
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
