"""Judge a trial, without sharing any code with memproc, by looking at files only, as a foreign program would.

The unharmed state is that of a run to which nothing happened. Functions yield sentences that say what is wrong.
"""

import csv
import gzip
import io
import json
import re
import shutil
import sqlite3
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_UNFINISHED = re.compile(r"\.memproc-(?!import$)|\.memproc-import$|export-unfinished$")
_ASIDE = "before-import-"
_VOLATILE = {
    "file_seen", "spending", "sign", "notice", "log", "token_count",
    "bound_prices", "calibration", "rest", "job", "outcome", "row_count",
}  # fmt: skip
"""Tables that record every attempt, count the rows of such tables, or can be made again at any time."""
_OF_A_FILE = ("path", "sha256", "state")
"""The columns that are compared of a file in work; how often, when and in how many steps is not compared."""
_OVER = ("written", "done")
"""The states of a finished file; after a kill, the next run may find that nothing is left to do."""
_NUMBERING = {
    "id",
    "seal",
    "seen_at",
    "last_seen",
    "message",
    "version",
    "undoes",
    "device",
    "inode",
    "modified",
    "chat_state.number",  # a chat that failed is processed after the others
}
"""Columns that depend on the order and the time in which rows were made; the rows that they name are compared."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unharmed:
    """The updated exports before and after a command to which nothing happened, and all that is kept afterwards."""

    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    kept: Mapping[str, Any]
    texts: frozenset[bytes]
    """The JSON of every raw message in the exports."""
    asked: tuple[str, ...] = ()
    """The keys of the requests that models answered, in order."""
    asked_at: tuple[int, ...] = ()
    """For each of these requests, after how many system calls it was answered."""


def after_the_fault(home: Path, unharmed: Unharmed) -> Iterator[str]:
    """Yield what is wrong right after a command was killed or failed: outputs are old or new, and no raw text is lost."""
    now = updated(home)
    for name in sorted(unharmed.before.keys() | unharmed.after.keys() | now.keys()):
        allowed = [unharmed.before.get(name), unharmed.after.get(name)]
        if now.get(name) not in allowed:
            yield f"the updated export {name} is neither the old one nor the new one"
    if lost := unharmed.texts - raw_texts(home):
        yield f"{len(lost)} raw messages cannot be had back"
    yield from database_faults(home)


def in_the_end(
    home: Path, unharmed: Unharmed, in_place: Collection[bytes] = (), *, is_inbox_new: bool = False
) -> Iterator[str]:
    """Yield what is wrong after the next command, which must end in the unharmed state without unfinished files.

    `in_place` are the updated exports right after the fault: one that is not recorded is kept as a version, once, before
    it is overwritten. With `is_inbox_new`, the files of the inbox have other inodes than before, so each is seen once
    more, and known by its content.
    """
    if updated(home) != unharmed.after:
        yield "the updated exports are not those of an undisturbed run"
    if lost := unharmed.texts - raw_texts(home):
        yield f"{len(lost)} raw messages cannot be had back"
    for path in sorted(home.rglob("*")):
        if _UNFINISHED.search(path.name):
            yield f"{path.relative_to(home)} is left"
    yield from backup_faults(home / "backups")
    yield from database_faults(home)
    now = kept(home)
    now["backups"] = _without_versions(now["backups"], unharmed.kept["backups"], in_place)
    if is_inbox_new:
        now["arrival"] = _without_sightings(now["arrival"], unharmed.kept["arrival"])
    for part in sorted(now.keys() | unharmed.kept.keys()):
        if now.get(part) != unharmed.kept.get(part):
            difference = _first_difference(now.get(part), unharmed.kept.get(part))
            yield f"{part} is not that of an undisturbed run: {difference}"


def paid_twice(
    asked_before: tuple[str, ...], kept_before: set[str], asked_now: tuple[str, ...]
) -> Iterator[str]:
    """Yield what is wrong with the money: no kept answer may be asked for again, and at most one may be lost."""
    if again := kept_before & set(asked_now):
        yield f"{len(again)} answers that were kept were asked for again"
    if len(lost := set(asked_before) - kept_before) > 1:
        yield f"{len(lost)} answers were not kept, and one can be on its way"
    if twice := len(asked_now) - len(set(asked_now)):
        yield f"{twice} requests were sent twice in one run"


def updated(home: Path) -> dict[str, bytes]:
    """Return the updated exports, by name."""
    return {
        path.name: path.read_bytes()
        for path in (home / "updated").glob("*.*")
        if path.suffix in (".json", ".zip")
    }


def raw_texts(
    home: Path, *, archives: bool = True, exports: bool = True, only: str = ""
) -> frozenset[bytes]:
    """Return every raw message that the archive, a backup or an export in the home folder contains.

    With `only`, exports are looked for in that folder alone.
    """
    texts: set[bytes] = set()
    if archives and not only:
        texts |= _texts_in_archives(home)
    for folder in (only,) if only else ("inbox", "updated") if exports else ():
        for path in (home / folder).rglob("*.json"):
            texts |= _messages(path.read_bytes())
    for path in (home / "backups").rglob("*.json.gz") if exports and not only else ():
        try:
            texts |= _messages(gzip.decompress(path.read_bytes()))
        except (OSError, EOFError, zlib.error):
            continue
    return frozenset(texts)


def _texts_in_archives(home: Path) -> set[bytes]:
    texts: set[bytes] = set()
    archives = [
        home / "state" / "archive.sqlite3",
        *(home / "state").glob(f"{_ASIDE}*/archive.sqlite3"),
    ]
    for path in archives:
        try:
            for digest, raw, packed in _rows(path, "SELECT sha256, raw, packed FROM body"):
                body = zlib.decompress(raw) if packed else raw
                if sha256(body).hexdigest() == digest:
                    texts.add(_plain(json.loads(body)))
        except (sqlite3.Error, zlib.error, ValueError):
            continue
    return texts


def texts_of(content: bytes) -> frozenset[bytes]:
    """Return the raw messages of an export: those without memproc's mark."""
    return frozenset(_messages(content))


