"""An archive of the memproc before the first release opens as it is, and becomes one of today; an older one is told."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.archive.archive import Archive, check_integrity
from daemon.archive.chats import FoldLimits, fold_limits, rest_of, waiting_state
from daemon.archive.journal import find_reply
from daemon.archive.layers import fact_events
from daemon.archive.memories import memories
from daemon.archive.messages import missing_keys, raw_conversation
from daemon.archive.outputs import last_output
from daemon.archive.schema import OLDEST, STEPS
from daemon.archive.seals import SEALED
from daemon.files.paths import archive_path
from rules.errors import ArchiveError
from tests.daemon.archive.test_archive import reply
from tests.daemon.archive.test_messages import CHAT, LATER, TALK, WHEN
from tests.entries import entries, memory_of

TWELVE_STEPS = Path(__file__).parent / "fixtures" / "twelve_steps.sql"
Shape = dict[tuple[str, str], object]


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """The state folder of the memproc before: six messages, the last one missing, two memories, and more."""
    with closing(sqlite3.connect(archive_path(tmp_path))) as database:
        database.executescript(TWELVE_STEPS.read_text(encoding="utf-8"))
    return tmp_path


def rows(database: sqlite3.Connection) -> dict[str, list[dict[str, object]]]:
    """All rows of all tables, but for what the steps have changed."""
    database.row_factory = sqlite3.Row
    tables = [
        str(row["name"])
        for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    new = {table: {"seal"} for step in STEPS for table in step.seals} | {
        "chat_state": {"seal", "said_at"},
        "edition": {"seal", "wishes"},
        "chat": {"seal", "fold_budget", "agent_window"},
    }
    return {
        table: [
            {key: row[key] for key in row.keys() if key not in new.get(table, ())}  # noqa: SIM118  a Row is no dict
            for row in database.execute(f"SELECT * FROM {table}")
        ]
        for table in tables
        if table not in ("layout", "migration", "rest")
    }


def shape(archive: Archive) -> Shape:
    """Columns of every table, whatever their order, and the text of every index and trigger."""
    things = archive.run("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    columns = 'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY name'
    return {
        (kind, name): archive.run(columns, (name,))
        if kind == "table"
        else " ".join(str(sql).split())
        for kind, name, sql in things
    }


def test_nothing_that_was_in_it_is_lost_or_changed(older: Path) -> None:
    with closing(sqlite3.connect(archive_path(older))) as database:
        before = rows(database)
    with Archive.open(older) as archive:
        assert check_integrity(archive) == ()
        assert [bytes(raw) for raw in raw_conversation(archive, CHAT).messages] == [
            message.raw for message in TALK
        ]
        assert missing_keys(archive, CHAT) == {TALK[5].uuid}
        written = [memory_of(n, entries(TALK)[2 * n - 2 : 2 * n]) for n in (1, 2)]
        editions = [replace(memory.edition, tokens=10) for memory in written]
        assert memories(archive, CHAT) == tuple(
            replace(memory, edition=edition, in_prompts=edition)
            for memory, edition in zip(written, editions, strict=True)
        )
        assert [event.text for event in fact_events(archive, CHAT)] == ["Ada likes tea"]
        assert find_reply(archive, "a") == reply("a")
        assert (last := last_output(archive, CHAT)) is not None
        assert last.path == "/updated/a.json"
        assert (waiting := waiting_state(archive, CHAT)) is not None
        assert (waiting.doubt, waiting.said_at) == ("Most is gone.", LATER)
    with closing(sqlite3.connect(archive_path(older))) as database:
        after = rows(database)
    new = ("odd_usage", "kept_passage", "question", "answer", "bound_prices")
    assert [after.pop(table) for table in new] == [[]] * len(new)
    assert [chat["chat"] for chat in after.pop("pins_before")] == [1], "its pins are only offered"
    assert [edition.pop("form") for edition in after["edition"]] == ["", ""]
    after["sign"] = [sign for sign in after["sign"] if sign["name"] != "zone"]
    former = [sign for sign in after["sign"] if sign["name"] == "former_answers"]
    assert [sign["value"] for sign in former] == [reply("a").asked_at]
    after["sign"] = [sign for sign in after["sign"] if sign not in former]
    assert after == before


def test_its_files_and_chats_are_skipped_or_unchanged_in_the_words_of_today(older: Path) -> None:
    with closing(sqlite3.connect(archive_path(older))) as database, database:
        for path, state in (("a.json", "set aside"), ("b.json", "waiting")):
            database.execute(
                "INSERT INTO arrival (path, device, inode, size, mtime_ns, state, seen_at, changed_at) "
                "VALUES (?, 1, 1, 1, 1, ?, ?, ?)",
                (path, state, LATER, LATER),
            )
        for kind in ("written", "left alone", "set aside"):
            database.execute(
                "INSERT INTO outcome (arrival, chat_id, title, kind, detail, next_step, path, at) "
                "VALUES (1, ?, 'A', ?, '', '', '', ?)",
                (kind, kind, LATER),
            )
    with Archive.open(older) as archive:
        states = archive.column("SELECT state FROM arrival WHERE path IN ('a.json', 'b.json')")
        assert states == ("skipped", "waiting")
        kinds = archive.column("SELECT kind FROM outcome WHERE title = 'A' ORDER BY id")
        assert kinds == ("written", "unchanged", "skipped")


def test_it_has_all_that_a_new_one_has(older: Path) -> None:
    with Archive.open(older) as archive, Archive.memory() as new:
        assert shape(archive) == shape(new)
        assert archive.one("SELECT max(number) FROM migration") == new.one(
            "SELECT max(number) FROM migration"
        )
        assert archive.run("SELECT name FROM migration WHERE number > ?", (OLDEST,)) == [
            (step.name,) for step in STEPS
        ]


def test_a_chat_that_has_folds_keeps_to_the_budget_of_then(older: Path) -> None:
    with closing(sqlite3.connect(archive_path(older))) as database:
        database.execute("UPDATE memory SET level = 2 WHERE id = 'm2'")
        database.commit()
    with Archive.open(older) as archive:
        assert fold_limits(archive, CHAT) == FoldLimits(budget=16_000)


def test_a_chat_without_folds_keeps_to_no_budget(older: Path) -> None:
    with Archive.open(older) as archive:
        assert fold_limits(archive, CHAT) == FoldLimits()


@pytest.mark.parametrize("opened", [Archive.open, Archive.read])
def test_damage_that_it_had_is_not_sealed(older: Path, opened: Callable[[Path], Archive]) -> None:
    change(older, "UPDATE edition SET texts = replace(texts, 'a', 'b') WHERE memory = 'm2'")
    with opened(older) as archive:
        assert check_integrity(archive) == ("archive: row 2 of edition is not what was stored",)


@pytest.mark.parametrize("table", ["message", "missing", "chat_state"])
def test_what_had_no_seal_has_one_from_then_on(older: Path, table: str) -> None:
    Archive.open(older).close()
    column = next(name for name in SEALED[table].columns if name in ("gone_at", "since", "at"))
    change(older, f"UPDATE {table} SET {column} = ?", WHEN[:-1])
    with Archive.read(older) as archive:
        assert any(
            f"of {table} is not what was stored" in fault for fault in check_integrity(archive)
        )


def test_it_can_be_read_as_it_will_be_and_is_not_touched_by_that(older: Path) -> None:
    before = archive_path(older).read_bytes()
    with Archive.read(older) as archive:
        assert len(memories(archive, CHAT)) == 2
        assert rest_of(archive, CHAT) is None
        assert check_integrity(archive) == ()
    assert archive_path(older).read_bytes() == before


def test_one_from_before_that_is_told_with_the_way_on_and_not_touched(older: Path) -> None:
    change(older, "DELETE FROM migration WHERE number > 7")
    before = archive_path(older).read_bytes()
    for opened in (Archive.open, Archive.read):
        with pytest.raises(ArchiveError, match="from before the first release") as told:
            opened(older)
        assert "memproc rebuild" in told.value.next_step
    assert archive_path(older).read_bytes()[100:] == before[100:], "but for the mode in its header"


def change(state: Path, sql: str, *values: str) -> None:
    with closing(sqlite3.connect(archive_path(state))) as database:
        database.execute(sql, values)
        database.commit()
