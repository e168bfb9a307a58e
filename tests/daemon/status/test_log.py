"""The log is read back in its order, bounded, while it grows, and chat by chat."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from daemon.archive import log
from daemon.archive.archive import Archive
from daemon.archive.log import LogEntry, entries_after, newest_entry, note, times_in
from daemon.events import ChatIs, DaemonIs, Event, FileIs, Note, Planned
from daemon.status.log import LogRow, log_rows
from rules.errors import NotFound
from tests.daemon.status.filled import ago, arrival, outcome


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path) as archive:
        yield archive


def noted(archive: Archive, *events: Event) -> None:
    for event in events:
        note(archive, event, ago())


def says(rows: Iterable[LogRow]) -> list[str]:
    return [row.says for row in rows]


def test_what_was_noted_comes_back_as_it_was(archive: Archive) -> None:
    events: tuple[Event, ...] = (
        Note("Ünïcode."),
        FileIs(7, "a\nb.json", "settling", "still growing"),
        ChatIs("abc", "Aria", "written", arrival=7),
    )
    noted(archive, *events)
    entries = [LogEntry(number, ago(), event) for number, event in enumerate(events, 1)]
    assert list(entries_after(archive, 0)) == entries
    assert list(entries_after(archive, 2)) == entries[2:]
    assert newest_entry(archive) == 3


def test_there_may_be_no_log_yet(tmp_path: Path) -> None:
    assert list(log_rows(tmp_path)) == []


def test_the_oldest_entries_make_room(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "MOST_ENTRIES", 3)
    noted(archive, *(Note(str(number)) for number in range(9)))
    assert [entry.event for entry in entries_after(archive, 0)] == [Note("6"), Note("7"), Note("8")]


@pytest.mark.parametrize("odd", ["{", "[]", '{"is": "Unheard"}', '{"is": "Note"}', "[" * 9999])
def test_an_entry_of_another_version_does_not_hide_the_others(
    archive: Archive, tmp_path: Path, odd: str
) -> None:
    noted(archive, Note("before"))
    archive.insert("log", {"at": ago(), "chat_id": "", "arrival": 0, "event": odd})
    noted(archive, Note("after"))
    rows = log_rows(tmp_path)
    assert says(rows) == ["before", "(a line that this memproc cannot read)", "after"]


def test_following_goes_on_with_what_comes(archive: Archive, tmp_path: Path) -> None:
    numbers = iter(range(1000))

    def wait() -> None:
        noted(archive, *(Note(str(number)) for number in islice(numbers, 3)))

    rows = log_rows(tmp_path, wait=wait)
    assert says(islice(rows, 100)) == [str(number) for number in range(100)]


def test_how_often_a_file_came_into_a_state_is_counted(archive: Archive) -> None:
    noted(
        archive, *(FileIs(number, "a.json", "waiting") for number in (1, 2, 1)), DaemonIs("paused")
    )
    assert (times_in(archive, 1, "waiting"), times_in(archive, 1, "copied")) == (2, 0)


def test_a_chat_is_found_by_its_id_and_by_its_title(archive: Archive, tmp_path: Path) -> None:
    of = arrival(archive, "a.json", "written")
    outcome(archive, of, "The Garden", chat_id="garden")
    other = arrival(archive, "b.json", "skipped")
    outcome(archive, other, "The Garden", "skipped")
    noted(
        archive,
        Note("x"),
        FileIs(of, "a.json", "copied"),
        FileIs(9, "earlier.json", "copied"),
        Planned("garden", "", 1, 4, "1 memory is written again; 4 calls", arrival=9),
        Planned("other", "", 2, 4, arrival=of),
        ChatIs("", "", "skipped", "It has no id.", arrival=other, file="b.json"),
    )
    for chat in ("garden", "the garden"):
        assert says(log_rows(tmp_path, chat)) == [
            "a.json is complete: there is a copy to work on.",
            "earlier.json is complete: there is a copy to work on.",
            "The chat garden: 1 memory is written again; 4 calls.",
            *(["A chat, of b.json, was skipped: It has no id."] if chat != "garden" else []),
        ]


def test_a_chat_that_nobody_knows_is_told(archive: Archive, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="knows no chat"):
        list(log_rows(tmp_path, "nobody"))
