"""What becomes of each shape that ChatGPT's export has for a message."""

from collections import Counter
from typing import Any

import pytest

from rules.bring.chatgpt import chatgpt_text, read_chatgpt
from rules.typingmind import spans
from tests.chats import json_bytes

TEXTS: dict[str, tuple[Any, str]] = {
    "text": ({"content_type": "text", "parts": ["a", "", "b"]}, "a\n\nb"),
    "code": ({"content_type": "code", "text": "1 + 1"}, "[code]\n1 + 1\n[end of code]"),
    "output": (
        {"content_type": "execution_output", "text": "2"},
        "[output]\n2\n[end of output]",
    ),
    "thoughts": (
        {"content_type": "thoughts", "thoughts": [{"summary": "S", "content": "C"}]},
        "[thinking]\nC\n[end of thinking]",
    ),
    "recap": (
        {"content_type": "reasoning_recap", "content": "Thought for 5s"},
        "[Thought for 5s]",
    ),
    "quote": (
        {"content_type": "tether_quote", "title": "T", "text": "Q"},
        "[quoted from T]\nQ\n[end of quoted from T]",
    ),
    "browsing": (
        {"content_type": "tether_browsing_display", "result": "R"},
        "[result of browsing]\nR\n[end of result of browsing]",
    ),
    "error": ({"content_type": "system_error", "name": "N"}, "[error]\nN\n[end of error]"),
    "instructions": ({"content_type": "user_editable_context", "user_profile": "P"}, ""),
    "nothing": (None, ""),
    "parts of null": ({"content_type": "text", "parts": None}, ""),
}


def parsed(value: Any) -> Any:
    """The value as it is read from an export, where numbers are as they are spelled."""
    return spans.value(json_bytes(value).decode(), 0)[0]


def rendered(content: Any, **fields: Any) -> tuple[str, dict[str, int]]:
    left: Counter[str] = Counter()
    message = {"author": {"role": "assistant"}, "content": content, **fields}
    return chatgpt_text(parsed(message), left), dict(left)


@pytest.mark.parametrize("name", TEXTS)
def test_what_has_text_comes_as_text(name: str) -> None:
    content, text = TEXTS[name]
    assert rendered(content) == (text, {})


def test_what_has_no_text_becomes_a_line_and_is_counted() -> None:
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": "file-service://1"},
        "what I drew",
        {"content_type": "audio_transcription", "text": "what I said"},
        {"content_type": "audio_asset_pointer"},
    ]
    assert rendered({"content_type": "multimodal_text", "parts": parts}) == (
        "[picture]\n\nwhat I drew\n\nwhat I said\n\n[sound]",
        {"picture": 1, "sound": 1},
    )


def test_an_unknown_kind_is_counted_and_keeps_its_text() -> None:
    assert rendered({"content_type": "dream", "text": "of electric sheep"}) == (
        "[dream]\nof electric sheep\n[end of dream]",
        {"part of an unknown kind": 1},
    )


def test_a_call_of_a_tool_and_its_result_say_so() -> None:
    code = {"content_type": "code", "text": "search()"}
    assert rendered(code, recipient="browser")[0].startswith("[tool call: browser]")
    code = {"content_type": "code", "text": "прилив = 4"}
    assert "\nприлив = 4\n" in rendered(code, recipient="python")[0]
    tool = {"role": "tool", "name": "python"}
    output = {"content_type": "text", "parts": ["4"]}
    assert rendered(output, author=tool)[0] == "[result of python]\n4\n[end of result of python]"


def test_attached_files_are_named_and_pictures_are_not_named_twice() -> None:
    attachments = [
        {"name": "diary.pdf", "mime_type": "application/pdf"},
        {"name": "sea.png", "mimeType": "image/png"},
    ]
    content = {"content_type": "text", "parts": ["look"]}
    assert rendered(content, metadata={"attachments": attachments}) == (
        "look\n\n[file: diary.pdf]",
        {"file": 1},
    )


def test_citation_marks_go_and_names_of_things_stay() -> None:
    text = 'In \ue200entity\ue202["city","Paris","x"]\ue201 it rains\ue200cite\ue202turn0search1\ue201.\ue206'
    assert rendered({"content_type": "text", "parts": [text]}) == (
        "In Paris it rains.",
        {"citation mark": 1},
    )


def conversation(*nodes: tuple[str, Any], **fields: Any) -> Any:
    mapping = {}
    before = None
    for key, message in nodes:
        mapping[key] = {"id": key, "message": message, "parent": before, "children": []}
        before = key
    return parsed({"mapping": mapping, "current_node": before, "id": "c", **fields})


def test_what_was_hidden_does_not_come_and_custom_instructions_are_offered() -> None:
    custom = {
        "author": {"role": "user"},
        "content": {
            "content_type": "user_editable_context",
            "user_profile": "I am Nessa.",
            "user_instructions": "Be brief.",
        },
        "metadata": {"is_visually_hidden_from_conversation": True},
        "weight": 0,
    }
    system = {
        "author": {"role": "system"},
        "content": {"content_type": "text", "parts": ["You are ChatGPT."]},
    }
    weightless = {
        "author": {"role": "assistant"},
        "content": {"content_type": "text", "parts": ["unseen"]},
        "weight": 0.0,
    }
    hello = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hello"]}}
    nodes = (("1", custom), ("2", system), ("3", weightless), ("4", None), ("5", hello))
    read = read_chatgpt(conversation(*nodes, gizmo_id="g-1", create_time=1_700_000_000.5))
    assert [(said.role, said.text) for said in read.messages] == [("user", "Hello")]
    assert read.instructions == "I am Nessa.\n\nBe brief."
    assert read.left == {
        "system message": 1,
        "hidden message": 1,
        "custom GPT's instructions": 1,
    }


def test_the_model_is_that_of_the_last_answer_else_the_conversation_s() -> None:
    answer = {
        "author": {"role": "assistant"},
        "content": {"content_type": "text", "parts": ["Hi"]},
        "metadata": {"model_slug": "o4-mini"},
    }
    named = conversation(("1", answer), default_model_slug="gpt-5")
    assert read_chatgpt(named).model == "o4-mini"
    silent = conversation(("1", answer | {"metadata": None}), default_model_slug="gpt-5")
    assert read_chatgpt(silent).model == "gpt-5"


@pytest.mark.parametrize(
    "fields",
    [
        {"mapping": {}},
        {"mapping": {"a": None}},
        {"mapping": {"a": {"message": [], "parent": 3}}, "current_node": 7},
        {"mapping": {"a": {"message": {"content": "x", "author": []}, "parent": "a"}}},
        {"mapping": {"a": {"message": {"create_time": 1e300, "content": {"parts": {}}}}}},
    ],
    ids=str,
)
def test_hostile_shapes_give_a_conversation_without_messages(fields: Any) -> None:
    assert read_chatgpt(parsed(fields)).messages == ()
