"""Copy the rows of an archive that somebody else made into a new database, table by table.

An SQLite file from elsewhere may hold more than rows: triggers that change what is stored later,
views under the names of tables, tables whose rows are made up as they are read. So nothing of its
schema is taken over. Our own schema makes the tables; what the other archive holds beyond their
names is refused, and so are rows that memproc would not have written. Large messages are copied
block by block, and no other row is large.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from daemon.archive.archive import ZONE, Archive
from daemon.archive.journal import THINKS
from daemon.archive.row_rules import AGAIN, refuse_odd_rows
from daemon.archive.schema import APPLICATION, FROM_BEFORE, VERSION, making
from daemon.archive.seals import seal_in_sql
from daemon.archive.trouble import archive_errors
from daemon.files.candidates import LARGEST_BYTES
from daemon.files.clock import is_zone
from daemon.files.packing import BLOCK
from daemon.files.private import make_new
from rules.errors import ArchiveError
from rules.typingmind.spans import LONGEST_TEXT

LEFT_BEHIND = frozenset(
    {"sign", "rest", "job", "pressed", "sent", "log", "token_count", "bound_prices"}
)
"""Tables about the computer they come from: its daemon's signs and log, its browsers' jobs, raised
caps, due work. And what is computed from texts alone: a wrong count of tokens would reserve too
little for a call.

Of the signs the archive's zone and those on models come along.
"""
_MOST_LISTED = 3
_OBJECTS = """
    SELECT CASE WHEN sql LIKE 'CREATE VIRTUAL%' THEN 'virtual table' ELSE type END, name, sql
    FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name
"""
_MIB = 1 << 20
_LARGEST_TEXT = 6 * LONGEST_TEXT
"""Bytes of a message's text, each letter written as an escape; no other text is longer."""
_LARGEST_ROW = 64 * _MIB
"""Bytes of a row, but for those of raw messages; the bridge takes no larger chat either."""


def copy_archive(source: Path, target: Path) -> None:
    """Make an archive at `target`, which does not exist yet, with the rows of the one at `source`.

    It is private from its first byte. Raises ArchiveError where `source` is no archive, or holds
    other than an archive's own rows.
    """
    make_new(target).close()
    place = f"{source.absolute().as_uri()}?mode=ro&immutable=1"
    with archive_errors(source), closing(sqlite3.connect(place, uri=True)) as theirs:
        theirs.execute("PRAGMA trusted_schema = OFF")
        theirs.execute("PRAGMA cell_size_check = ON")
        _require_version(theirs)
        with closing(sqlite3.connect(target, isolation_level=None)) as ours:
            ours.create_function("seal_of", -1, seal_in_sql, deterministic=True)
            ours.execute("BEGIN")
            for statement in making():
                ours.execute(statement)
            objects = _objects(ours)
            refuse_foreign(_objects(theirs), objects)
            for kind, name in sorted(objects):
                if kind == "table" and name not in LEFT_BEHIND:
                    _copy_table(theirs, ours, name)
                    refuse_odd_rows(ours, name)
            _copy_table(theirs, ours, "sign", f"WHERE name LIKE '{THINKS}%'")
            # The zone, if this computer knows it.
            signs = theirs.execute("SELECT name, value, at FROM main.sign WHERE name = ?", (ZONE,))
            known = [row for row in signs if isinstance(row[1], str) and is_zone(row[1])]
            ours.executemany("INSERT INTO sign (name, value, at) VALUES (?, ?, ?)", known)
            ours.execute("DELETE FROM rest")
            ours.execute("COMMIT")


def refuse_foreign(theirs: frozenset[tuple[str, str]], ours: frozenset[tuple[str, str]]) -> None:
    """Raise ArchiveError if a schema has objects that are not ours, or lacks one of our tables."""
    if strange := sorted(theirs - ours):
        listed = ", ".join(_called(kind, name) for kind, name in strange[:_MOST_LISTED])
        left = len(strange) - _MOST_LISTED
        more = f" and {left:,} more" if left > 0 else ""
        raise ArchiveError(f"It holds what no archive of memproc's does: {listed}{more}.", AGAIN)
    for kind, name in sorted(ours - theirs):
        if kind == "table":
            raise ArchiveError(f"It lacks the table {name}.", AGAIN)


def _called(kind: str, name: str) -> str:
    """Return what a sentence calls an object of a schema."""
    return f"the {kind} {name[:40]!r}"


