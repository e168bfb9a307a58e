"""What needs attention, and when it no longer does."""

import pytest

from daemon.archive.archive import Archive
from tests.daemon.status.filled import ago, alive, arrival, at_noon, job, outcome


def told(archive: Archive, running: bool = True, gone: frozenset[str] = frozenset()) -> list[str]:
    return [problem.what for problem in at_noon(archive, running, gone).problems]


def test_a_daemon_that_is_well_has_no_problems(archive: Archive) -> None:
    alive(archive)
    of = arrival(archive, "a.json", "written")
    outcome(archive, of, "A", chat_id="a")
    outcome(archive, of, "B", "unchanged", "b", "it is not long enough")
    arrival(archive, "b.json", "settling", "still growing")
    arrival(archive, "c.json", "waiting", "The work on it failed. It is tried again after 10 s.")
    job(archive, "prune", ago(days=-1), "")

    assert told(archive) == []


def test_a_file_that_was_skipped_stays_a_problem_until_it_is_replaced_or_taken_out(
    archive: Archive,
) -> None:
    arrival(archive, "a.json", "skipped", "It is not JSON.", "Export the chat again.")
    assert told(archive) == ["a.json"]
    assert told(archive, gone=frozenset({"/inbox/a.json"})) == []

    arrival(archive, "a.json", "seen")
    assert told(archive) == []


def test_the_same_content_once_more_does_not_mend_a_file(archive: Archive) -> None:
    arrival(archive, "a.json", "skipped", "It holds no chats.", "Choose them.", sha256="1")
    arrival(archive, "a.json", "done", "already done", sha256="1")
    assert told(archive) == ["a.json"]

    arrival(archive, "a.json", "written", sha256="2")
    assert told(archive) == []


@pytest.mark.parametrize("state", ["settling", "waiting", "paused", "copied"])
def test_a_file_with_a_next_step_waits_for_the_person(archive: Archive, state: str) -> None:
    arrival(archive, "a.json", state, "still growing", "Look whether the download goes on.")

    (problem,) = at_noon(archive).problems
    assert (problem.what, problem.reason, problem.next_step) == (
        "a.json", "still growing", "Look whether the download goes on."
    )  # fmt: skip


def test_a_chat_that_was_skipped_is_told_instead_of_its_file(archive: Archive) -> None:
    of = arrival(archive, "a.json", "skipped", "No money is left.", "Add credit.")
    outcome(archive, of, "The Garden", "skipped", "", "No money is left.", "Add credit.")
    outcome(archive, of, "The Well", "skipped", "", "It is too large.", "Set tail.tokens lower.")

    assert told(archive) == ["The Well", "The Garden"]


def test_a_chat_is_no_problem_any_more_once_it_has_come_by_again(archive: Archive) -> None:
    of = arrival(archive, "a.json", "skipped")
    outcome(archive, of, "The Garden", "skipped", "garden", "No money is left.", "Add credit.")
    outcome(archive, of, "The Well", "skipped", "", "No money is left.", "Add credit.")
    again = arrival(archive, "b.json", "written")
    outcome(archive, again, "The Rose Garden", chat_id="garden")
    assert told(archive) == ["The Well"]

    outcome(archive, again, "The Well", chat_id="well")
    assert told(archive) == []


def test_a_chat_that_fails_again_is_told_once(archive: Archive) -> None:
    for reason in ("No money is left.", "The key is wrong."):
        of = arrival(archive, f"{reason}.json", "skipped")
        outcome(archive, of, "The Garden", "skipped", "", reason, "Mend it.")

    assert [problem.reason for problem in at_noon(archive).problems] == ["The key is wrong."]


def test_two_chats_without_a_known_id_do_not_hide_each_other(archive: Archive) -> None:
    of = arrival(archive, "a.json", "skipped")
    for title in ("One", "Two"):
        outcome(archive, of, title, "skipped", "", "Too large.", "Set tail.tokens lower.")

    assert sorted(told(archive)) == ["One", "Two"]


def test_a_daemon_that_no_longer_looks_into_the_inbox_hangs(archive: Archive) -> None:
    alive(archive)
    archive.run(
        "UPDATE sign SET at = ? WHERE name IN ('started_at', 'last_scan')",
        (ago(minutes=12, seconds=1),),
    )
    assert told(archive) == ["the daemon"]
    assert told(archive, running=False) == []

    archive.run("UPDATE sign SET at = ? WHERE name = 'started_at'", (ago(minutes=11),))
    assert told(archive) == []


def test_an_inbox_that_cannot_be_watched_is_told_unless_it_is_looked_into_again_and_again(
    archive: Archive,
) -> None:
    alive(archive, watch_mode="poll", watch_note="memproc.toml asks for polling.")
    assert told(archive) == []

    alive(archive, watch_mode="none", watch_note="No inotify instance is left for this account.")
    (problem,) = at_noon(archive).problems
    assert problem.reason == "No inotify instance is left for this account."


def test_thousands_of_files_are_looked_through_in_a_moment(archive: Archive) -> None:
    alive(archive)
    with archive.transaction():
        for number in range(5_000):
            of = arrival(
                archive, f"{number}.json", "skipped", "It is not JSON.", "Export it again."
            )
            outcome(
                archive,
                of,
                f"{number}.json",
                "skipped",
                "",
                "It is not JSON.",
                "Export it again.",
            )

    assert len(told(archive)) == 5_000
