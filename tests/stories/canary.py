"""Look for a key, the canary, or a piece of it, in everything that a person's memproc has left."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.stories.databases import values_in

CANARY = "canaryQ7zt3WbXk9LmPv2RsYd5HfJc8Ng4Tw"
_PIECE = 12
_PIECES = [CANARY[at : at + _PIECE].encode() for at in range(len(CANARY) - _PIECE + 1)]
_SQLITE = b"SQLite format 3\x00"


def sings(content: bytes | str) -> bool:
    """Return whether the content contains the key, or twelve consecutive characters of it."""
    said = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    return any(piece in said for piece in _PIECES)


def perches(*folders: Path) -> list[str]:
    """Return every place in these folders that contains the key, except `keys.env`. Packed content is unpacked."""
    files = (
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and path.name != "keys.env"
    )
    return [
        f"{path} ({place})" for path in files for place, content in layers(path) if sings(content)
    ]


def layers(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield all contents of a file: its name, its bytes, the unpacked bytes, and each value of a database."""
    content = path.read_bytes()
    yield "name", str(path).encode()
    yield "bytes", content
    if content.startswith(b"\x1f\x8b"):
        yield "unpacked", gzip.decompress(content)
    if content.startswith(_SQLITE):
        for table, value in values_in(path):
            yield from ((table, layer) for layer in _unpacked(value))


def _unpacked(value: object) -> Iterator[bytes]:
    content = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
    yield content
    with suppress(zlib.error):
        yield zlib.decompress(content)
