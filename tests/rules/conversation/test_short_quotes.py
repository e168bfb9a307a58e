"""Folds carry every quote: whole while there is room, and one sentence of each where there is not."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.memory import Edition, Memory
from rules.conversation.short_quotes import (
    choose_quotes,
    describe_too_many,
    export_forms,
    one_sentence,
    quotes_within,
    with_fewer_quotes,
)
from tests.entries import fold_of, memory_of, talk

QUOTE = "I noticed it on the {number}th stair. Nobody else had looked at the wall, and I was glad of that."
SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=8)


def count(text: str) -> int:
    return len(text.split())


@contextmanager
def room_for(tokens: int) -> Iterator[None]:
    """Let all quotes take so many tokens, for as long as the block runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rules.conversation.short_quotes.QUOTE_TOKENS", tokens)
        yield


def section(sizes: list[int]) -> list[Memory]:
    """Folds of so many memories each, oldest first; of one that stands alone it is the memory itself."""
    shown, number = [], 0
    for size in sizes:
        members = []
        for _ in range(size):
            number += 1
            members.append(memory_of(number, talk(QUOTE.format(number=number))))
        fold = replace(
            fold_of(number, members), members=tuple(member.memory_id for member in members)
        )
        shown.append(members[0] if size == 1 else fold)
    return shown


def quotes(memories: list[Memory] | tuple[Memory, ...]) -> list[str]:
    return [quote.text for memory in memories for quote in memory.edition.quotes]


@given(SIZES, st.integers(0, 2000))
def test_no_quote_disappears_and_each_is_whole_or_one_verbatim_sentence(
    sizes: list[int], most: int
) -> None:
    shown = section(sizes)
    with room_for(most):
        fitting = quotes_within(shown, count)
    assert len(quotes(fitting)) == len(quotes(shown)) == sum(sizes)
    for before, after in zip(quotes(shown), quotes(fitting), strict=True):
        assert after in (before, one_sentence(before))
    for memory in fitting:
        assert memory.edition.texts[1] == "\n\n".join(quote.text for quote in memory.edition.quotes)


@given(SIZES, st.integers(0, 2000))
def test_the_oldest_folds_shrink_first_and_only_as_many_as_must(
    sizes: list[int], most: int
) -> None:
    shown = section(sizes)
    with room_for(most):
        fitting, told = quotes_within(shown, count), describe_too_many(shown, count)
    shrunk = [memory.edition.is_short for memory in fitting if memory.is_fold]
    assert shrunk == sorted(shrunk, reverse=True)
    tokens = sum(map(count, quotes(fitting)))
    assert tokens <= most or all(shrunk)
    assert bool(told) == (tokens > most)
    if sum(map(count, quotes(shown))) <= most:
        assert list(fitting) == shown


def test_where_even_sentences_are_too_many_it_says_by_how_much() -> None:
    with room_for(10):
        told = describe_too_many(section([6]), count)
    assert "its 6 quotes take 42 tokens, 32 more than the 10 meant for them" in told
    assert "none of them is dropped" in told


def test_both_forms_of_a_fold_are_known_and_a_memory_has_but_one() -> None:
    single, fold = section([1, 3])
    assert export_forms(single, single.edition) == (single.edition,)
    whole, short = export_forms(fold, fold.edition)
    assert whole == fold.edition
    assert short.texts[1].count("Nobody else") == 0
    with room_for(1):
        assert quotes_within([fold], count)[0].edition.texts == short.texts


def test_what_the_person_has_written_is_not_shrunk() -> None:
    (fold,) = section([3])
    own: Edition = replace(fold.edition, kind="person")
    with room_for(1):
        assert quotes_within([replace(fold, edition=own)], count)[0].edition == own


def test_a_sentence_of_a_quote_is_one_that_says_something() -> None:
    assert (
        one_sentence("Yes. I will wait for you at the pier. Go now.")
        == "I will wait for you at the pier."
    )
    assert one_sentence("no sentence at all") == "no sentence at all"


def test_models_read_the_first_and_the_middle_one_of_a_fold_s_quotes() -> None:
    (fold,) = section([9])
    read = with_fewer_quotes(fold.edition)
    assert [quote.text for quote in read.quotes] == [
        QUOTE.format(number=number) for number in (1, 5)
    ]
    assert read.tokens < fold.edition.tokens
    assert choose_quotes(fold.edition.quotes[:2]) == fold.edition.quotes[:2]


def test_a_short_quote_of_the_person_still_says_whose_it_is() -> None:
    (fold,) = section([2])
    theirs = tuple(replace(quote, lead="You said: ") for quote in fold.edition.quotes)
    answer = "\n\n".join(quote.framed for quote in theirs)
    texts = (fold.edition.texts[0], answer, *fold.edition.texts[2:])
    framed = replace(fold, edition=replace(fold.edition, texts=texts, quotes=theirs))
    with room_for(4):
        (short,) = quotes_within([framed], count)
    assert short.edition.texts[1].split("\n\n") == [
        f"You said: I noticed it on the {number}th stair." for number in (1, 2)
    ]
