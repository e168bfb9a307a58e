"""Rot: whatever is changed in the archive by a disk, it is told, it stops one chat alone, and is never written out."""

import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.seals import SEALED
from daemon.files.paths import archive_path
from tests.chats import export_bytes, long_chat
from tests.stories.person import Ended, Person

ROT = "ROTTEN"
CHAT = {**long_chat(6000, tokens_each=200), "chatID": "aria000001", "title": "Aria"}
OTHER = {**long_chat(4000, tokens_each=200), "chatID": "bert000001", "title": "Bert"}
FOLDING = "[fold]\nbudget = 1200\n"
FILLED = (
    "INSERT INTO arrival (path, device, inode, size, mtime_ns, sha256, state, seen_at, changed_at) "
    "VALUES ('x.json', 1, 1, 1, 1, 'f', 'written', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
    "INSERT INTO outcome (arrival, chat_id, title, kind, detail, next_step, path, at) "
    "VALUES (1, 'aria000001', 'Aria', 'written', '', '', '', '2026-01-01T00:00:00.000Z')",
    "INSERT INTO job (name, due_at) VALUES ('maintain', '2026-01-01T00:00:00.000Z')",
    "INSERT INTO sign (name, value, at) VALUES ('last_scan', '1', '2026-01-01T00:00:00.000Z')",
    "INSERT INTO spending (request, chat_id, model, run, tokens, reserved, settled, at) "
    "VALUES ('r', 'aria000001', 'm', 'run', 1, 1, 1, '2026-01-01T00:00:00.000Z')",
    "INSERT INTO calibration (model, factor, replies) VALUES ('m', 1.0, 1)",
    "INSERT INTO batch (id, name, since, began_at, ended_at) "
    "VALUES (1, 'b', '', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
    "INSERT INTO batch_request (batch, request, chat_id, model, step, parameters, tokens) "
    "VALUES (1, 'r', 'aria000001', 'm', 'quote', '{}', 1)",
    "INSERT INTO layer_step (memory, layer, edition) SELECT id, 'core', 1 FROM memory ORDER BY number LIMIT 1",
    "INSERT INTO question (chat, memory, message, passage, text, choices, seed, state) "
    "SELECT chat, id, 'k', 'p', 't', '[]', 's', '' FROM memory ORDER BY number LIMIT 1",
    "INSERT INTO answer (chat, evaluation, question, arm, letter, model, settings, version, memories, level, at) "
    "SELECT chat, 1, id, 'memories', 'A', 'm', 's', 'v', 1, 1, '2026-01-01T00:00:00.000Z' FROM question",
)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """Two chats that were compressed, with something in every table; and they have gone on since."""
    person = Person(tmp_path_factory.mktemp("lived") / "home", layers=True)
    person.settings(FOLDING)
    earlier = [{**chat, "messages": chat["messages"][:-8]} for chat in (CHAT, OTHER)]
    person.drop(export_bytes(*earlier))
    assert person.memproc("run").code == 0
    for command in (
        ("core", "aria000001", "set", "human", "Likes tea."),
        ("facts", "aria000001", "add", "Likes tea."),
    ):
        assert person.memproc(*command).code == 0
    person.drop(export_bytes(*earlier))
    assert person.memproc("run").code == 0
    with Archive.open(person.home / "state") as archive:
        for statement in FILLED:
            archive.run(statement)
    person.drop(export_bytes(CHAT, OTHER))
    return person


def _columns() -> list[tuple[str, str]]:
    with Archive.memory() as archive:
        return [
            (str(table), str(column))
            for table, column in archive.run(
                "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
                "WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' ORDER BY m.name, c.cid"
            )
        ]


