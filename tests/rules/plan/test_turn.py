"""Where a history may be cut at all, and the tail of a chunk, which moves in steps."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rules.plan.chunks import Chunk, Spoken, cut_units, find_tails

WORDS = {"u": "user", "a": "assistant", "c": "assistant", "t": "tool", "f": "function"}

spoken_messages = st.builds(
    lambda letter, tokens: Spoken(WORDS[letter], tokens, letter == "c"),
    st.sampled_from("uuaaactf"),
    st.integers(0, 30),
)
histories = st.lists(spoken_messages, max_size=40)

conversations = st.lists(st.integers(0, 40), max_size=60)
keeps = st.integers(0, 120)
steps = st.integers(0, 60)


def say(letters: str, tokens: int = 10) -> list[Spoken]:
    """Each letter a message: u user, a assistant, c an assistant that calls tools, t tool, f function."""
    return [Spoken(WORDS[letter], tokens, letter == "c") for letter in letters]


def cut(letters: str, most: int) -> str:
    """The history with a bar at every bound between two units."""
    return "|".join(letters[unit.start : unit.stop] for unit in cut_units(say(letters), most))


def test_a_turn_is_what_the_user_says_and_what_answers_it() -> None:
    assert cut("uauaua", most=100) == "ua|ua|ua"


def test_several_messages_of_one_side_in_a_row_are_one_turn() -> None:
    assert cut("uuaauua", most=100) == "uuaa|uua"


def test_what_stands_before_the_first_user_message_is_a_turn_by_itself() -> None:
    assert cut("aauaua", most=100) == "aa|ua|ua"


def test_tool_traffic_belongs_to_its_turn() -> None:
    assert cut("ucttaua", most=100) == "uctta|ua"


def test_the_tokens_of_a_unit_are_those_of_its_messages() -> None:
    assert cut_units([Spoken("user", 3), Spoken("assistant", 4)], 100) == (Chunk(0, 2, 7),)


def test_an_oversized_turn_is_cut_between_two_messages_of_the_same_role() -> None:
    assert cut("uuaaaua", most=49) == "u|ua|a|a|ua"


def test_a_turn_of_exactly_the_limit_stays_whole() -> None:
    assert cut("uuaaaua", most=50) == "uuaaa|ua"


def test_a_user_message_is_never_parted_from_its_one_answer() -> None:
    assert cut("uaua", most=1) == "ua|ua"


def test_a_tool_call_its_results_and_the_answer_are_never_parted() -> None:
    assert cut("uacttacfaa", most=1) == "ua|ctta|cfa|a"


def test_a_call_without_a_result_stays_with_the_answer_after_it() -> None:
    assert cut("ucaa", most=1) == "uca|a"


def test_an_empty_history_has_no_units() -> None:
    assert cut_units([], 100) == ()


@given(histories, st.integers(1, 80))
def test_units_hold_every_message_once_and_in_order(spoken: list[Spoken], most: int) -> None:
    found = cut_units(spoken, most)

    assert [index for unit in found for index in range(unit.start, unit.stop)] == list(
        range(len(spoken))
    )
    assert [unit.tokens for unit in found] == [
        sum(message.tokens for message in spoken[unit.start : unit.stop]) for unit in found
    ]


@given(histories, st.integers(1, 80))
def test_every_bound_is_a_new_turn_or_two_of_the_same_role(spoken: list[Spoken], most: int) -> None:
    for unit in cut_units(spoken, most)[1:]:
        before, after = spoken[unit.start - 1], spoken[unit.start]

        assert after.role not in {"tool", "function"}
        assert after.role == "user" or (before.role == after.role and not before.calls_tools)


@given(histories, st.integers(1, 80))
def test_what_could_be_cut_and_is_above_the_limit_is_cut(spoken: list[Spoken], most: int) -> None:
    for unit in cut_units(spoken, most):
        inside = spoken[unit.start : unit.stop]
        pairs = pairwise(inside)
        places = [a for a, b in pairs if a.role == b.role and a.role in {"user", "assistant"}]

        assert unit.tokens <= most or all(place.calls_tools for place in places)


@given(histories, st.integers(1, 80), st.integers(0, 40))
def test_later_messages_can_change_the_last_unit_only(
    spoken: list[Spoken], most: int, length: int
) -> None:
    final = cut_units(spoken[:length], most)[:-1]

    assert cut_units(spoken, most)[: len(final)] == final


def test_the_tail_stays_until_it_would_exceed_keep_by_half_a_step() -> None:
    assert find_tails([4] * 9, keep=16, step=8) == (0, 0, 0, 0, 0, 0, 3, 3, 3)


def test_it_moves_back_to_half_a_step_below_keep_or_just_under() -> None:
    assert find_tails([5] * 6, keep=16, step=8) == (0, 0, 0, 0, 0, 3)
    assert find_tails([4, 4, 8, 5, 1], keep=16, step=8) == (0, 0, 0, 0, 3)


def test_a_tail_of_exactly_half_a_step_more_stays() -> None:
    assert find_tails([20, 1], keep=16, step=8) == (0, 0)


def test_the_chunk_right_before_stays_in_the_tail_however_large() -> None:
    assert find_tails([4, 900, 4, 4], keep=16, step=8) == (0, 0, 1, 2)


def test_without_chunks_there_are_no_tails() -> None:
    assert find_tails([], keep=16, step=8) == ()


@given(conversations, keeps, steps)
def test_the_tail_never_goes_back_and_ends_before_its_chunk(
    sizes: list[int], keep: int, step: int
) -> None:
    begins = find_tails(sizes, keep, step)

    assert list(begins) == sorted(begins)
    assert all(begin <= max(chunk - 1, 0) for chunk, begin in enumerate(begins))


@given(conversations, keeps, steps)
def test_the_tail_holds_no_more_than_keep_and_half_a_step(
    sizes: list[int], keep: int, step: int
) -> None:
    for chunk, begin in enumerate(find_tails(sizes, keep, step)):
        assert sum(sizes[begin:chunk]) <= keep + step // 2 or begin == chunk - 1


@given(conversations, keeps, steps)
def test_when_the_tail_moves_it_moves_no_further_than_it_must(
    sizes: list[int], keep: int, step: int
) -> None:
    begins = find_tails(sizes, keep, step)
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
    assert find_tails(sizes[:count], keep, step) == find_tails(sizes, keep, step)[:count]


@given(st.integers(1, 20), st.integers(2, 60))
def test_of_a_long_conversation_the_tails_are_as_long_as_they_should_be_on_average(
    chunk: int, half: int
) -> None:
    keep, step = 3 * half, 2 * half
    sizes = [chunk] * (40 * keep // chunk)
    held = [sum(sizes[begin:at]) for at, begin in enumerate(find_tails(sizes, keep, step)) if begin]
    assert abs(sum(held) / len(held) - keep) <= chunk + half / 5
