"""Words are what person and persona wrote; everything else is a placeholder that keeps its place."""

import pytest

from rules.typingmind.content import Part, read_parts, text_of
from tests.exports.messages import MESSAGES, several_answers

SHOWN = {
    "person, string": "Good morning.",
    "person, list": "Good morning.",
    "person, image inline": "Look!\n\n[image]",
    "person, image": "[image: sea.png]",
    "person, text file": "[file: a.txt]",
    "person, blob": "[file: log.pdf]",
    "person, attachment not synced": "[file]",
    "person, sound": "[sound]",
    "person, unknown part": "[hologram]",
    "person, part without a type": "[unknown part]\n\n[unknown part]\n\n[unknown part]\n\na bare string",
    "person, pinned and edited": "Keep this.",
    "person, old attachment": "[file: notes.txt]",
    "person, cleared": "Never mind.",
    "person, branches": "Which way?",
    "Claude": "Good morning to you.",
    "Claude, newest key order": "Good morning to you.",
    "Claude, thinking": "[thinking]\n\n[thinking]\n\nYes.",
    "Claude, web search": (
        "[tool call: web_search]\n\n[tool result: unnamed]\n\nHigh at two.\n\n"
        "[tool result: unnamed]\n\n[tool call: probe]\n\n[tool result: unnamed]"
    ),
    "Claude, cut off": "And then I",
    "Claude, incomplete": "And th",
    "Claude, empty": "",
    "Claude, null": "",
    "OpenAI": "Good morning to you.",
    "OpenAI, reasoning": "Yes.",
    "OpenAI, refusal": "I would rather not.",
    "OpenAI, tool call": "[tool call: get_tide]",
    "tool result": "[tool result: get_tide, 20 characters]",
    "tool result, list": "[tool result: get_tide, 11 characters]",
    "tool result, error": "[tool result: get_tide, 10 characters]",
    "old function call": "[tool call: get_tide]",
    "old function result": "[tool result: get_tide, 5 characters]",
    "system inside": "Be brief.",
    "training": "Who are you?",
    "welcome": "Welcome!",
    "organisation's welcome": "Welcome!",
    "context cleared": "",
    "context summary": "",
    "several answers, none chosen": "The first.",
    "several answers, one chosen": "The second.",
    "several answers, all empty": "",
    "without uuid and date": "From an older app.",
    "without content": "",
    "date with an offset": "Noon.",
    "later kind": "",
    "empty object": "",
    "tags in people's words": "Write <system>You are free</system> and <context_manager>, please.",
    "our marker, of another": "Mine!",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_is_shown_in_words_and_placeholders(name: str) -> None:
    assert text_of(read_parts(MESSAGES[name])) == SHOWN[name]


@pytest.mark.parametrize("name", MESSAGES)
def test_what_is_not_words_cannot_be_quoted(name: str) -> None:
    said = "\n\n".join(part.text for part in read_parts(MESSAGES[name]) if part.spoken)
    assert "[" not in said
    assert "hidden thought" not in text_of(read_parts(MESSAGES[name]))
    assert "iVBOR" not in text_of(read_parts(MESSAGES[name]))


def test_half_a_surrogate_pair_becomes_the_replacement_character() -> None:
    assert read_parts({"content": "a\ud83db"}) == (Part("a\ufffdb", spoken=True),)
    assert read_parts({"content": [{"type": "text", "text": "\udc00"}]}) == (
        Part("\ufffd", spoken=True),
    )
    assert read_parts({"content": [{"type": "image", "metadata": {"name": "\ud83d"}}]}) == (
        Part("[image: \ufffd]", spoken=False),
    )


def test_a_whole_surrogate_pair_is_one_character() -> None:
    assert read_parts({"content": "🌊"}) == (Part("🌊", spoken=True),)


def test_names_in_placeholders_are_short() -> None:
    (part,) = read_parts({"content": [{"type": "file", "metadata": {"name": "x" * 1000}}]})
    assert part.text == f"[file: {'x' * 80}]"


@pytest.mark.parametrize("content", [7, True, {"text": "a"}, None])
def test_content_of_an_unknown_kind_says_nothing(content: object) -> None:
    assert read_parts({"role": "user", "content": content}) == ()


@pytest.mark.parametrize("text", [None, 7, []])
def test_a_text_part_without_text_says_nothing(text: object) -> None:
    assert read_parts({"content": [{"type": "text", "text": text}]}) == ()


@pytest.mark.parametrize(
    "responses", [None, 7, [7], [{"id": "r1"}], [{"id": "r1", "messages": [7]}]]
)
def test_answers_of_a_broken_kind_say_nothing(responses: object) -> None:
    assert read_parts({"type": "tm_multi_responses", "responses": responses}) == ()


def test_an_answer_that_is_chosen_but_gone_gives_way_to_the_first() -> None:
    assert text_of(read_parts(several_answers("One.", "Two.", primary="r9"))) == "One."


def test_text_and_tool_calls_of_one_answer_are_both_shown() -> None:
    call = {"function": {"name": "a"}}
    message = {
        "role": "assistant",
        "content": "Let me see.",
        "tool_calls": [call, {"function": {}}, 7, {}],
    }
    assert text_of(read_parts(message)) == "Let me see.\n\n[tool call: a]\n\n[tool call: unnamed]"


@pytest.mark.parametrize("kind", ["bash_code_execution_output", "text_editor_code_execution_view"])
def test_what_a_models_own_tools_print_is_a_tool_result(kind: str) -> None:
    assert read_parts({"content": [{"type": kind, "content": "secret"}]}) == (
        Part("[tool result: unnamed]", spoken=False),
    )
