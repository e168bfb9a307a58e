"""Wishes end the refinement of a memory, and folds leave out some only beyond their budget."""

from collections.abc import Sequence
from dataclasses import replace

from rules.conversation.kept_wishes import (
    each_once,
    is_without_some,
    too_many_wishes,
    wishes_in,
    wishes_left,
    wishes_within,
    with_wishes,
)
from rules.conversation.memory import Memory, Wish
from tests.entries import fold_of, memory_of, talk

FRAME = "You asked me:"
OLD = "Always format dates as 5 March when I ask about meetings."
NEW = "Always format dates as 2026-03-05 when I ask about meetings."
NAME = "Call me Ada."


def count(text: str) -> int:
    """As many tokens as words."""
    return len(text.split())


def memory(number: int, *wishes: str) -> Memory:
    """Return a memory of two messages with these wishes."""
    bare = memory_of(number, talk(" ".join(wishes) or "Good morning", "Yes"))
    stated = tuple(Wish(text, bare.keys[0]) for text in wishes)
    edition = with_wishes(bare.edition, stated, FRAME, count)
    return replace(
        bare,
        keys=tuple(f"{key}-{number}" for key in bare.keys),
        edition=edition,
        in_prompts=edition,
    )


def fold(members: Sequence[Memory]) -> Memory:
    """Return a fold that carries the wishes of its members."""
    bare = fold_of(1, members)
    stated = tuple(
        replace(wish, source=member.keys[0]) for member in members for wish in member.edition.wishes
    )
    edition = with_wishes(replace(bare.edition, wishes=()), stated, FRAME, count)
    return replace(bare, edition=edition, in_prompts=edition)


def shown(memory: Memory, most: int) -> str:
    """Return the last message of a memory with at most so many tokens of wishes."""
    (edition,) = wishes_within([memory], most, lambda shown: shown.edition, count)
    return edition.texts[5]


def test_they_are_the_persons_alone_and_end_the_refinement_word_for_word() -> None:
    chunk = talk(f"Hello. {NAME}", "Never call me sir.", OLD, "Yes")
    found = wishes_in(chunk, lambda text: True)
    assert [wish.text for wish in found] == [NAME, OLD]
    assert [wish.source for wish in found] == [chunk[0].key, chunk[2].key]
    assert memory(1, NAME, OLD).edition.texts[5] == f"Refinement 1\n\n{FRAME}\n- {NAME}\n- {OLD}"


def test_one_that_is_said_again_is_kept_once_where_it_was_said_last() -> None:
    wishes = (Wish(NAME, "a"), Wish(OLD, "b"), Wish(NAME, "c"))
    assert each_once(wishes) == (Wish(OLD, "b"), Wish(NAME, "c"))


def test_beyond_their_budget_a_replaced_one_leaves_a_fold_before_an_older_one_that_holds() -> None:
    members = [memory(1, NAME), memory(2, OLD), memory(3, NEW)]
    folded = fold(members)
    every = sum(count(text) for text in (NAME, OLD, NEW))
    assert shown(folded, every) == folded.edition.texts[5]
    assert NAME in shown(folded, every - 1)
    assert NEW in shown(folded, every - 1)
    assert OLD not in shown(folded, every - 1)
    assert too_many_wishes([folded], [*members, folded], every - 1) == ""


def test_one_that_still_holds_is_never_left_out_without_naming_its_memory() -> None:
    members = [memory(1, NAME), memory(2, OLD)]
    folded = fold(members)
    clause = too_many_wishes([folded], [*members, folded], count(OLD))
    assert NAME not in shown(folded, count(OLD))
    assert "(memories 1)" in clause
    assert NAME not in clause


def test_a_memory_of_a_chunk_keeps_all_of_its_wishes() -> None:
    assert shown(memory(1, NAME, OLD), 0) == memory(1, NAME, OLD).edition.texts[5]


def test_a_fold_with_some_left_out_is_known_as_memprocs_own_and_an_edited_one_is_not() -> None:
    edition = fold([memory(1, NAME), memory(2, OLD)]).edition
    one, two, three, four, five, last = edition.texts
    assert is_without_some((one, two, three, four, five, last.replace(f"\n- {NAME}", "")), edition)
    edited = (one, two, three, four, five, last.replace("Ada", "Eve"))
    assert not is_without_some(edited, edition)
    assert [wish.text for wish in wishes_left(edition, edited)] == [OLD]
