"""The persona's own section takes nothing that claims the person's name."""

import pytest

from rules.layers.core import CoreMemory, Section
from rules.layers.names import find_names, persons_names, refuse_claim

SYSTEM = "You are Aria. You are talking with Nessa Brogan."


def memory(persona: str = "", human: str = "") -> CoreMemory:
    return CoreMemory((Section("persona", "", 2000, persona), Section("human", "", 2000, human)))


NAMES = persons_names(memory(), ["Hello Aria. I'm Nessa, a teacher.", "I am Irish."], [SYSTEM])


@pytest.mark.parametrize(
    "claim",
    [
        "I am Nessa Brogan, and my mother Maura died in January.",
        "My name is Nessa.",
        "I hold to numbers.\nName: Nessa",
        "Ich bin **Nessa**.",
        "Je m'appelle Nessa.",
    ],
)
def test_an_edit_of_persona_that_claims_the_persons_name_is_refused_with_the_reason(
    claim: str,
) -> None:
    refused = refuse_claim(
        memory("I ask before I conclude."), memory(f"I ask before I conclude.\n{claim}"), NAMES
    )
    assert refused is not None
    assert refused.kind == "the person's name"
    assert 'what is true of the person belongs in the section "human"' in refused.reason.lower()


@pytest.mark.parametrize(
    "text",
    [
        "I am Aria.",
        "I am Irish.",
        "I'm glad of Nessa.",
        "I am Nessa's companion.",
        "Nessa wants the numbers first.",
    ],
)
def test_what_the_persona_says_of_itself_and_of_the_person_stays(text: str) -> None:
    assert refuse_claim(memory(), memory(text), NAMES) is None


@pytest.mark.parametrize(
    "human", ["Nessa Brogan types the tide book.", "- Her name is Nessa.", "Name: Nessa"]
)
def test_the_persons_name_is_known_from_their_own_section(human: str) -> None:
    assert "nessa" in persons_names(memory(human=human), [], [])


def test_a_name_that_is_the_agents_own_is_no_claim_even_where_the_person_bears_it_too() -> None:
    names = persons_names(
        memory(human="Aria Nowak is a baker."), ["My name is Aria, like yours."], ["You are Aria."]
    )
    assert refuse_claim(memory(), memory("I am Aria."), names) is None


def test_in_another_section_the_name_may_stand() -> None:
    assert refuse_claim(memory(), memory(human="My name is Nessa."), NAMES) is None


@pytest.mark.parametrize(
    ("system", "by_person", "by_persona", "sentence"),
    [
        ("You are Wren, a companion.", ["My name is Jo."], [], "You are Wren; Jo is the person."),
        ("You are Wren.", ["Hello."], [], "You are Wren."),
        ("Be brief.", ["Call me Jo."], ["My name is Wren."], "You are Wren; Jo is the person."),
        ("You are Wren.", ["My name is Jo.", "Call me Joana"], [], "You are Wren; Joana is the person."),
        ("You are a companion.", ["I am Irish."], [], ""),
        ("You are Socratic in all you say.", [], [], ""),
    ],
)  # fmt: skip
def test_a_question_can_say_who_is_who_as_far_as_names_are_known(
    system: str, by_person: list[str], by_persona: list[str], sentence: str
) -> None:
    assert find_names(system, by_person, by_persona).sentence == sentence
