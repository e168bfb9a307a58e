"""Let bytes change by themselves (rot): in each column of the archive, its pages, its log, backups and outputs.

`verify` must name the rot, `run` must never write it out, and `rebuild` must bring back what the files still hold.
"""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

from tests.daemon.archive.test_rot import DAMAGES, NOT_SEALED, ROT, damage
from tests.faults import oracle
from tests.faults.errors import ending_faults
from tests.faults.point import Point
from tests.faults.prepared import Impossible, Prepared, Series
from tests.faults.shim import Act, Fault

NAME = "rot"
_SCENES = ("rotten",)
_ARCHIVE = Path("state", "archive.sqlite3")
_FILES = 40
"""How many places, chosen by chance, are damaged in each kind of file."""


def points(prepared: Prepared) -> Iterator[Point]:
    """Yield points for each column in each way, and for so many places in each kind of file."""
    for how in DAMAGES:
        for number in range(len(_columns(prepared.base / _ARCHIVE))):
            yield Point(NAME, prepared.scene.name, number, how.replace(" ", "-"))
    for how in _PLACES:
        for number in range(_FILES):
            yield Point(NAME, prepared.scene.name, number, how)


def attempt(prepared: Prepared, point: Point) -> Iterator[str]:
    """Let it rot; yield what is wrong with what verify, run and rebuild do then."""
    prepared.reset()
    kind = next((kind for kind in DAMAGES if kind.replace(" ", "-") == point.how), None)
    if kind:
        names = _rot_column(prepared, point.number, DAMAGES[kind])
    else:
        names = _PLACES[point.how](prepared, Random(f"{point.how} {point.number}"))
    yield from _is_told(prepared, names)
    yield from _is_kept_inside(prepared, names)
    if point.number % 10 == 0 or not kind:
        yield from _is_rebuilt(prepared)


def _is_told(prepared: Prepared, names: bool) -> Iterator[str]:
    verified = _memproc(prepared, "verify")
    yield from ending_faults(*verified)
    if names and verified[0] != 1:
        yield "verify is silent"


def _is_kept_inside(prepared: Prepared, names: bool) -> Iterator[str]:
    """Run, and yield what is wrong with the outputs: they must not contain rot, and must be whole where it is named."""
    home, unharmed = prepared.lab.home, prepared.unharmed
    rotten = oracle.updated(home)
    yield from ending_faults(*_memproc(prepared, "run"))
    for name, content in oracle.updated(home).items():
        whole = (unharmed.before.get(name), unharmed.after.get(name), rotten.get(name))
        if ROT.encode() in content and content != rotten.get(name):
            yield f"rot stands in {name}"
        if names and content not in whole:
            yield f"{name} is neither the old one nor the new one"


def _is_rebuilt(prepared: Prepared) -> Iterator[str]:
    """Remove the archive, and yield what `rebuild` has not brought back although files hold it."""
    home = prepared.lab.home
    shutil.rmtree(home / "state")
    in_files = oracle.raw_texts(home, archives=False)
    yield from ending_faults(*_memproc(prepared, "rebuild"))
    if (
        lost := in_files
        - oracle.raw_texts(home, exports=False)
        - oracle.raw_texts(home, only="inbox")
    ):
        yield f"rebuild has not brought back {len(lost)} messages that files hold"


def _memproc(prepared: Prepared, *arguments: str) -> tuple[int, str, str]:
    end = prepared.lab.attempt(prepared.lab.memproc(*arguments))
    return end.code, end.out, end.err


def _columns(archive: Path) -> list[tuple[str, str]]:
    with closing(
        sqlite3.connect(f"{archive.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    ) as database:
        return database.execute(
            "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
            "WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' ORDER BY m.name, c.cid"
        ).fetchall()


def _rot_column(prepared: Prepared, number: int, value: str) -> bool:
    """Damage the column in the first row; return whether verify must name it, as in every sealed row."""
    archive = prepared.lab.home / _ARCHIVE
    columns = _columns(archive)
    table, column = columns[number]
    is_sealed = table == "body" or (table, "seal") in columns
    if not damage(archive, table, column, value):
        raise Impossible
    return (is_sealed and column not in {*NOT_SEALED, "seal", "packed"}) or column == "seal"


def _flip(path: Path, chance: Random, begin: int = 0) -> bool:
    """Change one bit; return True, since verify must name it."""
    content = bytearray(path.read_bytes())
    if len(content) <= begin:
        raise Impossible
    content[chance.randrange(begin, len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    return True


def _page(prepared: Prepared, chance: Random) -> bool:
    """Damage a byte of the archive; it may be in a free part of a page, so verify need not name it."""
    _flip(prepared.lab.home / _ARCHIVE, chance)
    return False


def _log(prepared: Prepared, chance: Random) -> bool:
    """Damage a byte of SQLite's log after a killed run; SQLite drops what does not match its checksum."""
    prepared.lab.attempt(
        prepared.scene.work(prepared.lab), Fault(Act.KILL_BEFORE, prepared.last_call // 2)
    )
    log = prepared.lab.home / f"{_ARCHIVE}-wal"
    if not log.exists():
        raise Impossible
    _flip(log, chance)
    return False


def _backup(prepared: Prepared, chance: Random) -> bool:
    return _flip(chance.choice(sorted((prepared.lab.home / "backups").rglob("*.gz"))), chance)


def _lost_backup(prepared: Prepared, chance: Random) -> bool:
    chance.choice(sorted((prepared.lab.home / "backups").rglob("*.gz"))).unlink()
    return True


def _index(prepared: Prepared, chance: Random) -> bool:
    """Damage a byte of the index after its first line; it may be in a title, where nobody can notice it."""
    path = prepared.lab.home / "backups" / "INDEX.tsv"
    _flip(path, chance, path.read_bytes().index(b"\n") + 1)
    return False


def _output(prepared: Prepared, chance: Random) -> bool:
    return _flip(chance.choice(sorted((prepared.lab.home / "updated").glob("*.json"))), chance)


def _lost_output(prepared: Prepared, chance: Random) -> bool:
    chance.choice(sorted((prepared.lab.home / "updated").glob("*.json"))).unlink()
    return True


_PLACES: dict[str, Callable[[Prepared, Random], bool]] = {
    "page": _page,
    "log": _log,
    "backup": _backup,
    "lost-backup": _lost_backup,
    "index": _index,
    "output": _output,
    "lost-output": _lost_output,
}
"""Functions that damage one kind of file, and return whether verify must name it."""

ROTTING = Series(NAME, _SCENES, points, attempt)