def replies(home: Path) -> set[str]:
    """Return the keys of the requests whose answers are kept."""
    try:
        return {
            str(key)
            for (key,) in _rows(home / "state" / "archive.sqlite3", "SELECT request FROM reply")
        }
    except sqlite3.Error:
        return set()


def database_faults(home: Path) -> Iterator[str]:
    """Yield what SQLite itself finds wrong with the archive."""
    path = home / "state" / "archive.sqlite3"
    if not path.exists() or not path.stat().st_size:
        return
    try:
        found = [row[0] for row in _rows(path, "PRAGMA integrity_check")]
    except sqlite3.Error as fault:
        found = [str(fault)]
    if found != ["ok"]:
        yield f"the archive is damaged: {found[0]}"


def kept(home: Path) -> dict[str, Any]:
    """Return all that is kept in the end, in a form in which two home folders can be compared."""
    path = home / "state" / "archive.sqlite3"
    found: dict[str, Any] = {"backups": sorted(_index(home / "backups"))}
    copies = (home / "state" / "arrivals").glob("*")
    found["copies"] = sorted((path.name, sha256(path.read_bytes()).hexdigest()) for path in copies)
    parcel = home / "all.zip"
    found["parcel"] = parcel.exists()
    if path.exists():
        with _opened(path) as database:
            for (table,) in database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            ).fetchall():
                if table not in _VOLATILE:
                    found[table] = _table(database, table)
    if "arrival" in found:
        by_hand = [row for row in found["arrival"] if row.get("by") == "hand"]
        found["arrival"] = [row for row in found["arrival"] if row not in by_hand]
        found["by hand"] = _files(by_hand)
    return found


def _files(arrivals: Sequence[Row]) -> list[Row]:
    """Return each file once, by its name alone: the folder of a trial is not that of the unharmed run."""
    files = {
        (Path(row["path"]).name, row["sha256"], "over" if row["state"] in _OVER else row["state"])
        for row in arrivals
    }
    listed = [dict(zip(_OF_A_FILE, file, strict=True)) for file in files]
    return sorted(listed, key=repr)


