"""Regenerate and the branch arrows, held to the format: section 12."""

import pytest

from tests.chats import texts
from tests.typingmind import TypingMind
from tests.typingmind.shapes import Build
from tests.typingmind.wire import copied


def talked(build: Build = "2026") -> tuple[TypingMind, str]:
    device = TypingMind(1, build)
    chat_id = device.begin("The lighthouse")
    device.talk(chat_id, 26)
    return device, chat_id


@pytest.mark.parametrize("at", [0, 1])
def test_to_regenerate_an_older_message_moves_all_that_followed_into_the_threads_of_the_question(
    at: int,
) -> None:
    device, chat_id = talked()
    before = copied(device.messages(chat_id))
    device.regenerate(chat_id, at)
    question, answer = device.messages(chat_id)
    (branch,) = question["threads"]
    assert branch["messages"] == before[1:]
    assert branch["userMessageContent"] == question["content"] == before[0]["content"]
    assert answer["uuid"] not in {message["uuid"] for message in before}


def test_to_regenerate_makes_the_question_s_date_now() -> None:
    device, chat_id = talked()
    last = device.messages(chat_id)[-1]["createdAt"]
    device.regenerate(chat_id, 4)
    question, answer = device.messages(chat_id)[-2:]
    assert last < question["createdAt"] < answer["createdAt"]


def test_to_regenerate_the_newest_answer_moves_that_answer_alone() -> None:
    device, chat_id = talked()
    before = copied(device.messages(chat_id))
    device.regenerate(chat_id, -1)
    after = device.messages(chat_id)
    assert after[:-2] == before[:-2]
    assert after[-2]["threads"][0]["messages"] == before[-1:]
    assert texts(after[-1:]) != texts(before[-1:])


def test_the_arrow_brings_everything_back_and_keeps_the_other_branch() -> None:
    device, chat_id = talked()
    before = copied(device.messages(chat_id))
    device.regenerate(chat_id, 7)
    other = copied(device.messages(chat_id)[7:])
    device.arrow_back(chat_id, 7)
    after = device.messages(chat_id)
    (branch,) = after[6].pop("threads")
    assert after == before
    assert branch["messages"] == other


def test_a_question_edited_and_sent_again_has_its_old_words_in_its_branch() -> None:
    device, chat_id = talked()
    asked = texts(device.messages(chat_id))[2]
    device.regenerate(chat_id, 2, say="What I meant was the other lamp.")
    assert texts(device.messages(chat_id))[2] == "What I meant was the other lamp."
    device.arrow_back(chat_id, 2)
    assert texts(device.messages(chat_id))[2] == asked


def test_branches_gather_and_nest() -> None:
    device, chat_id = talked()
    device.regenerate(chat_id, 5)
    device.regenerate(chat_id, 5)
    device.regenerate(chat_id, 0)
    (branch,) = device.messages(chat_id)[0]["threads"]
    assert len(branch["messages"][3]["threads"]) == 2


def test_an_answer_to_a_tool_is_asked_for_again_at_the_tool() -> None:
    device, chat_id = talked()
    device.messages(chat_id)[50] |= {"role": "tool"}
    device.regenerate(chat_id, 51)
    assert "threads" in device.messages(chat_id)[50]


@pytest.mark.parametrize("at", [-1, 7])
def test_the_older_client_replaces_the_one_answer(at: int) -> None:
    device, chat_id = talked("2024")
    before = copied(device.messages(chat_id))
    device.regenerate(chat_id, at)
    after = device.messages(chat_id)
    changed = [
        number for number, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]
    ]
    assert changed == [range(52)[at]]
    assert after[at]["uuid"] != before[at]["uuid"]


def test_the_older_client_answers_a_question_that_nobody_answered() -> None:
    device, chat_id = talked("2024")
    device.delete(chat_id, -1)
    device.regenerate(chat_id, -1)
    assert [message["role"] for message in device.messages(chat_id)[-2:]] == ["user", "assistant"]


def test_a_welcome_cannot_be_asked_for_again_and_there_is_no_arrow_without_a_branch() -> None:
    device, chat_id = talked()
    with pytest.raises(ValueError, match="no branch"):
        device.arrow_back(chat_id, 3)
    device.delete(chat_id, 0)
    with pytest.raises(ValueError, match="answers nothing"):
        device.regenerate(chat_id, 0)
