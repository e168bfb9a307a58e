"""What folds may take: a budget that grows with what was said, and never with rounds; and what a fold of
folds reads, within half as much again as from folds.
"""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.plan.fold_budget import (
    Bounds,
    FoldMember,
    Reading,
    parts_within,
    read_for_fold,
)

MEMORY = FoldMember(600, is_fold=False, reading=Reading(answers=200))
FOLD = read_for_fold([MEMORY] * 6)
FOLDED = FoldMember(300, is_fold=True, reading=FOLD.whole)


@pytest.mark.parametrize(
    ("raw", "window", "budget"),
    [
        (20_000, None, 16_000),
        (160_000, None, 16_000),
        (500_000, None, 50_000),
        (500_000, 200_000, 40_000),
        (20_000, 32_000, 6_400),
    ],
)
def test_it_is_a_tenth_of_the_raw_tokens_at_least_16_000_and_at_most_a_fifth_of_the_window(
    raw: int, window: int | None, budget: int
) -> None:
    assert Bounds(None, window=window).at(raw) == budget


def test_a_number_is_kept_to_however_long_a_chat_becomes() -> None:
    assert Bounds(16_000, window=8_000).at(5_000_000) == 16_000


def test_a_fold_of_memories_reads_them_whole() -> None:
    assert (FOLD.from_memories, FOLD.tokens) == (False, 3_600)
    assert FOLD.whole == Reading(usual=3_600, spent=3_600, answers=1_200)


def test_a_fold_of_folds_reads_the_last_answers_of_all_memories_under_it() -> None:
    again = read_for_fold([FOLDED, FOLDED])
    assert (again.from_memories, again.tokens) == (True, 2_400)
    assert again.whole == Reading(usual=7_800, spent=9_600, answers=2_400)


def test_a_fold_that_would_go_beyond_is_made_from_its_members() -> None:
    costly = FoldMember(300, True, Reading(usual=3_600, spent=3_600, answers=3_000))
    assert read_for_fold([costly, costly]).tokens == 600
    assert not read_for_fold([costly, costly]).from_memories


def test_a_fold_whose_memories_are_not_known_is_made_from_its_members() -> None:
    unknown = FoldMember(300, True, Reading(usual=300, spent=300, answers=None))
    assert not read_for_fold([FOLDED, unknown]).from_memories


@given(st.integers(2, 8), st.integers(1, 900), st.integers(1, 900), st.integers(2, 6))
def test_all_folds_together_read_at_most_one_and_a_half_of_the_usual(
    levels: int, tokens: int, answer: int, group: int
) -> None:
    item = FoldMember(tokens, False, Reading(answers=answer))
    for _ in range(levels):
        made = read_for_fold([item] * group)
        assert 2 * made.whole.spent <= 3 * made.whole.usual
        item = FoldMember(max(1, made.tokens // 2), True, made.whole)


@pytest.mark.parametrize("room", [None, 1_200])
def test_memories_that_fit_are_read_at_once(room: int | None) -> None:
    assert parts_within([200] * 6, room) == (range(6),)


@given(st.lists(st.integers(1, 400), min_size=1, max_size=40), st.integers(1, 900))
def test_parts_hold_each_memory_once_in_order_and_fit_unless_one_alone_is_too_large(
    sizes: list[int], room: int
) -> None:
    parts = parts_within(sizes, room)
    assert [at for part in parts for at in part] == list(range(len(sizes)))
    assert all(one.stop == other.start for one, other in pairwise(parts))
    assert all(len(part) == 1 or sum(sizes[at] for at in part) <= room for part in parts)
