"""The sections of a chat: the layout's own, with what the settings say laid over them.

What was written into them adds up, and is taken back one by one, newest first.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.layers.core import (
    CoreEvent,
    CoreMemory,
    OverLimit,
    Section,
    Value,
    core_after,
    undo_newest,
)
from rules.layers.core_layout import SectionChange, arrange_sections

PERSONA, HUMAN = (
    Section("persona", "Who you are.", 100, "Dry."),
    Section("human", "Who they are.", 100),
)

SECTIONS = (
    Section("human", "Who they are.", 40, "First."),
    Section("promises", "", 40, ("Read the log.",)),
)
State = tuple[str, Value, bool]


def test_where_nothing_is_said_the_sections_are_the_layout_s() -> None:
    assert arrange_sections((PERSONA, HUMAN), {}) == (PERSONA, HUMAN)
    assert arrange_sections((PERSONA, HUMAN), {"human": SectionChange()}) == (PERSONA, HUMAN)


def test_what_is_said_holds_and_the_rest_stays() -> None:
    (persona, human) = arrange_sections(
        (PERSONA, HUMAN),
        {"persona": SectionChange(limit=50), "human": SectionChange(value=("One.",))},
    )
    assert persona == Section("persona", "Who you are.", 50, "Dry.")
    assert human == Section("human", "Who they are.", 100, ("One.",))
    (persona,) = arrange_sections((PERSONA,), {"persona": SectionChange("", 100, "")})
    assert persona == Section("persona", "", 100, "")


def test_further_sections_stand_behind_the_layout_s_in_their_own_order() -> None:
    wanted = {
        "promises": SectionChange("Kept or not.", 10),
        "human": SectionChange(limit=9),
        "ale": SectionChange("Which.", 5, "IPA"),
    }
    names = [section.name for section in arrange_sections((PERSONA, HUMAN), wanted)]
    assert names == ["persona", "human", "promises", "ale"]


def test_a_section_without_room_is_left_out_whatever_its_value() -> None:
    assert arrange_sections((PERSONA, HUMAN), {"persona": SectionChange(limit=0)}) == (HUMAN,)
    assert arrange_sections(
        (PERSONA,), {"x": SectionChange("", 0, "text"), "y": SectionChange("No limit is said.")}
    ) == (PERSONA,)


def test_a_first_value_over_the_limit_does_not_come_to_be() -> None:
    with pytest.raises(OverLimit):
        arrange_sections((PERSONA, HUMAN), {"persona": SectionChange(limit=3)})
    with pytest.raises(OverLimit):
        arrange_sections((), {"promises": SectionChange("", 3, ("ab",))})


def event(section: str, value: Value, *, held: bool = False) -> CoreEvent:
    return CoreEvent(
        section, value, held, "person" if held else "agent", "set" if held else "core_memory_append"
    )


def kept(*events: CoreEvent) -> tuple[CoreEvent, ...]:
    return tuple(replace(one, number=number) for number, one in enumerate(events, 1))


def with_undo(events: tuple[CoreEvent, ...]) -> tuple[CoreEvent, ...]:
    """The events with one more, which takes one back."""
    undo = undo_newest(SECTIONS, events)
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
    assert undo_newest(SECTIONS, events) is None


def test_what_is_written_after_something_was_taken_back_is_taken_back_to_that() -> None:
    events = with_undo(kept(event("human", "One."), event("human", "Two.")))
    events = with_undo(kept(*events, event("human", "One and a half.")))
    assert states(core_after(SECTIONS, events))[0] == ("human", "One.", False)


def test_in_a_section_that_is_not_there_any_more_nothing_is_taken_back() -> None:
    undo = undo_newest(SECTIONS, kept(event("human", "One."), event("mood", "Calm.")))
    assert undo
    assert (undo.section, undo.value, undo.undoes) == ("human", "First.", 1)
    assert undo_newest(SECTIONS, kept(event("mood", "Calm."))) is None


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
    assert undo_newest(SECTIONS, so_far) is None
