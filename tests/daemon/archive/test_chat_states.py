"""Which state of a chat waits until the person accepts it: the one whose doubt was said last."""

from daemon.archive.archive import Archive
from daemon.archive.chats import (
    accept_state,
    is_accepted,
    record_doubt,
    record_processed,
    waiting_state,
)

CHAT = "aria"
DAYS = [f"2026-03-0{day}T00:00:00.000Z" for day in range(1, 8)]


def doubted(archive: Archive, state: str, day: int) -> None:
    record_doubt(archive, CHAT, state, f"file of {state}", f"doubt of {state}", DAYS[day])


def waiting(archive: Archive) -> str:
    found = waiting_state(archive, CHAT)
    return found.sha256 if found else ""


def test_a_state_waits_though_another_one_was_processed_since() -> None:
    with Archive.memory() as archive:
        doubted(archive, "a", 0)
        record_processed(archive, CHAT, "b", "file", 5, DAYS[1])
        assert waiting(archive) == "a"
        accept_state(archive, CHAT, "a", DAYS[2])
        assert is_accepted(archive, CHAT, "a")
        assert waiting(archive) == ""


def test_of_several_the_one_that_was_said_last_comes_first_and_each_has_its_turn() -> None:
    with Archive.memory() as archive:
        doubted(archive, "a", 0)
        doubted(archive, "b", 1)
        assert waiting(archive) == "b"
        doubted(archive, "a", 2)
        assert waiting(archive) == "a"
        accept_state(archive, CHAT, "a", DAYS[3])
        assert waiting(archive) == "b"
        doubted(archive, "a", 4)
        assert waiting(archive) == "a", "it is doubted anew"


def test_what_was_processed_waits_no_more() -> None:
    with Archive.memory() as archive:
        doubted(archive, "a", 0)
        record_processed(archive, CHAT, "a", "file", 5, DAYS[1])
        assert waiting(archive) == ""
