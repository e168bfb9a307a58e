"""Brackets around several sentences."""

import pytest

from rules.extract.brackets import is_left_open, without_lone_brackets
from rules.extract.prose import PERSONA, of_message
from rules.extract.sentences import TextPiece


def trimmed(sentence: str) -> str:
    text = f"...{sentence}..."
    piece = without_lone_brackets(text, TextPiece(3, 3 + len(sentence), prose=True))
    return text[piece.start : piece.stop]


@pytest.mark.parametrize(
    ("sentence", "rest"),
    [
        ("(I have kept it.", "I have kept it."),
        ("It lies by the door.)", "It lies by the door."),
        ("((I have kept it.", "I have kept it."),
        ("（我记得。", "我记得。"),
        ("(I came home (late) and slept.", "I came home (late) and slept."),
        ("(All of it is in brackets.)", "(All of it is in brackets.)"),
        ("It is here (by the door).", "It is here (by the door)."),
        ("It is here :)", "It is here :)"),
        ("a) By the door.", "a) By the door."),
        ("(", ""),
        ("", ""),
    ],
)
def test_a_bracket_without_a_partner_is_taken_from_the_ends_of_a_sentence(
    sentence: str, rest: str
) -> None:
    assert trimmed(sentence) == rest


@pytest.mark.parametrize("sentence", ["I saw it (as you said.", "I see (well, a bit"])
def test_a_bracket_that_opens_within_a_sentence_is_left_open(sentence: str) -> None:
    assert is_left_open(sentence)


@pytest.mark.parametrize(
    "sentence", ["I call `print(` here.", "I am sad :(", "a) By the door.", "It is f(x)."]
)
def test_signs_numbers_of_items_and_code_leave_no_bracket_open(sentence: str) -> None:
    assert not is_left_open(sentence)


def test_sentences_in_one_pair_of_brackets_are_kept_without_it() -> None:
    said = of_message(PERSONA, "I went home. (I have pressed a fern. I keep it by the door.) Good.")
    assert [sentence.text for sentence in said] == [
        "I went home.",
        "I have pressed a fern.",
        "I keep it by the door.",
        "Good.",
    ]
    assert not any(sentence.is_broken for sentence in said)


def test_a_sentence_that_leaves_a_bracket_open_is_one_with_the_next() -> None:
    (both,) = of_message(PERSONA, "I went home (it was late. I slept at once.)")
    assert not both.is_broken
    (alone,) = of_message(PERSONA, "I went home (it was late.")
    assert alone.is_broken
