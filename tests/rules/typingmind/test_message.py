"""What the rules know of one message, from its own bytes."""

import json

import pytest

from rules.typingmind.message import Message, read_message
from rules.typingmind.spans import BadJson, TooDeep
from tests.chats import Json, assistant, json_bytes, user
from tests.exports.messages import MESSAGES, branched, several_answers


def read(fields: object) -> Message:
    return read_message(json_bytes(fields, ascii_only=True))


@pytest.mark.parametrize("name", MESSAGES)
def test_every_shape_is_read_and_keeps_its_own_bytes(name: str) -> None:
    raw = json_bytes(MESSAGES[name], indent=1)
    assert read_message(raw).raw == raw


def test_the_fields_that_matter_are_known() -> None:
    found = read(user("Hello.", 3) | {"type": "attachment-like"})
    assert (found.role, found.type, found.uuid, found.created_at) == (
        "user", "attachment-like", user("", 3)["uuid"], "2024-11-07T09:00:00.000Z",
    )  # fmt: skip
    assert found.text == found.words == "Hello."


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"role": None, "uuid": "", "createdAt": {}, "type": []},
        {
            "role": 1,
            "uuid": True,
            "createdAt": 1732000000000,
            "type": [1],
            "content": 7,
            "tool_calls": 0,
            "memproc": 1,
        },
    ],
)
def test_what_is_missing_or_odd_is_none(fields: object) -> None:
    found = read(fields)
    assert (found.role, found.type, found.uuid, found.created_at, found.marker) == (
        None,
        None,
        None,
        None,
        None,
    )
    assert (found.calls_tools, found.cleared, found.parts) == (False, False, ())


def test_half_a_surrogate_pair_in_a_uuid_can_be_stored() -> None:
    assert read({"uuid": "a\ud83d", "createdAt": "\udc00"}).uuid == "a\ufffd"


@pytest.mark.parametrize(
    ("name", "speaker"),
    [
        ("person, string", "user"), ("Claude", "assistant"), ("tool result", "user"),
        ("old function result", "user"), ("several answers, one chosen", "assistant"),
    ],
)  # fmt: skip
def test_a_message_comes_from_the_agent_or_from_outside(name: str, speaker: str) -> None:
    assert read(MESSAGES[name]).speaker == speaker


@pytest.mark.parametrize(
    ("name", "calls"), [("OpenAI, tool call", True), ("old function call", True), ("OpenAI", False)]
)
def test_a_message_that_calls_tools_is_known(name: str, calls: bool) -> None:
    assert read(MESSAGES[name]).calls_tools is calls


def test_a_cleared_message_is_known() -> None:
    assert read(MESSAGES["person, cleared"]).cleared
    assert not read(user("a", contextClearedAt=None)).cleared


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("Claude", "claude-3-5-sonnet-20241022"),
        ("Claude, newest key order", "3f3f3f3f-0000-4000-8000-000000000001"),
        ("OpenAI", "gpt-4o"), ("person, string", None), ("context cleared", None),
    ],
)  # fmt: skip
def test_a_message_names_the_model_that_wrote_it(name: str, model: str | None) -> None:
    assert read(MESSAGES[name]).model == model


@pytest.mark.parametrize(
    ("primary", "model"), [("r2", "claude-b"), ("gone", "gpt-a"), (None, "gpt-a")]
)
def test_several_answers_name_the_model_of_the_one_that_went_on(
    primary: str | None, model: str
) -> None:
    message = several_answers("First.", "Second.", primary=primary)
    for response, name in zip(message["responses"], ("gpt-a", "claude-b"), strict=True):
        response["model"] = name
    assert read(message).model == model


@pytest.mark.parametrize(
    "fields", [{"model": True}, {"model": ""}, {"model": None}, {"model": {"id": "gpt-4o"}}]
)
def test_a_model_that_is_no_text_is_none(fields: Json) -> None:
    assert read(assistant("Yes.") | fields).model is None


