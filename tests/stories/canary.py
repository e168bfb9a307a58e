"""A key that sings: where it, or a piece of it, stands in anything that a person's memproc has left."""

import gzip
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

CANARY = "canaryQ7zt3WbXk9LmPv2RsYd5HfJc8Ng4Tw"
_PIECE = 12
_PIECES = [CANARY[at : at + _PIECE].encode() for at in range(len(CANARY) - _PIECE + 1)]
_SQLITE = b"SQLite format 3\x00"


def sings(content: bytes | str) -> bool:
    """Whether the key, or twelve characters of it in a row, stand in something."""
    said = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    return any(piece in said for piece in _PIECES)


def perches(*folders: Path) -> list[str]:
    """Every place in these folders where it stands, but for `keys.env` itself. What is packed is unpacked."""
    files = (
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and path.name != "keys.env"
    )
    return [
        f"{path} ({place})" for path in files for place, content in _layers(path) if sings(content)
    ]


def _layers(path: Path) -> Iterator[tuple[str, bytes]]:
    content = path.read_bytes()
    yield "name", str(path).encode()
    yield "bytes", content
    if content.startswith(b"\x1f\x8b"):
        yield "unpacked", gzip.decompress(content)
    if content.startswith(_SQLITE):
        yield from _rows(path)


def _rows(path: Path) -> Iterator[tuple[str, bytes]]:
    """Every value of a database, on a copy, so that what a killed process left in its log is not tidied away."""
    with TemporaryDirectory() as folder:
        for part in path.parent.glob(f"{path.name}*"):
            shutil.copy(part, folder)
        with closing(sqlite3.connect(Path(folder) / path.name)) as database:
            tables = database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            ).fetchall()
            for (table,) in tables:
                for row in database.execute(f'SELECT * FROM "{table}"'):
                    for value in row:
                        yield from ((table, layer) for layer in _unpacked(value))


def _unpacked(value: object) -> Iterator[bytes]:
    content = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
    yield content
    with suppress(zlib.error):
        yield zlib.decompress(content)
