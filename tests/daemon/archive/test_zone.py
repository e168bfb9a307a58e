"""The zone of an archive: taken when it is made, kept there, and named otherwise by memproc.toml."""

from pathlib import Path

import pytest

from daemon.archive import archive as module
from daemon.archive.archive import Archive
from daemon.archive.erasing import erase_rows
from daemon.archive.signs import remove_signs, set_sign, sign
from tests.daemon.archive.test_messages import TALK, see

NOW = "2026-03-02T10:00:00.000Z"
HERE, ELSEWHERE = "America/Los_Angeles", "Asia/Tokyo"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "zone_here", lambda: HERE)


@pytest.mark.usefixtures("here")
def test_an_archive_keeps_the_zone_in_which_it_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Archive.open(tmp_path).close()
    monkeypatch.setattr(module, "zone_here", lambda: ELSEWHERE)
    with Archive.open(tmp_path) as archive:
        assert str(archive.zone) == HERE
    with Archive.read(tmp_path) as archive:
        assert str(archive.zone) == HERE


@pytest.mark.usefixtures("here")
def test_a_zone_that_memproc_toml_names_counts_and_is_not_kept(tmp_path: Path) -> None:
    with Archive.open(tmp_path, zone=ELSEWHERE) as archive:
        assert str(archive.zone) == ELSEWHERE
    with Archive.read(tmp_path, zone=ELSEWHERE) as archive:
        assert str(archive.zone) == ELSEWHERE
    with Archive.read(tmp_path) as archive:
        assert str(archive.zone) == HERE


@pytest.mark.usefixtures("here")
def test_an_archive_of_before_takes_this_computers_zone_when_it_is_written_to(
    tmp_path: Path,
) -> None:
    with Archive.open(tmp_path) as archive:
        remove_signs(archive, "zone")
    with Archive.read(tmp_path) as archive:
        assert (str(archive.zone), sign(archive, "zone")) == (HERE, None)
    with Archive.open(tmp_path) as archive:
        kept = sign(archive, "zone")
        assert kept is not None
        assert kept.value == HERE


def test_a_kept_zone_that_this_computer_does_not_know_is_utc(tmp_path: Path) -> None:
    with Archive.open(tmp_path) as archive:
        set_sign(archive, "zone", "Mars/Olympus", NOW)
    with Archive.read(tmp_path) as archive:
        assert str(archive.zone) == "UTC"


@pytest.mark.parametrize("chat_id", ["zone", "America", "e"])
def test_to_erase_a_chat_leaves_the_zone_whatever_the_chat_is_called(
    tmp_path: Path, chat_id: str
) -> None:
    with Archive.open(tmp_path) as archive:
        set_sign(archive, "zone", HERE, NOW)
        see(archive, TALK)
        archive.run("UPDATE chat SET chat_id = ?, title = 'America'", (chat_id,))
        erase_rows(archive, chat_id, (), NOW)
        assert str(archive.zone) == HERE
