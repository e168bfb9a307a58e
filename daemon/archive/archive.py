"""The archive as a resource: one SQLite file in the state folder, brought up to date, durable to the last row."""

import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, get_args

from daemon.archive.seals import (
    archive_errors,
    damaged,
    damaged_rows,
    refuse_unfinished,
    seal_from_now_on,
    seal_in_sql,
    seal_rows,
    unpacked,
    unusable,
)
from daemon.files import write as file_trouble
from daemon.files.paths import archive_path
from daemon.files.write import make_private
from rules.errors import ArchiveError

Row = TypeVar("Row")
_STORED = frozenset({str, int, float, bool, bytes, type(None)})
_BUSY_SECONDS = 5.0
_KEPT_WHILE_READING = 500
"""KB of the file that SQLite keeps in memory; the system keeps the file there anyway."""
_UNREAD = "unable to get the page. error code=266"
"""The words of SQLite's check about a page that the system did not let it read (SQLITE_IOERR_READ)."""
_VERSIONS_AT_ONCE = 200
OLDEST_SQLITE = (3, 38)
"""The first with JSON built in; strict tables came one before."""
_RAISED_BY_ODD_VALUES = (
    ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, StopIteration, TypeError, ValueError,
    sqlite3.Error, zlib.error,
)  # fmt: skip
_README = """\
This folder belongs to memproc, the program that turns old parts of TypingMind conversations into memories.

archive.sqlite3   every raw message that memproc has ever read, the memories made of them, and every answer
                  of a model that was paid for. Deleting it loses them. `memproc verify` says whether it is
                  sound, and `memproc expand CHAT` writes a conversation out of it as an export again.
lock              held while a memproc works here.

Copy archive.sqlite3 together with archive.sqlite3-wal, and only while no memproc runs.
"""


@dataclass(frozen=True, slots=True)
class SchemaStep:
    """A change of the tables: its name, its SQL, and the tables whose rows are sealed anew after it."""

    name: str
    script: str
    seals: tuple[str, ...] = ()
    undo: str = ""
    """SQL that makes the tables of before out of empty ones: rows of an older archive are copied into these."""


OLDEST = 12
"""The version of the oldest archive that still opens: the tables of the last memproc before the first release."""
STEPS = (
    SchemaStep(
        "a seal for messages, missing messages and states of chats; when a doubt was said last",
        """
        ALTER TABLE message ADD COLUMN seal TEXT NOT NULL DEFAULT '';
        ALTER TABLE missing ADD COLUMN seal TEXT NOT NULL DEFAULT '';
        ALTER TABLE chat_state ADD COLUMN said_at TEXT NOT NULL DEFAULT '';
        ALTER TABLE chat_state ADD COLUMN seal TEXT NOT NULL DEFAULT '';
        UPDATE chat_state SET said_at = at WHERE doubt <> '';
        """,
        seals=("message", "missing", "chat_state"),
        undo="""
        ALTER TABLE message DROP COLUMN seal;
        ALTER TABLE missing DROP COLUMN seal;
        ALTER TABLE chat_state DROP COLUMN said_at;
        ALTER TABLE chat_state DROP COLUMN seal;
        """,
    ),
    SchemaStep(
        "where the chats lie in exports is not kept any more",
        "DROP TABLE layout;",
        undo="CREATE TABLE layout (sha256 TEXT PRIMARY KEY) STRICT;",
    ),
    SchemaStep(
        "token counts of providers that cannot be are kept by themselves, and nothing is learned from them",
        """
        CREATE TABLE odd_usage (request TEXT PRIMARY KEY, said TEXT NOT NULL) STRICT;
        ALTER TABLE calibration ADD COLUMN newest TEXT NOT NULL DEFAULT '';
        DELETE FROM calibration WHERE factor NOT BETWEEN 0.25 AND 5.4;
        UPDATE calibration SET newest = coalesce(
            (SELECT max(answered_at) FROM reply WHERE reply.model = calibration.model), '');
        """,
        undo="""
        DROP TABLE odd_usage;
        ALTER TABLE calibration DROP COLUMN newest;
        """,
    ),
)
"""The changes since then, in order; schema.sql has all of them too. A step that was released never changes."""
_SCHEMA = Path(__file__).with_name("schema.sql")


