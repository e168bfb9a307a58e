"""An edit is applied or refused, whatever the agent asks for and whatever a developer's function does."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.layers.core import CoreMemory, Refusal, Section
from rules.layers.core_layout import ChatLayout, CoreEdit, apply_edit

FUNCTIONS = ChatLayout().functions
MEMORY = CoreMemory(
    (
        Section("persona", "Who you are.", 40, "Dry humour."),
        Section("promises", "What was promised.", 40, ("Read the log.",)),
        Section("human", "Who they are.", 40, "Her name is Nessa.", held=True),
    )
)
RIGHT = {"name": "persona", "content": "Patient."}


def test_an_edit_is_applied_to_its_section_alone() -> None:
    after = apply_edit(FUNCTIONS, MEMORY, CoreEdit("core_memory_append", RIGHT))
    assert after == MEMORY.with_value("persona", "Dry humour.\nPatient.")


def test_an_edit_over_the_limit_changes_nothing() -> None:
    after = apply_edit(
        FUNCTIONS, MEMORY, CoreEdit("core_memory_append", {**RIGHT, "content": "x" * 40})
    )
    assert isinstance(after, Refusal)
    assert after.kind == "over the limit"


LINED = CoreMemory(
    (
        Section(
            "human", "", 90, "Her name is Nessa.\nShe is Nessa.", held_lines=("Her name is Nessa.",)
        ),
        Section("promises", "", 90, ("Read the log.", "Read."), held_lines=("Read.",)),
    )
)
WHO, WHAT = {"name": "human"}, {"name": "promises"}


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("core_memory_append", WHO | {"content": "Her name is not Nessa."}),
        ("core_memory_append", WHAT | {"content": "Do not read."}),
        ("core_memory_replace", WHO | {"old_content": "She is Nessa.", "new_content": ""}),
        ("core_memory_replace", WHO | {"old_content": "\nShe is", "new_content": "\nShe was"}),
        ("core_memory_replace", WHAT | {"old_content": "Read the log.", "new_content": ""}),
    ],
)
def test_beside_a_line_of_the_persons_all_others_may_be_edited(
    function: str, arguments: Mapping[str, str]
) -> None:
    after = apply_edit(FUNCTIONS, LINED, CoreEdit(function, arguments))
    assert isinstance(after, CoreMemory)
    assert [section.held_lines for section in after] == [section.held_lines for section in LINED]


@pytest.mark.parametrize(
    "arguments",
    [
        WHO | {"old_content": "Nessa", "new_content": "Ada"},
        WHO | {"old_content": "Her name is Nessa.", "new_content": ""},
        WHO | {"old_content": "Nessa.\nShe", "new_content": "Nessa, she"},
        WHO | {"old_content": "Her name is Nessa.", "new_content": "Her name is Nessa. Or Ada."},
        WHAT | {"old_content": "Read.", "new_content": "Do not read."},
        WHAT | {"old_content": "Read", "new_content": "Write"},
    ],
)
def test_an_edit_of_a_line_of_the_persons_is_refused_with_that_line(
    arguments: Mapping[str, str],
) -> None:
    after = apply_edit(FUNCTIONS, LINED, CoreEdit("core_memory_replace", arguments))
    assert isinstance(after, Refusal)
    assert after.kind == "kept by the person"
    assert any(
        after.reason.endswith(f": {line}") for section in LINED for line in section.held_lines
    )


def test_a_layout_s_own_function_cannot_free_a_line_of_the_persons() -> None:
    def freed(memory: CoreMemory) -> CoreMemory:
        """Free it."""
        return CoreMemory(tuple(replace(section, held_lines=()) for section in memory))

    after = apply_edit([freed], LINED, CoreEdit("freed", {}))
    assert isinstance(after, Refusal)
    assert after.kind == "sections changed"


def test_an_unknown_function_is_refused_with_the_names_of_those_that_there_are() -> None:
    assert apply_edit(FUNCTIONS, MEMORY, CoreEdit("archival_memory_insert", RIGHT)) == Refusal(
        "There is no function of that name; the functions are core_memory_append, core_memory_replace.",
        "unknown function",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"name": "persona"},
        {**RIGHT, "mood": "calm"},
        {**RIGHT, "memory": "x"},
        {**RIGHT, "content": 7},
        {**RIGHT, "content": None},
        {**RIGHT, "content": ["Patient."]},
        {"section": "persona", "content": "Patient."},
    ],
)
def test_missing_superfluous_and_other_than_text_arguments_are_refused(
    arguments: Mapping[str, object],
) -> None:
    assert apply_edit(FUNCTIONS, MEMORY, CoreEdit("core_memory_append", arguments)) == Refusal(
        "core_memory_append takes name, content, each of them a text.", "wrong arguments"
    )


def test_a_developer_s_function_that_runs_over_a_limit_is_refused() -> None:
    def shout(memory: CoreMemory) -> CoreMemory:
        """Say it loud."""
        return memory.with_value("persona", "!" * 41)

    after = apply_edit([shout], MEMORY, CoreEdit("shout", {}))
    assert after == Refusal(
        'The section "persona" would have 41 of 40 characters.', "over the limit"
    )
    assert apply_edit([shout], MEMORY, CoreEdit("shout", {"x": "y"})) == Refusal(
        "shout takes no arguments.", "wrong arguments"
    )


def test_a_developer_s_own_refusal_is_the_agent_s_answer() -> None:
    def never(memory: CoreMemory) -> Refusal:
        """Do not."""
        return Refusal("Not today.")

    assert apply_edit([never], MEMORY, CoreEdit("never", {})) == Refusal("Not today.", "other")


persona, promises, human = MEMORY.sections
UNLAWFUL: dict[str, tuple[Section, ...]] = {
    "added": (*MEMORY.sections, Section("mood", "", 10)),
    "removed": (persona, promises),
    "renamed": (replace(persona, name="self"), promises, human),
    "another order": (promises, persona, human),
    "another limit": (replace(persona, limit=4000), promises, human),
    "another description": (replace(persona, description="Anything."), promises, human),
    "a kept value": (persona, promises, human.with_value("Somebody else.")),
    "released": (persona, promises, replace(human, held=False)),
    "taken away from the agent": (replace(persona, held=True), promises, human),
}


@pytest.mark.parametrize("sections", UNLAWFUL.values(), ids=UNLAWFUL.keys())
def test_a_developer_s_function_may_change_nothing_but_values(
    sections: tuple[Section, ...],
) -> None:
    def rebuild(memory: CoreMemory) -> CoreMemory:
        """Rebuild it."""
        return CoreMemory(sections)

    after = apply_edit([rebuild], MEMORY, CoreEdit("rebuild", {}))
    assert isinstance(after, Refusal)
    assert after.kind == "sections changed"


def test_a_function_that_returns_nothing_is_no_edit() -> None:
    def forget(memory: CoreMemory) -> Any:
        """Work it out, and forget to return it."""
        memory.with_value("persona", "Another.")

    assert isinstance(apply_edit([forget], MEMORY, CoreEdit("forget", {})), Refusal)


PIECES = st.sampled_from(
    ["", " ", "a", "Dry", "Nessa", "Read the log.", "a\n", "x" * 15, "x" * 41, "\u2060", "🙂"]
)
EDITS = st.builds(
    CoreEdit,
    st.sampled_from(["core_memory_append", "core_memory_replace", "core_memory_erase"]),
    st.one_of(
        st.fixed_dictionaries(
            {"name": st.sampled_from(["persona", "promises", "human", "x"])},
            optional={"content": PIECES, "old_content": PIECES, "new_content": PIECES},
        ),
        st.dictionaries(
            st.sampled_from(["name", "content"]), st.one_of(PIECES, st.none(), st.integers())
        ),
    ),
)


@given(st.lists(EDITS, max_size=12))
def test_no_sequence_of_edits_brings_a_value_over_its_limit_or_touches_another_section(
    edits: list[CoreEdit],
) -> None:
    memory = MEMORY
    for edit in edits:
        after = apply_edit(FUNCTIONS, memory, edit)
        if isinstance(after, Refusal):
            continue
        assert all(len(section.rendered) <= section.limit for section in after)
        assert after.find("human") == human
        changed = [was.name for was, now in zip(memory, after, strict=True) if was != now]
        assert set(changed) <= {edit.arguments["name"]}
        memory = after


def test_a_line_that_is_there_already_is_not_written_again() -> None:
    memory = CoreMemory(
        (Section("human", "", 200, "She sails."), Section("promises", "", 200, ("Read.",)))
    )
    for section, line in (("human", "She sails."), ("promises", "Read.")):
        again = apply_edit(
            FUNCTIONS, memory, CoreEdit("core_memory_append", {"name": section, "content": line})
        )
        assert isinstance(again, Refusal)
        assert (again.kind, "already" in again.reason) == ("already there", True)
    more = {"name": "human", "content": "She sails.\nShe sings."}
    after = apply_edit(FUNCTIONS, memory, CoreEdit("core_memory_append", more))
    assert after == memory.with_value("human", "She sails.\nShe sings.")
    turned = {"name": "human", "old_content": "She sings.", "new_content": "She sails."}
    assert isinstance(after, CoreMemory)
    assert apply_edit(FUNCTIONS, after, CoreEdit("core_memory_replace", turned)) == memory


def test_lines_that_were_there_twice_stay() -> None:
    twice = CoreMemory((Section("human", "", 200, "Ah.\n\nAh.\n\nShe sails."),))
    after = apply_edit(
        FUNCTIONS, twice, CoreEdit("core_memory_append", {"name": "human", "content": "Oh."})
    )
    assert after == twice.with_value("human", "Ah.\n\nAh.\n\nShe sails.\nOh.")