COLUMNS = _columns()
TABLES = sorted({table for table, _ in COLUMNS})
OF_A_CHAT = SEALED.keys() - {"reply", "rest"}
NOT_SEALED = {"last_seen", "round_to", "path", "written_at"}
HALF = "length({0}) / 2"
DAMAGES = {
    "changed": f"""CASE typeof({{0}})
        WHEN 'text' THEN substr({{0}}, 1, {HALF}) || '{ROT}' || substr({{0}}, {HALF} + 2)
        WHEN 'blob' THEN CAST(x'00' || substr({{0}}, 2) AS BLOB) WHEN 'null' THEN '{ROT}' ELSE {{0}} + 1 END""",
    "no text": "CAST(x'ff41ff' AS TEXT)",
    "gone": "NULL",
    "another type": f"x'{ROT.encode().hex()}'",
}
TOLD_BY_DEFAULT = [
    ("body", "raw"), ("chat", "head"), ("chunk_message", "message"), ("core_event", "value"), ("edition", "texts"),
    ("fact_event", "text"), ("fold_member", "member"), ("job", "due_at"), ("memory", "began_at"),
    ("message", "key"), ("message", "position"), ("message", "is_missing"), ("chat_state", "sha256"),
    ("answer", "letter"), ("question", "text"), ("edition", "form"),
    ("opening", "text"), ("output", "messages_sha256"), ("reply", "text"),
    ("rest", "found"), ("version", "created_at"),
]  # fmt: skip


def damage(path: Path, table: str, column: str, value: str) -> bool:
    """Change a value of the first row behind SQLite's back, whatever the table asks of it; whether that can be."""
    with closing(sqlite3.connect(path)) as database:
        (strict,) = database.execute(
            "SELECT sql FROM sqlite_master WHERE name = ?", (table,)
        ).fetchone()
        primary = database.execute(
            "SELECT name FROM pragma_table_info(?) WHERE pk = 1", (table,)
        ).fetchone()
    key = primary[0] if "WITHOUT ROWID" in strict else "rowid"
    first = f"{key} = (SELECT min({key}) FROM {table})"
    count = 0
    rules(path, table, strict.replace("STRICT", "").replace("NOT NULL", ""))
    with closing(sqlite3.connect(path)) as database, suppress(sqlite3.IntegrityError):
        new = value.format(column)
        count = database.execute(
            f"UPDATE {table} SET {column} = {new} WHERE {first} AND {column} IS NOT {new}"
        ).rowcount
        database.commit()
    rules(path, table, strict)
    return count == 1


def rules(path: Path, table: str, sql: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql, table))
        database.commit()


def damaged(lived: Person, home: Path, table: str, column: str, value: str) -> Person | None:
    """The same person, with this damage in the archive; None where it cannot be."""
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(lived.home, home)
    person = Person(home, layers=True)
    person.settings(FOLDING)
    return person if damage(archive_path(home / "state"), table, column, value) else None


def told(person: Person, table: str, *command: str) -> Ended:
    """What a command says: never that memproc is mistaken, and nothing of the rot."""
    ended = person.memproc(*command)
    assert ended.code != 3, ended.err
    assert "Traceback" not in ended.err
    assert table not in SEALED or ROT not in ended.out + ended.err
    assert not [path for path in person.updated() if ROT.encode() in path.read_bytes()]
    return ended


def is_told(lived: Person, home: Path, place: tuple[str, str], kind: str, *commands: str) -> None:
    """Damage a column, and see that verify tells, that a run stops this chat alone, and what these commands say."""
    table, column = place
    person = damaged(lived, home, table, column, DAMAGES[kind])
    if person is None:
        return
    verified = told(person, table, "verify")
    if table in SEALED and column not in NOT_SEALED:
        assert verified.code == 1, (column, "is damaged, and verify is silent")
        assert "damaged" in verified.err or "not what was stored" in verified.err
    for command in commands:
        told(person, table, *command.split())
    ended = told(person, table, "run")
    if table in OF_A_CHAT and column != "last_seen":
        assert "1 written" in ended.out or "2 written" in ended.out, (column, ended)


@pytest.mark.sampled
@pytest.mark.parametrize("place", TOLD_BY_DEFAULT, ids=".".join)
def test_rot_is_told_and_never_written_out_and_the_other_chats_are_done(
    lived: Person, tmp_path: Path, place: tuple[str, str]
) -> None:
    is_told(lived, tmp_path / "home", place, "changed")


def test_a_chat_that_has_lost_its_name_stops_no_other(lived: Person, tmp_path: Path) -> None:
    is_told(lived, tmp_path / "home", ("chat", "chat_id"), "gone")


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", DAMAGES)
def test_damage_in_any_column_is_told_by_every_command(
    lived: Person, tmp_path: Path, table: str, kind: str
) -> None:
    for place in COLUMNS:
        if place[0] == table:
            is_told(
                lived,
                tmp_path / "home",
                place,
                kind,
                "plan",
                "memories aria000001",
                "expand aria000001",
                "status",
            )
