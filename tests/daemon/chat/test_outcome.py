"""What a chat is skipped with."""

from daemon.archive.archive import Archive
from daemon.chat.outcome import as_skipped
from rules.errors import ChatSkipped, OutOfReach


def test_an_outage_names_a_next_step_for_a_terminal_and_the_wait_for_the_daemon() -> None:
    away = OutOfReach("m cannot answer now.", "Run memproc again later.", 7_200.0)
    with Archive.memory() as archive:
        skipped = as_skipped(archive, "Aria", away)
    assert (skipped.next_step, skipped.later) == ("Run memproc again later.", True)
    assert skipped.retry_after == 7_200.0


def test_what_does_not_pass_has_no_time_to_wait_for() -> None:
    with Archive.memory() as archive:
        skipped = as_skipped(archive, "Aria", ChatSkipped("It has no id.", "Export it again."))
    assert (skipped.later, skipped.retry_after) == (False, None)
