"""Whether a chunk's requests fit the model's window; where not, which part is too large and by how much,
and which sizes would fit.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.plan.limits import (
    Limit,
    NoRoom,
    Sizes,
    find_too_large,
    fit_sizes,
    largest_part,
    least_window,
    nearest_limit,
    parts_of,
    room_left,
)
from rules.plan.work import PlannedChunk, choose_chunks
from tests.rules.plan.defaults import at_the_defaults

WINDOW = Limit(8400)

PRIMER = 1_350


def planned(*, tail: int = 4000, chunk: int = 1000, memories: int = 800) -> PlannedChunk:
    return PlannedChunk(3, 10, 14, chunk, 4, tail, 2, memories, min(1000, chunk * 2 // 5))


def test_what_fits_is_not_spoken_of() -> None:
    assert find_too_large(planned(), 1000, 1.0, WINDOW) is None
    assert find_too_large(planned(), 1000, 2.0, None) is None


def test_the_largest_part_is_named_with_what_is_too_much() -> None:
    found = find_too_large(planned(tail=8000), 1000, 1.0, WINDOW)
    assert found is not None
    over = sum(parts_of(planned(tail=8000), 1000, 1.0).values()) - WINDOW.most
    assert f"{over:,} too many" in found.reason
    assert "The largest part is the tail (" in found.reason


def test_the_last_request_of_a_chunk_has_these_parts() -> None:
    assert parts_of(planned(), 1000, 2.0) == {
        "system message and primer": 2000,
        "memories": 1600,
        "the tail": 8000,
        "the chunk": 2000,
        "questions and answers": 2000,
    }


def test_what_fits_to_the_last_token_fits() -> None:
    room = WINDOW.most - sum(parts_of(planned(), 0, 1.0).values())
    assert find_too_large(planned(), room, 1.0, WINDOW) is None
    assert find_too_large(planned(), room + 1, 1.0, WINDOW) is not None


def test_what_does_not_fit_is_said_whole_with_a_next_step() -> None:
    window = find_too_large(planned(tail=8000), 1000, 1.0, WINDOW)
    assert window == NoRoom(
        "Chunk 3 needs about 11,800 tokens of context, and the model's window of 8,400 holds, with room to spare, "
        "7,980: 3,820 too many. The largest part is the tail (system message and primer 1,000, memories 800, "
        "the tail 8,000, the chunk 1,000, questions and answers 1,000).",
        "",
    )
    price = find_too_large(planned(), 20_000, 1.0, Limit(10_000, is_price=True))
    assert price is not None
    assert (
        "and above 10,000 the model costs more; with room to spare that leaves 9,500: "
        in price.reason
    )
    assert (
        price.next_step
        == "Allow the higher price with budget.above_step = true, or choose another model."
    )


def test_a_model_that_makes_more_of_each_token_has_room_for_less() -> None:
    assert find_too_large(planned(), 1000, 1.0, WINDOW) is None
    assert find_too_large(planned(), 1000, 1.35, WINDOW) is not None


@pytest.mark.parametrize("factor", [1.0, 1.35])
def test_the_least_window_is_the_one_into_which_all_fits_without_tails(factor: float) -> None:
    chunks = [planned(tail=9000), planned(tail=0, chunk=6000)]
    window = least_window(chunks, 1000, factor)
    bare = [replace(chunk, tail_tokens=0) for chunk in chunks]
    assert all(find_too_large(chunk, 1000, factor, Limit(window)) is None for chunk in bare)
    assert any(find_too_large(chunk, 1000, factor, Limit(window - 1100)) for chunk in bare)


def test_what_comes_first_counts_the_window_or_the_tokens_above_which_the_price_rises() -> None:
    assert nearest_limit(200_000, 100_000, sure=False) == Limit(100_000, is_price=True)
    assert nearest_limit(50_000, 100_000, sure=True) == Limit(50_000, sure=True)
    assert nearest_limit(None, 100_000, sure=False) == Limit(100_000, is_price=True)
    assert nearest_limit(100_000, 100_000, sure=False) == Limit(100_000, is_price=True)
    assert nearest_limit(200_000, 100_000, sure=True) == Limit(100_000, is_price=True, sure=True)
    assert nearest_limit(None, None, sure=False) is None


def test_the_parts_are_listed_with_their_sizes_where_they_have_any() -> None:
    said = largest_part({"memories": 900, "the tail": 4_000, "the chunk": 0})
    assert said == "The largest part is the tail (memories 900, the tail 4,000)."


def test_the_chunks_that_were_chosen_come_in_their_order() -> None:
    first, second, third = (replace(planned(), number=number) for number in (1, 2, 3))
    assert choose_chunks([third, second, first], {3, 1}) == (first, third)


def test_a_prompt_that_would_cost_more_says_which_part_is_too_large_and_how_to_allow_it() -> None:
    found = find_too_large(planned(memories=90_000), 1000, 1.35, Limit(100_000, is_price=True))
    assert found is not None
    assert "above 100,000 the model costs more" in found.reason
    assert "The largest part is memories (" in found.reason
    assert "fold.budget" in found.next_step
    assert "budget.above_step = true" in found.next_step


def test_there_is_room_to_spare_and_less_of_it_once_replies_have_shown_how_a_model_counts() -> None:
    assert (
        Limit(100_000).most_in_hindsight
        < Limit(100_000).most
        < Limit(100_000, sure=True).most
        < 100_000
    )


def test_what_hindsight_has_room_for_is_what_the_request_leaves_in_our_own_tokens() -> None:
    request = sum(parts_of(planned(), 1000, 2.0).values())
    assert room_left(planned(), 1000, 2.0, Limit(100_000)) == (85_000 - request) // 2
    assert room_left(planned(), 50_000, 2.0, Limit(100_000)) < 0


def test_what_hindsight_has_room_for_does_not_depend_on_replies() -> None:
    rooms = {room_left(planned(), 1000, 1.35, Limit(100_000, sure=sure)) for sure in (False, True)}
    assert len(rooms) == 1


@given(
    st.integers(100, 2000),
    st.integers(100, 400),
    st.sampled_from([(1.35, False), (1.3, True), (1.45, True)]),
)
def test_with_the_sizes_of_memproc_toml_no_prompt_of_a_chat_comes_above_a_hundred_thousand_tokens(
    each: int, thousands: int, factor: tuple[float, bool]
) -> None:
    plan = at_the_defaults(thousands * 1000 // each, each, window=int(100_000 / 1.3))
    fixed = 1000  # the primer, and a short system message
    limit = Limit(100_000, is_price=True, sure=factor[1])
    assert [one for one in plan.chunks if find_too_large(one, fixed, factor[0], limit)] == []
    assert max(sum(parts_of(one, fixed, 1.45).values()) for one in plan.chunks) < 100_000


@pytest.mark.parametrize("window", [8_192, 16_384, 32_768, 65_536, 128_000, 200_000, 1_000_000])
@pytest.mark.parametrize("factor", [1.0, 1.35])
def test_the_largest_request_of_the_sizes_fits_the_window(window: int, factor: float) -> None:
    most = Limit(window).most
    sizes = fit_sizes(most, PRIMER, factor)
    assert sizes is not None
    section = round(most / 5 / factor) if sizes.budget == "auto" else sizes.budget
    chunk = PlannedChunk(
        number=9,
        start=0,
        stop=1,
        tokens=sizes.chunk * 3 // 2,
        tail_start=0,
        tail_tokens=sizes.tail + sizes.step // 2,
        memories_before=8,
        memories_tokens=section + sizes.chunk,
        memory_tokens=min(900, sizes.chunk * 2 // 5),
    )
    assert sum(parts_of(chunk, PRIMER, factor).values()) <= most


def test_a_small_local_model_gets_small_sizes_and_a_large_one_the_usual_ones() -> None:
    small = fit_sizes(Limit(8_192).most, PRIMER, 1.0)
    assert small == Sizes(tail=2_400, step=0, chunk=600, budget=1_200)
    assert str(small) == (
        "tail.tokens = 2400, tail.step = 0, chunk.tokens = 600, fold.budget = 1200"
    )
    assert fit_sizes(Limit(200_000).most, PRIMER, 1.35) == Sizes(
        tail=30_000, step=24_000, chunk=4_000, budget="auto"
    )


def test_a_budget_stays_a_number_where_a_fifth_of_the_window_would_not_fit() -> None:
    sizes = fit_sizes(Limit(101_000).most, 20_000, 1.0)
    assert sizes == Sizes(tail=30_000, step=24_000, chunk=4_000, budget=16_000)


def test_a_window_that_the_primer_alone_fills_has_no_sizes() -> None:
    assert fit_sizes(Limit(4_096).most, PRIMER, 1.35) is None


@pytest.mark.parametrize("window", range(6_000, 60_000, 700))
def test_the_sizes_agree_with_each_other(window: int) -> None:
    sizes = fit_sizes(Limit(window).most, PRIMER, 1.0)
    assert sizes is None or (
        sizes.tail >= 4 * sizes.chunk >= 1_600
        and sizes.step <= 2 * sizes.tail
        and (sizes.budget == "auto" or sizes.budget >= 500)
    )
