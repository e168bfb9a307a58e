"""Every version of a chat is kept, and every one can be had back."""

import gzip
import json
import random
import shutil
import stat
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from daemon.files.backup import (
    Version,
    check_backups,
    keep_original,
    keep_version,
    read_version,
    versions_of,
)
from daemon.files.backup_index import INDEX
from rules.errors import FileTrouble
from tests.daemon.files.children import (
    killed_along,
    needs_fork,
    needs_root,
    small_disk,
)

NOON = "2026-03-02T12:00:00.123Z"
LATER = "2026-03-02T13:00:00.000Z"
CHAT = "d6a9eafe2b"
STEM = "Aria (d6a9eafe2b)"


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    return tmp_path / "backups"


class Updated:
    """The file of a chat in updated/, and its keeping."""

    def __init__(self, folder: Path, backups: Path) -> None:
        self.path, self.backups = folder / f"{STEM}.json", backups

    def keep(self, content: bytes, when: str = NOON) -> Version:
        self.path.write_bytes(content)
        return keep_version(self.backups, CHAT, "Aria", STEM, self.path, when)


@pytest.fixture
def updated(tmp_path: Path, backups: Path) -> Updated:
    return Updated(tmp_path, backups)


def original(backups: Path, content: bytes, chat_id: str = CHAT) -> Version:
    kept = keep_original(backups, chat_id, "Aria", [content], NOON)
    assert isinstance(kept, Version)
    return kept


def test_the_first_original_is_kept_under_its_own_hash(backups: Path) -> None:
    digest = sha256(b"first export").hexdigest()

    kept = keep_original(backups, CHAT, "Aria", [b"first ", b"export"], NOON)

    place = backups / "originals" / digest[:2] / f"{digest}.json.gz"
    assert kept == Version(1, "original", NOON, digest, 12, place, CHAT)
    assert gzip.decompress(place.read_bytes()) == b"first export"


def test_a_later_original_is_not_kept(backups: Path) -> None:
    first = original(backups, b"first")

    assert keep_original(backups, CHAT, "Aria", [b"second"], LATER) == first
    assert versions_of(backups, CHAT) == (first,)


def test_two_chats_of_one_export_share_their_original(backups: Path) -> None:
    first, second = original(backups, b"export", "one"), original(backups, b"export", "two")

    assert first.path == second.path
    assert (first.number, second.number) == (1, 1)
    assert check_backups(backups) == ()


def test_a_damaged_original_is_written_anew_for_the_next_chat_that_has_it(backups: Path) -> None:
    first = original(backups, b"export", "one")
    first.path.write_bytes(b"rotten")

    original(backups, b"export", "two")

    assert read_version(first) == b"export"
    assert check_backups(backups) == ()


def test_a_version_is_named_after_its_chat_its_time_and_its_content(
    backups: Path, updated: Updated
) -> None:
    kept = updated.keep(b"one")

    digest = sha256(b"one").hexdigest()
    place = backups / "versions" / STEM / f"20260302T120000123Z-{digest[:8]}.json.gz"
    assert kept == Version(1, "updated", NOON, digest, 3, place, CHAT)
    assert updated.path.read_bytes() == b"one"


def test_versions_are_numbered_from_the_oldest(backups: Path, updated: Updated) -> None:
    kept = [original(backups, b"zero"), updated.keep(b"one"), updated.keep(b"two", LATER)]
    original(backups, b"another", "other")

    assert list(versions_of(backups, CHAT)) == kept
    assert [version.number for version in kept] == [1, 2, 3]
    assert [read_version(version) for version in kept] == [b"zero", b"one", b"two"]


def test_the_same_content_is_not_kept_twice(backups: Path, updated: Updated) -> None:
    first, second = updated.keep(b"one"), updated.keep(b"two")

    assert updated.keep(b"one", LATER) == first
    assert versions_of(backups, CHAT) == (first, second)


def test_content_whose_kept_file_is_damaged_is_kept_again(updated: Updated) -> None:
    first = updated.keep(b"one")
    first.path.write_bytes(b"rotten")

    again = updated.keep(b"one", LATER)

    assert again.number == 2
    assert read_version(again) == b"one"


def test_a_clock_set_back_overwrites_nothing(backups: Path, updated: Updated) -> None:
    first, second = updated.keep(b"one", LATER), updated.keep(b"two", NOON)
    first.path.write_bytes(b"rotten")
    again = updated.keep(b"one", LATER)

    assert first.path.read_bytes() == b"rotten"
    assert again.path.name == first.path.name.replace(".json", "-2.json")
    assert [version.written_at for version in versions_of(backups, CHAT)] == [LATER, NOON, LATER]
    assert versions_of(backups, CHAT) == (first, second, again)


