"""Whether a chunk's requests fit the model's window; where not, which part is too large and by how much."""

from rules.plan.planned import PlannedChunk
from rules.plan.window import too_large


def planned(*, tail: int = 4000, chunk: int = 1000, memories: int = 800) -> PlannedChunk:
    return PlannedChunk(3, 10, 14, chunk, 4, tail, 2, memories)


def test_what_fits_is_not_spoken_of() -> None:
    assert too_large(planned(), 1000, 1.0, 8192) is None
    assert too_large(planned(), 1000, 2.0, None) is None


def test_the_largest_part_is_named_with_what_is_too_much() -> None:
    found = too_large(planned(tail=8000), 1000, 1.0, 8192)
    assert found is not None
    assert found.over == found.needed - 8192 > 0
    assert f"{found.over:,} too many" in found.reason
    assert "The largest part is the tail (" in found.reason
    assert "tail.tokens" in found.next_step


def test_a_model_that_makes_more_of_each_token_has_room_for_less() -> None:
    assert too_large(planned(), 1000, 1.0, 8192) is None
    assert too_large(planned(), 1000, 1.35, 8192) is not None


def test_where_memories_alone_fill_the_window_smaller_tails_do_not_help() -> None:
    found = too_large(planned(memories=20_000), 1000, 1.0, 8192)
    assert found is not None
    assert "a larger window: memories and primer alone" in found.next_step