def _require_version(theirs: sqlite3.Connection) -> None:
    """Raise ArchiveError for an archive of another time, or for none of memproc's."""
    ((application,),) = theirs.execute("PRAGMA application_id").fetchall()
    ((version,),) = theirs.execute("PRAGMA user_version").fetchall()
    if (application, version) == (APPLICATION, VERSION):
        return
    if application == APPLICATION:
        raise ArchiveError(
            "It was made by a newer memproc.", "Install that version, or a newer one."
        )
    if ("table", "migration") in _objects(theirs):
        raise ArchiveError(
            f"Its archive {FROM_BEFORE}.",
            "Put the exports that it holds into the inbox, or let `memproc rebuild` read them.",
        )
    raise ArchiveError("It is no archive of memproc's, or an empty one.", AGAIN)


def _objects(database: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    """Return the kind and the name of everything in a schema but SQLite's own."""
    rows = database.execute(_OBJECTS)
    return frozenset((str(kind), str(name)) for kind, name, _ in rows)


def _columns(database: sqlite3.Connection, table: str) -> tuple[str, ...]:
    return tuple(str(row[1]) for row in database.execute(f"PRAGMA table_info({table})"))


def _copy_table(
    theirs: sqlite3.Connection, ours: sqlite3.Connection, table: str, where: str = ""
) -> None:
    """Copy every row, or those that `where` names.

    Raises ArchiveError for a missing column, or a value that is no own one.
    """
    columns = _columns(ours, table)
    if not set(columns) <= set(_columns(theirs, table)):
        raise ArchiveError(f"Its table {table} lacks a column.", AGAIN)
    try:
        if table == "body":
            _copy_bodies(theirs, ours)
            return
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        most = _LARGEST_ROW if table == "chat" else _LARGEST_TEXT
        theirs.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, most)
        rows = theirs.execute(f"SELECT {names} FROM main.{table} {where}")  # noqa: S608  our own names
        insert = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608
        ours.executemany(insert, map(_refuse_large, rows))
    except sqlite3.IntegrityError as fault:
        raise ArchiveError(f"A row of its table {table} is not one of memproc's.", AGAIN) from fault
    except (sqlite3.DataError, OverflowError) as fault:  # SQLite has not read what is too large
        reason = f"A row of its table {table} is larger than any that memproc writes."
        raise ArchiveError(reason, AGAIN) from fault
    finally:
        theirs.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_BYTES + BLOCK)


def _refuse_large(row: tuple[object, ...]) -> tuple[object, ...]:
    """Return the row. Raise OverflowError where it is too large, though none of its values is."""
    if sum(len(value) for value in row if isinstance(value, str | bytes)) > _LARGEST_ROW:
        raise OverflowError
    return row


def _copy_bodies(theirs: sqlite3.Connection, ours: sqlite3.Connection) -> None:
    """Copy the bytes of raw messages, the large ones block by block."""
    bodies = theirs.execute(
        """
        SELECT rowid, sha256, packed, typeof(raw), length(raw), iif(length(raw) > ?, NULL, raw)
        FROM main.body
        """,
        (BLOCK,),
    )
    for row, sha256, packed, kind, size, raw in bodies:
        if kind != "blob" or size > LARGEST_BYTES:
            raise ArchiveError("A row of its table body is not one of memproc's.", AGAIN)
        if raw is not None:
            ours.execute("INSERT INTO body VALUES (?, ?, ?)", (sha256, raw, packed))
            continue
        room = "INSERT INTO body VALUES (?, zeroblob(?), ?)"
        place = ours.execute(room, (sha256, size, packed)).lastrowid or 0
        with (
            theirs.blobopen("body", "raw", row, readonly=True) as source,
            ours.blobopen("body", "raw", place) as copy,
        ):
            while block := source.read(BLOCK):
                copy.write(block)


def foreign_objects(archive: Archive) -> tuple[str, ...]:
    """Return what an archive's schema holds that is not memproc's own, as sentences."""
    with Archive.memory() as own:
        ours = dict(_texts(own))
    foreign = []
    for (kind, name), text in _texts(archive):
        is_ours = (kind, name) in ours and (kind == "table" or ours[kind, name] == text)
        if not is_ours:
            foreign.append(f"{_called(kind, name)} is not memproc's")
    return tuple(foreign)


def _texts(archive: Archive) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield kind, name and text of everything in a schema, with spaces normalized."""
    for kind, name, sql in archive.run(_OBJECTS):
        yield (kind, name), " ".join(str(sql).split())
