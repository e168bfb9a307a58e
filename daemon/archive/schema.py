"""The tables of the archive, and the number by which an archive says that it has them.

The number is SQLite's `user_version`, together with an `application_id` of memproc's own. Archives
from before 0.1.0 have neither, so they are never taken for one of these.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from daemon.archive.seals import Run, ends_of_rest

APPLICATION = 0x6D656D70
"""The letters "memp"."""
VERSION = 1
_SCHEMA = Path(__file__).with_name("schema.sql")
_OBJECTS = """
    SELECT iif(sql LIKE 'CREATE VIRTUAL%', 'virtual table', type), name, sql
    FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name
"""
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


def faults_of_schema(run: Run) -> Iterator[str]:
    """Yield a clause on each object in an archive that is not memproc's, and each that it lacks."""
    with closing(sqlite3.connect(":memory:")) as own:
        for statement in making():
            own.execute(statement)
        ours = {(kind, name): _one_line(sql) for kind, name, sql in own.execute(_OBJECTS)}
    found = {(kind, name): _one_line(sql) for kind, name, sql in run(_OBJECTS)}
    for (kind, name), sql in found.items():
        if (kind, name) not in ours or (kind != "table" and ours[kind, name] != sql):
            yield f"the {kind} {name[:40]!r} is not memproc's"
    for kind, name in sorted(ours.keys() - found.keys()):
        yield f"the {kind} {name!r} is missing"


def _one_line(sql: object) -> str:
    return " ".join(str(sql).split())
