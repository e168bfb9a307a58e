"""TypingMind's list of deletions tells a memory that was deleted from one that got lost."""

from dataclasses import replace

from rules.conversation.marker import Canned, Marker, known_markers, memory_drafts
from rules.conversation.memory import Memory
from rules.recognize.user_edits import find_deleted_memories
from tests.entries import memory_of, talk

ENTRIES = talk(*(f"message number {at}" for at in range(8)))
MEMORIES = tuple(memory_of(number, ENTRIES[2 * number - 2 : 2 * number]) for number in (1, 2, 3, 4))
FOLD = replace(MEMORIES[0], memory_id="f1", level=2, members=("m1", "m2"))


def uuids(memory: Memory) -> set[str]:
    return {draft.uuid for draft in memory_drafts(memory)}


def markers(*memories: Memory) -> dict[str, Marker]:
    editions = {one.memory_id: (replace(one.edition, number=7), one.edition) for one in memories}
    return known_markers({"chat": ()}, memories, editions, Canned("opening", "closing"))


def test_a_memory_whose_messages_were_deleted_was_deleted() -> None:
    assert find_deleted_memories(MEMORIES, uuids(MEMORIES[2]), markers(*MEMORIES)) == {"m3"}


def test_an_older_edition_that_we_took_out_says_nothing() -> None:
    older = replace(MEMORIES[2], edition=replace(MEMORIES[2].edition, number=7))
    assert find_deleted_memories(MEMORIES, uuids(older), markers(*MEMORIES)) == frozenset()


def test_a_folded_memory_was_taken_out_by_us_and_goes_with_its_fold_alone() -> None:
    every = (*MEMORIES, FOLD)
    assert find_deleted_memories(every, uuids(MEMORIES[0]), markers(*every)) == frozenset()
    assert find_deleted_memories(every, uuids(FOLD), markers(*every)) == {"f1", "m1", "m2"}


def test_a_fork_calls_its_memories_as_its_origin_did() -> None:
    forked = replace(MEMORIES[0], memory_id="own", origins=("m1",))
    assert find_deleted_memories([forked], uuids(MEMORIES[0]), markers(forked)) == {"own"}


def test_the_uuids_of_others_say_nothing() -> None:
    assert find_deleted_memories(MEMORIES, {"some other"}, markers(*MEMORIES)) == frozenset()
