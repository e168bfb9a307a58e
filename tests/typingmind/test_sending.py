"""What the model gets of a chat, held to the format: section 6, points 1 to 5, and section 12."""

from typing import Any

import pytest

from tests.chats import Json, assistant, chat, export_bytes, user
from tests.exports.messages import several_answers
from tests.typingmind import TypingMind
from tests.typingmind.shapes import Build

_OPENAI: dict[str, Any] = {"model": "gpt-4o", "modelInfo": {"id": "gpt-4o"}}
_SILENT: Json = {"contextLimit": 0, "systemMessage": ""}


def sent(
    *messages: Json, build: Build = "2026", window: int | None = None, **fields: Any
) -> list[tuple[str, str]]:
    device = TypingMind(1, build)
    device.bring_in(export_bytes(chat(*messages, **{"chatParams": _SILENT} | fields)))
    (chat_id,) = device.chats
    return [
        (message["role"], message["content"]) for message in device.what_is_sent(chat_id, window)
    ]


def test_the_system_message_goes_first_and_only_role_and_content_are_sent() -> None:
    device = TypingMind(1)
    chat_id = device.begin("Tides", "You are Ada.")
    device.talk(chat_id, 1)
    device.messages(chat_id)[0]["memproc"] = {"v": 1}
    out = device.what_is_sent(chat_id)
    assert out[0] == {"role": "system", "content": "You are Ada."}
    assert all(set(message) == {"role", "content"} for message in out)


def test_what_is_cleared_or_has_no_role_is_not_sent() -> None:
    cleared = user("Old.", contextClearedAt="2026-01-01T00:00:00.000Z")
    assert sent(cleared, {"type": "clear-context"}, user("New."), assistant("Yes.")) == [
        ("user", "New."),
        ("assistant", "Yes."),
    ]


def test_training_is_sent_also_when_it_is_cleared_or_beyond_the_limit() -> None:
    taught = user("Who?", type="training-message", contextClearedAt="2026-01-01T00:00:00.000Z")
    out = sent(
        taught,
        assistant("A."),
        user("B."),
        assistant("C."),
        chatParams={"contextLimit": 2},
        **_OPENAI,
    )
    assert [text for _, text in out] == ["Who?", "B.", "C."]


@pytest.mark.parametrize("window", [1_000, 1_125])
def test_beyond_the_window_what_stands_in_front_goes_first_and_no_answer_begins(
    window: int,
) -> None:
    talk = [say(str(number) * 400) for number in range(10) for say in (user, assistant)]
    out = sent(*talk, window=window, **_OPENAI)
    assert out[0] == ("user", "6" * 400)
    assert len(out) == 8


def test_beyond_the_window_training_and_system_messages_stay() -> None:
    system = {"role": "system", "content": "Be brief.", "uuid": "s"}
    taught = user("Who?", type="training-message")
    out = sent(
        taught, system, system, user("x" * 8_000), assistant("Yes."), user("y" * 400), window=200
    )
    assert [role for role, _ in out] == ["user", "system", "system", "user"]


def test_within_the_window_nothing_is_left_out() -> None:
    talk = [say(str(number) * 400) for number in range(10) for say in (user, assistant)]
    assert len(sent(*talk, window=4_000)) == 20


def test_before_a_first_word_of_the_persona_claude_gets_a_greeting() -> None:
    assert sent(assistant("Welcome.")) == [("user", "Hello"), ("assistant", "Welcome.")]
    assert sent(assistant("Welcome."), **_OPENAI) == [("assistant", "Welcome.")]


def test_claude_gets_two_messages_of_one_role_as_one() -> None:
    talk = (user("Opening."), user("Question."), assistant("One."), assistant("Two."))
    assert sent(*talk) == [("user", "Opening.\n\nQuestion."), ("assistant", "One.\n\nTwo.")]
    assert len(sent(*talk, **_OPENAI)) == 4


@pytest.mark.parametrize(("build", "expected"), [("2024", "One."), ("2026", "One.\n\nTwo.")])
def test_of_several_text_parts_the_older_client_sends_the_first(
    build: Build, expected: str
) -> None:
    parts = [
        {"type": "text", "text": "One."},
        {"type": "tm_image_file"},
        {"type": "text", "text": "Two."},
    ]
    assert sent(user("", content=parts), assistant("Yes."), build=build)[0] == ("user", expected)


def test_the_older_client_sends_what_is_empty() -> None:
    assert sent(user("One."), assistant(""), build="2024")[1] == ("assistant", "")
    assert len(sent(user("One."), assistant(""))) == 1


def test_the_last_word_of_the_person_goes_out_with_two_line_breaks_that_are_not_stored() -> None:
    device = TypingMind(1)
    device.bring_in(export_bytes(chat(user("Anyone?"))))
    (chat_id,) = device.chats
    assert device.what_is_sent(chat_id)[-1]["content"] == "Anyone?\n\n"
    assert device.messages(chat_id)[-1]["content"] == "Anyone?"


def test_of_several_answers_the_chosen_one_is_sent() -> None:
    assert (
        "The second."
        in sent(user("?"), several_answers("The first.", "The second.", primary="r2"))[1][1]
    )
    assert "The first." in sent(user("?"), several_answers("The first.", "The second."))[1][1]


def test_a_branch_that_is_not_in_use_is_not_sent() -> None:
    device = TypingMind(1)
    chat_id = device.begin("Tides")
    device.talk(chat_id, 5)
    device.regenerate(chat_id, 0)
    assert len(device.what_is_sent(chat_id)) == 2
    device.arrow_back(chat_id, 0)
    assert len(device.what_is_sent(chat_id)) == 10
