"""An answer of HTTP in bounds, of bytes after decompression and of seconds.

A library decompresses all that it is sent: one gigabyte fits into a megabyte of gzip.
"""

import zlib
from collections.abc import Iterator
from time import monotonic

import httpx

TAKEN_ENCODINGS = "gzip, deflate"
"""What requests say that memproc decompresses; an answer in another encoding is not read."""
_MOST_SECONDS = 600.0
"""For all of an answer, from its first byte."""
_PIECE_BYTES = 1 << 18
_ANY_HEADER = zlib.MAX_WBITS | 32
_PLAIN = ("", "identity")
_PACKED = ("gzip", "x-gzip", "deflate")


class TooManyBytes(Exception):
    """An answer had more bytes than its bound."""


class BoundedBody(httpx.SyncByteStream):
    """The bytes of an answer as they come, decompressed; raises TooManyBytes beyond `most`."""

    def __init__(self, stream: httpx.SyncByteStream, encoding: str, most: int) -> None:
        self._stream = stream
        self._encoding = encoding.strip().lower()
        self._most = most

    def __iter__(self) -> Iterator[bytes]:
        count, ends = 0, monotonic() + _MOST_SECONDS
        for piece in self._decompressed():
            count += len(piece)
            if count > self._most:
                raise TooManyBytes
            if monotonic() > ends:
                raise httpx.ReadTimeout("The answer did not end in time.")
            yield piece

    def _decompressed(self) -> Iterator[bytes]:
        if self._encoding in _PLAIN:
            yield from self._stream
            return
        if self._encoding not in _PACKED:
            raise httpx.DecodingError("The answer is packed in a way that memproc does not read.")
        unpacker = zlib.decompressobj(_ANY_HEADER)
        try:
            for packed in self._stream:
                while packed:
                    yield unpacker.decompress(packed, _PIECE_BYTES)
                    packed = unpacker.unconsumed_tail
            yield unpacker.flush()
        except zlib.error as fault:
            raise httpx.DecodingError("The answer cannot be decompressed.") from fault

    def close(self) -> None:
        """Close the connection's stream."""
        self._stream.close()


def bound(response: httpx.Response, most: int) -> None:
    """Let an answer that is not read yet be decompressed as it comes, up to `most` bytes."""
    assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101  not asynchronous
    response.stream = BoundedBody(
        response.stream, response.headers.pop("content-encoding", ""), most
    )
    response.headers.pop("content-length", None)
