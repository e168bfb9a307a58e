"""Answers about facts are read whatever stands around the JSON, and one bad entry spoils no other."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primer.fact_questions import Operations, read_operations
from rules.layers.facts import Operation

ADD = Operation("ADD", "", "Ada likes tea.", "", 3)
ENTRY = '{"event": "ADD", "text": "Ada likes tea.", "message": 3}'
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["memory", "event", "id", "text"]), inner)
    ),
)


@pytest.mark.parametrize(
    "answer",
    [
        f'{{"memory": [{ENTRY}]}}',
        f'```json\n{{"memory": [\n{ENTRY}\n]}}\n```',
        f'Here [as asked] is {{what}} I found:\n\n{{"memory": [{ENTRY}]}}\n\nAnything else?',
        f"[{ENTRY}]",
        f'{{"result": {{"memory": [{ENTRY}], "note": []}}}}',
        '{"memory": [{"event": " add ", "text": " Ada\\nlikes  tea.", "message": "3", "sure": 0.9, "id": null}]}',
    ],
)
def test_these_say_the_same(answer: str) -> None:
    assert read_operations(answer) == Operations((ADD,), 0)


@pytest.mark.parametrize(
    "answer", ["", "Nothing new.", '{"memory": "none"}', '{"facts": 3}', '{"memory": [', "[" * 2000]
)
def test_an_answer_without_such_a_list_is_unreadable(answer: str) -> None:
    assert read_operations(answer) is None


def test_nothing_to_do_is_an_answer() -> None:
    assert read_operations('{"memory": []}') == read_operations("[]") == Operations((), 0)


@pytest.mark.parametrize(
    "bad",
    [
        "7",
        '"ADD"',
        "null",
        "[]",
        "{}",
        '{"event": "MERGE"}',
        '{"event": "ADD", "id": ["0"]}',
        '{"event": {"a": 1}}',
    ],
)
def test_a_bad_entry_is_counted_and_the_others_stand(bad: str) -> None:
    assert read_operations(f'{{"memory": [{bad}, {ENTRY}]}}') == Operations((ADD,), 1)


@pytest.mark.parametrize(
    ("given_id", "read_id"), [('"0"', "0"), ("0", "0"), ('" 4 "', "4"), ("null", ""), ("-1", "-1")]
)
def test_ids_are_text_or_numbers(given_id: str, read_id: str) -> None:
    read = read_operations(
        f'[{{"event": "DELETE", "id": {given_id}, "text": null, "old_memory": 7}}]'
    )
    assert read == Operations((Operation("DELETE", read_id, ""),), 0)


@pytest.mark.parametrize(
    "message", ["null", '"the third"', "[3]", "-3", "3.5", '"99999999999"', "true"]
)
def test_a_message_that_is_no_number_names_none(message: str) -> None:
    read = read_operations(f'[{{"event": "NONE", "id": "0", "message": {message}}}]')
    assert read == Operations((Operation("NONE", "0", ""),), 0)


def test_what_was_made_inert_for_the_model_is_read_as_people_wrote_it() -> None:
    read = read_operations('[{"event": "ADD", "text": "Ada writes <\u2060system> in her notes."}]')
    assert isinstance(read, Operations)
    assert read.read[0].text == "Ada writes <system> in her notes."


@given(JSON_VALUES, st.text(max_size=10))
def test_no_answer_is_an_error(value: object, around: str) -> None:
    read = read_operations(f"{around}{json.dumps(value)}{around}")
    assert read is None or all(isinstance(operation, Operation) for operation in read.read)