class Archive:
    """An open archive. Rows are tuples; every error of SQLite becomes an ArchiveError here."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path
        self.is_read_only = False

    @classmethod
    def open(cls, folder: Path, busy_seconds: float = _BUSY_SECONDS) -> Self:
        """Open the archive for writing; make it where there is none. Raises ArchiveError or FileTrouble."""
        make_private(folder)
        refuse_unfinished(folder)
        path = archive_path(folder)
        with file_trouble.file_errors(path, "made"):
            for ending in ("", "-wal", "-shm"):
                file_trouble.refuse_link(path.with_name(f"{path.name}{ending}"))
            path.touch(mode=0o600)
            readme = folder / "README.txt"
            if not readme.exists():
                readme.touch(mode=0o600)
                readme.write_text(_README, encoding="utf-8")
        with cls._connect(str(path), path, busy_seconds)._closed_on_fault() as archive:
            archive.run("PRAGMA journal_mode = WAL")
            # With WAL, only FULL keeps the last commit through a power cut.
            archive.run("PRAGMA synchronous = FULL")
            archive.run("PRAGMA foreign_keys = ON")
            archive._bring_up_to_date()
            seal_from_now_on(archive.run)
            return archive

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Open the archive for reading alone. Nothing is made on the disk; where there is none, it is empty.

        Raises ArchiveError, or FileTrouble where the folder may not be looked into.
        """
        path = archive_path(folder)
        with file_trouble.file_errors(path, "read"):
            is_made = path.exists()
        refuse_unfinished(folder)
        if not is_made:
            return cls.memory()
        with cls._connect(
            f"{path.absolute().as_uri()}?mode=ro", path, _BUSY_SECONDS
        )._closed_on_fault() as archive:
            archive.is_read_only = True
            archive.run(f"PRAGMA cache_size = -{_KEPT_WHILE_READING}")
            return (
                archive if archive._version() == OLDEST + len(STEPS) else archive._up_to_date_copy()
            )

    @classmethod
    def memory(cls) -> Self:
        """An empty archive that lies on no disk."""
        archive = cls._connect(":memory:", Path(":memory:"), _BUSY_SECONDS)
        archive.run("PRAGMA foreign_keys = ON")
        archive._bring_up_to_date()
        seal_from_now_on(archive.run)
        return archive

    def run(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Carry out one statement and return its rows."""
        with archive_errors(self.path):
            return self._connection.execute(sql, tuple(values)).fetchall()

    def run_many(self, sql: str, rows: Sequence[Sequence[object] | Mapping[str, object]]) -> None:
        """Carry out one statement for many rows."""
        with archive_errors(self.path):
            self._connection.executemany(sql, rows)

    def copy_to(self, path: str) -> None:
        """Write a consistent copy into the empty file at `path`. Other programs may go on writing."""
        self.run("VACUUM INTO ?", (path,))

    def fold_log(self) -> None:
        """Have everything in the archive's one file, and its log empty."""
        self.run("PRAGMA optimize")
        self.run("PRAGMA wal_checkpoint(TRUNCATE)")

    def one(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """The first row, or None."""
        rows = self.run(sql, values)
        return rows[0] if rows else None

    def rows(
        self, kind: Callable[..., Row], sql: str, values: Sequence[object] = ()
    ) -> tuple[Row, ...]:
        """Every row as one of this kind; its columns are the kind's arguments, in their order.

        Raises ArchiveError where a value is of a type that the kind does not hold: that is damage.
        """
        rows = self.run(sql, values)
        for types in {tuple(map(type, row)) for row in rows}:
            if reason := misfit(kind, types):
                raise damaged(self.path, reason)
        return tuple(kind(*row) for row in rows)

    def first(
        self, kind: Callable[..., Row], sql: str, values: Sequence[object] = ()
    ) -> Row | None:
        """The first row as one of this kind, or None. Raises as `rows` does."""
        rows = self.rows(kind, sql, values)
        return rows[0] if rows else None

    def insert(self, table: str, row: Mapping[str, object], conflict: str = "") -> int:
        """Insert a row, by the names of its columns; its number. `conflict`: "OR IGNORE" or "OR REPLACE"."""
        marks = ", ".join("?" * len(row))
        sql = f"INSERT {conflict} INTO {table} ({', '.join(row)}) VALUES ({marks})"  # noqa: S608  the names are ours
        with archive_errors(self.path):
            return self._connection.execute(sql, tuple(row.values())).lastrowid or 0

    def value(self, sql: str, values: Sequence[object] = ()) -> Any:
        """The first column of the first row; None where there is no row."""
        row = self.one(sql, values)
        return row[0] if row else None

    def column(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...]:
        """The first column of every row."""
        return tuple(row[0] for row in self.run(sql, values))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; what was done is on the disk when the block ends. One within another is a part of it."""
        if self._connection.in_transaction:
            yield
            return
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        finally:
            # Not committed, whatever has ended the block; on a full or failing disk SQLite has rolled back by itself.
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
                f"The archive needs SQLite {'.'.join(map(str, OLDEST_SQLITE))} or newer, and this Python comes with "
                f"{sqlite3.sqlite_version}.",
                "Install memproc with a newer Python.",
            )
        with archive_errors(path):
            connection = sqlite3.connect(
                place, timeout=busy_seconds, isolation_level=None, uri=place.startswith("file:")
            )
            connection.create_function("seal_of", -1, seal_in_sql, deterministic=True)
            return cls(connection, path)

    @contextmanager
    def _closed_on_fault(self) -> Iterator[Self]:
        with ExitStack() as closing:
            closing.callback(self.close)
            yield self
            closing.pop_all()

    def _bring_up_to_date(self) -> None:
        newest = OLDEST + len(STEPS)
        if self._version() == newest:
            return
        with self.transaction():
            version = self._version()  # another process may have got here first
            steps = (
                STEPS[version - OLDEST :]
                if version
                else (SchemaStep("the whole schema", _SCHEMA.read_text("utf-8")),)
            )
            try:
                for number, step in enumerate(steps, newest - len(steps) + 1):
                    for statement in _statements(step.script):
                        self.run(statement)
                    self.insert("migration", {"number": number, "name": step.name})
            except sqlite3.Error as fault:
                raise damaged(self.path, "its tables are not those of its version") from fault
            for table in {table for step in steps for table in step.seals}:
                seal_rows(self.run, table)

    def _up_to_date_copy(self) -> Self:
        """The same archive with today's tables, in memory: it is an older memproc's, or was killed at its birth."""
        copy = self._connect(":memory:", self.path, _BUSY_SECONDS)
        with self, archive_errors(self.path):
            self._connection.backup(copy._connection)
        copy._bring_up_to_date()
        return copy

    def _version(self) -> int:
        """The number of the last step that this archive has behind it; 0 where there is nothing in it yet."""
        if not self.run("SELECT 1 FROM sqlite_master WHERE name = 'migration'"):
            return 0
        version = self.run("SELECT coalesce(max(number), 0) FROM migration")[0][0]
        if not isinstance(version, int) or version < 0:
            raise damaged(self.path, "its list of versions cannot be read")
        if version > OLDEST + len(STEPS):
            raise ArchiveError(
                f"The archive {self.path} was made by a newer memproc.",
                "Install that version, or a newer one.",
            )
        if 0 < version < OLDEST:
            raise ArchiveError(
                f"The archive {self.path} was made by a memproc from before the first release, and has other tables.",
                "Move it away and run: memproc rebuild. That reads the backups and the updated exports.",
            )
        return version


def schema_of(version: int) -> Iterator[str]:
    """Yield the statements that make the empty tables of an archive of this version, from `OLDEST` on."""
    yield from _statements(_SCHEMA.read_text("utf-8"))
    for step in reversed(STEPS[version - OLDEST :]):
        yield from _statements(step.undo)


def columns(kind: type) -> str:
    """SQL: the columns of a table whose rows are this dataclass."""
    return ", ".join(field.name for field in fields(kind))


@dataclass(frozen=True, slots=True)
class Sign:
    """A value that the daemon has set about itself, or was told, and when."""

    value: str
    at: str


def sign(archive: Archive, name: str) -> Sign | None:
    """The sign of that name, or None."""
    return archive.first(Sign, "SELECT value, at FROM sign WHERE name = ?", (name,))


def signs_of(archive: Archive, beginning: str) -> Mapping[str, str]:
    """Return the values of the signs whose names begin so, by the rest of their names."""
    signs = "SELECT substr(name, length(?1) + 1), value FROM sign WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name"
    return dict(archive.run(signs, (beginning,)))


def set_sign(archive: Archive, name: str, value: str, when: str) -> None:
    """Set the sign of that name; it is on the disk when this returns."""
    archive.run(
        "INSERT INTO sign (name, value, at) VALUES (?, ?, ?) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at",
        (name, value, when),
    )


def remove_signs(archive: Archive, *names: str) -> None:
    """Remove the signs of these names."""
    with archive.transaction():
        archive.run_many("DELETE FROM sign WHERE name = ?", [(name,) for name in names])


def is_news(archive: Archive, text: str, when: str) -> bool:
    """Whether this was never told before; from now on it counts as told."""
    new = "INSERT OR IGNORE INTO notice (text, told_at) VALUES (?, ?) RETURNING 1"
    return archive.value(new, (text, when)) is not None


def all_signs(archive: Archive) -> dict[str, Sign]:
    """Every sign, by its name."""
    return {
        name: Sign(value, at) for name, value, at in archive.run("SELECT name, value, at FROM sign")
    }


@cache
def misfit(kind: Callable[..., object], types: tuple[type, ...]) -> str:
    """The misfit of a row whose values have these types, in words; empty where they fit, or the kind tells no types."""
    if not is_dataclass(kind):
        return ""
    for field, stored in zip(fields(kind), types, strict=False):
        # `str | None`, a Literal, or one type; a type that is named as a text cannot be judged.
        choices = get_args(field.type) or (object if isinstance(field.type, str) else field.type,)
        fitting = {choice if isinstance(choice, type) else type(choice) for choice in choices}
        if fitting & {float, bool}:
            fitting.add(int)
        if fitting <= _STORED and stored not in fitting:
            return f"{field.name} of {kind.__name__} cannot be read"
    return ""


def check(archive: Archive) -> tuple[str, ...]:
    """Faults of the archive: in its structure, in each raw message, and in each row against its hash.

    Raises ArchiveError.
    """
    faults = [fault for fault in archive.column("PRAGMA integrity_check") if fault != "ok"]
    if any(
        _UNREAD in fault for fault in faults
    ):  # that is the disk's fault, and says nothing of what stands there
        raise unusable(archive.path)
    faults += [
        f"a row of {row[0]} refers to nothing" for row in archive.run("PRAGMA foreign_key_check")
    ]
    faults += damaged_rows(archive.run)
    faults += [
        f"version {number} of a raw message is not what was stored"
        for number in _changed_versions(archive)
    ]
    return tuple(f"archive: {fault}" for fault in faults)


def damage_behind(archive: Archive, fault: BaseException) -> ArchiveError | None:
    """The damage in the archive that may have led to a fault which nobody foresaw; else None.

    All of the archive is read for that, so only for the errors that odd values raise.
    """
    if isinstance(fault, OSError) or not isinstance(fault, _RAISED_BY_ODD_VALUES):
        return None
    try:
        faults = check(archive)
    except ArchiveError as trouble:
        return trouble
    return damaged(archive.path, faults[0].removeprefix("archive: ")) if faults else None


def _changed_versions(archive: Archive) -> Iterator[int]:
    """A few versions at a time: an archive may be larger than the memory."""
    last = 0
    while rows := archive.run(
        """
        SELECT version.id, CAST(raw AS BLOB), packed, CAST(version.sha256 AS BLOB)
        FROM version LEFT JOIN body USING (sha256) WHERE version.id > ? ORDER BY version.id LIMIT ?
        """,
        (last, _VERSIONS_AT_ONCE),
    ):
        for number, raw, packed, expected in rows:
            try:
                unpacked(raw, packed, (expected or b"").decode(errors="replace"))
            except ArchiveError:
                yield number
        last = rows[-1][0]


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one: `executescript` would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
