"""No memories are made that would make a chat longer, and nothing is paid for what would be thrown away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.memory_size import (
    SHIPPED_QUESTIONS,
    allowance,
    expected_tokens,
    is_clearly_smaller,
    is_enough_for_a_model,
    least_for_a_model,
    most_tokens,
)
from rules.plan.chat_plan import Overhead, why_not_worthwhile

BY_ENGINE, BY_MODEL = Overhead(canned=150), Overhead(canned=150, has_layers=True, by_model=True)
CHUNKS = st.lists(st.integers(300, 6000), min_size=1, max_size=30)


@pytest.mark.parametrize("overhead", [BY_ENGINE, BY_MODEL])
def test_chunks_of_the_usual_size_are_worth_it_from_the_first_on(overhead: Overhead) -> None:
    assert why_not_worthwhile([4000], overhead, has_memories=False) == ""


def test_a_model_is_not_asked_about_chunks_that_are_too_small_for_what_it_writes() -> None:
    told = why_not_worthwhile([290] * 20, BY_MODEL, has_memories=False)
    assert "chunks of about 290 tokens are too small" in told
    assert "chunk.tokens in memproc.toml is larger, 400 or more" in told
    assert why_not_worthwhile([400] * 20, BY_MODEL, has_memories=False) == ""
    assert why_not_worthwhile([400] * 20, BY_ENGINE, has_memories=False) == ""


def test_what_would_not_pay_for_its_opening_waits() -> None:
    assert "They wait until there is more." in why_not_worthwhile(
        [400], BY_ENGINE, has_memories=False
    )
    assert why_not_worthwhile([400, 400], BY_ENGINE, has_memories=False) == ""
    assert why_not_worthwhile([400], BY_ENGINE, has_memories=True) == "", (
        "the opening stands there already"
    )


def test_nothing_to_do_needs_no_reason() -> None:
    assert why_not_worthwhile([], BY_MODEL, has_memories=False) == ""


@given(CHUNKS, st.integers(0, 400))
def test_memories_that_are_worth_it_never_take_more_than_what_they_replace(
    chunks: list[int], canned: int
) -> None:
    overhead = Overhead(canned=canned)
    if not why_not_worthwhile(chunks, overhead, has_memories=False):
        assert canned + sum(most_tokens(chunk, overhead.questions) for chunk in chunks) <= sum(
            chunks
        )


@given(st.integers(400, 20_000), st.integers(0, 10_000))
def test_what_is_kept_of_a_model_is_never_larger_than_the_plan_has_reckoned(
    chunk: int, written: int
) -> None:
    if is_clearly_smaller(written, 60 + written, chunk):
        assert 60 + written <= most_tokens(chunk, SHIPPED_QUESTIONS)


@given(st.integers(400, 20_000))
def test_a_memory_is_expected_to_be_smaller_than_it_may_be(chunk: int) -> None:
    assert (
        expected_tokens(chunk, SHIPPED_QUESTIONS) <= most_tokens(chunk, SHIPPED_QUESTIONS) < chunk
    )


@pytest.mark.parametrize(
    ("chunk", "expected"), [(4000, 900), (2000, 800), (800, 320), (475, 240), (300, 240)]
)
def test_a_small_memory_is_expected_with_its_questions(chunk: int, expected: int) -> None:
    assert expected_tokens(chunk, SHIPPED_QUESTIONS) == expected


def test_longer_questions_need_larger_chunks_and_leave_fewer_words() -> None:
    long_questions = Overhead(by_model=True, questions=600)
    told = why_not_worthwhile([800] * 20, long_questions, has_memories=False)
    assert f"chunk.tokens in memproc.toml is larger, {least_for_a_model(600)} or more" in told
    assert (
        why_not_worthwhile([least_for_a_model(600)] * 20, long_questions, has_memories=False) == ""
    )
    assert allowance(4000, 600) < allowance(4000, SHIPPED_QUESTIONS)


@given(st.integers(400, 20_000), st.integers(200, 3000))
def test_a_memory_as_long_as_it_was_asked_for_is_kept_whatever_the_questions_are(
    chunk: int, questions: int
) -> None:
    """Whatever the person's own questions are, a model is asked only for what can pass the check of its size."""
    if is_enough_for_a_model(chunk, questions):
        written = 80 + round(3 * 1.35 * allowance(chunk, questions))
        assert is_clearly_smaller(written, questions + written, chunk)
