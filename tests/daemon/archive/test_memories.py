"""A memory is kept whole or not at all, and is found by as much of its id as is needed."""

import sqlite3

import pytest

from daemon.archive.archive import Archive
from daemon.archive.memories import find_memory, keep_memory, memories
from daemon.archive.messages import past
from rules.errors import NotFound
from tests.daemon.archive.test_messages import CHAT, TALK, see
from tests.entries import entries, memory_of, said


def test_a_memory_of_messages_that_were_never_archived_is_not_kept() -> None:
    unseen = entries([said("user", "never archived", 77)])
    with Archive.memory() as archive:
        see(archive, TALK)
        with pytest.raises(sqlite3.IntegrityError):
            keep_memory(archive, CHAT, memory_of(1, [*entries(TALK)[:2], *unseen]))
        assert memories(archive, CHAT) == ()
        assert past(archive, CHAT) == ()
        assert archive.one("SELECT count(*) FROM edition") == (0,)


def test_no_message_stands_under_two_memories() -> None:
    with Archive.memory() as archive:
        see(archive, TALK)
        keep_memory(archive, CHAT, memory_of(1, entries(TALK)[:3]))
        with pytest.raises(sqlite3.IntegrityError):
            keep_memory(archive, CHAT, memory_of(2, entries(TALK)[2:4]))
        assert [memory.number for memory in memories(archive, CHAT)] == [1]


def test_a_beginning_that_fits_two_memories_names_both() -> None:
    with Archive.memory() as archive:
        see(archive, TALK)
        for number in (1, 2):
            keep_memory(archive, CHAT, memory_of(number, entries(TALK)[number * 2 - 2 : number * 2]))
        with pytest.raises(NotFound, match=r"any of 2 memories: m1, m2\."):
            find_memory(archive, "m")
        with pytest.raises(NotFound, match='knows no memory "m3"') as told:
            find_memory(archive, "m3")
        assert "memproc memories" in told.value.next_step
        with pytest.raises(NotFound, match='knows no memory ""'):
            find_memory(archive, "")
