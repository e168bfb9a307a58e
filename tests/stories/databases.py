"""What another program than memproc does with a database's file: it damages it, locks it, or looks at every value.

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
    """The file that everything is in."""
    return person.home / "state" / "archive.sqlite3"


def change(path: Path, statement: str, *values: object) -> None:
    """Change what a database holds; in an archive, memproc finds it unsealed."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement, values)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep every other program out while the block lasts."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        yield
        database.execute("ROLLBACK")


def values_in(path: Path) -> Iterator[tuple[str, object]]:
    """Every value of a database with its table, whatever that is.

    From a copy, so that what a killed process left in its log is not tidied away.
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
