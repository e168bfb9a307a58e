"""Who is looked back at: the last memories before a round's new ones, each once, and a broken round as it was begun."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.memory import Memory
from rules.plan.work import Round, hindsight_round
from tests.entries import entries, memory_of, said

TALK = entries([said("user", f"m{at}", at) for at in range(40)])
FIRST = Round()


def made(count: int) -> list[Memory]:
    return [memory_of(number, TALK[number - 1 : number]) for number in range(1, count + 1)]


def after_turns(begun: Round, numbers: set[int]) -> Round:
    """The round when these memories have had their turn."""
    had = {f"m{number}" for number in numbers}
    return replace(
        begun, chosen=frozenset(set(begun.chosen) - had), had=frozenset({*begun.had, *had})
    )


def test_the_last_memories_before_the_new_ones_are_looked_back_at() -> None:
    begun = hindsight_round(FIRST, made(5), 2, 2)
    assert (begun.numbers, begun.chosen, begun.upto) == ((4, 5), {"m4", "m5"}, 7)


def test_the_first_round_has_nobody_to_look_back_at() -> None:
    assert hindsight_round(FIRST, [], 3, 2).numbers == ()
    assert hindsight_round(FIRST, made(1), 3, 2).numbers == (1,)


def test_without_new_chunks_there_is_no_round() -> None:
    begun = hindsight_round(FIRST, made(5), 0, 2)
    assert (begun.upto, begun.numbers, set(begun.chosen)) == (0, (), set())


def test_a_setting_of_none_gives_none() -> None:
    begun = hindsight_round(FIRST, made(5), 2, 0)
    assert (begun.numbers, begun.chosen) == ((), frozenset())
    assert hindsight_round(Round(7, {"m4"}, ()), made(5), 2, 0).numbers == ()


def test_whose_turn_is_over_gets_none_again() -> None:
    first = after_turns(hindsight_round(FIRST, made(5), 1, 2), {4, 5})
    assert hindsight_round(first, made(6), 1, 2).numbers == (6,)


def test_a_round_that_was_broken_off_goes_on_as_it_was_begun() -> None:
    """Two of three new memories are made, and one of the two has its hindsight: nobody else is chosen meanwhile."""
    begun = hindsight_round(FIRST, made(5), 3, 2)
    assert hindsight_round(begun, made(7), 1, 2) == begun
    assert hindsight_round(after_turns(begun, {4}), made(7), 1, 2).numbers == (5,)


def test_what_a_broken_round_has_left_is_done_though_nothing_is_new() -> None:
    begun = hindsight_round(FIRST, made(5), 3, 2)
    assert hindsight_round(begun, made(8), 0, 2).numbers == (4, 5)


def test_more_that_came_before_a_broken_round_was_over_begins_no_other() -> None:
    begun = hindsight_round(FIRST, made(5), 3, 2)
    assert hindsight_round(begun, made(6), 4, 2).chosen == begun.chosen


def test_the_next_round_begins_when_the_last_is_over() -> None:
    begun = after_turns(hindsight_round(FIRST, made(5), 3, 2), {4, 5})
    again = hindsight_round(begun, made(8), 1, 2)
    assert (again.numbers, again.upto) == ((7, 8), 9)


@pytest.mark.parametrize(
    "memory",
    [
        replace(made(1)[0], pinned=True),
        replace(made(1)[0], forgotten=True),
        replace(made(1)[0], due="1 deleted"),
        replace(made(1)[0], keys=()),
        replace(made(1)[0], level=2),
        replace(made(1)[0], in_prompts=replace(made(1)[0].edition, made="extracted")),
    ],
    ids=["pinned", "forgotten", "due", "of a lost archive", "a fold of lost memories", "extracted"],
)
def test_nobody_looks_back_at_what_cannot_or_may_not_be_written(memory: Memory) -> None:
    begun = hindsight_round(FIRST, [memory], 1, 2)
    assert (begun.numbers, begun.chosen) == ((), {"m1"}), (
        "its turn comes where that changes before it is over"
    )
    assert hindsight_round(begun, made(1), 1, 2).numbers == (1,)


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), max_size=8), st.integers(0, 3))
def test_a_kill_anywhere_changes_nothing_of_who_is_looked_back_at(
    rounds: list[tuple[int, int]], most: int
) -> None:
    """Each round has some new chunks, and is killed once when some of them are done."""
    whole = broken = FIRST
    looked_at: list[set[int]] = [set(), set()]
    count = 0
    for new, done in rounds:
        whole = hindsight_round(whole, made(count), new, most)
        looked_at[0] |= set(whole.numbers)
        whole = after_turns(whole, set(whole.numbers))

        broken = hindsight_round(broken, made(count), new, most)
        some = set(list(broken.numbers)[:done])
        broken = after_turns(broken, some)
        finished = min(new, done) if some == set(broken.numbers) else 0  # hindsight comes first
        broken = hindsight_round(broken, made(count + finished), new - finished, most)
        looked_at[1] |= some | set(broken.numbers)
        broken = after_turns(broken, set(broken.numbers))
        count += new
        assert looked_at[0] == looked_at[1]
        assert (whole.upto, whole.had, whole.chosen) == (broken.upto, broken.had, broken.chosen)
