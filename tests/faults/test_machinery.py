"""The machinery that breaks memproc on purpose: the judge sees what is planted, and the shim does what it is told."""

import gzip
import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from tests.faults import oracle, shim
from tests.faults.oracle import Unharmed
from tests.faults.point import Point, Tried, every, parse_tried, table

SAID = {"uuid": "1", "content": "Good evening."}
EXPORT = json.dumps({"data": {"chats": [{"messages": [SAID]}]}}).encode()
NEW = EXPORT + b"\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Make by hand what an unharmed run leaves: one output, one backup, one message, one answer."""
    for name in ("inbox", "updated", "state", "backups/originals/ab"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "updated" / "chat.json").write_bytes(NEW)
    packed = gzip.compress(EXPORT, mtime=0)
    (tmp_path / "backups/originals/ab/1.json.gz").write_bytes(packed)
    names = ("kind", "chat_id", "sha256", "file", "packed_sha256")
    line = (
        "original",
        "a",
        sha256(EXPORT).hexdigest(),
        "originals/ab/1.json.gz",
        sha256(packed).hexdigest(),
    )
    (tmp_path / "backups" / "INDEX.tsv").write_text(
        "\t".join(names) + "\n" + "\t".join(line) + "\n"
    )
    with closing(sqlite3.connect(tmp_path / "state" / "archive.sqlite3")) as archive:
        raw = json.dumps(SAID).encode()
        archive.execute("CREATE TABLE body (sha256, raw, packed)")
        archive.execute("CREATE TABLE reply (request, text)")
        archive.execute("INSERT INTO body VALUES (?, ?, 0)", (sha256(raw).hexdigest(), raw))
        archive.execute("INSERT INTO reply VALUES ('r', 'Yes.')")
        archive.commit()
    return tmp_path


@pytest.fixture
def unharmed(home: Path) -> Unharmed:
    """Return the unharmed state of that folder."""
    after = oracle.updated(home)
    return Unharmed({"chat.json": EXPORT}, after, oracle.kept(home), oracle.raw_texts(home))


def test_the_judge_has_nothing_to_say_where_all_is_well(home: Path, unharmed: Unharmed) -> None:
    assert len(unharmed.texts) == 1
    assert [*oracle.after_the_fault(home, unharmed), *oracle.in_the_end(home, unharmed)] == []
    (home / "updated" / "chat.json").write_bytes(EXPORT)
    assert [*oracle.after_the_fault(home, unharmed)] == [], (
        "the old output is as good as the new one"
    )


def torn(home: Path) -> None:
    (home / "updated" / "chat.json").write_bytes(NEW[:20])


def unfinished(home: Path) -> None:
    (home / "updated" / ".memproc-1").touch()


def unlisted(home: Path) -> None:
    (home / "backups/originals/ab/2.json.gz").touch()


def rotten_backup(home: Path) -> None:
    (home / "backups/originals/ab/1.json.gz").write_bytes(gzip.compress(NEW))


def lost_backup(home: Path) -> None:
    (home / "backups/originals/ab/1.json.gz").unlink()


def other_answer(home: Path) -> None:
    with closing(sqlite3.connect(home / "state" / "archive.sqlite3")) as archive:
        archive.execute("UPDATE reply SET text = 'No.'")
        archive.commit()


def damaged_archive(home: Path) -> None:
    path = home / "state" / "archive.sqlite3"
    path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 4096)


@pytest.mark.parametrize(
    ("plant", "word"),
    [
        (torn, "neither the old one nor the new one"),
        (unfinished, ".memproc-1 is left"),
        (unlisted, "not in the index"),
        (rotten_backup, "not what the index says"),
        (lost_backup, "and gone"),
        (other_answer, "reply is not that"),
        (damaged_archive, "damaged"),
    ],
)
def test_the_judge_sees_what_is_planted(
    home: Path, unharmed: Unharmed, plant: Callable[[Path], None], word: str
) -> None:
    plant(home)
    sentences = [*oracle.after_the_fault(home, unharmed)]
    if plant is not damaged_archive:
        sentences += oracle.in_the_end(home, unharmed)
    assert word in " ".join(sentences)


def kept_again(home: Path, kind: str) -> None:
    """Add another backup of the updated export in its place."""
    packed = gzip.compress(NEW, mtime=0)
    file = f"versions/{kind}.json.gz"
    (home / "backups/versions").mkdir(exist_ok=True)
    (home / "backups" / file).write_bytes(packed)
    with (home / "backups" / "INDEX.tsv").open("a") as index:
        index.write(
            "\t".join((kind, "a", sha256(NEW).hexdigest(), file, sha256(packed).hexdigest())) + "\n"
        )


