"""Reads a text in blocks, later once more, and proves that each block is what it was the first time."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import BinaryIO

from rules.export.spans import Span

BLOCK_BYTES = 1 << 18


class OtherBytes(Exception):
    """What is read now is not what was read before."""


def first_time(file: BinaryIO, hashes: list[bytes]) -> Iterator[bytes]:
    """The blocks of a text from its beginning, at least one; the hash of each is added to `hashes`."""
    while (block := file.read(BLOCK_BYTES)) or not hashes:
        hashes.append(sha256(block).digest())
        yield block


class Again:
    """The same text once more. Going forwards is quick, also in a ZIP. Raises OtherBytes where it has changed."""

    def __init__(self, file: BinaryIO, hashes: Sequence[bytes]) -> None:
        self._file = file
        self._hashes = hashes
        self._number = -1
        self._block = b""

    def __iter__(self) -> Iterator[bytes]:
        return (self._read(number) for number in range(len(self._hashes)))

    def slice(self, span: Span) -> bytes:
        """The bytes of that span, which is not empty."""
        first = span.start // BLOCK_BYTES
        blocks = b"".join(self._read(number) for number in range(first, (span.stop - 1) // BLOCK_BYTES + 1))
        return blocks[span.start - first * BLOCK_BYTES : span.stop - first * BLOCK_BYTES]

    def _read(self, number: int) -> bytes:
        if number != self._number:
            self._file.seek(number * BLOCK_BYTES)
            self._number, self._block = number, self._file.read(BLOCK_BYTES)
            if sha256(self._block).digest() != self._hashes[number]:
                raise OtherBytes
        return self._block
