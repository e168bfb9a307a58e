"""A chat is erased from every table of the archive, from its pages, and from the work that goes on."""

import hashlib
import json
import re
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from daemon.archive import erasing
from daemon.archive.archive import Archive, check_integrity
from daemon.archive.arrivals import next_work, resume_after_restart
from daemon.archive.log import entries_after, note
from daemon.archive.seals import lost_rows, refuse_damage
from daemon.archive.signs import set_sign
from daemon.events import ChatIs, FileIs, Note, RunDone, Trouble
from daemon.files.clock import now
from daemon.inbox.jobs import maintain
from daemon.inbox.scanner import Scanner
from daemon.inbox.watch_plan import SettingsAre, plan_of, read_settings_here
from rules.errors import DamagedChat
from rules.typingmind.new_chat import new_chat_id
from tests.chats import Json, chat, conversation, export_bytes
from tests.stories.erasing import OTHER, SECRET, contents, put_back, secret_chat, written_twice
from tests.stories.person import Person

pytestmark = pytest.mark.timeout(200)
BY_HAND = (
    "chat", "body", "spending", "batch", "file_seen", "arrival", "log", "outcome", "sign", "notice", "job",
    "odd_usage", "row_count",
)  # fmt: skip
"""Tables with statements of their own in erasing.py; rows are counted by triggers."""
NO_CHAT = ("calibration",)
"""Tables that say nothing of any chat."""
SCHEMA = Path(erasing.__file__).with_name("schema.sql").read_text("utf-8")
TABLES = frozenset(re.findall(r"CREATE TABLE (\w+)", SCHEMA))


@pytest.fixture
def eve(lived: Person) -> Iterator[Person]:
    """A person with two chats, both compressed twice; the secret one is in every table."""
    with put_back(lived) as eve:
        yield eve


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """The same person, whose folder each test gets as it was."""
    eve = written_twice(tmp_path_factory.mktemp("lived") / "eve")
    with Archive.open(eve.home / "state") as archive:
        fill(archive)
        archive.fold_log()
        maintain(archive, eve.home / "state", datetime.now(UTC))
    return eve


