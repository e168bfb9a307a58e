"""What became of a memory is said in words: shown, folded away, forgotten, not in use."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.memory import Memory, fold_id
from rules.plan.fold_budget import Bounds
from rules.plan.folds import State, find_states, marks_of, notes_of, version_in_export, view_section
from tests.entries import fold_of, memory_of, talk
from tests.groups import groups_of

CHAT = "k3v9xq2m7p"
ROOMY, TIGHT = Bounds(1000), Bounds(39)


@pytest.fixture(scope="module", autouse=True)
def _groups_of_two() -> Iterator[None]:
    with groups_of(2):
        yield


def chunks(count: int) -> list[Memory]:
    """So many memories, each of ten tokens."""
    entries = talk(*(f"words {number}" for number in range(count)))
    return [memory_of(number, entries[number - 1 : number]) for number in range(1, count + 1)]


def folded(number: int, members: Sequence[Memory]) -> Memory:
    """The fold that a section looks for, of ten tokens too."""
    return replace(fold_of(number, members), memory_id=fold_id(CHAT, members))


def words_of(memories: Sequence[Memory], bounds: Bounds) -> list[str]:
    return [state.word for state in find_states(CHAT, memories, bounds).values()]


def test_all_are_shown_where_there_is_room() -> None:
    assert words_of(chunks(4), ROOMY) == ["shown"] * 4


def test_what_went_into_a_fold_says_into_which() -> None:
    made = chunks(4)
    fold = folded(1, made[:2])
    found = find_states(CHAT, [*made, fold], TIGHT)
    assert found["m1"] == found["m2"] == State("folded", fold.memory_id)
    assert found["m3"] == found["m4"] == found[fold.memory_id] == State("shown")


def test_a_fold_of_folds_stands_for_both() -> None:
    made = chunks(5)
    inner, other = folded(1, made[:2]), folded(2, made[2:4])
    outer = folded(1, [inner, other])
    found = find_states(CHAT, [*made, inner, other, outer], Bounds(20))
    assert (found["m1"].into, found["m4"].into) == (inner.memory_id, other.memory_id)
    assert found[inner.memory_id] == found[other.memory_id] == State("folded", outer.memory_id)
    assert [found[name].word for name in (outer.memory_id, "m5")] == ["shown"] * 2


def test_a_fold_whose_memories_are_shown_is_not_in_use() -> None:
    made = chunks(4)
    assert words_of([*made, folded(1, made[:2])], ROOMY) == ["shown"] * 4 + ["not in use"]


def test_memories_whose_fold_is_still_to_be_made_are_shown() -> None:
    assert words_of(chunks(6), TIGHT) == ["shown"] * 6


def test_what_is_forgotten_is_nowhere_else() -> None:
    made = chunks(4)
    made[1] = replace(made[1], forgotten=True)
    assert words_of(made, ROOMY) == ["shown", "forgotten", "shown", "shown"]


@given(st.integers(1, 12), st.integers(5, 130), st.integers(2, 5), st.sets(st.integers(0, 11)))
def test_what_is_shown_is_what_the_section_shows(
    count: int, budget: int, group: int, gone: set[int]
) -> None:
    made = [replace(one, forgotten=at in gone) for at, one in enumerate(chunks(count))]
    bounds = Bounds(budget)
    with groups_of(group):
        while (
            view := view_section(CHAT, made, count, bounds, version_in_export)
        ).missing is not None:
            by_id = {memory.memory_id: memory for memory in made}
            made.append(folded(len(made), [by_id[member.name] for member in view.missing.members]))
        found = find_states(CHAT, made, bounds)
    assert {name for name, state in found.items() if state.word == "shown"} == {
        one.name for one in view.items
    }
    assert {name for name, state in found.items() if state.word == "forgotten"} == {
        f"m{at + 1}" for at in gone if at < count
    }
    for state in found.values():
        assert not state.into or found[state.into].word in ("shown", "folded")


def test_everything_else_of_note_is_a_mark_and_what_has_a_reason_a_note() -> None:
    memory = replace(chunks(1)[0], pinned=True, recalled=True, due="1 of its messages edited")
    assert marks_of(memory, State("shown")) == ("pinned", "recalled", "new edition due")
    assert notes_of(memory) == (
        "recalled: it comes back with the next run",
        "new edition due: 1 of its messages edited",
    )
    assert marks_of(chunks(1)[0], State("forgotten")) == ("forgotten",)
    by_hand = replace(memory.in_prompts, kind="person")
    chosen = replace(chunks(1)[0], edition=by_hand, in_prompts=by_hand)
    assert marks_of(chosen, State("shown")) == ("yours",)
