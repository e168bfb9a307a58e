"""What was written into the core memory adds up, and is taken back one by one, newest first."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.layers.core import CoreMemory, OverLimit, Section, Value
from rules.layers.core_events import CoreEvent, core_after, taken_back

SECTIONS = (
    Section("human", "Who they are.", 40, "First."),
    Section("promises", "", 40, ("Read the log.",)),
)
State = tuple[str, Value, bool]


def event(section: str, value: Value, *, held: bool = False) -> CoreEvent:
    return CoreEvent(
        section, value, held, "person" if held else "agent", "set" if held else "core_memory_append"
    )


def kept(*events: CoreEvent) -> tuple[CoreEvent, ...]:
    return tuple(replace(one, number=number) for number, one in enumerate(events, 1))


def with_undo(events: tuple[CoreEvent, ...]) -> tuple[CoreEvent, ...]:
    """The events with one more, which takes one back."""
    undo = taken_back(SECTIONS, events)
    assert undo
    return kept(*events, undo)


def states(memory: CoreMemory) -> list[State]:
    return [(one.name, one.value, one.held) for one in memory]


def test_the_newest_of_each_section_counts_and_untouched_ones_have_their_first_values() -> None:
    memory = core_after(SECTIONS, kept(event("human", "One."), event("human", "Two.", held=True)))
    assert states(memory) == [("human", "Two.", True), ("promises", ("Read the log.",), False)]


def test_what_was_written_into_a_section_that_is_not_there_any_more_shows_nowhere() -> None:
    assert core_after(SECTIONS, kept(event("mood", "Calm."))) == CoreMemory(SECTIONS)


def test_a_value_under_a_limit_that_was_lowered_is_told() -> None:
    with pytest.raises(OverLimit, match=r'"human" would have 5 of 3 characters'):
        core_after([replace(SECTIONS[0], value="", limit=3)], kept(event("human", "Long.")))


def test_a_hand_edit_is_taken_back_with_its_hold_and_a_release_brings_the_hold_back() -> None:
    events = kept(
        event("human", "One."), event("human", "By hand.", held=True), event("human", "By hand.")
    )
    seen = []
    for _ in range(3):
        events = with_undo(events)
        seen.append(states(core_after(SECTIONS, events))[0])
    assert seen == [
        ("human", "By hand.", True),
        ("human", "One.", False),
        ("human", "First.", False),
    ]
    assert taken_back(SECTIONS, events) is None


def test_what_is_written_after_something_was_taken_back_is_taken_back_to_that() -> None:
    events = with_undo(kept(event("human", "One."), event("human", "Two.")))
    events = with_undo(kept(*events, event("human", "One and a half.")))
    assert states(core_after(SECTIONS, events))[0] == ("human", "One.", False)


def test_in_a_section_that_is_not_there_any_more_nothing_is_taken_back() -> None:
    undo = taken_back(SECTIONS, kept(event("human", "One."), event("mood", "Calm.")))
    assert undo
    assert (undo.section, undo.value, undo.undoes) == ("human", "First.", 1)
    assert taken_back(SECTIONS, kept(event("mood", "Calm."))) is None


written = st.builds(
    event, st.just("human"), st.sampled_from(["a", "b"]), held=st.booleans()
) | st.builds(event, st.just("promises"), st.sampled_from([(), ("x",)]), held=st.booleans())


@given(st.lists(written, max_size=8))
def test_taken_back_one_by_one_everything_goes_the_way_that_it_came(
    events: list[CoreEvent],
) -> None:
    came = [core_after(SECTIONS, kept(*events[:upto])) for upto in range(len(events) + 1)]
    so_far = kept(*events)
    for state in reversed(came[:-1]):
        so_far = with_undo(so_far)
        assert core_after(SECTIONS, so_far) == state
    assert taken_back(SECTIONS, so_far) is None