def fill(archive: Archive) -> None:
    """A row of the secret chat in each table that neither the engine nor a run by hand writes to."""
    when, text = "2026-01-01T00:00:00.000Z", f"{SECRET} secret1234"
    call = {"request": SECRET, "chat_id": "secret1234", "model": "m"}
    spending = archive.insert(
        "spending", {**call, "run": "r", "tokens": 1, "reserved": 5, "settled": 5, "at": when}
    )
    batch = archive.insert("batch", {"since": when, "began_at": when})
    asked = {**call, "step": "quote", "parameters": "{}"}
    archive.insert("batch_request", {**asked, "batch": batch, "tokens": 1, "spending": spending})
    tokens = dict.fromkeys(("tokens_in", "tokens_out", "tokens_cached", "tokens_cache_written"), 1)
    archive.insert(
        "reply",
        {**asked, **tokens, "text": text, "finish": "stop", "asked_at": when, "answered_at": when},
    )
    archive.insert("odd_usage", {"request": SECRET, "said": "input_tokens: -1"})
    archive.insert("calibration", {"model": "m", "factor": 1.0, "replies": 1})
    archive.insert("token_count", {"encoding": "e", "digest": SECRET, "tokens": 1})
    archive.insert("bound_prices", {"window": SECRET.encode(), "prices": b"0"})
    place = dict.fromkeys(("device", "inode", "size", "mtime_ns"), 1)
    times = {"seen_at": when, "changed_at": when}
    arrival = archive.insert(
        "arrival",
        {
            "path": f"/inbox/{SECRET}.json",
            **place,
            **times,
            "state": "written",
            "chat_id": "secret1234",
            "title": SECRET,
        },
    )
    for event in (
        FileIs(arrival, f"{SECRET}.json", "written", text),
        ChatIs("secret1234", SECRET, "skipped", text, arrival=arrival),
        Trouble("the start", "The updated export of secret1234 was changed."),
        Note(text),
    ):
        note(archive, event, when)
    outcome = dict.fromkeys(("title", "kind", "detail", "next_step", "path"), text)
    archive.insert("outcome", {"arrival": arrival, "chat_id": "secret1234", **outcome, "at": when})
    waits = {"change": "facts add", "chat_id": "secret1234", "asked": f'{{"words": "{SECRET}"}}'}
    job = dict.fromkeys(("id", "device", "sha256", "path", "started_at"), text)
    numbers = {"at": when, "after": 1, "starts": 1}
    archive.insert("sent", {"chat_id": "secret1234", **job, **numbers})
    of_new_chat = {**job, "id": "2", "chat_id": new_chat_id("secret1234")}
    archive.insert("sent", {**of_new_chat, **numbers})
    archive.insert("pressed", {**waits, "at": when, "done_at": when, "says": text})
    archive.insert("sign", {"name": f"notice {text}", "value": text, "at": when})
    archive.insert("notice", {"text": f'"About {SECRET}" is small'})
    archive.insert("job", {"name": "verify", "due_at": when, "error": text})
    message, memory = archive.run(
        "SELECT message.id, memory.id FROM message JOIN chat ON chat.id = message.chat "
        "JOIN memory ON memory.chat = chat.id WHERE chat_id = 'secret1234' LIMIT 1"
    )[0]
    archive.insert("layer_step", {"memory": memory, "layer": "core", "edition": 1}, "OR IGNORE")
    member = archive.value(
        "SELECT id FROM memory WHERE chat = (SELECT chat FROM memory WHERE id = ?) AND id <> ?1",
        (memory,),
    )
    archive.insert("fold_member", {"fold": memory, "place": 0, "member": member})
    chat = archive.value("SELECT id FROM chat WHERE chat_id = 'secret1234'")
    opening = {
        "chat": chat,
        "digest": "d",
        "text": text,
        "preface": "",
        "by": "person",
        "base": "",
        "at": when,
    }
    archive.insert("opening", opening)
    blank = ("speaker", "by", "state", "asks", "digest", "reason", "shown")
    kept = dict.fromkeys(blank, "") | dict.fromkeys(
        ("said_at", "at", "shown_at", "changed_at"), when
    )
    numbers = {"number": 1, "start": 0, "tokens": 1, "is_pinned": 0, "message": message}
    archive.insert("kept_passage", {"chat": chat, "text": text, **numbers, **kept}, "OR IGNORE")
    asked = dict.fromkeys(("message", "passage", "text", "choices", "seed"), text)
    number = archive.insert("question", {"chat": chat, "memory": memory, **asked, "state": ""})
    told = dict.fromkeys(("arm", "letter", "model", "settings", "version"), text)
    counts = {"evaluation": 1, "memories": 1, "level": 1, "at": when}
    archive.insert("answer", {"chat": chat, "question": number, **told, **counts})
    hashes = dict.fromkeys(("sha256", "settings_sha256"), "s")
    archive.insert("rest", {"chat_id": "secret1234", **hashes, "found": "{}"})


def packed_bodies(home: Path) -> list[bytes]:
    """The raw messages of the secret chat as they lie packed in the archive."""
    with sqlite3.connect(home / "state" / "archive.sqlite3") as archive:
        rows = archive.execute("SELECT raw, packed FROM body").fetchall()
    return [
        raw for raw, packed in rows if SECRET.encode() in (zlib.decompress(raw) if packed else raw)
    ]


def rows_of(home: Path, chat_id: str) -> list[str]:
    """Everything that the archive says in its tables of what a chat has, as it reads."""
    with Archive.read(home / "state") as archive:
        return [
            f"{table} {row}"
            for table in sorted(TABLES - {*erasing.EMPTIED, "batch"})
            for row in archive.run(f"SELECT * FROM {table}")
            if chat_id in str(row) or table in ("version", "message", "memory", "edition", "body")
        ]


