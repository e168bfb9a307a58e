"""What the agent is told about an editing function is read off the function itself."""

from functools import partial
from typing import Any

import pytest

from rules.layers.core import CoreMemory
from rules.layers.core_editing import Undocumented, core_memory_replace, describe_function
from rules.layers.core_layout import ChatLayout


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
