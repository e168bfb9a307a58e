"""In thirty days every backup has been read; what is damaged is known until it is mended."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.jobs import part_to_verify, part_verified
from daemon.archive.outputs import Output, record_output
from daemon.archive.signs import sign
from daemon.files.backup import keep_original
from daemon.files.packing import sha256_of
from daemon.files.paths import Folders
from daemon.inbox.jobs import part_of, verify_part
from rules.retention import PARTS

NOW = "2026-07-15T12:00:00.000Z"


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(*(tmp_path / name for name in ("inbox", "updated", "backups", "state")))


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive.memory() as archive:
        yield archive


def keep(folders: Folders, number: int) -> Path:
    blocks = [b"export", bytes([number])]
    keep_original(folders.backups, str(number), "Aria", blocks, NOW)
    return sorted(folders.backups.rglob("*.gz"), key=lambda path: path.stat().st_mtime_ns)[-1]


def damaged(archive: Archive) -> int:
    """How many damaged backups are known."""
    found = sign(archive, "damaged_backups")
    return len(json.loads(found.value)) if found else 0


def a_month(folders: Folders, archive: Archive) -> list[int]:
    """How many damaged backups were known on each of thirty days."""
    parts = [part_to_verify(archive)]
    known = []
    for _ in range(PARTS):
        verify_part(folders, archive, NOW)
        known.append(damaged(archive))
        parts.append(part_to_verify(archive))
    assert sorted(parts[:PARTS]) == list(range(PARTS))
    return known


def test_every_damaged_backup_is_found_within_a_month_and_stays_known(
    folders: Folders, archive: Archive
) -> None:
    files = [keep(folders, number) for number in range(12)]
    assert set(a_month(folders, archive)) == {0}
    for path in files:
        path.write_bytes(b"rotten")

    known = a_month(folders, archive)

    assert known == sorted(known)
    assert known[0] < 12
    assert known[-1] == 12


def test_what_was_mended_is_no_problem_any_more(folders: Folders, archive: Archive) -> None:
    path = keep(folders, 1)
    sound = path.read_bytes()
    part = part_of(path.relative_to(folders.backups).as_posix())
    part_verified(archive, (part - 1) % PARTS, NOW)  # its turn comes next
    path.write_bytes(b"rotten")

    problem = verify_part(folders, archive, NOW)
    assert str(path) in problem
    assert verify_part(folders, archive, NOW) == problem, "it stays known"
    path.write_bytes(sound)
    assert verify_part(folders, archive, NOW) == ""


def test_an_updated_export_that_was_changed_is_told_and_one_that_is_gone_is_not(
    folders: Folders, archive: Archive
) -> None:
    for chat_id in ("one", "two"):
        archive.run(
            "INSERT INTO chat (chat_id, title, head, tail, last_seen) VALUES (?, ?, ?, ?, ?)",
            (chat_id, chat_id, b"", b"", NOW),
        )
    folders.updated.mkdir()
    changed = folders.updated / "one.json"
    changed.write_text("as written")
    for chat_id in ("one", "two"):
        path = folders.updated / f"{chat_id}.json"
        record_output(archive, Output(chat_id, str(path), sha256_of(changed) or "", "", "", NOW))
    assert verify_part(folders, archive, NOW) == ""
    changed.write_text("otherwise")

    problem = verify_part(folders, archive, NOW)

    assert problem.startswith(str(changed))
    assert "Drop the chat's export again" in problem
