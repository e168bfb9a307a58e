"""Each updated export is held against what was written there last, whichever chat it was."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.message_versions import remember
from daemon.archive.outputs import Output, record_output
from daemon.files.read import chats_in
from daemon.status.folder_checks import written_exports
from rules.recognize.recognize import recognize
from tests.chats import chat, export_bytes, user
from tests.entries import reading_of

WHEN = "2026-03-03T00:00:00.000Z"


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive.memory() as archive:
        for chat_id in ("old", "new"):
            found = chats_in("x.json", export_bytes(chat(user("Hi."), id=chat_id, chatID=chat_id)))[
                0
            ]
            remember(archive, found, reading_of(recognize((), {})), WHEN)
        yield archive


def written(archive: Archive, chat_id: str, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    record_output(archive, Output(chat_id, str(path), sha256(content).hexdigest(), "", "", WHEN))


def states(archive: Archive) -> list[tuple[str, str]]:
    return [(export.path.name, export.state) for export in written_exports(archive)]


def test_each_chat_has_the_file_that_was_written_last(archive: Archive, tmp_path: Path) -> None:
    written(archive, "old", tmp_path / "a", b"1")
    written(archive, "old", tmp_path / "a", b"2")
    written(archive, "new", tmp_path / "b", b"3")
    assert states(archive) == [("a", "as written"), ("b", "as written")]


def test_a_file_that_was_changed_or_taken_away_is_told(archive: Archive, tmp_path: Path) -> None:
    written(archive, "old", tmp_path / "a", b"1")
    written(archive, "new", tmp_path / "b", b"2")
    (tmp_path / "a").write_bytes(b"by hand")
    (tmp_path / "b").unlink()
    assert states(archive) == [("a", "changed"), ("b", "gone")]


def test_a_new_chat_that_goes_on_in_its_own_file_leaves_the_old_chat_without_one(
    archive: Archive, tmp_path: Path
) -> None:
    written(archive, "old", tmp_path / "a", b"1")
    written(archive, "new", tmp_path / "a", b"2")
    assert states(archive) == [("a", "as written")]
    (tmp_path / "a").write_bytes(b"1")
    assert states(archive) == [("a", "changed")]


def test_an_export_of_many_chats_is_one_file(archive: Archive, tmp_path: Path) -> None:
    for chat_id in ("old", "new", "old"):
        written(archive, chat_id, tmp_path / "all", chat_id.encode())
    assert states(archive) == [("all", "as written")]
