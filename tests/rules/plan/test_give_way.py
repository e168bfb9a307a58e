"""Where a request does not fit, its tail gives way: as far as needed, never back, and alike on any day."""

from collections.abc import Sequence
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.memory_size import SHIPPED_QUESTIONS, expected_tokens
from rules.plan.chunks import Chunk
from rules.plan.fold_budget import Bounds
from rules.plan.foresight import Coming, Foresight
from rules.plan.work import PlannedChunk, plan_chunks

KEEP, STEP, BUDGET = 4000, 1000, 2000
SIZES = st.lists(st.integers(400, 6000), min_size=1, max_size=40)


def planned(sizes: Sequence[int], room: int | None) -> list[PlannedChunk]:
    """The chunks of a history of one message each."""
    chunks = {at: Chunk(at - 1, at, size) for at, size in enumerate(sizes, 1)}
    coming = [Coming(expected_tokens(size, SHIPPED_QUESTIONS), size) for size in sizes]
    memories = Foresight("chat", (), coming, Bounds(BUDGET))
    return plan_chunks(chunks, sizes, KEEP, STEP, memories, SHIPPED_QUESTIONS, room)


def needed(chunk: PlannedChunk) -> int:
    return chunk.memories_tokens + chunk.tail_tokens + chunk.tokens + chunk.memory_tokens


@given(SIZES, st.integers(2000, 20_000))
def test_a_tail_gives_way_until_the_request_fits_or_nothing_is_left_of_it(
    sizes: list[int], room: int
) -> None:
    for chunk in planned(sizes, room):
        assert needed(chunk) <= room or chunk.tail_tokens == 0
        assert chunk.tail_tokens == sum(sizes[chunk.tail_start : chunk.start])
        assert chunk.memories_before == chunk.tail_start


@given(SIZES)
def test_where_all_fits_no_tail_is_shorter(sizes: list[int]) -> None:
    assert planned(sizes, 1_000_000) == planned(sizes, None)


@given(SIZES, st.integers(2000, 20_000), st.integers(400, 6000))
def test_what_comes_later_changes_no_tail(sizes: list[int], room: int, later: int) -> None:
    before, after = planned(sizes, room), planned([*sizes, later], room)
    assert [chunk.tail_start for chunk in before] == [
        chunk.tail_start for chunk in after[: len(sizes)]
    ]


@given(SIZES, st.integers(2000, 20_000))
def test_tails_only_move_on(sizes: list[int], room: int) -> None:
    starts = [chunk.tail_start for chunk in planned(sizes, room)]
    assert starts == list(accumulate(starts, max))
