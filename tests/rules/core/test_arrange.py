"""The sections of a chat: the layout's own, with what the settings say laid over them."""

import pytest

from rules.layers.core import OverLimit, Section
from rules.layers.layout import Wanted, arranged

PERSONA, HUMAN = Section("persona", "Who you are.", 100, "Dry."), Section("human", "Who they are.", 100)


def test_where_nothing_is_said_the_sections_are_the_layout_s() -> None:
    assert arranged((PERSONA, HUMAN), {}) == (PERSONA, HUMAN)
    assert arranged((PERSONA, HUMAN), {"human": Wanted()}) == (PERSONA, HUMAN)


def test_what_is_said_holds_and_the_rest_stays() -> None:
    (persona, human) = arranged((PERSONA, HUMAN), {"persona": Wanted(limit=50), "human": Wanted(value=("One.",))})
    assert persona == Section("persona", "Who you are.", 50, "Dry.")
    assert human == Section("human", "Who they are.", 100, ("One.",))
    (persona,) = arranged((PERSONA,), {"persona": Wanted("", 100, "")})
    assert persona == Section("persona", "", 100, "")


def test_further_sections_stand_behind_the_layout_s_in_their_own_order() -> None:
    wanted = {"promises": Wanted("Kept or not.", 10), "human": Wanted(limit=9), "ale": Wanted("Which.", 5, "IPA")}
    names = [section.name for section in arranged((PERSONA, HUMAN), wanted)]
    assert names == ["persona", "human", "promises", "ale"]


def test_a_section_without_room_is_left_out_whatever_its_value() -> None:
    assert arranged((PERSONA, HUMAN), {"persona": Wanted(limit=0)}) == (HUMAN,)
    assert arranged((PERSONA,), {"x": Wanted("", 0, "text"), "y": Wanted("No limit is said.")}) == (PERSONA,)


def test_a_first_value_over_the_limit_does_not_come_to_be() -> None:
    with pytest.raises(OverLimit):
        arranged((PERSONA, HUMAN), {"persona": Wanted(limit=3)})
    with pytest.raises(OverLimit):
        arranged((), {"promises": Wanted("", 3, ("ab",))})
