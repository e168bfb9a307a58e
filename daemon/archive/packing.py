"""How a raw message's bytes are stored: packed where that is smaller, and never handed out unless they are the same."""

import zlib
from hashlib import sha256

from rules.errors import ArchiveError

_SMALLEST_PACKED_BYTES = 200


def packed(raw: bytes) -> tuple[bytes, int]:
    """The bytes to store, and 1 where they are packed with zlib, else 0."""
    smaller = zlib.compress(raw, 6) if len(raw) >= _SMALLEST_PACKED_BYTES else raw
    return (smaller, 1) if len(smaller) < len(raw) else (raw, 0)


def unpacked(stored: bytes, is_packed: int, expected: str) -> bytes:
    """The raw message's own bytes (D1). Raises ArchiveError unless their SHA-256 is the expected one."""
    raw = _plain(stored) if is_packed else stored
    if raw is None or sha256(raw).hexdigest() != expected:
        raise ArchiveError("A raw message in the archive is damaged.", "See what else is, with: memproc verify")
    return raw


def _plain(stored: bytes) -> bytes | None:
    try:
        return zlib.decompress(stored)
    except zlib.error:
        return None
