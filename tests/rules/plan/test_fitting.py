"""For every window there are sizes that fit, or it is said that there are none."""

import pytest

from rules.plan.fitting import Sizes, sizes_within
from rules.plan.limits import Limit, parts_of
from rules.plan.work import PlannedChunk

PRIMER = 1_350


@pytest.mark.parametrize("window", [8_192, 16_384, 32_768, 65_536, 128_000, 200_000, 1_000_000])
@pytest.mark.parametrize("factor", [1.0, 1.35])
def test_the_largest_request_of_the_sizes_fits_the_window(window: int, factor: float) -> None:
    most = Limit(window).most
    sizes = sizes_within(most, PRIMER, factor)
    assert sizes is not None
    chunk = PlannedChunk(
        number=9,
        start=0,
        stop=1,
        tokens=sizes.chunk * 3 // 2,
        tail_start=0,
        tail_tokens=sizes.tail + sizes.step // 2,
        memories_before=8,
        memories_tokens=sizes.budget + sizes.quotes,
        memory_tokens=min(900, sizes.chunk * 2 // 5),
    )
    assert sum(parts_of(chunk, PRIMER, factor).values()) <= most


def test_a_small_local_model_gets_small_sizes_and_a_large_one_the_usual_ones() -> None:
    small = sizes_within(Limit(8_192).most, PRIMER, 1.0)
    assert small == Sizes(tail=2_400, step=0, chunk=600, budget=1_200, quotes=600)
    assert str(small) == (
        "tail.tokens = 2400, tail.step = 0, chunk.tokens = 600, fold.budget = 1200, fold.quotes = 600"
    )
    assert sizes_within(Limit(200_000).most, PRIMER, 1.35) == Sizes(
        tail=30_000, step=24_000, chunk=4_000, budget=16_000, quotes=8_000
    )


def test_a_window_that_the_primer_alone_fills_has_no_sizes() -> None:
    assert sizes_within(Limit(4_096).most, PRIMER, 1.35) is None


@pytest.mark.parametrize("window", range(6_000, 60_000, 700))
def test_the_sizes_agree_with_each_other(window: int) -> None:
    sizes = sizes_within(Limit(window).most, PRIMER, 1.0)
    assert sizes is None or (
        sizes.tail >= 4 * sizes.chunk >= 1_600
        and sizes.step <= 2 * sizes.tail
        and sizes.budget >= 500
    )