@pytest.mark.parametrize("responses", [None, 7, [], [7]])
def test_several_answers_without_any_name_no_model(responses: object) -> None:
    assert (
        read({"type": "tm_multi_responses", "responses": responses, "model": "gpt-4o"}).model
        is None
    )


def test_messages_of_unused_branches_are_not_shown() -> None:
    assert (
        read(branched([assistant("Left."), user("On.")], [assistant("Right.")])).text
        == "Which way?"
    )


@pytest.mark.parametrize("threads", [None, 7, [7], [{}], [{"messages": 7}]])
def test_branches_of_a_broken_kind_do_no_harm(threads: object) -> None:
    assert read(user("a", threads=threads)).text == "a"


def test_our_marker_is_at_hand() -> None:
    assert read(user("a", memproc={"v": 1, "kind": "opening"})).marker == {
        "v": "1",
        "kind": "opening",
    }
    assert read(user("a", memproc="x")).marker is None


@pytest.mark.parametrize("raw", [b"7", b'"a"', b"[]", b"null"])
def test_what_is_no_object_is_no_message(raw: bytes) -> None:
    with pytest.raises(BadJson):
        read_message(raw)


def test_a_message_nested_too_deep_is_refused_whoever_asks() -> None:
    with pytest.raises(TooDeep):
        read_message(b'{"content":' + b"[" * 900 + b"]" * 900 + b"}")


def test_answers_within_answers_are_read_to_the_bound() -> None:
    nested: Json = assistant("The last.")
    for _ in range(60):
        nested = {"type": "tm_multi_responses", "responses": [{"messages": [nested]}]}
    assert read(nested).text == "The last."


def test_a_fork_says_the_same() -> None:
    """New uuid, new date, other order of keys, another client's shape: the digest stays."""
    one = assistant("The same words.", 1)
    fork = dict(
        reversed(
            (
                one | {"uuid": "new", "createdAt": "2026-01-01T00:00:00.000Z", "isPinned": True}
            ).items()
        )
    )
    assert (
        read(one).digest == read(fork).digest == read(one | {"content": "The same words."}).digest
    )


def test_spelling_is_not_what_was_said() -> None:
    assert (
        read_message(b'{"role":"user","content":"\\u00e9\\/"}').digest
        == read_message('{"role" : "user", "content" : "é/"}'.encode()).digest
    )


@pytest.mark.parametrize(
    "other",
    [
        user("Other words.", 1),
        assistant("Same.", 1),
        user("Same.", 1, content=[{"type": "text", "text": "Same."}, {"type": "tm_image_file"}]),
        user("Same.", 1, tool_call_id="c"),
        user("Same.", 1, tool_calls=[1]),
        user("Same.", 1, function_call={"name": "a"}),
    ],
)
def test_another_saying_has_another_digest(other: Json) -> None:
    assert read(user("Same.", 1)).digest != read(other).digest


def test_the_answer_that_was_chosen_is_what_was_said() -> None:
    first, second = (
        several_answers("One.", "Two.", primary="r1"),
        several_answers("One.", "Two.", primary="r2"),
    )
    assert read(first).digest != read(second).digest


def test_numbers_may_be_of_any_size() -> None:
    raw = b'{"role":"user","content":[{"type":"x","n":' + b"1" * 5000 + b',"f":1E400}]}'
    assert json.loads(raw, parse_int=str)["role"] == read_message(raw).role


def test_the_order_of_keys_is_not_what_was_said() -> None:
    """A sync sorts the keys of everything, down to the parts."""
    call = {"id": "call_1", "type": "function", "function": {"name": "get_tide", "arguments": "{}"}}
    parts = [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]
    turned = [dict(reversed(part.items())) for part in parts]
    one = read(assistant("", content=parts, tool_calls=[call]))
    assert (
        one.digest
        == read(assistant("", content=turned, tool_calls=[dict(reversed(call.items()))])).digest
    )
