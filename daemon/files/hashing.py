"""The SHA-256 of a file, read in blocks."""

import hashlib
from pathlib import Path


def sha256_of(path: Path) -> str | None:
    """The hash of the file's bytes, or None where there is no file that can be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