def backup_faults(folder: Path) -> Iterator[str]:
    """Yield what is wrong with the backups: index and files must agree, and each file must have its hashes."""
    if not folder.exists():
        return
    lines = {line["file"]: line for line in _lines(folder)}
    files = {
        path.relative_to(folder).as_posix()
        for shelf in ("originals", "versions")
        for path in (folder / shelf).rglob("*.gz")
    }
    for file in sorted(files - lines.keys()):
        yield f"backups/{file} is not in the index"
    for file, line in sorted(lines.items()):
        if line["kind"] == "removed":
            continue
        if file not in files:
            yield f"backups/{file} is in the index, and gone"
        else:
            packed = (folder / file).read_bytes()
            hashes = sha256(packed).hexdigest(), sha256(gzip.decompress(packed)).hexdigest()
            if hashes != (line["packed_sha256"], line["sha256"]):
                yield f"backups/{file} is not what the index says"


def _index(folder: Path) -> Iterator[tuple[str, str, str]]:
    for line in _lines(folder):
        yield line["kind"], line["chat_id"], line["sha256"]


def _without_versions(
    now: Sequence[tuple[str, str, str]],
    unharmed: Sequence[tuple[str, str, str]],
    in_place: Collection[bytes],
) -> list[tuple[str, str, str]]:
    """Return the backups without one additional version of each updated export that was in its place."""
    may_be_more = [sha256(content).hexdigest() for content in in_place]
    lines: list[tuple[str, str, str]] = []
    for line in now:
        if line[0] == "updated" and line[2] in may_be_more and line not in unharmed:
            may_be_more.remove(line[2])
        else:
            lines.append(line)
    return lines


def _without_sightings(now: Sequence[Row], unharmed: Sequence[Row]) -> list[Row]:
    """Return the dropped files, each once, without those that were only recognized by their content or are gone."""
    rows: list[Row] = []
    for row in now:
        contents = [known["sha256"] for known in unharmed if known["path"] == row["path"]]
        is_over = row["state"] in ("done", "gone") and row["sha256"] in (None, *contents)
        if row not in rows and (row in unharmed or not (contents and is_over)):
            rows.append(row)
    return rows


def _lines(folder: Path) -> list[dict[str, str]]:
    path = folder / "INDEX.tsv"
    content = path.read_text() if path.exists() else ""
    return [
        line
        for line in csv.DictReader(io.StringIO(content), delimiter="\t", quoting=csv.QUOTE_NONE)
        if line["file"]
    ]


def _table(database: sqlite3.Connection, table: str) -> list[Row]:
    """Return the rows of a table without the columns of `_NUMBERING`, sorted by their content."""
    rows = database.execute(f"SELECT * FROM {table}")
    names = [column[0] for column in rows.description]
    wanted = [at for at, name in enumerate(names) if not {name, f"{table}.{name}"} & _NUMBERING]
    kept_rows = [
        {
            names[at]: sha256(row[at]).hexdigest() if isinstance(row[at], bytes) else row[at]
            for at in wanted
        }
        for row in rows
    ]
    return sorted(kept_rows, key=repr)


def _rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    if not path.exists():
        return []
    with _opened(path) as database:
        return database.execute(sql).fetchall()


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a copy of a database and its log, so that reading it changes nothing."""
    with TemporaryDirectory(prefix="memproc-faults-") as place:
        for name in (path.name, f"{path.name}-wal"):
            if (path.parent / name).exists():
                shutil.copyfile(path.parent / name, Path(place, name))
        with closing(sqlite3.connect(Path(place, path.name))) as database:
            yield database


def _messages(content: bytes) -> set[bytes]:
    try:
        chats = json.loads(content)["data"]["chats"]
    except (ValueError, KeyError, TypeError):
        return set()
    return {
        _plain(message)
        for chat in chats
        for message in chat["messages"]
        if "memproc" not in message
    }


def _plain(message: Any) -> bytes:
    return json.dumps(message, sort_keys=True).encode()


def _first_difference(now: Any, expected: Any) -> str:
    if isinstance(now, list) and isinstance(expected, list):
        more = [row for row in now if row not in expected][:1]
        less = [row for row in expected if row not in now][:1]
        return f"{len(now)} for {len(expected)}, more {str(more)[:300]}, less {str(less)[:300]}"
    return f"{str(now)[:200]} for {str(expected)[:200]}"