def test_every_table_of_the_archive_is_thought_of() -> None:
    named = (erasing.BY_ROW, erasing.BY_CHAT_ID, erasing.EMPTIED, BY_HAND, NO_CHAT)
    assert {table for tables in named for table in tables} == TABLES
    assert sum(map(len, named)) == len(TABLES)


def test_nothing_of_an_erased_chat_is_left_in_any_table_or_page(eve: Person) -> None:
    bodies = packed_bodies(eve.home)
    assert len(bodies) > 20
    with Archive.read(eve.home / "state") as archive:
        spent = archive.value("SELECT sum(settled) FROM spending")
        for table in TABLES:
            assert archive.run(f"SELECT 1 FROM {table}"), f"{table} is not put to the test"

    ended = eve.memproc("erase", "secret1234", "--yes")

    assert (ended.code, ended.err) == (0, "")
    for path, content in contents(eve.home):
        for trace in (SECRET.encode(), b"secret1234", *bodies):
            assert trace not in content, f"{path} still has {trace[:40]!r}"
    with Archive.read(eve.home / "state") as archive:
        assert check_integrity(archive) == ()
        assert archive.value("PRAGMA freelist_count") == 0, (
            "no page is left that held something of it"
        )
        assert archive.value("SELECT sum(settled) FROM spending") == spent, (
            "the caps still count what was spent"
        )


def test_no_row_of_another_chat_is_touched(eve: Person) -> None:
    def of_the_other() -> list[str]:
        return [row for row in rows_of(eve.home, "other12345") if "other12345" in row]

    before = of_the_other()
    assert eve.memproc("erase", "secret1234", "--yes").code == 0
    assert of_the_other() == before


def dropped(eve: Person, name: str, state: str, *chats: Json) -> tuple[int, Path]:
    """A file in the inbox that memproc has copied, and is not through with."""
    path = eve.drop(export_bytes(*chats), name)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (eve.home / "state" / "arrivals" / f"{digest}.json").write_bytes(path.read_bytes())
    seen, when = path.stat(), "2026-01-01T00:00:00.000Z"
    place = {
        "device": seen.st_dev,
        "inode": seen.st_ino,
        "size": seen.st_size,
        "mtime_ns": seen.st_mtime_ns,
    }
    with Archive.open(eve.home / "state") as archive:
        row = {
            "path": str(path),
            **place,
            "sha256": digest,
            "state": state,
            "next_look_at": when,
            "tries": 1,
        }
        number = archive.insert("arrival", {**row, "seen_at": when, "changed_at": when})
        note(archive, FileIs(number, name, state, SECRET), when)
    return number, path


@pytest.mark.parametrize("state", ["copied", "working", "waiting", "paused"])
def test_work_on_a_file_of_the_erased_chat_alone_ends_and_that_on_others_goes_on(
    eve: Person, state: str
) -> None:
    """Whether its file still lies in the inbox or has left it; the daemon that starts then takes neither again."""
    secret = secret_chat()
    kept, path = dropped(eve, "kept.json", state, secret)
    moved, gone = dropped(eve, "gone.json", state, secret | {"folderID": "f"})
    both, _ = dropped(eve, "both.json", state, secret, OTHER)
    gone.unlink()
    assert eve.memproc("erase", "secret1234", "--yes").code == 0
    with Archive.open(eve.home / "state") as archive:
        states = dict(archive.run("SELECT id, state FROM arrival"))
        assert (states[kept], states.get(moved), states[both]) == ("done", None, state)
        assert not archive.run(
            "SELECT 1 FROM log WHERE instr(event, ?) AND arrival <> ?", (SECRET, both)
        )
        settings = read_settings_here(eve.toml)
        assert isinstance(settings, RunDone)
        plan = plan_of(SettingsAre(**settings.settings))
        scanner = Scanner(archive)
        for moment in (0.0, 400.0):
            scanner.scan(plan, now(), moment)
        resume_after_restart(archive, now())
        work = next_work(archive, now())
        assert work is not None
        assert work.id == both, "the other chat in it is worked on"
        assert archive.run("SELECT state FROM arrival WHERE path = ?", (str(path),)) == [("done",)]
    left = list((eve.home / "state" / "arrivals").glob("*.json"))
    assert [SECRET.encode() in file.read_bytes() for file in left] == [False] * len(left)


