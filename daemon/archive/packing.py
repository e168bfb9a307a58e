"""The bytes of raw messages as they are stored: packed with zlib where that is smaller."""

import zlib
from contextlib import suppress
from hashlib import sha256

from daemon.archive.trouble import MEND
from rules.errors import DamagedChat

_SMALLEST_PACKED_BYTES = 200


def packed(raw: bytes) -> tuple[bytes, int]:
    """Return the bytes to store, and 1 where they are packed, else 0."""
    smaller = zlib.compress(raw, 6) if len(raw) >= _SMALLEST_PACKED_BYTES else raw
    return (smaller, 1) if len(smaller) < len(raw) else (raw, 0)


def unpacked(stored: object, is_packed: object, expected: str) -> bytes:
    """Return the raw message's own bytes. Raises DamagedChat unless they have this SHA-256."""
    raw = stored
    if is_packed and isinstance(stored, bytes):
        with suppress(zlib.error):
            raw = zlib.decompress(stored)
    if not isinstance(raw, bytes) or sha256(raw).hexdigest() != expected:
        raise DamagedChat(
            "A raw message in the archive is damaged.",
            f"See what else is, with: memproc verify. {MEND}",
        )
    return raw
