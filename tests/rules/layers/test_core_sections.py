"""The sections of a chat: the layout's own, with what the settings say laid over them."""

import pytest

from rules.layers.core import OverLimit, Section
from rules.layers.core_layout import SectionChange, arranged

PERSONA, HUMAN = (
    Section("persona", "Who you are.", 100, "Dry."),
    Section("human", "Who they are.", 100),
)


def test_where_nothing_is_said_the_sections_are_the_layout_s() -> None:
    assert arranged((PERSONA, HUMAN), {}) == (PERSONA, HUMAN)
    assert arranged((PERSONA, HUMAN), {"human": SectionChange()}) == (PERSONA, HUMAN)


def test_what_is_said_holds_and_the_rest_stays() -> None:
    (persona, human) = arranged(
        (PERSONA, HUMAN),
        {"persona": SectionChange(limit=50), "human": SectionChange(value=("One.",))},
    )
    assert persona == Section("persona", "Who you are.", 50, "Dry.")
    assert human == Section("human", "Who they are.", 100, ("One.",))
    (persona,) = arranged((PERSONA,), {"persona": SectionChange("", 100, "")})
    assert persona == Section("persona", "", 100, "")


def test_further_sections_stand_behind_the_layout_s_in_their_own_order() -> None:
    wanted = {
        "promises": SectionChange("Kept or not.", 10),
        "human": SectionChange(limit=9),
        "ale": SectionChange("Which.", 5, "IPA"),
    }
    names = [section.name for section in arranged((PERSONA, HUMAN), wanted)]
    assert names == ["persona", "human", "promises", "ale"]


def test_a_section_without_room_is_left_out_whatever_its_value() -> None:
    assert arranged((PERSONA, HUMAN), {"persona": SectionChange(limit=0)}) == (HUMAN,)
    assert arranged(
        (PERSONA,), {"x": SectionChange("", 0, "text"), "y": SectionChange("No limit is said.")}
    ) == (PERSONA,)


def test_a_first_value_over_the_limit_does_not_come_to_be() -> None:
    with pytest.raises(OverLimit):
        arranged((PERSONA, HUMAN), {"persona": SectionChange(limit=3)})
    with pytest.raises(OverLimit):
        arranged((), {"promises": SectionChange("", 3, ("ab",))})
