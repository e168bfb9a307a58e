"""The archive as a resource: one SQLite file in the state folder, opened, migrated, and durable to the last row."""

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from daemon.archive.schema import STEPS
from daemon.files.folders import make_private
from daemon.paths import archive_path
from rules.errors import ArchiveError

_BUSY_SECONDS = 5.0
_README = """\
This folder belongs to memproc, the program that turns old parts of TypingMind conversations into memories.

archive.sqlite3   every raw message that memproc has ever read, the memories made of them, and every answer
                  of a model that was paid for. Deleting it loses them. `memproc verify` says whether it is
                  sound, and `memproc expand CHAT` writes a conversation out of it as an export again.
lock              held while a memproc works here.

Copy archive.sqlite3 together with archive.sqlite3-wal, and only while no memproc runs.
"""


class Archive:
    """An open archive. Rows are tuples; every error of SQLite becomes an ArchiveError here."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    @classmethod
    def open(cls, folder: Path, busy_seconds: float = _BUSY_SECONDS) -> Self:
        """Open the archive for writing; make it where there is none. Raises ArchiveError or FileTrouble."""
        make_private(folder)
        path = archive_path(folder)
        path.touch(mode=0o600)
        readme = folder / "README.txt"
        if not readme.exists():
            readme.touch(mode=0o600)
            readme.write_text(_README, encoding="utf-8")
        with _told(path):
            archive = cls(sqlite3.connect(path, timeout=busy_seconds, isolation_level=None), path)
        try:
            archive.run("PRAGMA journal_mode = WAL")
            # With WAL, only FULL keeps the last commit through a power cut.
            archive.run("PRAGMA synchronous = FULL")
            archive.run("PRAGMA foreign_keys = ON")
            archive._migrate()
        except BaseException:
            archive.close()
            raise
        return archive

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Open the archive for reading alone. Nothing is made; where there is none, an empty one is answered."""
        path = archive_path(folder)
        if not path.exists():
            return cls.memory()
        with _told(path):
            archive = cls(
                sqlite3.connect(
                    f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_BUSY_SECONDS, isolation_level=None
                ),
                path,
            )
        try:
            archive._refuse_newer()
        except BaseException:
            archive.close()
            raise
        return archive

    @classmethod
    def memory(cls) -> Self:
        """An empty archive that lies on no disk."""
        archive = cls(sqlite3.connect(":memory:", isolation_level=None), Path(":memory:"))
        archive.run("PRAGMA foreign_keys = ON")
        archive._migrate()
        return archive

    def run(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Carry out one statement and return its rows."""
        with _told(self._path):
            return self._connection.execute(sql, tuple(values)).fetchall()

    def run_many(self, sql: str, rows: Sequence[Sequence[object]]) -> None:
        """Carry out one statement for many rows."""
        with _told(self._path):
            self._connection.executemany(sql, rows)

    def one(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """The first row, or None."""
        rows = self.run(sql, values)
        return rows[0] if rows else None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; what was done is on the disk when the block ends."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.run("ROLLBACK")
            raise
        self.run("COMMIT")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _migrate(self) -> None:
        self.run(
            "CREATE TABLE IF NOT EXISTS migration "
            "(number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) "
            "STRICT"
        )
        done = self._refuse_newer()
        for number, (name, script) in enumerate(STEPS[done:], done + 1):
            with self.transaction():
                for statement in _statements(script):
                    self.run(statement)
                self.run("INSERT INTO migration (number, name) VALUES (?, ?)", (number, name))

    def _refuse_newer(self) -> int:
        done = self.run("SELECT coalesce(max(number), 0) FROM migration")[0][0]
        if done > len(STEPS):
            raise ArchiveError(
                f"The archive {self._path} was made by a newer memproc.", "Install that version, or a newer one."
            )
        return int(done)


def check(archive: Archive) -> tuple[str, ...]:
    """What is wrong with the archive: its own structure, and each raw message against its hash."""
    faults = [str(row[0]) for row in archive.run("PRAGMA integrity_check") if row[0] != "ok"]
    faults += [f"a row of {row[0]} refers to nothing" for row in archive.run("PRAGMA foreign_key_check")]
    for number, raw, packed, expected in archive.run("SELECT id, raw, packed, sha256 FROM version"):
        if not _is_sound(raw, packed, expected):
            faults.append(f"version {number} of a raw message is not what was stored")
    return tuple(f"archive: {fault}" for fault in faults)


def unpacked(raw: bytes, packed: int) -> bytes:
    """The raw message's own bytes, as they were before they were stored. Raises ArchiveError."""
    try:
        return zlib.decompress(raw) if packed else raw
    except zlib.error as fault:
        raise ArchiveError(
            "A raw message in the archive is damaged.", "See what else is, with: memproc verify"
        ) from fault


def _is_sound(raw: bytes, packed: int, expected: str) -> bool:
    try:
        return sha256(unpacked(raw, packed)).hexdigest() == expected
    except ArchiveError:
        return False


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one: `executescript` would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as fault:
        raise _trouble(path, fault) from fault


def _trouble(path: Path, fault: sqlite3.Error) -> ArchiveError:
    name = getattr(fault, "sqlite_errorname", "") or type(fault).__name__
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return ArchiveError(
            f"Another program keeps the archive {path} locked.", "Close it (a database viewer, perhaps), and run again."
        )
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or "no such table" in str(fault):
        return ArchiveError(
            f"The archive {path} is damaged.",
            "Copy the whole folder away first, then put the newest sound copy of the archive in its place. "
            "Exports, updated files and backups do not depend on it.",
        )
    if name.startswith("SQLITE_FULL"):
        return ArchiveError(f"The disk of the archive {path} is full.", "Free some space, and run again.")
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PERM")):
        return ArchiveError(
            f"The archive {path} cannot be read or written ({name}).", "Check the rights of its folder, and its disk."
        )
    raise fault