def test_what_stood_in_its_place_unrecorded_may_be_kept_once_and_no_more(
    home: Path, unharmed: Unharmed
) -> None:
    kept_again(home, "updated")
    assert [*oracle.in_the_end(home, unharmed, [NEW])] == []
    assert "backups is not that" in next(oracle.in_the_end(home, unharmed, [EXPORT]))
    kept_again(home, "original")
    assert "backups is not that" in next(oracle.in_the_end(home, unharmed, [NEW]))


def test_after_a_power_cut_a_dropped_file_may_be_seen_again_and_is_never_worked_on_twice(
    home: Path, unharmed: Unharmed
) -> None:
    def with_arrivals(*rows: tuple[str, str | None, str]) -> Unharmed:
        with closing(sqlite3.connect(home / "state" / "archive.sqlite3")) as archive:
            archive.execute("DROP TABLE IF EXISTS arrival")
            archive.execute("CREATE TABLE arrival (path, sha256, state)")
            archive.executemany("INSERT INTO arrival VALUES (?, ?, ?)", rows)
            archive.commit()
        return replace(unharmed, kept=oracle.kept(home))

    taken, odd = ("a.json", "1", "copied"), ("b.pdf", None, "skipped")
    known = with_arrivals(taken, odd)
    with_arrivals(taken, odd, ("a.json", None, "gone"), ("a.json", "1", "done"), odd)
    assert [*oracle.in_the_end(home, known, is_inbox_new=True)] == []
    assert [*oracle.in_the_end(home, known)] != []
    for wrong in (("a.json", "1", "written"), ("a.json", "2", "done"), ("c.json", "1", "done")):
        with_arrivals(taken, odd, wrong)
        assert [*oracle.in_the_end(home, known, is_inbox_new=True)] != []
    with_arrivals(odd)
    assert [*oracle.in_the_end(home, known, is_inbox_new=True)] != []


def test_a_lost_text_and_an_answer_that_is_paid_twice_are_seen(
    home: Path, unharmed: Unharmed
) -> None:
    for path in (
        home / "updated" / "chat.json",
        home / "backups/originals/ab/1.json.gz",
        home / "state/archive.sqlite3",
    ):
        path.unlink()
    assert "1 raw messages cannot be had back" in [*oracle.after_the_fault(home, unharmed)]
    assert [*oracle.paid_twice(("a", "b"), {"a"}, ("b", "c"))] == [], "one answer can be on its way"
    assert [*oracle.paid_twice(("a", "b"), {"a"}, ("a",))] == [
        "1 answers that were kept were asked for again"
    ]
    assert [*oracle.paid_twice(("a", "b", "c"), {"a"}, ())] == [
        "2 answers were not kept, and one can be on its way"
    ]


def test_of_the_points_one_in_so_many_is_tried_of_each_way_and_the_table_repeats_each_failure() -> (
    None
):
    points = [
        Point("kills", "run", number, how) for number in range(1, 9) for how in ("before", "after")
    ]
    chosen = every(points, 4)
    assert {(point.number, point.how) for point in chosen} == {
        (1, "before"),
        (5, "before"),
        (1, "after"),
        (5, "after"),
    }
    tried = [Tried(point, ("it is lost",) if point.number == 1 else ()) for point in chosen]
    assert [parse_tried(result.as_line()) for result in tried] == tried
    text = "\n".join(table(tried))
    assert "kills     run                      4         2       2" in text
    assert "python -m tests.faults kills --command run --call 1 --how before" in text


WRITES = """
import os, sys
from pathlib import Path
from tests.faults.shim import Act, Fault, arm, disarm
place = Path(sys.argv[1])
arm(place, Fault(Act(int(sys.argv[2])), int(sys.argv[3]), 28))
try:
    with (place / "file").open("wb", buffering=0) as file:
        for _ in range(3):
            file.write(b"12345678")
except OSError as fault:
    print(fault.strerror)
print(disarm())
"""


@pytest.mark.full
@pytest.mark.skipif(bool(shim.why_not()), reason=shim.why_not())
@pytest.mark.timeout(60)
def test_the_shim_kills_fails_and_shortens_the_call_of_the_given_number(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    library = shim.build(tmp_path)

    def write(act: shim.Act, call: int) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", WRITES, str(place), str(int(act)), str(call)]
        environment = {**shim.environment(library), "PYTHONPATH": str(Path(__file__).parents[2])}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert write(shim.Act.NOTHING, -1).stdout == "4\n", "one call opens the file, and three write"
    for act, size in (
        (shim.Act.KILL_BEFORE, 8),
        (shim.Act.KILL_HALF, 12),
        (shim.Act.KILL_AFTER, 16),
    ):
        assert write(act, 3).returncode == -signal.SIGKILL
        assert (place / "file").stat().st_size == size
    assert write(shim.Act.FAIL_ONCE, 2).stdout == "No space left on device\n2\n"
    assert write(shim.Act.SHORT_ON, 3).stdout == "4\n"
    assert (place / "file").stat().st_size == 8 + 4 + 4
