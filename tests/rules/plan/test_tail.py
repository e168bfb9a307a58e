"""The tail of a chunk moves in steps, and depends on the chunks alone."""

from hypothesis import given
from hypothesis import strategies as st

from rules.plan.chunks import tails

conversations = st.lists(st.integers(0, 40), max_size=60)
keeps = st.integers(0, 120)
steps = st.integers(0, 60)


def test_the_tail_stays_until_it_would_exceed_keep_by_half_a_step() -> None:
    assert tails([4] * 9, keep=16, step=8) == (0, 0, 0, 0, 0, 0, 3, 3, 3)


def test_it_moves_back_to_half_a_step_below_keep_or_just_under() -> None:
    assert tails([5] * 6, keep=16, step=8) == (0, 0, 0, 0, 0, 3)
    assert tails([4, 4, 8, 5, 1], keep=16, step=8) == (0, 0, 0, 0, 3)


def test_a_tail_of_exactly_half_a_step_more_stays() -> None:
    assert tails([20, 1], keep=16, step=8) == (0, 0)


def test_the_chunk_right_before_stays_in_the_tail_however_large() -> None:
    assert tails([4, 900, 4, 4], keep=16, step=8) == (0, 0, 1, 2)


def test_without_chunks_there_are_no_tails() -> None:
    assert tails([], keep=16, step=8) == ()


@given(conversations, keeps, steps)
def test_the_tail_never_goes_back_and_ends_before_its_chunk(
    sizes: list[int], keep: int, step: int
) -> None:
    begins = tails(sizes, keep, step)

    assert list(begins) == sorted(begins)
    assert all(begin <= max(chunk - 1, 0) for chunk, begin in enumerate(begins))


@given(conversations, keeps, steps)
def test_the_tail_holds_no_more_than_keep_and_half_a_step(
    sizes: list[int], keep: int, step: int
) -> None:
    for chunk, begin in enumerate(tails(sizes, keep, step)):
        assert sum(sizes[begin:chunk]) <= keep + step // 2 or begin == chunk - 1


@given(conversations, keeps, steps)
def test_when_the_tail_moves_it_moves_no_further_than_it_must(
    sizes: list[int], keep: int, step: int
) -> None:
    begins = tails(sizes, keep, step)
    for chunk in range(1, len(begins)):
        before, begin = begins[chunk - 1], begins[chunk]

        assert (begin != before) == (
            sum(sizes[before:chunk]) > keep + step // 2 and before < chunk - 1
        )
        if begin != before:
            assert sum(sizes[begin - 1 : chunk]) > keep - step // 2
            assert sum(sizes[begin:chunk]) <= keep - step // 2 or begin == chunk - 1


@given(conversations, keeps, steps, st.integers(0, 60))
def test_later_chunks_change_no_earlier_tail(
    sizes: list[int], keep: int, step: int, count: int
) -> None:
    assert tails(sizes[:count], keep, step) == tails(sizes, keep, step)[:count]


@given(st.integers(1, 20), st.integers(2, 60))
def test_of_a_long_conversation_the_tails_are_as_long_as_they_should_be_on_average(
    chunk: int, half: int
) -> None:
    keep, step = 3 * half, 2 * half
    sizes = [chunk] * (40 * keep // chunk)
    held = [sum(sizes[begin:at]) for at, begin in enumerate(tails(sizes, keep, step)) if begin]
    assert abs(sum(held) / len(held) - keep) <= chunk + half / 5
