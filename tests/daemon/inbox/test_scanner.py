"""One look at the inbox after the other, with a clock that only the test moves."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from daemon.archive.arrivals import change_state, find_arrival, next_work
from daemon.archive.log import entries_after
from daemon.archive.outputs import Output, record_output
from daemon.events import FileIs
from daemon.inbox import intake
from daemon.inbox.intake import copy_path, forget_copy
from rules.errors import FileTrouble
from tests.daemon.inbox.inbox import SETTLE, Inbox, export

HOUR = 3_600


def begin_work(inbox: Inbox, state: str = "working") -> int:
    arrival = next_work(inbox.archive, inbox.now)
    assert arrival is not None
    change_state(inbox.archive, arrival.id, state, "", "", inbox.now)  # type: ignore[arg-type]
    return arrival.id


def sha256(inbox: Inbox, number: int) -> str:
    found = find_arrival(inbox.archive, number).sha256
    assert found is not None
    return found


def test_a_file_is_seen_at_once_and_copied_when_it_has_stood_still(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    first = inbox.scan()
    assert [(change.state, change.file) for change in first.changes] == [("seen", "a.json")]
    assert first.next_look_seconds == SETTLE
    assert inbox.scan(SETTLE - 0.1).changes == ()
    taken = inbox.scan(0.2)
    assert [step.state for step in taken.changes] == ["copied"]
    assert taken.next_look_seconds is None
    assert inbox.copies() == [export(0)]


def test_the_copy_is_private_and_named_after_its_content(inbox: Inbox) -> None:
    inbox.put("A.ZIP", export(1))
    inbox.settle()
    (copy,) = (inbox.state / "arrivals").iterdir()
    assert copy == copy_path(inbox.state, sha256(inbox, 1), "A.ZIP")
    assert copy.name.endswith(".zip")
    assert copy.stat().st_mode & 0o777 == 0o600
    assert copy.parent.stat().st_mode & 0o777 == 0o700


def test_the_dropped_file_is_never_changed(inbox: Inbox) -> None:
    path = inbox.put("a.json", export(0))
    before = path.stat()
    inbox.settle()
    after = path.stat()
    assert path.read_bytes() == export(0)
    assert (before.st_ino, before.st_mtime_ns, before.st_mode) == (
        after.st_ino,
        after.st_mtime_ns,
        after.st_mode,
    )


def test_a_slow_writer_with_pauses_longer_than_settling_is_waited_for(inbox: Inbox) -> None:
    whole = export(0)
    for end in range(0, len(whole), 20):
        inbox.put("a.json", whole[:end])
        inbox.scan()
        assert inbox.scan(SETTLE * 3).next_look_seconds is not None
        assert inbox.copies() == []
    inbox.put("a.json", whole)
    inbox.settle()
    assert inbox.states() == [("a.json", "copied")]
    assert inbox.copies() == [whole]


def test_it_is_said_what_a_file_waits_for(inbox: Inbox) -> None:
    inbox.put("a.json", export(0)[:10])
    inbox.scan()
    inbox.put("a.json", export(0)[:20])
    assert inbox.scan(1).next_look_seconds == SETTLE
    assert inbox.last() == ("settling", "still growing", "")
    inbox.scan(SETTLE)
    assert inbox.last() == ("settling", "JSON not closed at byte 20", "")


def test_the_pauses_between_two_looks_double_up_to_a_minute(inbox: Inbox) -> None:
    inbox.put("a.json", export(0)[:10])
    pauses, pause = [], inbox.scan().next_look_seconds
    for _ in range(6):
        assert pause is not None
        pause = inbox.scan(pause).next_look_seconds
        pauses.append(pause)
    assert pauses == [5, 10, 20, 40, 60, 60]


def test_after_an_hour_a_file_that_is_not_complete_needs_attention_and_is_taken_when_it_is(
    inbox: Inbox,
) -> None:
    inbox.put("a.json", export(0)[:10])
    inbox.settle()
    changes = inbox.scan(HOUR).changes
    assert [(step.state, step.reason) for step in changes] == [
        ("settling", "JSON not closed at byte 10")
    ]
    assert "export the chat again" in changes[0].next_step
    assert inbox.scan(HOUR).changes == ()
    inbox.put("a.json", export(0))
    inbox.settle()
    assert inbox.last() == ("copied", "", "")


def test_a_file_that_never_stops_growing_needs_attention_after_an_hour(inbox: Inbox) -> None:
    for size in range(1, 40):
        inbox.put("a.json", b"[" * size)
        inbox.scan(100)
    state, reason, next_step = inbox.last()
    assert (state, reason) == ("settling", "still growing")
    assert next_step


def test_waiting_does_not_fill_the_history(inbox: Inbox) -> None:
    inbox.put("a.json", export(0)[:10])
    inbox.settle()
    for _ in range(20):
        inbox.scan(60)
    noted = [entry.event for entry in entries_after(inbox.archive, 0)]
    assert [event.state for event in noted if isinstance(event, FileIs)] == ["seen", "settling"]


def test_a_file_that_changes_is_looked_at_again_without_waiting_for_the_pause(inbox: Inbox) -> None:
    inbox.put("a.json", export(0)[:10])
    inbox.settle()
    inbox.scan(60)
    inbox.put("a.json", export(0))
    assert inbox.scan(1).next_look_seconds == SETTLE
    inbox.scan(SETTLE)
    assert inbox.states() == [("a.json", "copied")]


def test_after_a_restart_a_file_has_to_stand_still_anew(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    inbox.scan()
    inbox.restart()
    assert inbox.scan(100).changes == ()
    inbox.scan(SETTLE)
    assert inbox.states() == [("a.json", "copied")]


def test_the_same_content_again_is_already_done(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    inbox.settle()
    change_state(inbox.archive, begin_work(inbox), "written", "", "", inbox.now)
    inbox.put("b.json", export(0))
    inbox.settle()
    assert inbox.last() == (
        "done",
        "already done: the same content was worked on as a.json, on 2026-11-21",
        "",
    )
    assert len(inbox.copies()) == 1


def test_the_same_content_is_not_worked_on_twice_while_it_waits(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    inbox.put("b.json", export(0))
    inbox.settle()
    assert inbox.states() == [("a.json", "copied"), ("b.json", "done")]
    assert inbox.last()[1] == "the same content waits to be worked on already, as a.json"


def test_a_renamed_or_touched_file_is_known_by_its_content(inbox: Inbox) -> None:
    path = inbox.put("a.json", export(0))
    inbox.settle()
    path.rename(inbox.folder / "b.json")
    inbox.settle()
    os.utime(inbox.folder / "b.json")
    inbox.settle()
    assert inbox.states() == [("a.json", "copied"), ("b.json", "done"), ("b.json", "done")]


def test_a_file_that_was_skipped_is_tried_again_when_it_is_dropped_again(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    inbox.settle()
    begin_work(inbox, "skipped")
    inbox.put("b.json", export(0))
    changes = inbox.settle().changes
    assert [(change.file, change.state) for change in changes] == [
        ("a.json", "gone"),
        ("b.json", "copied"),
    ]
    assert inbox.copies() == [export(0)]


def test_a_file_that_was_skipped_is_replaced_by_a_newer_one_of_its_name(inbox: Inbox) -> None:
    inbox.put("a.json", b"hello")
    inbox.settle()
    begin_work(inbox, "skipped")
    inbox.put("a.json", export(0))
    inbox.settle()
    assert inbox.states() == [("a.json", "gone"), ("a.json", "copied")]
    assert inbox.copies() == [export(0)]


def test_a_file_that_was_skipped_stays_so_until_something_changes(inbox: Inbox) -> None:
    inbox.put("a.json", b"hello")
    inbox.settle()
    begin_work(inbox, "skipped")
    inbox.settle()
    assert inbox.states() == [("a.json", "skipped")]


def test_a_file_that_memproc_wrote_is_left_alone_and_why_is_said(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    inbox.settle()
    ours = sha256(inbox, 1)
    shutil.rmtree(inbox.state)
    with inbox.archive.transaction():
        inbox.archive.run("DELETE FROM arrival")
    record_output(inbox.archive, Output("chat", "updated/a.json", ours, "", "", inbox.now))
    inbox.put("a (memories).json", export(0))
    inbox.settle()
    state, reason, _ = inbox.last()
    assert state == "done"
    assert reason.startswith("memproc wrote this file itself: import it")
    assert inbox.copies() == []


def test_a_file_that_leaves_before_it_is_copied_is_gone(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    inbox.scan()
    (inbox.folder / "a.json").unlink()
    assert inbox.scan(1).next_look_seconds is None
    assert inbox.last()[0] == "gone"
    inbox.put("a.json", export(0))
    inbox.settle()
    assert inbox.states() == [("a.json", "gone"), ("a.json", "copied")]


def test_a_file_that_leaves_and_comes_back_as_it_was_is_taken(inbox: Inbox) -> None:
    path = inbox.put("a.json", export(0))
    inbox.scan()
    path.rename(inbox.root / "a.json")
    inbox.scan(1)
    (inbox.root / "a.json").rename(path)
    inbox.settle()
    assert inbox.states() == [("a.json", "gone"), ("a.json", "copied")]


def test_a_file_that_leaves_after_it_was_copied_is_worked_on(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    inbox.settle()
    (inbox.folder / "a.json").unlink()
    inbox.settle()
    assert inbox.states() == [("a.json", "copied")]


def test_a_file_that_is_replaced_before_it_is_copied_gives_way_to_the_new_one(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    inbox.scan()
    inbox.swap("a.json", export(2))
    assert inbox.scan(SETTLE).next_look_seconds == SETTLE
    inbox.scan(SETTLE)
    assert inbox.states() == [("a.json", "gone"), ("a.json", "copied")]
    assert inbox.copies() == [export(2)]


def test_a_file_that_is_replaced_after_it_was_copied_is_worked_on_before_the_new_one(
    inbox: Inbox,
) -> None:
    inbox.put("a.json", export(0))
    inbox.settle()
    inbox.swap("a.json", export(2))
    inbox.settle()
    assert inbox.states() == [("a.json", "copied"), ("a.json", "copied")]
    work = next_work(inbox.archive, inbox.now)
    assert work is not None
    assert work.id == 1


def test_what_was_dropped_at_once_is_worked_on_in_the_order_it_was_written_in(inbox: Inbox) -> None:
    for number, name in enumerate(("c.json", "a.json", "b.json")):
        inbox.put(name, export(2 * number))
    inbox.settle()
    assert [name for name, _ in inbox.states()] == ["c.json", "a.json", "b.json"]


def test_a_file_that_changes_while_it_is_copied_is_waited_for(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox.put("a.json", export(0))
    inbox.scan()
    pour = intake._copy_blocks
    monkeypatch.setattr(
        intake, "_copy_blocks", lambda *all: (inbox.put("a.json", export(2)), pour(*all))[1]
    )
    inbox.scan(SETTLE)
    assert inbox.last()[:2] == ("settling", "it changed while it was copied")
    assert inbox.copies() == []
    monkeypatch.undo()
    inbox.scan()
    inbox.scan(SETTLE)
    assert inbox.copies() == [export(2)]


def test_an_inbox_that_is_not_there_is_told_and_changes_nothing(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    inbox.scan()
    inbox.folder.rename(inbox.root / "elsewhere")
    with pytest.raises(FileTrouble, match="is not there") as told:
        inbox.scan(1)
    assert told.value.next_step
    assert inbox.states() == [("a.json", "seen")]
    (inbox.root / "elsewhere").rename(inbox.folder)
    inbox.settle()
    assert inbox.states() == [("a.json", "copied")]


def test_an_inbox_that_is_made_again_goes_on(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    inbox.settle()
    shutil.rmtree(inbox.folder)
    with pytest.raises(FileTrouble):
        inbox.scan()
    inbox.folder.mkdir()
    inbox.put("b.json", export(2))
    inbox.settle()
    assert inbox.states() == [("a.json", "copied"), ("b.json", "copied")]


def test_a_full_disk_is_told_leaves_nothing_behind_and_is_tried_again(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        inbox.put(f"{number}.json", export(number * 2))

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(intake, "flush_file", full)
    found = inbox.settle()
    assert "the disk is full" in found.notes[0]
    assert found.next_look_seconds == 60
    assert [state for _, state in inbox.states()] == ["settling", "seen", "seen"]
    assert inbox.copies() == []
    monkeypatch.undo()
    inbox.scan(60)
    assert [state for _, state in inbox.states()] == ["copied"] * 3


def test_a_folder_for_copies_that_cannot_be_made_is_told(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    inbox.state.write_bytes(b"in the way")
    found = inbox.settle()
    assert found.notes
    assert inbox.last()[2]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_waited_for(inbox: Inbox) -> None:
    path = inbox.put("a.json", export(0))
    path.chmod(0)
    inbox.settle()
    assert inbox.last()[1] == "it cannot be read yet: Permission denied"
    path.chmod(0o600)
    inbox.scan(SETTLE)
    assert inbox.states() == [("a.json", "copied")]


def test_a_file_that_the_disk_does_not_give_once_is_looked_at_again(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: Path) -> NoReturn:
        raise OSError(5, "Input/output error")

    inbox.put("notes.pdf", b"%PDF-1.7 ...")
    inbox.scan()
    monkeypatch.setattr("daemon.inbox.scanner.what_it_is", fails)
    inbox.scan(SETTLE)
    assert inbox.last()[:2] == ("settling", "it cannot be read yet: Input/output error")
    monkeypatch.undo()
    inbox.scan(SETTLE)
    assert inbox.last()[:2] == ("skipped", "notes.pdf is a PDF.")


def test_what_cannot_be_used_as_it_lies_there_is_noted(inbox: Inbox) -> None:
    inbox.put(".a.json.icloud", b"")
    assert inbox.scan().notes == (".a.json.icloud: it is in the cloud, not on this disk",)


def test_many_files_are_taken_in_several_scans_and_none_is_forgotten(inbox: Inbox) -> None:
    for number in range(130):
        inbox.put(f"{number}.json", b"[%d]" % number)
    assert inbox.settle().next_look_seconds == 0
    assert inbox.scan().next_look_seconds is None
    assert {state for _, state in inbox.states()} == {"copied"}
    assert len(inbox.copies()) == 130


def test_files_in_sub_folders_are_told_apart(inbox: Inbox) -> None:
    inbox.subfolders = True
    inbox.put("one/a.json", export(0))
    inbox.put("two/a.json", export(2))
    inbox.settle()
    assert inbox.states() == [("one/a.json", "copied"), ("two/a.json", "copied")]


def test_the_copy_of_a_finished_arrival_goes_and_that_of_another_stays(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    inbox.settle()
    arrival = find_arrival(inbox.archive, 1)
    forget_copy(inbox.archive, inbox.state, arrival)
    assert inbox.copies() == [export(0)]
    change_state(inbox.archive, 1, "written", "", "", inbox.now)
    forget_copy(inbox.archive, inbox.state, replace(arrival, state="written"))
    forget_copy(inbox.archive, inbox.state, replace(arrival, state="written"))
    assert inbox.copies() == []


def test_a_copy_that_cannot_be_removed_is_told(inbox: Inbox) -> None:
    inbox.put("a.json", export(0))
    inbox.settle()
    change_state(inbox.archive, 1, "written", "", "", inbox.now)
    place = copy_path(inbox.state, sha256(inbox, 1), "a.json")
    place.unlink()
    place.mkdir()
    with pytest.raises(FileTrouble, match="could not be removed"):
        forget_copy(inbox.archive, inbox.state, find_arrival(inbox.archive, 1))
