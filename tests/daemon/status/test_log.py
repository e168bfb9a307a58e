"""What happened is kept: a line each, bounded, for its owner alone, and never at the cost of the work."""

import json
import stat
from pathlib import Path

from daemon.events import Event, FileIs, Note, Trouble
from daemon.status.log import OLD_FILES, Log, Titled, log_files, log_folder
from rules.errors import ArchiveError
from tests.daemon.files.children import needs_root, small_disk
from tests.daemon.status.filled import ago


def lines(state: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log_files(log_folder(state))[0].read_bytes().splitlines()]


def test_each_event_is_one_line_with_its_time(tmp_path: Path) -> None:
    log = Log(tmp_path, now=lambda: ago())

    log.log(FileIs(7, "a\nb.json", "copied"))
    log.log(Note("Ünïcode."))

    assert lines(tmp_path) == [
        {
            "at": ago(),
            "is": "FileIs",
            "arrival": 7,
            "file": "a\nb.json",
            "state": "copied",
            "reason": "",
            "next_step": "",
        },
        {"at": ago(), "is": "Note", "text": "Ünïcode.", "is_remedy": False},
    ]


def test_the_log_is_for_its_owner_alone(tmp_path: Path) -> None:
    Log(tmp_path).log(Note("x"))

    modes = [
        stat.S_IMODE(path.stat().st_mode)
        for path in (log_folder(tmp_path), log_files(log_folder(tmp_path))[0])
    ]
    assert modes == [0o700, 0o600]


def test_a_full_log_makes_room_and_a_few_old_ones_are_kept(tmp_path: Path) -> None:
    log = Log(tmp_path, largest=1000)

    for number in range(200):
        log.log(Note(f"{number:03d}{'.' * 100}"))

    newest, *old = log_files(log_folder(tmp_path))
    assert len(old) == OLD_FILES
    assert all(0 < path.stat().st_size <= 1000 for path in (newest, *old))
    kept = [
        json.loads(line)["text"][:3]
        for path in (*reversed(old), newest)
        for line in path.read_bytes().splitlines()
    ]
    assert kept == [f"{number:03d}" for number in range(200 - len(kept), 200)]
    assert sorted(log_folder(tmp_path).iterdir()) == sorted((newest, *old))


def test_every_event_is_said_too(tmp_path: Path) -> None:
    said: list[tuple[str, Event]] = []

    Log(tmp_path, lambda at, event: said.append((at, event)), now=lambda: ago()).log(Note("x"))

    assert said == [(ago(), Note("x"))]


def test_a_log_that_cannot_be_written_stops_nothing_and_says_so_once(tmp_path: Path) -> None:
    said: list[Event] = []
    log = Log(tmp_path, lambda _, event: said.append(event))
    (tmp_path / "logs").write_text("in the way")

    for text in "ab":
        log.log(Note(text))

    assert [type(event) for event in said] == [Note, Trouble, Note]
    assert "logs is not a folder" in log.trouble

    (tmp_path / "logs").unlink()
    log.log(Note("c"))
    assert log.trouble == ""
    assert [line["text"] for line in lines(tmp_path)] == ["c"]


@needs_root
def test_a_full_disk_cuts_no_line_in_half() -> None:
    with small_disk("32k") as state:
        log = Log(state)
        while not log.trouble:
            log.log(Note("x" * 300))
        kept = lines(state)
        assert "the disk is full" in log.trouble
        assert all(line["text"] == "x" * 300 for line in kept)

        (state / "ballast").unlink(missing_ok=True)
        for path in log_files(log_folder(state)):
            path.unlink(missing_ok=True)
        log.log(Note("free again"))
        assert [line["text"] for line in lines(state)] == ["free again"]


def test_titles_get_neither_into_the_log_nor_into_the_journal(tmp_path: Path) -> None:
    said: list[Event] = []
    log = Log(tmp_path, lambda _, event: said.append(event), lambda: [Titled("My Secret", "abc")])

    log.log(Note('No key for "My Secret".'))

    assert said == [Note("No key for abc.")]
    assert lines(tmp_path)[0]["text"] == "No key for abc."


def test_what_is_told_while_the_archive_cannot_be_read_is_as_private_as_before(
    tmp_path: Path,
) -> None:
    found = iter([[Titled("My Secret", "abc")]])

    def titles() -> list[Titled]:
        for each in found:
            return each
        raise ArchiveError("The disk is full.", "Free some space.")

    log = Log(tmp_path, titles=titles)
    for _ in range(2):
        log.log(Note("My Secret was skipped."))

    assert [line["text"] for line in lines(tmp_path)] == ["abc was skipped."] * 2
