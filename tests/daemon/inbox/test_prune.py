"""Old versions go, by the rules; a kill at any line of it loses nothing else."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from daemon.files.backup import (
    check_backups,
    keep_original,
    keep_version,
    read_version,
    versions_of,
)
from daemon.files.backup_index import INDEX
from daemon.files.paths import Folders
from daemon.files.removal import finish_removals, remove_version
from daemon.inbox.jobs import prune
from rules.errors import FileTrouble
from rules.typingmind.dates import write_date
from tests.daemon.files.children import killed_along, needs_fork

NOW = datetime(2026, 7, 15, 12, tzinfo=UTC)
CHAT = "d6a9eafe2b"
_contents = count()


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(*(tmp_path / name for name in ("inbox", "updated", "backups", "state")))


def keep(folders: Folders, *days_ago: float, chat_id: str = CHAT) -> list[Path]:
    """Versions of a chat of that age, each of other content; and its original, which is older."""
    keep_original(
        folders.backups,
        chat_id,
        "Aria",
        [f"original of {chat_id}".encode()],
        "2020-01-01T00:00:00.000Z",
    )
    file = folders.backups.parent / "Aria.json"
    found = []
    for days in days_ago:
        file.write_text(f"content {next(_contents)}")
        when = write_date(NOW - timedelta(days=days))
        found.append(
            keep_version(folders.backups, chat_id, "Aria", f"Aria ({chat_id})", file, when).path
        )
    return found


def test_the_older_of_two_versions_of_a_day_goes_and_the_numbers_stay(folders: Folders) -> None:
    morning, evening, today = keep(folders, 5.3, 5.1, 0)

    assert prune(folders, NOW) == ""

    assert not morning.exists()
    kept = versions_of(folders.backups, CHAT)
    assert [(version.number, version.path) for version in kept[1:]] == [(3, evening), (4, today)]
    assert (kept[0].kind, read_version(kept[0])) == ("original", b"original of d6a9eafe2b")
    assert check_backups(folders.backups) == ()


def test_a_version_after_a_removal_gets_a_number_of_its_own(folders: Folders) -> None:
    keep(folders, 5.3, 5.1, 1.5)
    prune(folders, NOW)

    keep(folders, 0)

    assert [version.number for version in versions_of(folders.backups, CHAT)] == [1, 3, 4, 5]


def test_content_that_was_removed_can_be_kept_again_even_at_the_same_moment(
    folders: Folders,
) -> None:
    first, *_ = keep(folders, 5.3, 5.1, 0)
    content = read_version(versions_of(folders.backups, CHAT)[1])
    prune(folders, NOW)
    file = folders.backups.parent / "Aria.json"
    file.write_bytes(content)

    again = keep_version(
        folders.backups, CHAT, "Aria", f"Aria ({CHAT})", file, write_date(NOW - timedelta(days=5.3))
    )

    assert (again.path, again.number) == (first, 5)
    assert read_version(again) == content
    assert finish_removals(folders.backups) == ()
    assert versions_of(folders.backups, CHAT)[-1] == again


def test_every_chat_is_pruned_by_itself(folders: Folders) -> None:
    keep(folders, 5.3, 5.1, chat_id="one")
    keep(folders, 5.2, chat_id="two")

    prune(folders, NOW)

    assert [version.number for version in versions_of(folders.backups, "one")] == [1, 3]
    assert [version.number for version in versions_of(folders.backups, "two")] == [1, 2]


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"rotten")])
def test_where_any_backup_is_damaged_nothing_is_removed(
    folders: Folders, spoil: Callable[[Path], object]
) -> None:
    kept = keep(folders, 5.3, 5.1, 0)
    (other,) = keep(folders, 1, chat_id="other")
    spoil(other)

    problem = prune(folders, NOW)

    assert str(other) in problem
    assert "memproc verify" in problem
    assert all(path.exists() for path in kept)


def test_where_nothing_goes_the_backups_are_not_read(folders: Folders) -> None:
    (only,) = keep(folders, 100)
    only.write_bytes(b"rotten")

    assert prune(folders, NOW) == ""


def test_a_line_that_somebody_wrote_into_the_index_removes_no_file_elsewhere(
    folders: Folders, tmp_path: Path
) -> None:
    first, *_ = keep(folders, 5.3, 5.1, 0)
    stranger = tmp_path / "taxes.gz"
    shutil.copyfile(first, stranger)
    index = folders.backups / INDEX
    index.write_text(
        index.read_text().replace(
            first.relative_to(folders.backups).as_posix(), "versions/../../taxes.gz"
        )
    )

    with pytest.raises(FileTrouble, match="not one of memproc's versions"):
        prune(folders, NOW)

    assert stranger.exists()


@needs_fork
@pytest.mark.full
def test_a_kill_at_any_line_of_a_removal_leaves_sound_backups_and_the_next_prune_ends_it(
    folders: Folders, tmp_path: Path
) -> None:
    backups = folders.backups
    keep(folders, 5.3, 5.1)
    going = versions_of(backups, CHAT)[1]
    before = {version.number: read_version(version) for version in versions_of(backups, CHAT)}
    shutil.copytree(backups, tmp_path / "before")
    seen = set()

    def removing() -> str:
        remove_version(backups, going, write_date(NOW))
        return "removed"

    for _ in killed_along(removing, lines=7):
        kept = {version.number: read_version(version) for version in versions_of(backups, CHAT)}
        seen.add((going.number in kept, going.path.exists()))
        assert kept.items() <= before.items()
        assert {1, 3} <= kept.keys()
        assert check_backups(backups) == ()
        prune(folders, NOW)
        assert [version.number for version in versions_of(backups, CHAT)] == [1, 3]
        assert not going.path.exists()
        shutil.rmtree(backups)
        shutil.copytree(tmp_path / "before", backups)

    assert seen == {(True, True), (False, True), (False, False)}
