"""The best partition of units into groups of about one size."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from rules.plan.partition import find_first_group

SIZE = 40

# Nothing here is so small that bounds beside it are not looked for, except what has no tokens at all.
windows = st.lists(
    st.just(0) | st.integers(2, 20) | st.integers(2, 110), min_size=1, max_size=9
).filter(any)


def cost(group: list[int]) -> float:
    """The price of a group, written down apart from the code that searches."""
    giants = [tokens for tokens in group if tokens > SIZE]
    if not giants:
        return (sum(group) - SIZE) ** 2
    scrap = sum(group) - giants[0]
    return scrap**2 if scrap < SIZE / 4 else float("inf")


def partitions(window: list[int]) -> list[list[list[int]]]:
    inner = range(1, len(window))
    bounds = [
        [0, *chosen, len(window)]
        for count in range(len(window))
        for chosen in combinations(inner, count)
    ]
    return [[window[a:b] for a, b in pairwise(chosen)] for chosen in bounds]


def test_a_group_comes_as_near_to_the_size_as_its_units_allow() -> None:
    assert find_first_group([18, 23, 19, 21, 22, 17, 25, 20], SIZE) == 2


def test_a_bound_is_moved_for_the_good_of_the_groups_after_it() -> None:
    """Three units come nearer to the size, but then the next group is left with a poor choice."""
    assert find_first_group([20, 17, 5, 34, 40, 40], SIZE) == 2


def test_a_unit_above_the_size_is_a_group_by_itself() -> None:
    assert find_first_group([300, 20, 20], SIZE) == 1


def test_one_long_turn_does_not_ruin_its_neighbours() -> None:
    assert find_first_group([20, 20, 300, 20, 20], SIZE) == 2


def test_a_scrap_goes_with_the_long_turn_behind_it() -> None:
    assert find_first_group([9, 300, 20, 20], SIZE) == 2


def test_a_small_unit_before_a_long_turn_may_still_go_with_the_group_before_it() -> None:
    assert find_first_group([39, 1, 300, 20, 20], SIZE) == 2


def test_what_is_enough_for_a_memory_does_not_go_with_a_long_turn() -> None:
    assert find_first_group([10, 300, 20, 20], SIZE) == 1


def test_two_long_turns_are_never_one_group() -> None:
    assert find_first_group([300, 300], SIZE) == 1


def test_among_equal_partitions_the_longest_first_group_wins() -> None:
    """Two and one cost what one and two cost; both together cost what the second costs alone."""
    assert find_first_group([30, 20, 30], SIZE) == 2
    assert find_first_group([40, 20], SIZE) == 2


def test_a_unit_of_a_twentieth_of_the_size_still_counts() -> None:
    assert find_first_group([19, 19, 2, 40, 40, 40], SIZE) == 3


def test_messages_without_tokens_stay_with_what_stands_before_them() -> None:
    assert find_first_group([0, 40, 0, 0, 40, 0], SIZE) == 4


@given(windows)
def test_no_partition_is_cheaper(window: list[int]) -> None:
    prices: dict[int, float] = {}
    for partition in partitions(window):
        first = len(partition[0])
        prices[first] = min(prices.get(first, float("inf")), sum(map(cost, partition)))

    found = find_first_group(window, SIZE)

    assert prices[found] == min(prices.values())
    assert all(prices[first] > prices[found] for first in prices if first > found)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=400).filter(any), st.integers(60, 400))
def test_tiny_units_still_make_a_group_near_the_size(window: list[int], size: int) -> None:
    window = window * (4 * size // sum(window) + 1)

    group = sum(window[: find_first_group(window, size)])

    assert abs(group - size) <= size / 5
