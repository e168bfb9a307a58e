"""Reads a text in blocks, later once more, and proves that each block is what it was the first time."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import BinaryIO

from rules.typingmind.spans import Span

BLOCK_BYTES = 1 << 18


class OtherBytes(Exception):
    """What is read now is not what was read before."""


def first_time(file: BinaryIO, hashes: list[bytes]) -> Iterator[bytes]:
    """The blocks of a text from its beginning, at least one.

    After each, the SHA-256 of all that was read so far is added to `hashes`; so the last is the whole text's.
    """
    digest = sha256()
    while (block := file.read(BLOCK_BYTES)) or not hashes:
        digest.update(block)
        hashes.append(digest.copy().digest())
        yield block


class Again:
    """The same text once more, from its beginning and only forwards. Raises OtherBytes where it has changed."""

    def __init__(self, file: BinaryIO, hashes: Sequence[bytes]) -> None:
        self._file = file
        self._hashes = iter(hashes)
        self._digest = sha256()
        self._start = 0
        self._block = b""

    def __iter__(self) -> Iterator[bytes]:
        for expected in self._hashes:
            yield self._next(expected)

    def slice(self, span: Span) -> bytes:
        """The bytes of that span, which does not begin before the last one's end."""
        pieces: list[bytes] = []
        while self._stop < span.stop:
            pieces.append(self._within(span))
            self._next(next(self._hashes))
        return b"".join([*pieces, self._within(span)])

    @property
    def _stop(self) -> int:
        return self._start + len(self._block)

    def _within(self, span: Span) -> bytes:
        return self._block[max(0, span.start - self._start) : max(0, span.stop - self._start)]

    def _next(self, expected: bytes) -> bytes:
        self._start, self._block = self._stop, self._file.read(BLOCK_BYTES)
        self._digest.update(self._block)
        if self._digest.copy().digest() != expected:
            raise OtherBytes
        return self._block
