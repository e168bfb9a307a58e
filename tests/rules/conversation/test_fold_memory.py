"""What a fold is called, and how large it may be."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.memory import Edition, Memory, fold_id
from rules.conversation.memory_size import (
    TOKENS_A_WORD,
    allowance,
    analysis_words,
    expected_fold_tokens,
    fold_words,
    most_fold_tokens,
)

WHEN = "2026-03-03T00:00:00.000Z"
EDITION = Edition(
    1,
    "as-of",
    ("a", "b", "c", "d", "e", "f"),
    (),
    "model",
    "test/agent",
    "test/manager",
    (),
    700,
    WHEN,
)
ONE = Memory("m1", 1, 1, ("k1",), "k1", "k1", WHEN, WHEN, 4000, EDITION, EDITION)
TWO = replace(ONE, memory_id="m2", number=2)


def test_the_same_members_are_the_same_fold_on_any_day() -> None:
    later = replace(EDITION, written_at="2027-01-01T00:00:00.000Z", requests=("another",))
    again = replace(
        ONE, in_prompts=later, edition=replace(later, number=7, kind="hindsight"), pinned=True
    )
    assert fold_id("chat", [again, TWO]) == fold_id("chat", [ONE, TWO])
    assert fold_id("chat", [ONE, TWO]).startswith("f")
    assert len(fold_id("chat", [ONE, TWO])) == 16


def test_other_members_another_chat_and_another_told_edition_are_other_folds() -> None:
    retold = replace(ONE, in_prompts=replace(EDITION, number=2))
    names = [
        fold_id("chat", [ONE, TWO]),
        fold_id("chat", [TWO, ONE]),
        fold_id("chat", [ONE, TWO, TWO]),
        fold_id("fork", [ONE, TWO]),
        fold_id("chat", [retold, TWO]),
    ]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("members", "expected"), [(6000, 820), (1640, 820), (1200, 600), (0, 0)])
def test_a_fold_is_expected_to_be_half_as_large_as_its_members_and_never_large(
    members: int, expected: int
) -> None:
    assert expected_fold_tokens(members) == expected


@given(members=st.integers(0, 100_000))
def test_what_a_fold_is_asked_for_fits_what_it_may_have(members: int) -> None:
    words = fold_words(members, 60)
    asked = 60 + (2 * words + analysis_words(words)) * 1.35
    assert asked <= most_fold_tokens(members, 60)
    assert most_fold_tokens(members, 60) == max(members // 2, 260)


def test_its_quotes_take_no_room_from_the_other_answers() -> None:
    assert fold_words(6000, 60) == allowance(4000, 60) == 200


@pytest.mark.parametrize("chunk", [1000, 2000, 4000, 6000])
def test_an_analysis_that_keeps_its_bound_is_at_most_a_quarter_of_a_memory(chunk: int) -> None:
    """Also where the quote has 30 words, and the other answers three quarters of what they may have."""
    words = allowance(chunk, 60)
    analysis = analysis_words(words) * TOKENS_A_WORD

    assert analysis * 4 <= 60 + (30 + 2 * words * 0.75) * TOKENS_A_WORD + analysis
