"""What memproc keeps: is it sound?"""

from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.outputs import Output, record_output
from daemon.files.backup import keep_original, keep_version, versions_of
from daemon.files.packing import sha256_of
from daemon.files.paths import archive_path
from daemon.status.findings import Setup
from daemon.status.folder_checks import archive, backups, outputs
from tests.chats import CHAT_ID, long_chat
from tests.daemon.status.places import SEEN_AT, archived, one, place


def used(home: Path, thorough: bool = False) -> Setup:
    at = place(home, is_thorough=thorough)
    archived(at, long_chat(2000))
    return at


def test_a_sound_archive_and_none_at_all_are_well(tmp_path: Path) -> None:
    assert "first run" in one(list(archive(place(tmp_path)))).text
    assert one(list(archive(used(tmp_path)))).level == "ok"


def test_a_file_that_is_no_archive_is_an_error(tmp_path: Path) -> None:
    at = place(tmp_path)
    archive_path(at.folders.state).write_bytes(
        b"not a database at all, but long enough to be read" * 100
    )
    assert one(list(archive(at))).level == "error"


def test_a_changed_message_is_found_where_every_one_is_read(tmp_path: Path) -> None:
    at = used(tmp_path, thorough=True)
    assert one(list(archive(at))).level == "ok"
    with Archive.open(at.folders.state) as kept:
        kept.run("UPDATE body SET raw = x'7b7d', packed = 0 WHERE rowid = 2")
    found = one(list(archive(at)))
    assert found.level == "error"
    assert "raw message" in found.text


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_the_newest_backup_is_read_and_the_older_ones_where_all_are(tmp_path: Path) -> None:
    at = place(tmp_path)
    assert "Nothing is kept" in one(list(backups(at))).text
    folder, file = at.folders.backups, at.folders.updated / "chat.json"
    keep_original(folder, CHAT_ID, "A chat", [b"the first one " * 50], SEEN_AT)
    file.write_bytes(b"what stood there " * 50)
    keep_version(folder, CHAT_ID, "A chat", "chat", file, SEEN_AT)
    assert one(list(backups(at))).level == "ok"
    first, newest = versions_of(folder, CHAT_ID)
    damage(first.path)
    assert one(list(backups(at))).level == "ok"
    assert one(list(backups(place(tmp_path, is_thorough=True)))).level == "error"
    damage(newest.path)
    assert str(newest.path) in one(list(backups(at))).text


def test_an_updated_export_that_was_changed_is_an_error_and_one_that_is_gone_a_warning(
    tmp_path: Path,
) -> None:
    at = used(tmp_path)
    assert "None is written" in one(list(outputs(at))).text
    file = at.folders.updated / "chat.json"
    file.write_bytes(b"{}")
    with Archive.open(at.folders.state) as kept:
        record_output(kept, Output(CHAT_ID, str(file), sha256_of(file) or "", "", "", SEEN_AT))
    assert one(list(outputs(at))).level == "ok"
    file.write_bytes(b"{} ")
    assert one(list(outputs(at))).level == "error"
    file.unlink()
    assert one(list(outputs(at))).level == "warning"
