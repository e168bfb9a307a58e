"""Pack files with gzip, unpack them block by block, and hash them."""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from hashlib import file_digest, sha256
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from daemon.files.reasons import file_errors
from rules.errors import FileTrouble

BLOCK = 1 << 20
"""Bytes read at once."""


def pack(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the `blocks` as a gzip file without a name or a time in it."""
    packed = BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=packed, mtime=0) as file:
        for block in blocks:
            file.write(block)
            yield packed.getvalue()
            packed.seek(0)
            packed.truncate()
    yield packed.getvalue()


def read_blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the rest of an open file, block by block."""
    while block := file.read(BLOCK):
        yield block


def unpack(path: Path, size: int, content_sha256: str) -> Iterator[bytes]:
    """Yield the content of a kept file, block by block, never more than its `size` in bytes.

    Raise FileTrouble when the file cannot be read, and at the end when the content is not what was
    kept. So use nothing of it before the last block has come.
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
        except (gzip.BadGzipFile, EOFError, zlib.error):
            left = -1
    if left or digest.hexdigest() != content_sha256:
        raise FileTrouble(
            f"{path} is damaged: what is in it is not what was kept.",
            "`memproc versions` lists the other versions that are kept.",
        )


def sha256_of(path: Path) -> str | None:
    """Return the hash of the file's bytes, or None where there is no file that can be read."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
