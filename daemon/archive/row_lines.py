"""An archive's rows as lines of text, from which another computer builds its own archive.

An SQLite file from elsewhere may hold more than rows: triggers that change what is stored later,
views under the names of tables. Lines hold only rows. Tables, seals and counts are made anew by the
reader, and a row that memproc would not have written is refused.
"""

import json
import sqlite3
from base64 import b64decode, b64encode
from collections.abc import Generator, Mapping
from typing import BinaryIO

from daemon.archive.archive import ZONE, Archive
from daemon.archive.journal import THINKS
from daemon.archive.row_rules import AGAIN, refuse_odd_rows
from daemon.archive.signs import remove_signs
from daemon.files.candidates import LARGEST_BYTES
from daemon.files.clock import is_zone
from rules.errors import ArchiveError
from rules.typingmind.spans import MOST_PARTS

LEFT_BEHIND = frozenset(
    {"row_count", "rest", "job", "pressed", "sent", "log", "token_count", "bound_prices"}
)
"""Tables about the computer they come from (its log, its browsers' jobs, due work), and caches: a
wrong token count would reserve too little for a call."""
_LARGEST_ROW = 64 << 20
"""The most bytes of a line, except for raw messages; the bridge takes no larger chat either."""
_LARGEST_MESSAGE = LARGEST_BYTES // 3 * 4 + 1000
"""The most bytes of a raw message's line; base64 turns three bytes into four."""


def lines_of_rows(archive: Archive) -> Generator[bytes]:
    """Yield a line for each row to take along: its table, and its values by column as JSON."""
    for table, types in _tables(archive).items():
        for row in archive.each(f"SELECT {', '.join(types)} FROM {table}"):  # noqa: S608  the names are ours
            values = dict(zip(types, row, strict=True))
            for name, kind in types.items():
                if kind == "BLOB":
                    values[name] = b64encode(values[name]).decode()
            yield f"{table} {json.dumps(values, ensure_ascii=False)}\n".encode()


def store_lines(archive: Archive, lines: BinaryIO) -> None:
    """Store the rows of such lines in a new archive. They are not trusted.

    Raises ArchiveError for a row that memproc would not have written.
    """
    tables = _tables(archive)
    with archive.transaction():
        while line := lines.readline(_LARGEST_MESSAGE + 1):
            _store(archive, tables, line)
        for table in tables:
            refuse_odd_rows(archive, table)


def _tables(archive: Archive) -> Mapping[str, Mapping[str, str]]:
    """Return the columns and types of each table that is taken along, referring tables last."""
    tables: dict[str, dict[str, str]] = {}
    for table, column, kind in archive.run(
        """
        SELECT sqlite_master.name, info.name, info.type
        FROM sqlite_master JOIN pragma_table_info(sqlite_master.name) AS info
        WHERE sqlite_master.type = 'table' AND sqlite_master.name NOT LIKE 'sqlite!_%' ESCAPE '!'
            AND info.name <> 'seal' ORDER BY sqlite_master.rowid, cid
        """
    ):
        if table not in LEFT_BEHIND:
            tables.setdefault(table, {})[column] = kind
    return tables


def _store(archive: Archive, tables: Mapping[str, Mapping[str, str]], line: bytes) -> None:
    name, _, values = line.partition(b" ")
    table = name[:40].decode(errors="replace")
    if table not in tables:
        raise ArchiveError(f"It has a row of {table!r}, a table that never comes along.", AGAIN)
    most = _LARGEST_MESSAGE if table == "body" else _LARGEST_ROW
    # Parsed, each comma or bracket can take a hundred bytes of memory.
    if len(line) > most or sum(map(line.count, (b",", b"[", b"{"))) > MOST_PARTS:
        reason = f"A row of its table {table} is larger than any that memproc writes."
        raise ArchiveError(reason, AGAIN)
    try:
        row = json.loads(values)
        for column, value in row.items():
            if tables[table][column] == "BLOB":
                row[column] = b64decode(value)
        if table != "sign" or row["name"].startswith(THINKS):
            archive.insert(table, row)
        elif row["name"] == ZONE and is_zone(row["value"]):
            # All other signs are about the daemon and the caps of the other computer.
            remove_signs(archive, ZONE)
            archive.insert(table, row)
    except (
        *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
        sqlite3.Error,
    ) as fault:
        raise ArchiveError(f"A row of its table {table} is not one of memproc's.", AGAIN) from fault
