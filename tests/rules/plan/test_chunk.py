"""The head of a history becomes chunks; bounds depend on the messages alone."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rules.plan.chunks import (
    SPLITTERS,
    Chunk,
    Chunking,
    Split,
    Splitter,
    Spoken,
    by_likeness,
    by_topics,
    by_turns,
    cut_units,
    form_chunks,
)
from rules.plan.partition import find_first_group
from rules.plan.topics import Vector, prices_by_vectors

SIZE = 40

spoken_messages = st.builds(
    lambda kind, tokens, text, minute: Spoken(kind[0], tokens, kind[1], text, minute),
    st.sampled_from(
        [("user", False)] * 4
        + [("assistant", False)] * 4
        + [("assistant", True), ("tool", False), ("function", False)]
    ),
    st.integers(0, 25) | st.integers(0, 150),
    st.lists(st.sampled_from(["sea", "ship", "gull", "bread", "oven", "海"]), max_size=4).map(
        " ".join
    ),
    st.integers(0, 2000),
)
histories = st.lists(spoken_messages, max_size=120)
tails = st.integers(0, 250)


def letters(text: str) -> Vector:
    """A vector for tests: how often each of a few letters stands in a text."""
    return [text.count(letter) for letter in "aegbr海"]


BY_VECTORS = by_likeness(partial(prices_by_vectors, embed=letters))
EVERY = {**SPLITTERS, "vectors": BY_VECTORS}


def talk(*turns: int) -> list[Spoken]:
    """Turns of so many tokens, half of them the user's."""
    return [
        Spoken(role, n)
        for turn in turns
        for role, n in (("user", turn // 2), ("assistant", turn - turn // 2))
    ]


def split(splitter: Splitter, spoken: Sequence[Spoken], begin: int) -> Split:
    """All bounds that there are yet, as if there were no live tail."""
    return splitter(spoken, begin, SIZE, len(spoken))


def tokens_of(spoken: list[Spoken]) -> int:
    return sum(message.tokens for message in spoken)


def sizes(chunking: Chunking) -> list[int]:
    return [chunk.tokens for chunk in chunking.chunks]


def test_a_bound_is_the_first_of_the_best_partition_of_four_sizes() -> None:
    assert split(by_turns, talk(*[20] * 9), 0).bounds == (4,)


def test_a_bound_waits_for_four_sizes_to_look_ahead() -> None:
    reason = "A chunk's end is chosen in view of the next 160 tokens, and only 159 are here."

    assert split(by_turns, talk(40, 40, 40, 39), 0) == Split((), reason)


def test_a_bound_waits_for_a_turn_behind_its_window() -> None:
    assert split(by_turns, talk(40, 40, 40, 40), 0) == Split((), "The last turn may still grow.")
    assert split(by_turns, talk(40, 40, 40, 40, 0), 0).bounds == (2,)


def test_a_bound_is_sought_from_the_message_that_is_named() -> None:
    assert split(by_turns, talk(7, 40, 40, 40, 40, 1), 2).bounds == (4,)


def topics(*words: str) -> list[Spoken]:
    """A turn of twenty tokens about each of the words."""
    roles = ("user", "assistant")
    return [
        Spoken(role, 10, False, f"{word} {word}s {word}ing {at}")
        for at, word in enumerate(words)
        for role in roles
    ]


def test_a_chunk_ends_where_the_talk_turns_to_something_else() -> None:
    spoken = topics(*["sea"] * 3, *["bread"] * 7)

    assert split(by_topics, spoken, 0).bounds[0] == 6
    assert split(by_turns, spoken, 0).bounds[0] == 4


def test_a_chunk_ends_where_vectors_say_that_the_talk_turns_to_something_else() -> None:
    spoken = [
        replace(said, text=said.text.partition(" ")[0])
        for said in topics(*["sea"] * 3, *["bob"] * 7)
    ]

    assert split(BY_VECTORS, spoken, 0).bounds[0] == 6


def test_a_chunk_ends_at_night_rather_than_within_a_minute() -> None:
    spoken = topics(*["sea"] * 10)
    night = [
        replace(said, minute=1000 + at + (600 if at >= 6 else 0)) for at, said in enumerate(spoken)
    ]

    assert split(by_topics, night, 0).bounds[0] == 6


def test_turns_that_say_nothing_to_tell_them_by_are_cut_by_size() -> None:
    spoken = talk(*[20] * 12)

    assert split(by_topics, spoken, 0) == split(by_turns, spoken, 0)
    assert split(BY_VECTORS, spoken, 0) == split(by_turns, spoken, 0)


def test_one_bound_in_the_live_tail_is_enough() -> None:
    spoken = talk(*[20] * 40)
    bounds = split(by_turns, spoken, 0).bounds

    assert by_turns(spoken, 0, SIZE, bounds[2]).bounds == bounds[:4]
    assert by_turns(spoken, 8, SIZE, 7).bounds == ()


def test_turns_that_are_nearer_to_a_bound_count_more() -> None:
    spoken = topics(
        "bread", "sea", "sea", "bread", "sea", "bread", "bread", "bread", "bread", "bread"
    )

    assert split(by_topics, spoken, 0).bounds[0] == 6


def test_a_group_that_is_far_too_small_is_dearer_where_bounds_have_prices() -> None:
    prices = [0, 500, 0, 0]

    assert find_first_group([27, 15, 38, 40, 40], SIZE, prices) == 1
    assert find_first_group([25, 15, 38, 40, 40], SIZE, prices) == 2


@given(histories, st.integers(0, 120), st.sampled_from(sorted(EVERY)))
def test_the_bounds_of_the_beginning_of_a_history_stay_as_it_grows(
    spoken: list[Spoken], upto: int, name: str
) -> None:
    bounds = split(EVERY[name], spoken, 0).bounds
    earlier = split(EVERY[name], spoken[:upto], 0).bounds

    assert bounds[: len(earlier)] == earlier


@given(histories, st.sampled_from(sorted(EVERY)), st.sampled_from(sorted(EVERY)))
def test_bounds_that_have_a_memory_never_move_whatever_splits_what_comes(
    spoken: list[Spoken], before: str, after: str
) -> None:
    frozen = split(EVERY[before], spoken, 0).bounds
    begin = frozen[-1] if frozen else 0

    assert all(begin < bound for bound in split(EVERY[after], spoken, begin).bounds)


def test_another_splitter_says_where_chunks_end_by_what_is_said() -> None:
    def at_farewells(spoken: Sequence[Spoken], begin: int, *_: int) -> Split:
        farewells = (
            at + 1 for at, said in enumerate(spoken) if at >= begin and said.text == "Good night."
        )
        return Split(tuple(farewells), "Nobody has said good night yet.")

    spoken = [
        replace(said, text="Good night." if at % 6 == 5 else "")
        for at, said in enumerate(talk(*[20] * 11))
    ]
    chunking = form_chunks(spoken, 0, SIZE, 80, at_farewells)

    assert chunking.chunks == (Chunk(0, 6, 60), Chunk(6, 12, 60))
    assert (chunking.waiting_tokens, chunking.live_tokens) == (20, 80)
    assert (
        chunking.reason
        == "The next memory takes 60 tokens, of which 20 have left the live tail so far."
    )


def test_chunks_are_whole_turns() -> None:
    chunking = form_chunks(talk(*[20] * 12), 0, SIZE, tail=80)

    assert chunking.chunks == (Chunk(0, 4, 40), Chunk(4, 8, 40))


def test_what_is_too_little_for_a_chunk_waits_and_says_why() -> None:
    chunking = form_chunks(talk(*[20] * 13), 0, SIZE, tail=160)

    assert chunking == Chunking(
        (Chunk(0, 4, 40), Chunk(4, 8, 40)),
        waiting_tokens=20,
        live_tokens=160,
        reason="The next memory takes 40 tokens, of which 20 have left the live tail so far.",
    )


def test_a_chunk_leaves_the_whole_live_tail_behind_it() -> None:
    assert len(form_chunks(talk(*[20] * 12), 0, SIZE, tail=160).chunks) == 2
    assert len(form_chunks(talk(*[20] * 12), 0, SIZE, tail=161).chunks) == 1


def test_a_short_history_is_all_live_tail() -> None:
    chunking = form_chunks(talk(20, 20), 0, SIZE, tail=80)

    assert chunking == Chunking(
        (), 0, 40, "Nothing waits: the rest is the live tail, which stays word for word."
    )


def test_an_empty_history_has_no_chunks() -> None:
    assert form_chunks([], 0, SIZE, tail=80).chunks == ()


def test_a_turn_above_the_size_is_a_chunk_by_itself() -> None:
    assert sizes(form_chunks(talk(40, 1000, *[20] * 14), 0, SIZE, tail=160))[:3] == [40, 1000, 40]


def test_a_scrap_goes_with_the_long_turn() -> None:
    assert sizes(form_chunks(talk(9, 1000, *[20] * 14), 0, SIZE, tail=160))[:2] == [1009, 40]


def test_a_long_turn_of_many_answers_is_cut_between_them() -> None:
    spoken = [Spoken("user", 20), *[Spoken("assistant", 20)] * 15, *talk(20)]

    assert form_chunks(spoken, 0, SIZE, tail=160).chunks[:2] == (Chunk(0, 2, 40), Chunk(2, 4, 40))


def test_a_frozen_bound_holds_where_no_turn_ends_now() -> None:
    spoken = [Spoken("user", 5), Spoken("assistant", 5), Spoken("assistant", 30), *talk(*[20] * 14)]

    chunking = form_chunks(spoken, 2, SIZE, tail=80)

    assert chunking.chunks[0].start == 2
    assert (
        tokens_of(spoken[2:])
        == sum(sizes(chunking)) + chunking.waiting_tokens + chunking.live_tokens
    )


@given(histories, tails)
def test_chunks_partition_the_head_without_a_hole(spoken: list[Spoken], tail: int) -> None:
    chunking = form_chunks(spoken, 0, SIZE, tail)
    bounds = [0, *(chunk.stop for chunk in chunking.chunks)]

    assert [(chunk.start, chunk.stop) for chunk in chunking.chunks] == list(pairwise(bounds))
    assert all(chunk.start < chunk.stop for chunk in chunking.chunks)
    assert sizes(chunking) == [
        tokens_of(spoken[chunk.start : chunk.stop]) for chunk in chunking.chunks
    ]
    assert chunking.waiting_tokens + chunking.live_tokens == tokens_of(spoken[bounds[-1] :])


@given(histories, tails)
def test_no_unit_is_split(spoken: list[Spoken], tail: int) -> None:
    allowed = {unit.stop for unit in cut_units(spoken, SIZE)}

    assert {chunk.stop for chunk in form_chunks(spoken, 0, SIZE, tail).chunks} <= allowed


@given(histories, tails)
def test_the_live_tail_is_never_compressed(spoken: list[Spoken], tail: int) -> None:
    chunking = form_chunks(spoken, 0, SIZE, tail)

    assert chunking.live_tokens >= min(tail, tokens_of(spoken))
    if chunking.chunks:
        assert tokens_of(spoken[chunking.chunks[-1].stop :]) >= tail


@given(histories, tails)
def test_a_giant_is_alone_up_to_a_scrap(spoken: list[Spoken], tail: int) -> None:
    giants = [unit for unit in cut_units(spoken, SIZE) if unit.tokens > SIZE]
    for chunk in form_chunks(spoken, 0, SIZE, tail).chunks:
        inside = [unit.tokens for unit in giants if chunk.start <= unit.start < chunk.stop]

        assert not inside or (chunk.tokens - inside[0]) < SIZE / 4


@given(histories, tails, st.data())
def test_the_plan_is_the_same_for_any_split_into_rounds(
    spoken: list[Spoken], tail: int, data: st.DataObject
) -> None:
    ends = data.draw(st.lists(st.integers(0, len(spoken)), max_size=8).map(sorted))
    frozen: tuple[Chunk, ...] = ()
    for end in [*ends, len(spoken)]:
        begin = frozen[-1].stop if frozen else 0
        frozen += form_chunks(spoken[:end], begin, SIZE, tail).chunks

    assert frozen == form_chunks(spoken, 0, SIZE, tail).chunks


@given(histories, tails, tails)
def test_bounds_do_not_depend_on_the_live_tail(spoken: list[Spoken], one: int, other: int) -> None:
    longer, shorter = (form_chunks(spoken, 0, SIZE, tail).chunks for tail in sorted([one, other]))

    assert longer[: len(shorter)] == shorter


@given(histories, tails, st.integers(0, 120))
def test_any_frozen_bound_is_kept(spoken: list[Spoken], tail: int, begin: int) -> None:
    begin = min(begin, len(spoken))

    chunking = form_chunks(spoken, begin, SIZE, tail)

    assert [chunk.start for chunk in chunking.chunks[:1]] in ([], [begin])
    assert sum(sizes(chunking)) + chunking.waiting_tokens + chunking.live_tokens == tokens_of(
        spoken[begin:]
    )


@given(histories, tails)
def test_a_history_that_waits_says_why(spoken: list[Spoken], tail: int) -> None:
    chunking = form_chunks(spoken, 0, SIZE, tail)

    assert (chunking.waiting_tokens == 0) == ("Nothing" in chunking.reason)