def test_kept_files_hold_the_same_bytes_whenever_they_were_packed(
    tmp_path: Path, updated: Updated
) -> None:
    content = json.dumps({"data": list(range(50_000))}).encode()

    first = updated.keep(content)
    second = Updated(tmp_path, tmp_path / "elsewhere").keep(content, LATER)

    assert first.path.read_bytes() == second.path.read_bytes()


def test_a_file_that_changes_while_it_is_kept_is_not_kept(backups: Path) -> None:
    class Changing(list[bytes]):
        """Other bytes each time they are gone through."""

        def __iter__(self) -> Iterator[bytes]:
            self.append(b"more")
            return super().__iter__()

    with pytest.raises(FileTrouble, match="changed by another program"):
        keep_original(backups, CHAT, "Aria", Changing(), NOON)

    assert versions_of(backups, CHAT) == ()
    assert list(backups.rglob("*.gz")) == []


def test_a_missing_file_is_told(updated: Updated, backups: Path) -> None:
    with pytest.raises(FileTrouble, match="could not be read: it is not there"):
        keep_version(backups, CHAT, "Aria", STEM, updated.path, NOON)


def test_a_hostile_id_and_title_come_back_as_they_were(backups: Path) -> None:
    hostile = "../x\t\n\\\ud800"

    kept = keep_original(backups, hostile, "a\tb\nc", [b"export"], NOON)

    assert versions_of(backups, hostile) == (kept,)


def test_the_folder_says_whose_it_is_and_how_to_get_a_file_back(backups: Path) -> None:
    original(backups, b"export")

    readme = (backups / "README.txt").read_text()
    assert "memproc" in readme
    assert "gunzip" in readme


def test_a_readme_that_the_person_changed_stays(backups: Path) -> None:
    original(backups, b"export")
    (backups / "README.txt").write_text("mine")
    original(backups, b"export", "other")

    assert (backups / "README.txt").read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_backups_are_for_their_owner_alone(backups: Path, updated: Updated) -> None:
    original(backups, b"zero")
    updated.keep(b"one")

    for path in [backups, *backups.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_whole_backups_have_no_damage(backups: Path, updated: Updated) -> None:
    assert check_backups(backups) == ()
    original(backups, b"zero")
    updated.keep(b"one")
    assert check_backups(backups) == ()


def test_every_flipped_byte_of_a_kept_file_is_found(backups: Path, updated: Updated) -> None:
    chance = random.Random(7)
    kept = updated.keep(b"Good morning, Aria. " * 40)
    packed = kept.path.read_bytes()

    for place in range(len(packed)):
        flipped = bytearray(packed)
        flipped[place] ^= 1 << chance.randrange(8)
        kept.path.write_bytes(flipped)
        assert [damage.path for damage in check_backups(backups)] == [kept.path]

    kept.path.write_bytes(packed)
    assert check_backups(backups) == ()


def test_a_missing_file_and_an_unreadable_line_are_damage(backups: Path, updated: Updated) -> None:
    kept = updated.keep(b"one")
    kept.path.unlink()
    with (backups / INDEX).open("ab") as file:
        file.write(b"what is this\n")

    assert [(damage.path.name, damage.reason) for damage in check_backups(backups)] == [
        (INDEX, "Line 3 cannot be read."),
        (kept.path.name, "The file is gone."),
    ]


def test_a_damaged_version_is_never_handed_out(updated: Updated) -> None:
    kept = updated.keep(b"one")
    kept.path.write_bytes(gzip.compress(b"two"))

    with pytest.raises(FileTrouble, match="is damaged") as told:
        read_version(kept)

    assert "memproc versions" in told.value.next_step


@pytest.mark.long
@needs_fork
def test_a_kill_at_any_line_loses_no_version_and_the_next_run_goes_on(
    tmp_path: Path, updated: Updated
) -> None:
    old = updated.keep(b"old")
    shutil.copytree(updated.backups, tmp_path / "before")
    kept_at_the_kill = set()

    for _ in killed_along(lambda: updated.keep(b"new", LATER).sha256):
        kept = versions_of(updated.backups, CHAT)
        assert kept[0] == old
        kept_at_the_kill.add(tuple(read_version(version) for version in kept))
        assert check_backups(updated.backups) == ()

        assert updated.keep(b"new", LATER).number == 2
        assert check_backups(updated.backups) == ()
        shutil.rmtree(updated.backups)
        shutil.copytree(tmp_path / "before", updated.backups)

    assert kept_at_the_kill == {(b"old",), (b"old", b"new")}


@needs_root
def test_a_full_disk_keeps_what_was_kept(tmp_path: Path) -> None:
    with small_disk("128k") as disk:
        updated = Updated(tmp_path, disk / "backups")
        first = updated.keep(b"one")
        with pytest.raises(FileTrouble, match="the disk is full"):
            updated.keep(random.Random(7).randbytes(200_000))

        assert versions_of(updated.backups, CHAT) == (first,)
        assert check_backups(updated.backups) == ()
        assert updated.keep(b"two").number == 2
