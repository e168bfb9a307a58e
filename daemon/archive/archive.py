"""The archive: one SQLite file in the state folder, in which every commit is durable."""

import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import tzinfo
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from daemon.archive.records import Row, explain_misfit, record_in
from daemon.archive.schema import APPLICATION, FROM_BEFORE, REBUILD, VERSION, making
from daemon.archive.seals import (
    damaged_rows,
    is_whole,
    lost_rows,
    seal_from_now_on,
    seal_in_sql,
)
from daemon.archive.trouble import archive_errors, damaged, refuse_unfinished, unusable
from daemon.files.clock import now, zone_here, zone_named
from daemon.files.paths import archive_path
from daemon.files.private import make_private
from daemon.files.reasons import file_errors
from daemon.files.write import refuse_link
from rules.errors import ArchiveError

ZONE = "zone"
"""The sign that holds the name of the computer's time zone at the time the archive was made."""
_BUSY_SECONDS = 5.0
_KEPT_WHILE_READING = 500
"""SQLite's page cache for readers, in KB: small, since the system caches the file anyway."""
_UNREAD = "unable to get the page. error code=266"
"""SQLite's message where the system refused to read a page (SQLITE_IOERR_READ)."""
_VERSIONS_AT_ONCE = 200
_BLOCK_BYTES = 1 << 20
_JOURNAL = bytes.fromhex("d9d505f920a163d7")
"""The first bytes of a rollback journal (sqlite.org/fileformat.html, part 3)."""
OLDEST_SQLITE = (3, 38)
"""The first release with JSON built in; strict tables came one release earlier."""
_RAISED_BY_ODD_VALUES = (
    ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, StopIteration,
    TypeError, ValueError, sqlite3.Error, zlib.error,
)  # fmt: skip
_README = """\
This folder belongs to memproc, which turns old parts of TypingMind conversations into memories.

archive.sqlite3   every raw message that memproc has ever read, the memories made of them, and every
                  answer of a model that was paid for. Deleting it loses them. `memproc verify` says
                  whether it is sound, and `memproc expand CHAT` writes a conversation out of it as
                  an export again.
lock              held while a memproc works here.

Copy archive.sqlite3 together with archive.sqlite3-wal, and only while no memproc runs.
"""