def test_the_title_of_an_erased_chat_is_in_no_note_of_a_run(eve: Person) -> None:
    with Archive.open(eve.home / "state") as archive:
        for name, value in (
            ("run", json.dumps({"trouble": f"About {SECRET}: too large"})),
            ("budget_day", "{}"),
        ):
            set_sign(archive, name, value, "2026-01-01T00:00:00.000Z")
    assert eve.memproc("erase", "secret1234", "--yes").code == 0
    with Archive.read(eve.home / "state") as archive:
        assert [
            name
            for (name,) in archive.run("SELECT name FROM sign")
            if name in ("run", "budget_day")
        ] == ["budget_day"]


@pytest.mark.parametrize("title", ["file", "FileIs", "written", "2048"])
def test_a_title_that_is_a_word_of_the_log_itself_takes_no_other_entry_along(
    tmp_path: Path, title: str
) -> None:
    path = f"/updated/{title} (other12345).json"
    others = (
        FileIs(1, "a.json", "written"),
        ChatIs("other12345", title, "written", path=path, tokens_after=2048),
    )
    own = (Note(f'"{title}" is small.'), ChatIs("secret1234", title, "written"))
    with Archive.open(tmp_path) as archive:
        for event in (*others, *own):
            note(archive, event, now())
        archive.insert("log", {"at": now(), "chat_id": "", "arrival": 0, "event": "{" + title})
        erasing.erase_rows(archive, "secret1234", (), now(), title=title)
        assert tuple(entry.event for entry in entries_after(archive, 0)) == others


@pytest.mark.parametrize("table", sorted(TABLES - {*erasing.EMPTIED, "rest", "row_count"}))
def test_a_row_that_is_gone_is_noticed_in_every_table_but_caches(eve: Person, table: str) -> None:
    with closing(sqlite3.connect(eve.home / "state" / "archive.sqlite3")) as archive:
        run = partial(_rows, archive)
        assert not list(lost_rows(run))
        run(f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")
        assert f"{table} lacks 1 row of those that were stored" in list(lost_rows(run))
        archive.rollback()


@pytest.mark.full
def test_a_chat_whose_id_is_the_number_of_another_ones_row_lacks_nothing(tmp_path: Path) -> None:
    ada = Person(tmp_path / "ada")
    numbered = {**chat(*conversation(14, 400, first=50)), "id": "1", "chatID": "1"}
    ada.drop(export_bytes(chat(*conversation(14, 400)), numbered))
    assert ada.memproc("run").code == 0
    assert ada.memproc("verify").code == 0
    again = ada.memproc("run")
    assert (again.code, again.err) == (0, ""), again


def _rows(archive: sqlite3.Connection, sql: str, values: Sequence[object] = ()) -> list[Any]:
    return archive.execute(sql, values).fetchall()


@pytest.mark.parametrize("table", ["core_event", "fact_event", "kept_passage", "opening"])
def test_a_chat_that_lacks_a_row_is_told_by_verify_and_stopped(eve: Person, table: str) -> None:
    with closing(sqlite3.connect(eve.home / "state" / "archive.sqlite3")) as archive:
        of_it = "chat = (SELECT id FROM chat WHERE chat_id = 'secret1234')"
        archive.execute(f"DELETE FROM {table} WHERE {of_it}")
        archive.commit()
    assert f"{table} lacks" in eve.memproc("verify").err
    with Archive.read(eve.home / "state") as read, pytest.raises(DamagedChat, match="lacks"):
        refuse_damage(read.run, "secret1234")
    with Archive.read(eve.home / "state") as read:
        refuse_damage(read.run, "other12345")
