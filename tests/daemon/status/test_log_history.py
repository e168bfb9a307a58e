"""The log is read back in its order, while it is written, across rotation, and chat by chat."""

import threading
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.events import ChatIs, Event, FileIs, Note, Planned
from daemon.status.log import (
    ChatFilter,
    Log,
    LogEntry,
    entries,
    entries_about,
    log_files,
    log_folder,
)
from rules.errors import NotFound
from tests.daemon.status.filled import ago, arrival, outcome

LONG = "." * 100


def texts(found: Iterator[LogEntry]) -> list[str]:
    return [entry.event.text.rstrip(".") for entry in found if isinstance(entry.event, Note)]


def log_of(state: Path, largest: int = 1000) -> Log:
    return Log(state, now=lambda: ago(), largest=largest)


def test_what_was_logged_comes_back_as_it_was(tmp_path: Path) -> None:
    log = log_of(tmp_path, 1_000_000)
    events: list[Event] = [
        Note("a word"),
        FileIs(7, "a.json", "settling", "still growing"),
        ChatIs("abc", "", "written", arrival=7),
    ]
    for event in events:
        log.log(event)

    assert list(entries(log_folder(tmp_path))) == [LogEntry(ago(), event) for event in events]


def test_there_may_be_no_log_yet(tmp_path: Path) -> None:
    assert list(entries(log_folder(tmp_path))) == []


def test_old_files_are_read_before_the_newest(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    for number in range(30):
        log.log(Note(f"{number}{LONG}"))

    found = texts(entries(log_folder(tmp_path)))

    assert found == [str(number) for number in range(30 - len(found), 30)]
    assert len(found) > 20


@pytest.mark.parametrize(
    "odd", [b"{", b"[]", b'{"is": "Unheard"}', b'{"is": "Note"}', b"\xff\xfe", b"[" * 9999]
)
def test_a_line_that_is_none_of_ours_does_not_hide_the_others(tmp_path: Path, odd: bytes) -> None:
    log = log_of(tmp_path)
    log.log(Note("before"))
    with log_files(log_folder(tmp_path))[0].open("ab") as file:
        file.write(odd + b"\n")
    log.log(Note("after"))

    before, unreadable, after = entries(log_folder(tmp_path))

    assert (before.event, unreadable.event, after.event) == (Note("before"), None, Note("after"))


def test_following_goes_on_with_what_comes(tmp_path: Path) -> None:
    """Whatever is logged during a wait comes next, through as many rotations as there are old files."""
    log = log_of(tmp_path)
    numbers = iter(range(1000))

    def wait() -> None:
        for _ in range(3):
            log.log(Note(f"{next(numbers)}{LONG}"))

    found = texts(islice(entries(log_folder(tmp_path), wait), 100))

    assert found == [str(number) for number in range(100)]


def test_following_waits_for_the_rest_of_a_line(tmp_path: Path) -> None:
    log_of(tmp_path).log(Note("whole"))
    path = log_files(log_folder(tmp_path))[0]
    line = path.read_bytes()
    parts = iter([line[:10], line[10:-1], b"\n"])

    def wait() -> None:
        with path.open("ab") as file:
            file.write(next(parts))

    assert texts(islice(entries(log_folder(tmp_path), wait), 2)) == ["whole", "whole"]


def test_following_goes_on_after_the_log_was_deleted(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.log(Note("before"))
    steps: Iterator[Callable[[], object]] = iter(
        [log_files(log_folder(tmp_path))[0].unlink, lambda: None, lambda: log.log(Note("after"))]
    )

    assert texts(islice(entries(log_folder(tmp_path), lambda: next(steps)()), 2)) == [
        "before",
        "after",
    ]


def test_nothing_is_lost_or_told_twice_while_another_thread_writes_and_rotates(
    tmp_path: Path,
) -> None:
    log = log_of(tmp_path, largest=20_000)
    written = threading.Event()

    def write() -> None:
        for number in range(500):
            log.log(Note(f"{number}{LONG}"))
        written.set()

    thread = threading.Thread(target=write)
    thread.start()
    found = texts(islice(entries(log_folder(tmp_path), lambda: written.wait(0.001)), 500))
    thread.join()

    assert found == [str(number) for number in range(500)]


def planned(chat_id: str, arrival: int = 0) -> Event:
    return Planned(chat_id, "", 1, 4, arrival=arrival)


def test_a_chat_is_found_by_its_id_and_by_its_title(archive: Archive) -> None:
    of = arrival(archive, "a.json", "written")
    outcome(archive, of, "The Garden", chat_id="garden")
    other = arrival(archive, "b.json", "skipped")
    outcome(archive, other, "The Garden", "skipped")

    for wanted in ("garden", "the garden"):
        found = entries_about(archive, wanted)
        assert found.has(planned("garden"))
        assert found.has(FileIs(of, "a.json", "copied"))
        assert not found.has(planned("other", of))
        assert not found.has(Note("x"))
        assert not found.has(None)
    assert entries_about(archive, "the garden").has(
        ChatIs("", "", "skipped", arrival=other, file="b.json")
    )


def test_a_chat_that_nobody_knows_is_told(archive: Archive) -> None:
    with pytest.raises(NotFound, match="knows no chat"):
        entries_about(archive, "nobody")


def test_an_entry_about_the_chat_brings_its_file_with_it() -> None:
    found = ChatFilter({"garden"}, set())
    file = FileIs(3, "a.json", "working")
    assert not found.has(file)

    assert found.has(planned("garden", 3))
    assert found.has(file)
    assert not found.has(None)
