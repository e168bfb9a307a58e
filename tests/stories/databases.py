"""Do to a database's file what another program than memproc might: damage it, lock it, or read every value.

No story reads an archive's tables: it asks memproc.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.stories.person import Person


def archive_of(person: Person) -> Path:
    """Return the file of a person's archive."""
    return person.home / "state" / "archive.sqlite3"


def change(path: Path, statement: str, *values: object) -> None:
    """Change the content of a database; in an archive, memproc finds the row unsealed."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement, values)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock out every other program for the block."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        yield
        database.execute("ROLLBACK")


def values_in(path: Path) -> Iterator[tuple[str, object]]:
    """Yield every value of a database, each with its table.

    They are read from a copy, so that what a killed process left in the log is not tidied away.
    """
    with TemporaryDirectory() as folder:
        for part in path.parent.glob(f"{path.name}*"):
            shutil.copy(part, folder)
        with closing(sqlite3.connect(Path(folder) / path.name)) as database:
            tables = database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            ).fetchall()
            for (table,) in tables:
                for row in database.execute(f'SELECT * FROM "{table}"'):
                    yield from ((table, value) for value in row)
