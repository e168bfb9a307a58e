"""The tables of the archive, and the number by which an archive says that it has them.

The number is SQLite's `user_version`, next to an `application_id` of memproc's own: archives from
before 0.1.0 have neither, and are never taken for one of these.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from daemon.archive.seals import ends_of_rest

APPLICATION = 0x6D656D70
"""The letters "memp"."""
VERSION = 1
_SCHEMA = Path(__file__).with_name("schema.sql")
FROM_BEFORE = "is from before 0.1.0, and has other tables"
REBUILD = "Move it away, then: memproc rebuild. That reads the backups and the updated exports."


def making() -> Iterator[str]:
    """Yield the statements that make the tables of a new archive."""
    script = _SCHEMA.read_text("utf-8")
    statement = ""
    for line in script.splitlines(keepends=True):  # `executescript` would end the transaction
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    yield from ends_of_rest()
    yield f"PRAGMA application_id = {APPLICATION}"
    yield f"PRAGMA user_version = {VERSION}"
