"""Whatever the system refuses ends in a sentence that names the file, and in a next step that helps."""

import errno
import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from daemon.cli import main
from daemon.files.lock import hold
from daemon.files.read import read_export
from daemon.files.reasons import trouble, unforeseen
from rules.errors import FileTrouble
from tests.chats import chat, conversation, export_bytes
from tests.stories.person import Person

REMEDIES = {
    errno.ENOSPC: "Free some space",
    errno.EDQUOT: "Free some space",
    errno.EROFS: "Make it writable",
    errno.EACCES: "right to do so",
    errno.EIO: "Check the disk",
    errno.EMFILE: "limit of open files",
    errno.ENOLCK: "on a disk of this computer",
    errno.ESTALE: "network share is there",
    errno.EBUSY: "Close it there",
}


@pytest.mark.parametrize("number", REMEDIES)
def test_each_error_of_the_system_has_a_remedy_of_its_own(number: int) -> None:
    told = trouble(OSError(number, os.strerror(number)), Path("/a/b.json"), "written")
    assert told.message.startswith("/a/b.json could not be written: ")
    assert REMEDIES[number] in told.next_step
    assert "the system says" not in told.message


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.ENOTTY])
def test_an_error_that_nobody_foresaw_is_no_mistake_of_ours(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number), "/disk/x")

    monkeypatch.setattr("daemon.cli.chats.known_chats", fail)
    code = main(Person(tmp_path / "ada").argv("chats")[1:])
    said = capsys.readouterr().err
    assert (code, "mistake" in said, "/disk/x could not be used" in said) == (1, False, True)
    assert len(said.strip().splitlines()) == 2


def test_an_error_without_a_file_is_told_all_the_same() -> None:
    assert unforeseen(OSError(errno.EIO, "Input/output error")).message == (
        "A file that memproc works with could not be used: the disk reported an error."
    )


def test_one_of_ours_stays_what_it_is_and_an_error_with_a_file_names_it() -> None:
    ours = FileTrouble("Something.", "Do something.")
    assert unforeseen(ours) is ours
    for name in ("/disk/x", b"/disk/x"):
        told = unforeseen(OSError(errno.EROFS, "Read-only file system", name))
        assert told.message == "/disk/x could not be used: the disk is read-only."
    assert (
        "A file that memproc works with"
        in unforeseen(OSError(errno.EIO, "Input/output error", 7)).message
    )


@pytest.mark.parametrize("raised", [None, ValueError("first")])
def test_a_lock_that_cannot_be_let_go_of_hides_nothing(
    raised: ValueError | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go = os.close

    def close(handle: int) -> None:
        let_go(handle)
        raise OSError(errno.ENOLCK, "No locks available")

    def work() -> None:
        monkeypatch.setattr(os, "close", close)
        if raised is not None:
            raise raised

    expected = nullcontext() if raised is None else pytest.raises(ValueError, match="first")
    with expected, hold(tmp_path / "lock"):
        work()
    monkeypatch.undo()


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE, errno.ENOLCK])
def test_an_export_that_cannot_be_read_is_not_put_down_to_its_rights(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(export_bytes(chat(*conversation(1, 40))))

    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken, pytest.raises(FileTrouble, match="read") as told:
        broken.setattr("daemon.files.read.os.open", fail)
        read_export(path)
    assert REMEDIES[number] in told.value.next_step


@pytest.mark.sampled
@pytest.mark.parametrize("place", ["write", "fsync", "replace", "open"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EMFILE])
def test_packing_that_fails_leaves_a_sentence_and_nothing_else(
    place: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = Person(tmp_path / "ada", tail=2400, step=600, chunk=600)
    ada.settings('[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n')
    ada.drop(export_bytes(chat(*conversation(14, 400))))
    assert ada.memproc("run").code == 0
    target = tmp_path / "out" / "all.memproc"

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), str(target))

    name = {
        "write": "daemon.files.write.os.fdopen", "fsync": "daemon.files.write.flush_file",
        "replace": "daemon.files.write.put_in_place", "open": "daemon.files.write.tempfile.mkstemp",
    }[place]  # fmt: skip
    monkeypatch.setattr(name, fail)
    monkeypatch.setattr("daemon.recovery.parcel.Path.unlink", fail)
    ended = ada.memproc("export-archive", target)
    monkeypatch.undo()
    assert (ended.code, "mistake" in ended.err) == (1, False), ended
    assert REMEDIES[number] in ended.err
    assert not target.exists()


def test_a_backup_that_cannot_be_listed_is_told_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unread = FileTrouble(
        "backups/x.gz could not be read: the disk reported an error.", "Check the disk."
    )
    monkeypatch.setattr("daemon.files.removal.list_again", lambda folder: (unread,))
    person = Person(tmp_path / "ada")
    person.drop(export_bytes(chat(*conversation(1, 40))))
    assert main(person.argv("run")[1:]) == 0
    assert f"note: {unread}" in " ".join(capsys.readouterr().out.split())
