"""Wishes end the refinement of a memory, and folds leave out some only beyond their budget."""

from collections.abc import Sequence
from dataclasses import replace

from rules.conversation.kept_wishes import (
    OPEN_TOKENS,
    describe_left_out_wishes,
    drop_repeats,
    find_open_wishes,
    find_wishes,
    find_wishes_left,
    fit_wishes,
    lacks_only_wishes,
    read_wishes_at_end,
    with_wishes,
)
from rules.conversation.memory import Memory, Wish
from tests.entries import fold_of, memory_of, talk

ENGLISH = 0
FRAME = "You asked me:"
OLD = "Always format dates as 5 March when I ask about meetings."
NEW = "Always format dates as 2026-03-05 when I ask about meetings."
NAME = "Call me Ada."


def count(text: str) -> int:
    """As many tokens as words."""
    return len(text.split())


def memory(number: int, *said: str | Wish) -> Memory:
    """Return a memory of two messages with these wishes."""
    each = [wish if isinstance(wish, Wish) else Wish(wish, "") for wish in said]
    bare = memory_of(number, talk(" ".join(wish.text for wish in each) or "Good morning", "Yes"))
    stated = tuple(replace(wish, source=bare.keys[0]) for wish in each)
    edition = with_wishes(bare.edition, stated, ENGLISH, count)
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
    edition = with_wishes(replace(bare.edition, wishes=()), stated, ENGLISH, count)
    return replace(bare, edition=edition, in_prompts=edition)


def shown(memory: Memory, most: int) -> str:
    """Return the last message of a memory with at most so many tokens of wishes."""
    (edition,) = fit_wishes([memory], most, lambda shown: shown.edition, count)
    return edition.texts[5]


def test_they_are_the_persons_alone_and_end_the_refinement_word_for_word() -> None:
    chunk = talk(f"Hello. {NAME}", "Never call me sir.", OLD, "Yes")
    found = find_wishes(chunk, lambda text: True, lambda entry: "2026-03-04")
    assert [wish.text for wish in found] == [NAME, OLD]
    assert [wish.source for wish in found] == [chunk[0].key, chunk[2].key]
    assert memory(1, NAME, OLD).edition.texts[5] == f"Refinement 1\n\n{FRAME}\n- {NAME}\n- {OLD}"


def test_one_that_is_said_again_is_kept_once_where_it_was_said_last() -> None:
    wishes = (Wish(NAME, "a"), Wish(OLD, "b"), Wish(NAME, "c"))
    assert drop_repeats(wishes) == (Wish(OLD, "b"), Wish(NAME, "c"))


def test_beyond_their_budget_a_replaced_one_leaves_a_fold_before_an_older_one_that_holds() -> None:
    members = [memory(1, NAME), memory(2, OLD), memory(3, NEW)]
    folded = fold(members)
    every = sum(count(text) for text in (NAME, OLD, NEW))
    assert shown(folded, every) == folded.edition.texts[5]
    assert NAME in shown(folded, every - 1)
    assert NEW in shown(folded, every - 1)
    assert OLD not in shown(folded, every - 1)
    assert describe_left_out_wishes([folded], [*members, folded], every - 1) == ""


def test_one_that_still_holds_is_never_left_out_without_naming_its_memory() -> None:
    members = [memory(1, NAME), memory(2, OLD)]
    folded = fold(members)
    clause = describe_left_out_wishes([folded], [*members, folded], count(OLD))
    assert NAME not in shown(folded, count(OLD))
    assert "(memories 1)" in clause
    assert NAME not in clause


def test_a_memory_of_a_chunk_keeps_all_of_its_wishes() -> None:
    assert shown(memory(1, NAME, OLD), 0) == memory(1, NAME, OLD).edition.texts[5]


def test_a_fold_with_some_left_out_is_known_as_memprocs_own_and_an_edited_one_is_not() -> None:
    edition = fold([memory(1, NAME), memory(2, OLD)]).edition
    one, two, three, four, five, last = edition.texts
    assert lacks_only_wishes(
        (one, two, three, four, five, last.replace(f"\n- {NAME}", "")), edition
    )
    edited = (one, two, three, four, five, last.replace("Ada", "Eve"))
    assert not lacks_only_wishes(edited, edition)
    assert [wish.text for wish in find_wishes_left(replace(edition, texts=edited))] == [OLD]


BEANS = "Please ask me about the beans every Sunday."
NO_BEANS = "You can stop asking me about the beans now."
FLAT = "I'll ask about the flat in April."


def promise(text: str, day: str = "2026-03-04") -> Wish:
    """Return a promise of the persona."""
    return Wish(text, "", kind="promise", day=day)


def test_one_that_is_taken_back_is_shown_no_more_and_the_archive_keeps_it() -> None:
    asked, ended = memory(1, BEANS, NAME), memory(2, Wish(NO_BEANS, "", kind="end"))
    first, second = fit_wishes([asked, ended], 1_000, lambda shown: shown.edition, count)
    assert BEANS not in first.texts[5] and NAME in first.texts[5]
    assert NO_BEANS in second.texts[5]
    assert lacks_only_wishes(first.texts, asked.edition)
    folded = shown(fold([asked, ended]), 1_000)
    assert NAME in folded and "beans" not in folded
    assert BEANS in fold([asked, ended]).edition.texts[5]


def test_promises_have_a_list_of_their_own_with_their_day() -> None:
    last = memory(1, promise(FLAT), NAME).edition.texts[5]
    assert last == f"Refinement 1\n\n{FRAME}\n- {NAME}\n\nStill open:\n- 2026-03-04: {FLAT}"
    assert [
        (wish.text, wish.day)
        for wish in read_wishes_at_end(last, [NAME, f"2026-03-04: {FLAT}"], count)
    ] == [
        (NAME, ""),
        (FLAT, "2026-03-04"),
    ]


def test_a_promise_goes_when_it_is_done_or_let_go() -> None:
    task = Wish("Remind me to book the wheelchair tomorrow.", "", kind="task", day="2026-03-04")
    done = memory(2, Wish("I've booked the wheelchair.", "", kind="done"))
    open_ones = memory(1, task, promise(FLAT))
    assert [wish.text for wish in find_open_wishes([open_ones, done], ())] == [FLAT]
    assert find_open_wishes([open_ones, done], (FLAT,)) == ()
    first, _ = fit_wishes([open_ones, done], 1_000, lambda shown: shown.edition, count, (FLAT,))
    assert first.texts[5] == "Refinement 1"


def test_beyond_their_own_budget_the_oldest_promises_go_and_no_wish_does() -> None:
    many = [
        memory(number, promise(f"I'll ask about {number} {'word ' * 40}.")) for number in range(20)
    ]
    editions = fit_wishes([memory(99, NAME), *many], 3, lambda shown: shown.edition, count)
    assert NAME in editions[0].texts[5]
    open_ones = [edition for edition in editions[1:] if "Still open:" in edition.texts[5]]
    assert open_ones == list(editions[-len(open_ones) :])
    assert (
        OPEN_TOKENS / 2
        <= sum(wish.size for edition in open_ones for wish in edition.wishes)
        <= OPEN_TOKENS
    )
