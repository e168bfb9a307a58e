"""Questions as a context manager writes them, and what is not taken of its answer."""

import json

import pytest

from primer.evaluation_questions import describe_missed_points, finished_chat, read_questions
from tests.daemon.archive.test_messages import TALK
from tests.entries import entries, memory_of

CHUNK = entries(TALK)[:2]
PASSAGE = CHUNK[0].message.words.strip()
GOOD = {
    "question": "What of message 0?",
    "right": "This.",
    "wrong": ["That.", "It.", "All."],
    "passage": PASSAGE,
}
UNSAID = {"question": "And the cat?", "choices": ["Grey.", "Black.", "White.", "Red."]}


def read(*questions: object, unsaid: object = UNSAID, lead: str = "") -> list[str]:
    answer = lead + json.dumps({"questions": questions, "unsaid": unsaid})
    return [question.text for question in read_questions(answer, "m1", CHUNK)]


def test_a_question_is_taken_with_the_message_and_the_passage_that_answer_it() -> None:
    said, unsaid = read_questions(json.dumps({"questions": [GOOD], "unsaid": UNSAID}), "m1", CHUNK)
    assert (said.message, said.passage, said.right) == (CHUNK[0].key, PASSAGE, "A")
    assert said.choices == ("This.", "That.", "It.", "All.")
    assert (unsaid.message, unsaid.passage, unsaid.right) == ("", "", "E")
    assert said.seed != unsaid.seed


@pytest.mark.parametrize(
    "fault",
    [
        {"passage": "Nobody has ever said that."},
        {"passage": ""},
        {"wrong": ["That.", "It."]},
        {"wrong": ["That.", "It.", "This."]},
        {"wrong": "That."},
        {"right": ""},
        {"question": None},
    ],
)
def test_a_question_that_cannot_be_proved_or_asked_is_dropped(fault: dict[str, object]) -> None:
    assert read(GOOD | fault) == [UNSAID["question"]]


def test_a_question_that_names_nothing_of_its_chunk_is_dropped() -> None:
    for asked in ("What did the person wish for good?", "What of it?"):
        assert read(GOOD | {"question": asked}) == [UNSAID["question"]]


def test_what_stands_around_the_questions_does_no_harm_and_no_more_than_three_are_taken() -> None:
    several = [GOOD | {"question": f"What of message 0 on day {number}?"} for number in range(5)]
    assert len(read(*several, lead="Here they are: [1] ")) == 4
    assert read(GOOD, "no question", unsaid=None) == ["What of message 0?"]
    assert read_questions("I would rather not.", "m1", CHUNK) == ()


def test_a_finished_chat_is_what_typingmind_sends() -> None:
    memory, tail = memory_of(1, CHUNK), [entry.message for entry in entries(TALK)[2:4]]
    turns = finished_chat("You are Ada.", "opening", [memory], "closing", tail)
    assert [turn.role for turn in turns[:2]] == ["system", "user"]
    assert [turn.content for turn in turns] == [
        "You are Ada.",
        "opening",
        *memory.edition.texts,
        "closing",
        *(message.text for message in tail),
    ]
    assert [turn.ends_prefix for turn in turns] == [False] * (len(turns) - 1) + [True]


def test_a_tail_that_begins_with_the_persona_has_a_turn_of_the_person_before_it() -> None:
    turns = finished_chat("", "", (), "", [entry.message for entry in entries(TALK)[1:3]])
    assert [turn.role for turn in turns][:2] == ["user", "assistant"]


def test_what_was_missed_is_named_in_the_words_that_were_said() -> None:
    questions = read_questions(json.dumps({"questions": [GOOD]}), "m1", CHUNK)
    assert f'- "{PASSAGE}"' in describe_missed_points(questions)
