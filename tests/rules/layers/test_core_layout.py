"""The two editing functions that every chat has: what they change, what they refuse, what is told of them."""

from functools import partial
from typing import Any

import pytest

from rules.layers.core import CoreMemory, Refusal, Section, Value
from rules.layers.core_layout import (
    ChatLayout,
    Undocumented,
    core_memory_append,
    core_memory_replace,
    describe_function,
)

EMPTY = CoreMemory(tuple(ChatLayout().sections))


def holding(value: Value, limit: int = 2000, held: bool = False) -> CoreMemory:
    return CoreMemory(
        (Section("persona", "", 2000, "Dry humour."), Section("human", "", limit, value, held))
    )


def value_of(after: CoreMemory | Refusal, name: str = "human") -> Value:
    assert isinstance(after, CoreMemory), after
    section = after.find(name)
    assert section
    return section.value


def refused(after: CoreMemory | Refusal) -> str:
    assert isinstance(after, Refusal)
    assert after.reason.endswith(".")
    return after.kind


def test_a_chat_begins_with_an_empty_persona_and_an_empty_human_each_described() -> None:
    assert [(one.name, one.limit, one.value) for one in EMPTY] == [
        ("persona", 2000, ""),
        ("human", 2000, ""),
    ]
    assert all(len(one.description) > 40 for one in EMPTY)


def test_what_is_appended_stands_on_a_line_of_its_own() -> None:
    once = core_memory_append(EMPTY, "human", "Her name is Nessa.")
    assert value_of(once) == "Her name is Nessa."
    assert isinstance(once, CoreMemory)
    assert value_of(core_memory_append(once, "human", "Her brother is Tomas.")) == (
        "Her name is Nessa.\nHer brother is Tomas."
    )
    assert value_of(once, "persona") == ""


def test_what_is_appended_to_a_list_is_one_more_entry() -> None:
    assert value_of(core_memory_append(holding(()), "human", "One.")) == ("One.",)
    assert value_of(core_memory_append(holding(("One.",)), "human", "Two.")) == ("One.", "Two.")


def test_a_replaced_text_is_kept_and_not_thrown_away() -> None:
    """The function that this one goes back to worked out the new text and never kept it."""
    assert (
        value_of(core_memory_replace(holding("Likes tea."), "human", "tea", "coffee"))
        == "Likes coffee."
    )


def test_every_occurrence_is_replaced_and_the_other_section_stays() -> None:
    after = core_memory_replace(holding("tea, black tea"), "human", "tea", "coffee")
    assert value_of(after) == "coffee, black coffee"
    assert value_of(after, "persona") == "Dry humour."


def test_an_empty_new_text_deletes() -> None:
    assert (
        value_of(core_memory_replace(holding("Likes tea. Sails."), "human", "Likes tea. ", ""))
        == "Sails."
    )


def test_in_a_list_entries_are_replaced_within_and_an_emptied_one_goes() -> None:
    entries = ("Read the log.", "Ask about Tomas.", "Read on.")
    assert value_of(core_memory_replace(holding(entries), "human", "Read", "Reread")) == (
        "Reread the log.", "Ask about Tomas.", "Reread on.",
    )  # fmt: skip
    assert value_of(core_memory_replace(holding(entries), "human", "Ask about Tomas.", "")) == (
        entries[0],
        entries[2],
    )


@pytest.mark.parametrize("old", ["likes tea", "Likes tea.\n", "Likes  tea", "- Likes"])
@pytest.mark.parametrize("value", ["Likes tea.", ("Likes tea.",)])
def test_only_an_exact_match_is_replaced(value: Value, old: str) -> None:
    assert refused(core_memory_replace(holding(value), "human", old, "coffee")) == "not found"


def test_a_text_that_runs_over_two_entries_is_not_found_and_the_reason_says_why() -> None:
    after = core_memory_replace(holding(("One.", "Two.")), "human", "- One.", "")
    assert isinstance(after, Refusal)
    assert '"human"' in after.reason
    assert "within one entry" in after.reason


def test_an_unknown_section_is_refused_with_the_names_of_those_that_there_are() -> None:
    for after in (
        core_memory_append(EMPTY, "Human", "x"),
        core_memory_replace(EMPTY, "user", "x", "y"),
    ):
        assert after == Refusal(
            'There is no section of that name; the sections are "persona", "human".',
            "unknown section",
        )


def test_a_section_that_the_person_keeps_is_refused() -> None:
    held = holding("Mine.", held=True)
    assert refused(core_memory_append(held, "human", "x")) == "kept by the person"
    assert refused(core_memory_replace(held, "human", "Mine", "Yours")) == "kept by the person"


def test_nothing_is_no_content() -> None:
    assert refused(core_memory_append(EMPTY, "human", " \n")) == "no content"
    assert refused(core_memory_replace(holding("x"), "human", "", "y")) == "no content"


def test_an_edit_over_the_limit_says_how_many_characters_there_are_may_be_and_would_be() -> None:
    after = core_memory_append(holding("12345", limit=10), "human", "67890")
    assert after == Refusal(
        'The section "human" has 5 characters, may have 10, and would have 11.', "over the limit"
    )
    assert (
        refused(core_memory_replace(holding("12345", limit=10), "human", "5", "567890x"))
        == "over the limit"
    )
    assert (
        value_of(core_memory_replace(holding("12345", limit=10), "human", "5", "567890"))
        == "1234567890"
    )


def test_the_limit_is_on_a_list_as_it_is_shown() -> None:
    assert value_of(core_memory_append(holding(("12",), limit=10), "human", "345")) == ("12", "345")
    assert (
        refused(core_memory_append(holding(("12",), limit=10), "human", "3456")) == "over the limit"
    )


def test_a_function_is_offered_by_its_name_its_first_paragraph_and_its_parameters() -> None:
    offer = describe_function(core_memory_replace)
    assert offer.name == "core_memory_replace"
    assert (
        offer.description
        == "Replace a text in a section of your core memory, wherever it occurs there."
    )
    assert list(offer.parameters) == ["name", "old_content", "new_content"]
    assert offer.parameters["name"] == "The name of the section."


def test_the_memory_itself_is_no_concern_of_the_agent_s() -> None:
    assert all("memory" not in describe_function(one).parameters for one in ChatLayout().functions)


def test_a_method_a_long_description_and_further_paragraphs_are_read() -> None:
    class Mood:
        def mood_set(self, memory: CoreMemory, mood: str, why: str) -> CoreMemory:
            """Say what mood you are in,
            and since when.

            It is for you alone.

            why: What brought it about,
                in a few words.
            mood: One word: the main one.
            """
            return memory

    offer = describe_function(Mood().mood_set)
    assert offer.description == "Say what mood you are in, and since when."
    assert list(offer.parameters.items()) == [
        ("mood", "One word: the main one."),
        ("why", "What brought it about, in a few words."),
    ]


def test_a_function_that_a_model_would_not_know_how_to_call_is_told_apart() -> None:
    def bare(memory: CoreMemory) -> CoreMemory:
        return memory

    def half(memory: CoreMemory, mood: str, why: str) -> CoreMemory:
        """Say what mood you are in.

        mood: One word.
        """
        return memory

    def grüße(memory: CoreMemory) -> CoreMemory:
        """Say hello."""
        return memory

    faults: dict[Any, str] = {
        bare: '"bare" has no docstring',
        half: '"half" has no line "why: ..."',
        grüße: '"grüße" has no name that a model could call',
        partial(half, mood="calm"): "has no name",
    }
    for function, fault in faults.items():
        with pytest.raises(Undocumented, match=fault):
            describe_function(function)
