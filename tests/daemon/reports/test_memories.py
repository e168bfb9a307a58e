"""What a list shows of each memory."""

from dataclasses import replace

from daemon.reports.memories import MemoryRow
from rules.conversation.memory import Memory, six_of
from rules.plan.folds import State
from tests.entries import entries, framing_its_quote, memory_of, said

SPOKEN = "It was the 15th,\nnot the 14th."
MEMORY = framing_its_quote(memory_of(1, entries([said("user", SPOKEN, 1)])))


def words(memory: Memory) -> str:
    """The words that stand for a memory in a list."""
    return MemoryRow(memory, State("shown"), (memory.edition,), (), "", (), 0).words


def test_a_list_tells_memories_apart_by_what_was_said_and_not_by_who_said_it() -> None:
    assert words(MEMORY) == "It was the 15th, not the 14th."


def test_a_list_shows_the_words_that_the_person_has_put_in_the_place_of_a_quote() -> None:
    question, _, *rest = MEMORY.edition.texts
    for theirs in ("It was the 16th.", "You said: It was the 16th."):
        edition = replace(MEMORY.edition, kind="person", texts=six_of([question, theirs, *rest]))
        assert words(replace(MEMORY, edition=edition)) == "It was the 16th."


def test_a_list_shows_what_a_memory_without_a_quote_wants_to_keep() -> None:
    edition = replace(MEMORY.edition, quotes=())
    assert words(replace(MEMORY, edition=edition)) == MEMORY.edition.texts[-1]
