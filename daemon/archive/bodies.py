"""Packs the bytes of a raw message where that makes them smaller, and returns them only if they are the same."""

import zlib
from hashlib import sha256

from daemon.archive.errors import MEND
from rules.errors import DamagedChat

_SMALLEST_PACKED_BYTES = 200


def packed(raw: bytes) -> tuple[bytes, int]:
    """The bytes to store, and 1 where they are packed with zlib, else 0."""
    smaller = zlib.compress(raw, 6) if len(raw) >= _SMALLEST_PACKED_BYTES else raw
    return (smaller, 1) if len(smaller) < len(raw) else (raw, 0)


def unpacked(stored: object, is_packed: object, expected: str) -> bytes:
    """The raw message's own bytes. Raises DamagedChat unless their SHA-256 is the expected one."""
    raw = _plain(stored) if is_packed and isinstance(stored, bytes) else stored
    if not isinstance(raw, bytes) or sha256(raw).hexdigest() != expected:
        raise DamagedChat("A raw message in the archive is damaged.", f"See what else is, with: memproc verify. {MEND}")
    return raw


def _plain(stored: bytes) -> bytes | None:
    try:
        return zlib.decompress(stored)
    except zlib.error:
        return None
