"""The edits that an answer asks for are read out of its calls, or out of a block of JSON, and never guessed at."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primer.core_edits import read_edits
from primer.prompt import ToolCall
from primer.tags import make_tags_inert
from rules.layers.core import Refusal
from rules.layers.core_editing import CoreEdit

APPEND = CoreEdit("core_memory_append", {"name": "human", "content": "Her name is Nessa."})
WRITTEN = json.dumps(APPEND.arguments)
NESTED = json.dumps([{"function": APPEND.function, "arguments": APPEND.arguments}])
FLAT = json.dumps([{"function": APPEND.function, **APPEND.arguments}])


def fenced(block: str, language: str = "json") -> str:
    return f"Here they are.\n\n```{language}\n{block}\n```\n"


def unreadable(edits: tuple[CoreEdit | Refusal, ...]) -> bool:
    return [edit.kind for edit in edits if isinstance(edit, Refusal)] == ["unreadable"] and len(
        edits
    ) == 1


def test_calls_are_edits_in_their_order() -> None:
    calls = [
        ToolCall("c1", "core_memory_append", WRITTEN),
        ToolCall("c2", "core_memory_replace", "{}"),
    ]
    assert read_edits("", calls, native=True) == (APPEND, CoreEdit("core_memory_replace", {}))


@pytest.mark.parametrize(
    "written", ["", "{", '"text"', "[]", "null", "7", "[" * 100_000, '{"name": "human"']
)
def test_a_call_whose_arguments_are_no_object_is_refused_by_itself(written: str) -> None:
    calls = [
        ToolCall("c1", "core_memory_append", written),
        ToolCall("c2", "core_memory_append", WRITTEN),
    ]
    broken, whole = read_edits("", calls, native=True)
    assert isinstance(broken, Refusal)
    assert whole == APPEND


def test_calls_go_before_a_block_in_the_text() -> None:
    calls = [ToolCall("c1", "core_memory_append", WRITTEN)]
    assert read_edits(fenced("[]"), calls, native=True) == (APPEND,)


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize(
    "block", [NESTED, FLAT, NESTED[1:-1], json.dumps(json.loads(FLAT), indent=2)]
)
@pytest.mark.parametrize("language", ["json", "JSON", " json", ""])
def test_a_block_of_json_is_read_in_either_form(block: str, language: str, native: bool) -> None:
    assert read_edits(fenced(block, language), (), native) == (APPEND,)
    assert read_edits(fenced(block, language).replace("\n", "\r\n"), (), native) == (APPEND,)


def test_the_last_block_counts() -> None:
    assert read_edits(f"{fenced('[]')}No, wait.\n{fenced(NESTED)}So be it.", (), native=False) == (
        APPEND,
    )


def test_an_empty_list_asks_for_nothing() -> None:
    assert read_edits(fenced("[]"), (), native=False) == ()


@pytest.mark.parametrize(
    "text", ["Nothing to change.", "", NESTED, f"```json\n{NESTED}", fenced("x = 1", "python")]
)
def test_without_a_block_a_model_with_tools_asks_for_nothing_and_another_is_unreadable(
    text: str,
) -> None:
    assert read_edits(text, (), native=True) == ()
    assert unreadable(read_edits(text, (), native=False))


@pytest.mark.parametrize(
    "block", ["", "[", "{'function': 'x'}", '"text"', "7", "null", "[" * 100_000]
)
@pytest.mark.parametrize("native", [True, False])
def test_a_block_that_is_no_list_is_unreadable(block: str, native: bool) -> None:
    assert unreadable(read_edits(fenced(block), (), native))


@pytest.mark.parametrize(
    "entry", ["7", "null", "[]", "{}", '{"function": 7}', '{"name": "human", "content": "x"}']
)
def test_an_entry_that_names_no_function_is_refused_and_the_others_stand(entry: str) -> None:
    broken, whole = read_edits(fenced(f"[{entry}, {NESTED[1:-1]}]"), (), native=False)
    assert isinstance(broken, Refusal)
    assert whole == APPEND


def test_tags_that_were_shown_inert_are_named_as_they_are_kept() -> None:
    said = {"name": "human", "content": make_tags_inert("He writes <system> in brackets.")}
    (edit,) = read_edits("", [ToolCall("c1", "f", json.dumps(said))], native=True)
    assert edit == CoreEdit("f", {"name": "human", "content": "He writes <system> in brackets."})


def test_half_a_surrogate_pair_becomes_something_that_a_file_takes() -> None:
    (edit,) = read_edits(
        "", [ToolCall("c1", "f", '{"content": "\\ud83d", "other": "\\ud83d\\ude42"}')], native=True
    )
    assert edit == CoreEdit("f", {"content": "\ufffd", "other": "🙂"})


@given(st.text(st.sampled_from('`json\n {}[]":,abf\\u'), max_size=60), st.booleans())
def test_no_answer_makes_reading_fail(text: str, native: bool) -> None:
    for edits in (read_edits(text, (), native), read_edits("", [ToolCall("", "f", text)], native)):
        assert all(isinstance(edit, CoreEdit | Refusal) for edit in edits)
