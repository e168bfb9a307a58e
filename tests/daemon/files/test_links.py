"""A link in the place of a file of ours is refused: what it leads to is somebody else's."""

from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.files.backup_index import INDEX
from daemon.files.write import replace_file
from rules.errors import FileTrouble
from tests.chats import export_bytes, long_chat
from tests.stories.person import Person


def test_a_file_is_never_written_in_the_place_of_a_link(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_bytes(b"theirs")
    for target in (theirs, tmp_path / "nowhere"):
        link = tmp_path / "ours"
        link.symlink_to(target)
        with pytest.raises(FileTrouble, match=r"ours is a link to another file"):
            replace_file(link, [b"ours"])
        assert link.is_symlink()
        link.unlink()
    assert theirs.read_bytes() == b"theirs"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.sampled
@pytest.mark.parametrize(
    "place", ["updated/A (aaa).json", f"backups/{INDEX}", "state/archive.sqlite3", "state/lock"]
)
def test_a_run_says_which_file_is_a_link_and_writes_through_none(
    tmp_path: Path, place: str
) -> None:
    ada = Person(tmp_path / "ada")
    ada.settings('[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n')
    theirs = tmp_path / "theirs"
    theirs.write_bytes(b"theirs")
    link = ada.home / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(theirs)
    ada.drop(export_bytes(long_chat(4000, tokens_each=200, id="aaa", chatID="aaa", chatTitle="A")))
    ended = ada.memproc("run")
    assert (ended.code, f"{link} is a link to another file" in ended.err) == (1, True), ended
    assert theirs.read_bytes() == b"theirs"
    link.unlink()
    assert ada.memproc("run").code == 0


def test_folders_may_be_links(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "state").symlink_to(tmp_path / "disk", target_is_directory=True)
    with Archive.open(tmp_path / "state") as archive:
        assert archive.run("SELECT 1") == [(1,)]
    replace_file(tmp_path / "state" / "file", [b"x"])
    assert (tmp_path / "disk" / "file").read_bytes() == b"x"
