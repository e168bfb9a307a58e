"""One version of a raw message: its bytes are kept once, however many chats have them (forks share them)."""

import hashlib

from daemon.archive.archive import Archive
from daemon.archive.packing import packed
from rules.typingmind.message import Message


def insert_version(archive: Archive, message: int, number: int, said: Message, when: str) -> int:
    """Keep what a message says now, within a transaction of the caller's; the version's row."""
    sha256 = hashlib.sha256(said.raw).hexdigest()
    archive.run("INSERT OR IGNORE INTO body (sha256, raw, packed) VALUES (?, ?, ?)", (sha256, *packed(said.raw)))
    row = archive.run(
        """
        INSERT INTO version (message, number, sha256, digest, uuid, role, created_at, seen_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
        """,
        (message, number, sha256, said.digest, said.uuid, said.role, said.created_at, when),
    )
    return int(row[0][0])
