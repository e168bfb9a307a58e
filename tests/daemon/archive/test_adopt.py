"""A fork takes over memories, editions and raw messages, and shares their bytes with the chat that it came from."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from daemon.archive.archive import Archive, check_integrity
from daemon.archive.erasing import erase_rows
from daemon.archive.forks import find_kin
from daemon.archive.layers import KeptOpening, keep_opening
from daemon.archive.memories import (
    editions,
    insert_edition,
    keep_edition,
    keep_fold,
    keep_memory,
    memories,
    renew_chunk,
    round_of,
)
from daemon.archive.message_versions import remember
from daemon.archive.messages import former_versions, past, raw_conversation
from daemon.chat.reading import know
from rules.conversation.history import Past
from rules.conversation.marker import text_digest
from rules.conversation.memory import six_of
from rules.recognize.adopted import Adopted, inherit
from rules.recognize.known import Known
from rules.recognize.recognize import recognize
from rules.typingmind.chat import read_messages
from rules.typingmind.message import Message
from tests.daemon.archive.test_messages import CHAT, LATER, TALK, WHEN, see
from tests.entries import (
    UNTOUCHED,
    chat_of,
    entries,
    fold_of,
    memory_of,
    reading_of,
    said,
    with_edition,
)

M1, M2 = memory_of(1, entries(TALK)[:2]), memory_of(2, entries(TALK)[2:4])
FOLD = fold_of(1, [M1, M2])
FORK = "a9b8c7d6e5"
LIVE = [
    said(("user", "assistant")[at % 2], f"message number {at} " * (at + 1), 500 + at)
    for at in (4, 5)
]


@pytest.fixture
def first() -> Archive:
    """An archive with a chat of two memories, one of them in two editions, and their fold."""
    archive = Archive.memory()
    see(archive, TALK)
    for memory in (M1, M2):
        keep_memory(archive, CHAT, memory)
    keep_edition(archive, "m1", with_edition(M1, 2).edition)
    keep_fold(archive, CHAT, FOLD)
    return archive


def adopted(archive: Archive) -> Adopted:
    kin = find_kin(archive, FORK, {"m1": (), "m2": ()}, ())
    assert kin is not None
    return inherit(Known(FORK), {"m1": {}, "m2": {}}, know(archive, kin))


def taken_over(archive: Archive, what: Adopted, messages: Sequence[Message] = LIVE) -> None:
    chat = chat_of(messages, id=FORK, chatID=FORK)
    reading = reading_of(recognize(read_messages(chat), {}), what.past, what.memories)
    remember(archive, chat, replace(reading, adopted=what), LATER)


def test_the_fork_has_all_that_it_took_over(first: Archive) -> None:
    what = adopted(first)
    taken_over(first, what)
    kept = memories(first, FORK)
    assert [memory.origins[0] for memory in kept] == ["m1", "m2", FOLD.memory_id]
    assert kept == what.memories
    assert {memory.memory_id: editions(first, memory.memory_id) for memory in kept} == what.editions
    assert kept[2].members == (kept[0].memory_id, kept[1].memory_id)
    assert past(first, FORK) == past(first, CHAT)
    assert [bytes(raw) for raw in raw_conversation(first, FORK).messages] == [
        *(message.raw for message in TALK[:4]), *(message.raw for message in LIVE)
    ]  # fmt: skip
    assert check_integrity(first) == ()


def test_the_chat_that_it_came_from_stays_as_it_was(first: Archive) -> None:
    before = memories(first, CHAT), past(first, CHAT), raw_conversation(first, CHAT)
    taken_over(first, adopted(first))
    assert (memories(first, CHAT), past(first, CHAT), raw_conversation(first, CHAT)) == before


def test_what_both_have_is_kept_once(first: Archive) -> None:
    before = first.one("SELECT count(*) FROM body")
    taken_over(first, adopted(first), LIVE)
    assert before == (6,)
    assert first.one("SELECT count(*) FROM body") == (8,), (
        "only the fork's own two messages are new"
    )
    assert first.one("SELECT count(*) FROM version") == (12,)


def test_a_second_look_at_the_fork_takes_nothing_over_again(first: Archive) -> None:
    taken_over(first, adopted(first))
    before = memories(first, FORK), past(first, FORK), first.run("SELECT * FROM message")
    _look_again(first)
    assert (memories(first, FORK), past(first, FORK), first.run("SELECT * FROM message")) == before


def _look_again(archive: Archive) -> None:
    chat = chat_of(LIVE, id=FORK, chatID=FORK)
    reading = reading_of(
        recognize(read_messages(chat), {}), past(archive, FORK), memories(archive, FORK)
    )
    remember(archive, chat, reading, LATER)


def test_hindsight_that_was_had_in_the_other_chat_is_not_had_again(first: Archive) -> None:
    taken_over(first, adopted(first))
    one, *_ = memories(first, FORK)
    assert set(round_of(first, FORK, frozenset()).had) == {one.memory_id}


def test_what_was_pinned_chosen_due_or_forgotten_is_so_in_the_fork(first: Archive) -> None:
    first.run("UPDATE memory SET pinned = 1, chosen_edition = 1, due = '1 deleted' WHERE id = 'm1'")
    first.run("UPDATE memory SET forgotten_at = ? WHERE id = 'm2'", (WHEN,))
    taken_over(first, adopted(first))
    one, two, _ = memories(first, FORK)
    assert (one.pinned, one.chosen, one.edition.number, one.due) == (True, 1, 1, "1 deleted")
    assert two.forgotten


def test_an_edited_and_a_deleted_message_under_a_memory_come_as_they_are(first: Archive) -> None:
    gone, *others = TALK[1:]
    now = said("user", "now I say something else", 0)
    _seen_again(first, [now, *others], str(gone.uuid))
    taken_over(first, adopted(first))
    kept = past(first, FORK)
    assert kept == past(first, CHAT)
    assert [old.message.raw for old in kept] == [message.raw for message in TALK[:4]]
    assert [_now(old) for old in kept] == [now.raw, None, *(message.raw for message in TALK[2:4])]
    assert gone.raw not in [bytes(raw) for raw in raw_conversation(first, FORK).messages]


def test_what_a_message_said_before_it_was_edited_is_known_when_the_other_chat_is_erased(
    first: Archive,
) -> None:
    now = said("user", "now I say something else", 0)
    _seen_again(first, [now, *TALK[1:]])
    renew_chunk(first, "m1")
    taken_over(first, adopted(first))
    erase_rows(first, CHAT, (), LATER)
    key = past(first, FORK)[0].key
    assert former_versions(first, FORK, [key]) == {key: [TALK[0].raw, now.raw]}
    assert past(first, FORK)[0].message.raw == now.raw
    assert check_integrity(first) == ()


def _seen_again(archive: Archive, messages: Sequence[Message], deleted: str = "") -> None:
    """The chat once more, with all that its memories are made of."""
    chat = chat_of(messages)
    hand = replace(UNTOUCHED, deleted=(deleted,))
    places = recognize(read_messages(chat), {})
    remember(archive, chat, reading_of(places, past(archive, CHAT), hand=hand), LATER)


def _now(old: Past) -> bytes | None:
    return old.newest.raw if old.newest else None


def test_the_chat_with_most_of_the_memories_is_the_one_that_it_came_from(first: Archive) -> None:
    taken_over(first, adopted(first))
    own = [memory.memory_id for memory in memories(first, FORK)]
    for ids, origin in (([own[0], own[1], "m1"], FORK), ([own[0], "unknown"], FORK)):
        assert find_kin(first, "third", dict.fromkeys(ids, ()), ()) == origin
    assert find_kin(first, "third", {"unknown": ()}, ()) is None
    assert find_kin(first, "third", {}, ()) is None


def test_of_a_chat_and_its_fork_the_one_counts_whose_opening_is_shown(first: Archive) -> None:
    taken_over(first, adopted(first))
    keep_opening(first, FORK, KeptOpening("What I keep.", "", "memproc", at=WHEN))
    for openings, origin in (([], CHAT), ([text_digest("What I keep.")], FORK)):
        assert find_kin(first, "third", {"m1": (), "m2": ()}, openings) == origin
    shown = [text_digest("What I keep.")]
    assert find_kin(first, "third", {}, shown) == FORK, "of a fork without memories, too"
    assert find_kin(first, FORK, {}, shown) is None


def test_of_a_chat_and_its_fork_the_one_counts_that_has_a_memory_in_the_words_shown(
    first: Archive,
) -> None:
    taken_over(first, adopted(first))
    own = memories(first, FORK)[0]
    words = six_of([f"my word {slot}, \u00e4 \u2013" for slot in range(6)])
    insert_edition(first, own.memory_id, replace(own.edition, number=9, kind="person", texts=words))
    for texts, origin in ((words, FORK), (own.edition.texts, CHAT), (words[:5], CHAT)):
        assert find_kin(first, "third", {"m1": texts}, ()) == origin


def test_a_chat_is_no_kin_of_its_own(first: Archive) -> None:
    assert find_kin(first, CHAT, {"m1": (), "m2": ()}, ()) is None


def test_a_fork_of_a_fork_is_found_by_the_ids_that_its_messages_still_bear(first: Archive) -> None:
    taken_over(first, adopted(first))
    for name in ("fold_member", "chunk_message", "edition", "memory"):
        column = {"fold_member": "fold", "memory": "id"}.get(name, "memory")
        first.run(
            f"DELETE FROM {name} WHERE {column} IN "
            "(SELECT memory.id FROM memory JOIN chat ON chat.id = memory.chat WHERE chat_id = ?)",
            (CHAT,),
        )
    assert find_kin(first, "third", {"m1": (), "m2": ()}, ()) == FORK
