"""The memory section keeps to its budget: the oldest memories fold, and nobody is lost or told twice."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from random import Random
from zlib import crc32

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules.conversation.memory_size import expected_fold_tokens
from rules.plan.fold_budget import Bounds
from rules.plan.folds import MissingFold, SectionItem, View
from rules.plan.folds import build_view as view_within
from tests.groups import groups_of

SIZES = st.lists(st.integers(0, 9) | st.integers(1, 3), min_size=1, max_size=120)
BUDGETS = st.integers(1, 60)
GROUPS = st.integers(2, 6)

Sizing = Callable[[MissingFold], int]


class Folds:
    """The folds that were ever made, and a maker that makes one whenever it is asked."""

    def __init__(self, size: Sizing) -> None:
        self.size = size
        self.made: dict[MissingFold, SectionItem] = {}

    def make(self, wanted: MissingFold) -> SectionItem:
        if wanted not in self.made:
            name = "+".join(wanted.covers)
            self.made[wanted] = SectionItem(name, wanted.level, self.size(wanted), wanted.covers)
        return self.made[wanted]

    @property
    def blocks(self) -> set[tuple[int, tuple[str, ...]]]:
        return {(wanted.level, wanted.covers) for wanted in self.made}


def said(*tokens: int) -> list[SectionItem]:
    return [SectionItem(f"m{at}", 1, size, (f"m{at}",)) for at, size in enumerate(tokens)]


def smaller(wanted: MissingFold) -> int:
    """A size that the names decide: at least 1, and less than the members have together."""
    whole = sum(member.tokens for member in wanted.members)
    return 1 + crc32("".join(wanted.covers).encode()) % (whole - 1)


def of_real_life(seed: int) -> Sizing:
    return lambda wanted: Random(f"{seed} {wanted.level} {wanted.covers[0]}").randint(800, 1200)


def real_life(seed: int, count: int) -> list[SectionItem]:
    random = Random(seed)
    return said(*(random.randint(700, 1300) for _ in range(count)))


def one(_: MissingFold) -> int:
    return 1


def names(shown: View) -> list[str]:
    return [item.name for item in shown.items]


def levels(shown: View) -> list[int]:
    return [item.level for item in shown.items]


def covered(shown: View) -> list[str]:
    return [name for item in shown.items for name in item.covers]


def kept(memories: Sequence[SectionItem]) -> list[str]:
    return [memory.name for memory in memories if memory.tokens]


def none_made(_: MissingFold) -> None:
    return None


def view(
    memories: Sequence[SectionItem],
    budget: int,
    group: int,
    find: Callable[[MissingFold], SectionItem | None],
) -> View:
    """The view at a budget that stays the same however long the conversation is."""
    with groups_of(group):
        return view_within(memories, lambda _: budget, find)


def test_memories_within_the_budget_stand_as_they_are() -> None:
    memories = said(5, 5, 5)

    assert view(memories, 15, 2, none_made) == View(tuple(memories), None)


def test_no_memories_are_an_empty_view() -> None:
    assert view([], 10, 6, none_made) == View((), None)


def test_beyond_the_budget_the_oldest_group_folds_into_the_next_level() -> None:
    shown = view(said(1, 1, 1, 1), 3, 2, Folds(one).make)

    assert names(shown) == ["m0+m1", "m2", "m3"]
    assert (levels(shown), shown.tokens) == ([2, 1, 1], 3)


def test_the_lowest_level_that_has_a_whole_group_folds_first() -> None:
    folds = Folds(one)
    seen = [levels(view(said(*[1] * count), 6, 3, folds.make)) for count in (6, 7, 8, 9, 11, 17)]

    assert seen == [
        [1] * 6,
        [2, 1, 1, 1, 1],
        [2, 1, 1, 1, 1, 1],
        [2, 2, 1, 1, 1],
        [2, 2, 2, 1, 1],
        [3, 2, 2, 1, 1],
    ]


def test_where_no_level_has_a_whole_group_the_oldest_fold_above_them_all() -> None:
    shown = view(said(*[1] * 7), 2, 2, Folds(one).make)

    assert [(item.name, item.level) for item in shown.items] == [
        ("m0+m1+m2+m3+m4+m5", 4),
        ("m6", 1),
    ]


def test_the_view_ends_before_a_fold_that_is_not_made_yet() -> None:
    memories = said(4, 4, 4, 4, 4)
    shown = view(memories, 13, 3, none_made)

    assert shown == View(tuple(memories[:4]), MissingFold(2, tuple(memories[:3])))


def test_a_wanted_fold_covers_what_its_members_cover() -> None:
    wanted = MissingFold(3, (SectionItem("f", 2, 9, ("a", "b")), SectionItem("c", 2, 9, ("c",))))

    assert wanted.covers == ("a", "b", "c")


def test_a_single_memory_larger_than_the_budget_stays() -> None:
    assert names(view(said(99), 10, 2, none_made)) == ["m0"]
    assert names(view(said(0, 99, 0), 10, 2, none_made)) == ["m1"]


def test_a_forgotten_memory_is_not_shown() -> None:
    assert names(view(said(3, 0, 3), 10, 6, none_made)) == ["m0", "m2"]


def test_a_forgotten_memory_keeps_its_place_in_its_group_and_is_not_folded() -> None:
    shown = view(said(3, 0, 3, 3, 3), 9, 3, none_made)

    assert shown.missing is not None
    assert shown.missing.covers == ("m0", "m2")


def test_the_only_memory_left_of_a_group_stands_for_it() -> None:
    shown = view(said(0, 3, 3, 3, 3), 9, 2, Folds(one).make)

    assert shown.items[0] == SectionItem("m1", 2, 3, ("m1",))
    assert names(shown) == ["m1", "m2+m3", "m4"]


def test_a_group_that_is_all_forgotten_needs_no_fold() -> None:
    shown = view(said(0, 0, 3, 3, 3), 6, 2, Folds(one).make)

    assert names(shown) == ["m2+m3", "m4"]


def test_a_forgotten_fold_is_shown_nowhere() -> None:
    shown = view(said(3, 3, 3, 3), 9, 2, Folds(lambda _: 0).make)

    assert names(shown) == ["m2", "m3"]


def test_folds_whose_memories_nobody_knows_fold_like_others() -> None:
    lost = [SectionItem("a", 2, 4, ("a",)), SectionItem("b", 2, 4, ("b",))]
    shown = view([*lost, *said(4, 4)], 13, 2, Folds(one).make)

    assert [(item.name, item.level) for item in shown.items] == [
        ("a", 2),
        ("b", 2),
        ("m0+m1", 2),
    ]
    assert names(view([*lost, *said(4)], 8, 2, Folds(one).make)) == ["a+b", "m0"]


def test_what_stands_before_a_higher_level_counts_as_high() -> None:
    mixed = [*said(4, 4), SectionItem("f", 2, 4, ("f",))]
    shown = view(mixed, 8, 2, Folds(one).make)

    assert [(item.name, item.level) for item in shown.items] == [("m0+m1", 3), ("f", 2)]


@pytest.mark.parametrize(
    ("tokens", "expected"), [((400, 300), 350), ((1000, 1000), 820), ((1000,) * 6, 820)]
)
def test_a_fold_is_expected_at_half_of_its_members_or_a_full_memory(
    tokens: tuple[int, ...], expected: int
) -> None:
    assert expected_fold_tokens(MissingFold(2, tuple(said(*tokens))).tokens) == expected


@given(SIZES, BUDGETS, GROUPS)
def test_every_memory_that_is_not_forgotten_is_covered_once_and_in_order(
    sizes: list[int], budget: int, group: int
) -> None:
    shown = view(said(*sizes), budget, group, Folds(smaller).make)

    assert covered(shown) == kept(said(*sizes))
    assert all(item.tokens for item in shown.items)
    assert levels(shown) == sorted(levels(shown), reverse=True)


@given(SIZES, BUDGETS, GROUPS)
def test_the_section_keeps_to_its_budget_where_more_than_one_item_stands(
    sizes: list[int], budget: int, group: int
) -> None:
    shown = view(said(*sizes), budget, group, Folds(smaller).make)

    assert shown.tokens <= budget or len(shown.items) == 1


@given(SIZES, BUDGETS, GROUPS)
def test_a_fold_stands_for_two_to_a_group_of_neighbours_below_it(
    sizes: list[int], budget: int, group: int
) -> None:
    folds = Folds(smaller)
    view(said(*sizes), budget, group, folds.make)
    order = kept(said(*sizes))

    for wanted in folds.made:
        assert 2 <= len(wanted.members) <= group
        assert all(0 < member.level < wanted.level and member.tokens for member in wanted.members)
        first = order.index(wanted.covers[0])
        assert list(wanted.covers) == order[first : first + len(wanted.covers)]


@given(SIZES, BUDGETS, GROUPS, st.lists(st.integers(1, 120), max_size=5))
def test_rounds_and_one_go_make_the_same_folds_and_the_same_view(
    sizes: list[int], budget: int, group: int, rounds: list[int]
) -> None:
    memories, step_by_step, at_once = said(*sizes), Folds(smaller), Folds(smaller)
    shown = View((), None)
    for stop in [*sorted(rounds), len(memories)]:
        while (
            shown := view(memories[:stop], budget, group, step_by_step.made.get)
        ).missing is not None:
            step_by_step.make(shown.missing)

    assert view(memories, budget, group, at_once.make) == shown
    assert list(at_once.made) == list(step_by_step.made)


@given(SIZES, st.integers(9, 60), GROUPS)
def test_the_view_before_a_missing_fold_is_too_large_by_its_newest_memory_at_most(
    sizes: list[int], budget: int, group: int
) -> None:
    memories = said(*sizes)
    shown = view(memories, budget, group, none_made)
    assume(shown.missing)

    newest = shown.items[-1]
    assert budget < shown.tokens <= budget + newest.tokens
    assert covered(shown) == kept(memories[: int(newest.name[1:]) + 1])


@given(st.integers(0, 10**6), st.sets(st.integers(0, 199), max_size=60))
def test_forgetting_a_memory_moves_no_group(seed: int, forgotten: set[int]) -> None:
    memories = real_life(seed, 200)
    left = [
        memory if at not in forgotten else SectionItem(f"m{at}", 1, 0, (f"m{at}",))
        for at, memory in enumerate(memories)
    ]
    folds = Folds(of_real_life(seed))
    view(left, 20_000, 6, folds.make)

    for level, covers in folds.blocks:
        block = 6 ** (level - 1)
        start = int(covers[0][1:]) // block * block
        assert list(covers) == kept(left[start : start + block])


@given(st.integers(0, 10**6), st.integers(1, 200), st.sampled_from([32_000, 64_000]))
def test_a_larger_budget_finds_its_folds_made_but_for_one_at_most(
    seed: int, count: int, larger: int
) -> None:
    memories, folds, at_larger = (
        real_life(seed, count),
        Folds(of_real_life(seed)),
        Folds(of_real_life(seed)),
    )
    view(memories, 16_000, 6, folds.make)
    assume(all(len(covers) == 6 ** (level - 1) for level, covers in folds.blocks))
    view(memories, larger, 6, at_larger.make)
    later = Folds(of_real_life(seed))
    view([*memories, *real_life(seed, count + 12)[count:]], 16_000, 6, later.make)

    assert len(at_larger.blocks - folds.blocks) <= 1
    assert all(len(covers) == 6 ** (level - 1) for level, covers in at_larger.blocks)
    assert at_larger.blocks <= later.blocks


@given(st.integers(0, 10**6))
def test_unfolding_at_a_larger_budget_shows_more_memories(seed: int) -> None:
    memories, size = real_life(seed, 120), of_real_life(seed)
    small, large = (view(memories, budget, 6, Folds(size).make) for budget in (16_000, 64_000))

    assert len(large.items) > len(small.items)
    assert view(memories, 200_000, 6, none_made).items == tuple(memories)


@pytest.mark.parametrize("count", [250, 2500])
def test_a_million_tokens_of_conversation_and_ten_stay_within_the_budget(count: int) -> None:
    memories, folds = real_life(7, count), Folds(of_real_life(7))
    shown = view(memories, 16_000, 6, folds.make)

    assert 8_000 < shown.tokens <= 16_000
    assert covered(shown) == kept(memories)
    assert len(folds.made) <= count / 5


KEPT = st.sets(st.integers(0, 119), max_size=12)


def keeping(memories: Sequence[SectionItem], which: set[int]) -> list[SectionItem]:
    return [
        replace(one, never_folded=at in which and one.tokens > 0) for at, one in enumerate(memories)
    ]


@given(SIZES, BUDGETS, GROUPS, KEPT)
def test_what_is_kept_stands_in_no_fold_and_everything_stands_once_and_in_order(
    sizes: list[int], budget: int, group: int, which: set[int]
) -> None:
    folds = Folds(smaller)
    memories = keeping(said(*sizes), which)
    shown = view(memories, budget, group, folds.make)
    assert [name for item in shown.items for name in item.covers] == [
        one.name for one in memories if one.tokens
    ]
    assert {one.name for one in memories if one.never_folded} <= {item.name for item in shown.items}
    assert not any(member.never_folded for wanted in folds.made for member in wanted.members)


@given(SIZES, BUDGETS, GROUPS, KEPT)
def test_a_section_with_kept_memories_is_too_large_only_where_nothing_is_left_to_fold(
    sizes: list[int], budget: int, group: int, which: set[int]
) -> None:
    shown = view(keeping(said(*sizes), which), budget, group, Folds(one).make)
    if shown.tokens > budget:
        assert not any(
            before.never_folded == behind.never_folded is False
            for before, behind in pairwise(shown.items)
        )


@given(st.integers(0, 10_000), st.sets(st.integers(0, 59), min_size=1, max_size=3))
def test_keeping_a_memory_moves_no_other_group(seed: int, which: set[int]) -> None:
    """So what the person edits after it was folded costs the folds that it was in, and no others."""
    before, after = Folds(lambda _: 1000), Folds(lambda _: 1000)
    memories = real_life(seed, 60)
    view(memories, 1000, 6, before.make)
    view(keeping(memories, which), 1000, 6, after.make)
    of_memories = {wanted for wanted in before.made if wanted.level == 2}
    touched = {wanted for wanted in of_memories if any(f"m{at}" in wanted.covers for at in which)}
    assert of_memories - touched <= after.made.keys()


def test_what_stands_around_a_kept_memory_in_its_group_is_folded_by_itself() -> None:
    folds = Folds(one)
    shown = view(keeping(said(*[10] * 7), {2}), 65, 6, folds.make)
    assert [item.covers for item in shown.items] == [
        ("m0", "m1"),
        ("m2",),
        ("m3", "m4", "m5"),
        ("m6",),
    ]


@given(
    st.lists(st.tuples(st.integers(300, 1_200), st.integers(2_000, 9_000)), max_size=60),
    st.lists(st.integers(1, 12), min_size=1, max_size=10),
    st.none() | st.integers(8_000, 100_000),
)
def test_with_a_budget_that_grows_ten_rounds_end_as_one_does(
    sizes: list[tuple[int, int]], rounds: list[int], window: int | None
) -> None:
    bounds = Bounds(None, window=window)
    memories = [
        replace(memory, source=source)
        for memory, (_, source) in zip(said(*(tokens for tokens, _ in sizes)), sizes, strict=True)
    ]
    in_rounds, at_once = Folds(smaller), Folds(smaller)
    for upto in (*accumulate(rounds), len(memories)):
        last = view_within(memories[:upto], bounds.at, in_rounds.make)
    assert last == view_within(memories, bounds.at, at_once.make)
    assert in_rounds.blocks == at_once.blocks
    raw = sum(memory.source for memory in memories)
    assert len(last.items) <= 1 or last.tokens <= bounds.at(raw)