class Archive:
    """An open archive. Rows are tuples; errors of SQLite are raised as ArchiveError."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path
        self.is_read_only = False
        self._zone = ""

    @cached_property
    def zone(self) -> tzinfo:
        """Return the time zone of all days: the one that memproc.toml names, else the archive's."""
        return zone_named(self._zone or self._kept_zone() or zone_here())

    @classmethod
    def open(cls, folder: Path, busy_seconds: float = _BUSY_SECONDS, *, zone: str = "") -> Self:
        """Open the archive for writing, or make it. Raises ArchiveError or FileTrouble.

        `zone` is the one that memproc.toml names, which is not stored.
        """
        make_private(folder)
        refuse_unfinished(folder)
        path = archive_path(folder)
        with file_errors(path, "made"):
            for ending in ("", "-wal", "-shm"):
                refuse_link(path.with_name(f"{path.name}{ending}"))
            path.touch(mode=0o600)
            readme = folder / "README.txt"
            if not readme.exists():
                readme.touch(mode=0o600)
                readme.write_text(_README, encoding="utf-8")
        with cls._connect(str(path), path, busy_seconds)._closed_on_fault() as archive:
            archive._has_tables()  # raises for an archive of another version, which stays untouched
            archive.run("PRAGMA journal_mode = WAL")
            # With WAL, only FULL keeps the last commit through a power cut.
            archive.run("PRAGMA synchronous = FULL")
            archive.run("PRAGMA foreign_keys = ON")
            archive._make_tables()
            seal_from_now_on(archive.run)
            if not archive._kept_zone():
                row = {"name": ZONE, "value": zone_here(), "at": now()}
                archive.insert("sign", row, "OR IGNORE")
            archive._zone = zone
            return archive

    @classmethod
    def read(cls, folder: Path, *, zone: str = "") -> Self:
        """Open the archive read-only; where there is none, return an empty one in memory.

        `zone` is the one that memproc.toml names. Raises ArchiveError, or FileTrouble where the
        folder may not be read.
        """
        path = archive_path(folder)
        with file_errors(path, "read"):
            is_made = path.exists()
            refuse_link(path)
        refuse_unfinished(folder)
        archive = None
        if is_made and not _is_cut_off_at_birth(path):
            place = f"{path.absolute().as_uri()}?mode=ro"
            with cls._connect(place, path, _BUSY_SECONDS)._closed_on_fault() as opened:
                opened.is_read_only = True
                opened.run(f"PRAGMA cache_size = -{_KEPT_WHILE_READING}")
                archive = opened if opened._has_tables() else None
        archive = archive or cls.memory()
        archive._zone = zone
        return archive

    @classmethod
    def memory(cls) -> Self:
        """Make an empty archive in memory."""
        archive = cls._connect(":memory:", Path(":memory:"), _BUSY_SECONDS)
        archive.run("PRAGMA foreign_keys = ON")
        archive._make_tables()
        seal_from_now_on(archive.run)
        return archive

    def run(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Carry out one statement and return its rows."""
        with archive_errors(self.path):
            return self._connection.execute(sql, tuple(values)).fetchall()

    def each(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Carry out a query, and yield its rows one by one, for many or large rows."""
        with archive_errors(self.path):
            # Not the cursor itself: if it is left half-read, closing it needs an open archive.
            yield from iter(self._connection.execute(sql).fetchone, None)

    def run_many(self, sql: str, rows: Sequence[Sequence[object] | Mapping[str, object]]) -> None:
        """Carry out one statement for many rows."""
        with archive_errors(self.path):
            self._connection.executemany(sql, rows)

    def copy_to(self, path: str) -> None:
        """Write a consistent copy into the empty file at `path`, while others may go on writing."""
        self.run("VACUUM INTO ?", (path,))

    def fold_log(self) -> None:
        """Move everything from the write-ahead log into the archive's file."""
        self.run("PRAGMA optimize")
        self.run("PRAGMA wal_checkpoint(TRUNCATE)")

    def blocks_of_body(self, row: int | None) -> Iterator[bytes]:
        """Yield the stored bytes of a raw message in blocks; nothing where there are none."""
        with archive_errors(self.path), ExitStack() as opened:
            try:
                blob = opened.enter_context(
                    self._connection.blobopen("body", "raw", row or 0, readonly=True)
                )
            except sqlite3.OperationalError as fault:
                if fault.sqlite_errorname == "SQLITE_ERROR":  # no such row, or no bytes in it
                    return
                raise
            while block := blob.read(_BLOCK_BYTES):
                yield block

    def one(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """Return the first row, or None."""
        rows = self.run(sql, values)
        return rows[0] if rows else None

    def rows(
        self, kind: Callable[..., Row], sql: str, values: Sequence[object] = ()
    ) -> tuple[Row, ...]:
        """Return the rows as instances of `kind`, built from their columns in order.

        Raises ArchiveError where a value has a type that `kind` does not allow, which is damage.
        """
        rows = self.run(sql, values)
        for types in {tuple(map(type, row)) for row in rows}:
            if reason := explain_misfit(kind, types):
                raise damaged(self.path, reason)
        return tuple(record_in(kind, row) for row in rows)

    def first(
        self, kind: Callable[..., Row], sql: str, values: Sequence[object] = ()
    ) -> Row | None:
        """Return the first row as an instance of `kind`, or None. Raises as `rows` does."""
        rows = self.rows(kind, sql, values)
        return rows[0] if rows else None

    def insert(self, table: str, row: Mapping[str, object], conflict: str = "") -> int:
        """Insert a row, by the names of its columns, and return its number.

        `conflict` is "OR IGNORE" or "OR REPLACE".
        """
        marks = ", ".join("?" * len(row))
        sql = f"INSERT {conflict} INTO {table} ({', '.join(row)}) VALUES ({marks})"  # noqa: S608
        with archive_errors(self.path):
            return self._connection.execute(sql, tuple(row.values())).lastrowid or 0

    def value(self, sql: str, values: Sequence[object] = ()) -> Any:
        """Return the first column of the first row; None where there is no row."""
        row = self.one(sql, values)
        return row[0] if row else None

    def column(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...]:
        """Return the first column of every row."""
        return tuple(row[0] for row in self.run(sql, values))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Carry out the block as one transaction, which is on the disk at its end.

        A transaction within another joins the outer one.
        """
        if self._connection.in_transaction:
            yield
            return
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        finally:
            # Not committed. On a full or failing disk SQLite has rolled back by itself already.
            if self._connection.in_transaction:
                self.run("ROLLBACK")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if fault is not None and (damage := damage_behind(self, fault)):
                raise damage from fault
        finally:
            self.close()

    @classmethod
    def _connect(cls, place: str, path: Path, busy_seconds: float) -> Self:
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise ArchiveError(
                f"The archive needs SQLite {'.'.join(map(str, OLDEST_SQLITE))} or newer, and this "
                f"Python comes with {sqlite3.sqlite_version}.",
                "Install memproc with a newer Python.",
            )
        with archive_errors(path):
            connection = sqlite3.connect(
                place, timeout=busy_seconds, isolation_level=None, uri=place.startswith("file:")
            )
            connection.create_function("seal_of", -1, seal_in_sql, deterministic=True)
            return cls(connection, path)

    def _kept_zone(self) -> str:
        """Return the name of the zone that the archive stores; empty where it has none yet."""
        return self.value("SELECT value FROM sign WHERE name = ?", (ZONE,)) or ""

    @contextmanager
    def _closed_on_fault(self) -> Iterator[Self]:
        with ExitStack() as closing:
            closing.callback(self.close)
            yield self
            closing.pop_all()

    def _make_tables(self) -> None:
        """Make the tables of a new archive, all or none, since a kill may come in between."""
        if self._has_tables():
            return
        with self.transaction():
            if self._has_tables():  # another process got here first
                return
            for statement in making():
                self.run(statement)

    def _has_tables(self) -> bool:
        """Return whether the tables exist; False for an empty file.

        Raises ArchiveError for another version.
        """
        if not self.run("SELECT 1 FROM sqlite_master LIMIT 1"):
            return False
        if self.value("PRAGMA application_id") != APPLICATION:
            raise ArchiveError(f"The archive {self.path} {FROM_BEFORE}.", REBUILD)
        if self.value("PRAGMA user_version") != VERSION:
            raise ArchiveError(
                f"The archive {self.path} was made by a newer memproc.",
                "Install that version, or a newer one.",
            )
        return True


def _is_cut_off_at_birth(path: Path) -> bool:
    """Return whether the very first write to the archive was cut off, so that it holds nothing.

    Before WAL mode is on, SQLite uses a rollback journal, which has the number of pages before the
    write: none. Only a writer may roll that back.
    """
    journal = path.with_name(f"{path.name}-journal")
    with file_errors(journal, "read"):
        try:
            head = journal.read_bytes()[:20]
        except FileNotFoundError:
            return False
    return head.startswith(_JOURNAL) and head[16:] == bytes(4)


def check_integrity(archive: Archive) -> tuple[str, ...]:
    """Return the faults of an archive: in its structure, raw messages, and rows by their seals.

    Raises ArchiveError where it cannot be read.
    """
    faults = [fault for fault in archive.column("PRAGMA integrity_check") if fault != "ok"]
    if any(_UNREAD in fault for fault in faults):  # the disk fails, not the rows
        raise unusable(archive.path)
    faults += (
        f"row {row} of {table} refers to a row of {other} that is missing"
        for table, row, other, _ in archive.run("PRAGMA foreign_key_check")
    )
    faults += damaged_rows(archive.run)
    faults += lost_rows(archive.run)
    last = 0
    # A few versions at a time: an archive may be large.
    while rows := archive.run(
        """
        SELECT version.id, body.rowid, packed, CAST(version.sha256 AS BLOB)
        FROM version LEFT JOIN body USING (sha256) WHERE version.id > ? ORDER BY version.id LIMIT ?
        """,
        (last, _VERSIONS_AT_ONCE),
    ):
        for number, body, packed, expected in rows:
            blocks = archive.blocks_of_body(body)
            if not is_whole(blocks, packed, (expected or b"").decode(errors="replace")):
                faults.append(f"version {number} of a raw message is not what was stored")
        last = rows[-1][0]
    return tuple(f"archive: {fault}" for fault in faults)


def damage_behind(archive: Archive, fault: BaseException) -> ArchiveError | None:
    """Return the damage that may have caused an unforeseen fault, or None.

    This reads the whole archive, so it is done only for errors that odd values raise.
    """
    if isinstance(fault, OSError) or not isinstance(fault, _RAISED_BY_ODD_VALUES):
        return None
    try:
        faults = check_integrity(archive)
    except ArchiveError as trouble:
        return trouble
    return damaged(archive.path, faults[0].removeprefix("archive: ")) if faults else None
