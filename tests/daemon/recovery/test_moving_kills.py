"""A kill -9 anywhere in an import or an export: it is noticed, or nothing has changed, and nothing is left behind."""

import os
import shutil
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from daemon.config.settings import Config
from daemon.events import ignore_event
from daemon.files.backup import check_backups
from daemon.files.private import make_private
from daemon.models.context import open_context
from daemon.recovery.parcel import export_archive
from daemon.recovery.unpacking import import_archive
from rules.errors import ArchiveError
from tests.daemon.files.children import in_child, needs_fork
from tests.daemon.recovery.test_moving import (
    LATER,
    NOW,
    chats_in,
    files_in,
    folders_in,
    lived,
    taken_over,
    without_chats,
)


@pytest.fixture
def another(tmp_path: Path) -> Path:
    """A computer on which another chat was worked on."""
    lived(tmp_path / "new", "another")
    return tmp_path / "new"


@pytest.fixture
def parcel(tmp_path: Path) -> Path:
    """A moving file of another computer."""
    return export_archive(lived(tmp_path / "old"), None, tmp_path / "all.zip", NOW).path


@needs_fork
@pytest.mark.full
def test_an_import_that_is_killed_anywhere_is_noticed_or_has_changed_nothing(
    tmp_path: Path, parcel: Path, another: Path
) -> None:
    ends = []
    for number in count(1, 29):
        home = without_chats(shutil.copytree(another, tmp_path / f"computer {number}"))
        before = files_in(home)
        code, _ = in_child(
            lambda number=number, home=home: dying(number, lambda: taken_over(home, parcel))  # type: ignore[misc]
        )
        try:
            found = chats_in(home)
        except ArchiveError as refusal:
            assert "import-archive" in refusal.next_step
            import_archive(folders_in(home), parcel, LATER)
            ends.append("refused")
        else:
            ends.append("as before" if not found else "done")
            if not found:
                assert before.items() <= files_in(home).items()
                import_archive(folders_in(home), parcel, LATER)
        assert chats_in(home) == ["k3v9xq2m7p"]
        assert check_backups(folders_in(home).backups) == ()
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert ends == sorted(ends, key=("as before", "refused", "done").index)
    assert set(ends) == {"as before", "refused", "done"}


@needs_fork
def test_what_a_killed_export_has_left_is_taken_away_at_the_next_start(
    tmp_path: Path, another: Path
) -> None:
    folders, away = folders_in(another), tmp_path / "stick"
    mine = away / "mine.txt"
    left = 0
    for number in count(1, 12):
        make_private(away)
        mine.write_text("mine")
        code, _ = in_child(
            lambda number=number: dying(
                number, lambda: export_archive(folders, None, away / "all.zip", NOW)
            )  # type: ignore[misc]
        )
        left += len(list(away.iterdir())) > 1
        with open_context(Config(), folders, ignore_event):
            assert sorted(path for path in away.iterdir() if path.name != "all.zip") == [mine]
        assert not list((another / "state").glob("*unfinished*"))
        shutil.rmtree(away)
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert left > 1


def test_what_an_import_got_ready_and_never_placed_is_taken_away_at_the_next_start(
    another: Path,
) -> None:
    folders = folders_in(another)
    for folder in (folders.state, folders.backups, folders.updated):
        make_private(folder / ".memproc-import" / "deep")
    with open_context(Config(), folders, ignore_event):
        assert not list(another.rglob(".memproc-import"))


def dying(number: int, work: Callable[[], object]) -> str:
    """Do it, and be killed (-9) before the change of the file system that has this number."""
    left = number

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "open"):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    work()
    return ""
