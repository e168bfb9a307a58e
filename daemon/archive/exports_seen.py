"""Exports that were processed, by their content: what was dropped, and when."""

from daemon.archive.archive import Archive


def record_export(archive: Archive, sha256: str, path: str, size: int, when: str) -> None:
    """Remember that an export of this content was read; the same content at the same place is one row."""
    with archive.transaction():
        known = archive.one("SELECT id FROM file_seen WHERE sha256 = ? AND path = ?", (sha256, path))
        if known is None:
            archive.run(
                "INSERT INTO file_seen (sha256, path, size, seen_at) VALUES (?, ?, ?, ?)", (sha256, path, size, when)
            )
