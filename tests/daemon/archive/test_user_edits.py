"""What the person did to memories in TypingMind is kept with the export in which it was seen."""

from dataclasses import replace

import pytest

from daemon.archive.archive import Archive
from daemon.archive.memories import editions, find_memory, keep_memory, memories
from daemon.archive.message_versions import remember
from daemon.archive.messages import past
from rules.conversation.memory import Edition, Memory
from rules.recognize.recognize import recognize
from rules.recognize.user_edits import PersonEdits
from rules.typingmind.chat import read_messages
from tests.daemon.archive.test_messages import CHAT, LATER, TALK, raws, see
from tests.entries import UNTOUCHED, chat_of, entries, memory_of, reading_of, said

M1, M2 = memory_of(1, entries(TALK)[:2]), memory_of(2, entries(TALK)[2:4])
PERSONS = replace(M1.edition, number=2, kind="person", texts=("a", "b", "c", "d", "e", "f"))


def seen(archive: Archive, hand: PersonEdits, person: Edition | None = None) -> None:
    """Both memories, and then an export in which this was done to the first."""
    see(archive, TALK)
    for memory in (M1, M2):
        keep_memory(archive, CHAT, memory)
    again(archive, hand, person)


def again(archive: Archive, hand: PersonEdits, person: Edition | None = None) -> None:
    chat = chat_of(TALK[4:])
    reading = reading_of(
        recognize(read_messages(chat), {}), past(archive, CHAT), memories(archive, CHAT), hand
    )
    remember(archive, chat, replace(reading, person={"m1": person} if person else {}), LATER)


def first(archive: Archive) -> Memory:
    return find_memory(archive, "m1")[1]


def test_what_the_person_wrote_is_an_edition_that_is_shown_and_told_and_the_memory_is_pinned() -> (
    None
):
    with Archive.memory() as archive:
        seen(archive, UNTOUCHED, PERSONS)
        assert editions(archive, "m1") == (M1.edition, PERSONS)
        memory = first(archive)
        assert (memory.edition, memory.in_prompts, memory.pinned, memory.chosen) == (
            PERSONS,
            PERSONS,
            True,
            2,
        )
        assert not find_memory(archive, "m2")[1].pinned


def test_what_is_forgotten_stays_so_until_it_is_recalled() -> None:
    with Archive.memory() as archive:
        seen(archive, replace(UNTOUCHED, forgotten=("m1",)))
        assert first(archive).forgotten
        again(archive, UNTOUCHED)
        assert first(archive).forgotten
        archive.run("UPDATE memory SET recalled = 1")
        again(archive, replace(UNTOUCHED, recalled=("m1",)))
        assert (first(archive).forgotten, first(archive).recalled) == (False, False)


def test_why_a_new_edition_is_due_is_kept_and_deleted_messages_are_gone() -> None:
    key = TALK[1].uuid or ""
    with Archive.memory() as archive:
        seen(archive, replace(UNTOUCHED, changed={"m1": "1 deleted"}, deleted=(key,)))
        assert first(archive).due == "1 deleted"
        assert [old.newest is None for old in past(archive, CHAT)] == [False, True, False, False]
        assert raws(archive) == [message.raw for message in TALK if message.uuid != key]
        again(archive, UNTOUCHED)
        assert first(archive).due == "1 deleted"
        assert [old.newest is None for old in past(archive, CHAT)] == [False, True, False, False]


def test_a_transaction_that_breaks_off_keeps_nothing_of_it() -> None:
    unknown = replace(UNTOUCHED, forgotten=("m1",), changed={"m1": "1 deleted"})
    with Archive.memory() as archive:
        see(archive, TALK)
        for memory in (M1, M2):
            keep_memory(archive, CHAT, memory)
        with pytest.raises(ZeroDivisionError), archive.transaction():
            again(archive, unknown, PERSONS)
            raise ZeroDivisionError
        assert first(archive) == M1


def test_an_edited_message_under_a_memory_is_its_newest_version_beside_the_one_that_it_was_made_of() -> (
    None
):
    edited = said("user", "now I say something else", 0)
    with Archive.memory() as archive:
        seen(archive, UNTOUCHED)
        see(archive, [edited, *TALK[1:]], LATER)
        old = past(archive, CHAT)[0]
        assert old.message.raw == TALK[0].raw
        assert old.newest is not None
        assert old.newest.raw == edited.raw
