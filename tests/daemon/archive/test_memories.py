"""A memory is kept whole or not at all, and is found by as much of its id as is needed."""

import sqlite3
from dataclasses import replace

import pytest

from daemon.archive.archive import Archive
from daemon.archive.memories import (
    editions,
    find_memory,
    insert_edition,
    keep_edition,
    keep_fold,
    keep_memory,
    memories,
    renew_chunk,
)
from daemon.archive.messages import past
from rules.conversation.memory import Edition, Kind, Memory, Preferred, Quote
from rules.errors import NotFound
from tests.daemon.archive.test_messages import CHAT, LATER, TALK, see
from tests.entries import entries, fold_of, memory_of, said, with_edition


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
            keep_memory(
                archive, CHAT, memory_of(number, entries(TALK)[number * 2 - 2 : number * 2])
            )
        with pytest.raises(NotFound, match=r"any of 2 memories: m1, m2\."):
            find_memory(archive, "m")
        with pytest.raises(NotFound, match='knows no memory "m3"') as told:
            find_memory(archive, "m3")
        assert "memproc memories" in told.value.next_step
        with pytest.raises(NotFound, match='knows no memory ""'):
            find_memory(archive, "")


M1, M2, M3 = (memory_of(number, entries(TALK)[2 * number - 2 : 2 * number]) for number in (1, 2, 3))


def another(number: int, kind: Kind) -> Edition:
    return with_edition(M1, number, kind).edition


def kept(archive: Archive, *more: Memory) -> None:
    see(archive, TALK)
    for memory in (M1, *more):
        keep_memory(archive, CHAT, memory)


def first(archive: Archive, preferred: Preferred = "hindsight") -> Memory:
    return memories(archive, CHAT, preferred)[0]


def test_editions_come_in_the_order_of_their_numbers_and_none_takes_the_place_of_another() -> None:
    with Archive.memory() as archive:
        kept(archive)
        insert_edition(archive, "m1", another(10, "hindsight"))
        assert keep_edition(archive, "m1", another(2, "as-of")) == 11
        assert [edition.number for edition in editions(archive, "m1")] == [1, 10, 11]
        with pytest.raises(sqlite3.IntegrityError):
            insert_edition(archive, "m1", another(10, "as-of"))
        assert editions(archive, "m1")[1].kind == "hindsight"


def test_hindsight_is_shown_where_it_is_preferred_and_never_told() -> None:
    with Archive.memory() as archive:
        kept(archive)
        keep_edition(archive, "m1", another(2, "hindsight"))
        assert (first(archive).edition.number, first(archive).in_prompts.number) == (2, 1)
        assert first(archive, "as-of").edition.number == 1
        (memory,) = memories(archive, CHAT, "as-of")
        assert memory.edition.number == 1


def test_what_was_written_again_after_an_edit_is_told_and_shown_and_not_hindsight_of_before() -> (
    None
):
    with Archive.memory() as archive:
        kept(archive)
        for number, kind in ((2, "hindsight"), (3, "as-of")):
            keep_edition(archive, "m1", another(number, kind))  # type: ignore[arg-type]
        assert (first(archive).edition.number, first(archive).in_prompts.number) == (3, 3)
        keep_edition(archive, "m1", another(4, "hindsight"))
        assert (first(archive).edition.number, first(archive).in_prompts.number) == (4, 3)


def test_an_edition_that_the_person_chose_is_shown_whatever_is_preferred() -> None:
    with Archive.memory() as archive:
        kept(archive)
        keep_edition(archive, "m1", another(2, "hindsight"), chosen=True)
        keep_edition(archive, "m1", another(3, "hindsight"))
        assert {first(archive, "as-of").edition.number, first(archive).edition.number} == {2}
        assert (first(archive).chosen, first(archive).in_prompts.number) == (2, 1)


def test_a_chunk_that_was_written_anew_stands_for_the_words_as_they_are() -> None:
    edited = said("user", "now I say something else", 0)
    with Archive.memory() as archive:
        kept(archive, M2)
        see(archive, [edited, *TALK[1:3], said("assistant", "so do I", 3), *TALK[4:]], LATER)
        archive.run("UPDATE memory SET due = '1 of its messages edited'")
        renew_chunk(archive, "m1")
        now = past(archive, CHAT)
        assert [old.message.raw for old in now[:2]] == [edited.raw, TALK[1].raw]
        assert now[0].newest == now[0].message
        assert now[3].message.raw == TALK[3].raw, (
            "the other memory is still of the words that it was made of"
        )
        assert [memory.due for memory in memories(archive, CHAT)] == [
            "",
            "1 of its messages edited",
        ]
        assert archive.one("SELECT count(*) FROM version WHERE message = 1") == (2,), (
            "nothing is lost by it"
        )


def test_a_fold_stands_for_the_messages_of_all_its_memories_in_their_order() -> None:
    fold = fold_of(1, [M1, M2])
    with Archive.memory() as archive:
        kept(archive, M2, M3)
        assert keep_fold(archive, CHAT, fold) == fold
        higher = fold_of(1, [fold, M3])
        assert keep_fold(archive, CHAT, higher) == higher
        assert memories(archive, CHAT) == (M1, M2, M3, fold, higher)
        assert find_memory(archive, higher.memory_id)[1].keys == tuple(
            message.uuid for message in TALK
        )


def test_folds_of_a_level_are_counted_by_themselves() -> None:
    one, two = fold_of(0, [M1, M2]), replace(fold_of(0, [M2, M3]), memory_id="other")
    with Archive.memory() as archive:
        kept(archive, M2, M3)
        assert [keep_fold(archive, CHAT, fold).number for fold in (one, two)] == [1, 2]


def test_a_fold_of_memories_that_the_archive_has_not_is_not_kept() -> None:
    with Archive.memory() as archive:
        kept(archive)
        with pytest.raises(sqlite3.IntegrityError):
            keep_fold(archive, CHAT, fold_of(1, [M1, M2]))
        assert memories(archive, CHAT) == (M1,)


def test_a_memory_of_a_lost_archive_that_was_a_fold_stands_where_it_stood_among_the_others() -> (
    None
):
    """Nobody knows what it stood for, so that it is a memory like any other, of a higher level."""
    was_a_fold = replace(M1, level=2)
    with Archive.memory() as archive:
        see(archive, TALK)
        for memory in (was_a_fold, M2):
            keep_memory(archive, CHAT, memory)
        fold = fold_of(2, [was_a_fold, M2])
        keep_fold(archive, CHAT, fold)
        assert memories(archive, CHAT) == (was_a_fold, M2, replace(fold, number=1))


def test_a_quote_comes_back_with_whose_words_it_is_and_one_of_old_without() -> None:
    framed = replace(
        M1, edition=replace(M1.edition, quotes=(Quote("so", "k", "engine", 1, "You said: "),))
    )
    with Archive.memory() as archive:
        see(archive, TALK)
        keep_memory(archive, CHAT, framed)
        assert first(archive).edition.quotes[0].framed == "You said: so"
        archive.run("UPDATE edition SET quotes = json_remove(quotes, '$[0].lead')")
        (quote,) = first(archive).edition.quotes
        assert (quote.lead, quote.framed) == ("", "so")
