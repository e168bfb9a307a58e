"""The rows of dropped files."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from daemon.archive.archive import Archive
from daemon.archive.arrivals import (
    Present,
    change_state,
    find_arrival,
    is_needed,
    known_content,
    mark_copied,
    next_work,
    record_sightings,
    resume_after_restart,
)
from daemon.archive.log import entries_after
from daemon.archive.work import newest_outcomes, record_outcome
from daemon.events import ChatIs, FileIs
from rules.arrival import Sighting, State
from rules.errors import ArchiveError

EARLY, NOW, LATE = (
    "2026-11-21T10:00:00.000Z",
    "2026-11-21T11:00:00.000Z",
    "2026-11-21T12:00:00.000Z",
)


@pytest.fixture
def archive() -> Iterator[Archive]:
    archive = Archive.memory()
    yield archive
    archive.close()


def drop(
    archive: Archive,
    name: str,
    content: str = "",
    state: State = "copied",
    again: str | None = None,
) -> int:
    """An arrival of that content in that state."""
    path = f"/inbox/{name}"
    (number,) = record_sightings(
        archive, [Present(path, Sighting(1, 2, 3, 4), 0, None, "new")], [], EARLY
    ).values()
    mark_copied(archive, number, content or name, EARLY)
    change_state(archive, number, state, "because", "", EARLY, again)
    return number


def work(archive: Archive) -> int | None:
    found = next_work(archive, NOW)
    return found.id if found else None


def test_what_was_dropped_first_is_worked_on_first(archive: Archive) -> None:
    first, second = drop(archive, "b.json"), drop(archive, "a.json")
    assert work(archive) == first
    change_state(archive, first, "working", "", "", NOW)
    assert work(archive) == second


@pytest.mark.parametrize("state", ["waiting", "paused"])
def test_what_waits_is_worked_on_when_its_time_has_come(archive: Archive, state: State) -> None:
    drop(archive, "a.json", state=state, again=LATE)
    drop(archive, "b.json", state=state)
    assert work(archive) is None
    assert work(archive) is None
    due = drop(archive, "c.json", state=state, again=NOW)
    assert work(archive) == due


@pytest.mark.parametrize(
    "state", ["seen", "settling", "working", "written", "done", "skipped", "gone"]
)
def test_nothing_else_is_worked_on(archive: Archive, state: State) -> None:
    drop(archive, "a.json", state=state)
    assert work(archive) is None


def test_a_change_of_state_is_a_step(archive: Archive) -> None:
    number = drop(archive, "a.json")
    change_state(archive, number, "waiting", "the provider is busy", "Wait.", NOW, LATE, tries=2)
    arrival = find_arrival(archive, number)
    assert (arrival.state, arrival.reason, arrival.next_step) == (
        "waiting",
        "the provider is busy",
        "Wait.",
    )
    assert (arrival.changed_at, arrival.next_look_at, arrival.tries, arrival.seen_at) == (
        NOW,
        LATE,
        2,
        EARLY,
    )
    change_state(archive, number, "copied", "", "", LATE)
    assert (find_arrival(archive, number).tries, find_arrival(archive, number).next_look_at) == (
        2,
        None,
    )
    steps = [(entry.at, entry.event) for entry in entries_after(archive, 0)]
    assert steps[-2:] == [
        (NOW, FileIs(number, "a.json", "waiting", "the provider is busy", "Wait.")),
        (LATE, FileIs(number, "a.json", "copied")),
    ]


def test_a_change_of_an_arrival_that_is_not_there_changes_nothing(archive: Archive) -> None:
    with pytest.raises(TypeError):
        change_state(archive, 7, "copied", "", "", NOW)
    with pytest.raises(ArchiveError):
        find_arrival(archive, 7)


def test_a_restart_takes_up_what_was_being_worked_on(archive: Archive) -> None:
    begun = [drop(archive, "a.json", state="working"), drop(archive, "b.json", state="working")]
    drop(archive, "c.json", state="written")
    change_state(archive, begun[0], "working", "", "", NOW, tries=2)
    assert resume_after_restart(archive, LATE) == tuple(begun)
    assert [find_arrival(archive, number).state for number in begun] == ["copied", "copied"]
    assert find_arrival(archive, begun[0]).tries == 2
    assert resume_after_restart(archive, LATE) == ()


@pytest.mark.parametrize(
    ("states", "known"),
    [
        ([], None),
        (["gone"], None),
        (["skipped"], None),
        (["skipped", "done"], None),
        (["gone", "skipped", "done"], None),
        (["copied"], "the same content waits to be worked on already, as 0.json"),
        (["paused"], "the same content waits to be worked on already, as 0.json"),
        (
            ["skipped", "done", "waiting"],
            "the same content waits to be worked on already, as 2.json",
        ),
        (["written"], "already done: the same content was worked on as 0.json, on 2026-11-21"),
        (
            ["gone", "written", "done"],
            "already done: the same content was worked on as 1.json, on 2026-11-21",
        ),
        (["gone", "done"], "already done: the same content was dropped as 1.json, on 2026-11-21"),
        (["done"], "already done: the same content was dropped as 0.json, on 2026-11-21"),
    ],
)
def test_a_content_is_known_by_what_became_of_it(
    archive: Archive, states: list[State], known: str | None
) -> None:
    for number in range(len(states)):
        drop(archive, f"{number}.json", "content", "written")
    for number, state in enumerate(states, 1):
        change_state(archive, number, state, "", "", NOW)
    assert known_content(archive, "content") == known


def test_a_copy_is_needed_until_every_arrival_of_its_content_is_finished(archive: Archive) -> None:
    first = drop(archive, "a.json", "content", "written")
    assert not is_needed(archive, "content")
    second = drop(archive, "b.json", "content", "skipped")
    assert is_needed(archive, "content")
    assert not is_needed(archive, "other")
    change_state(archive, second, "gone", "", "", NOW)
    assert not is_needed(archive, "content")
    assert first != second


def test_a_content_that_lies_at_another_path_too_keeps_its_place(archive: Archive) -> None:
    aside = drop(archive, "a.json", "content", "skipped")
    drop(archive, "b.json", "other")
    change_state(archive, 2, "done", "", "", NOW)
    archive.run("UPDATE arrival SET sha256 = 'content' WHERE id = 2")
    drop(archive, "a.json", "newer")
    assert find_arrival(archive, aside).state == "skipped"


def test_the_newest_outcome_of_each_chat_is_told(archive: Archive) -> None:
    number = drop(archive, "a.json")
    old = ChatIs("one", "Summer", "skipped", "no key", "Set a key.", arrival=number)
    other = ChatIs("two", "Winter", "unchanged", "nothing new", arrival=number)
    new = ChatIs(
        "one", "Summer", "written", path="/updated/Summer.json", memories=3, arrival=number
    )
    for outcome, when in ((old, EARLY), (other, NOW), (new, LATE)):
        record_outcome(archive, outcome, when)
    told = newest_outcomes(archive)
    assert told == (replace(new, when=LATE), replace(other, when=NOW))
