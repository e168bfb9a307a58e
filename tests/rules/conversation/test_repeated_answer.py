"""An answer that says the question back is none, and neither is one that was given before."""

import pytest

from rules.conversation.answer import is_repeated, is_restated

QUESTION = (
    "Please write down in your own words what these messages meant to you and why they should be kept, "
    "in one paragraph without a heading, and leave out whatever you have already said in an earlier memory."
)
GIVEN = "We walked along the harbour and talked about the lighthouse that her father had kept for thirty years."
ANSWER = "That evening she trusted me with the story of her father, and I have thought of the lamp ever since."


@pytest.mark.parametrize(
    "answer",
    [
        QUESTION,
        QUESTION.upper(),
        f"**{QUESTION}**",
        QUESTION[:120],
        QUESTION[-120:],
        f"Sure. {QUESTION}",
    ],
    ids=["whole", "in capitals", "in bold", "its beginning", "its end", "after a word"],
)
def test_a_question_said_back_is_no_answer(answer: str) -> None:
    assert is_restated(answer, QUESTION)


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER,
        f"{QUESTION[:60]} {ANSWER}",
        "",
        "...",
        " ".join(QUESTION.split()[::-1]),
        QUESTION[70:130],
    ],
    ids=[
        "an answer",
        "an answer behind it",
        "nothing",
        "no words",
        "its words in another order",
        "out of its middle",
    ],
)
def test_what_holds_more_or_other_than_the_question_is_no_restatement(answer: str) -> None:
    assert not is_restated(answer, QUESTION)


def test_a_fifth_of_other_words_is_still_little_else() -> None:
    words = QUESTION.split()
    assert is_restated(f"{QUESTION} {'indeed ' * (len(words) // 5)}", QUESTION)
    assert not is_restated(f"{QUESTION} {'indeed ' * (len(words) // 3)}", QUESTION)


def test_the_text_that_a_question_gives_may_be_said_again() -> None:
    question = f"{QUESTION}\n\n{GIVEN}\n\nShorten what stands above, and say nothing else besides the shortened text."
    assert not is_restated(GIVEN, question, GIVEN)
    assert is_restated(question, question, GIVEN)
    assert is_restated(
        f"{GIVEN} Shorten what stands above, and say nothing else besides the shortened text.",
        question,
    )
    assert is_restated(QUESTION, question, "a text that the question does not hold")


@pytest.mark.parametrize(
    "again",
    [
        ANSWER,
        ANSWER.upper(),
        f"> *{ANSWER}*",
        ANSWER.replace(" ", "\n"),
        ANSWER.replace(",", ";"),
        f"\u200b{ANSWER}",
    ],
    ids=[
        "the same",
        "in capitals",
        "as Markdown",
        "in many lines",
        "with other points",
        "with a mark nobody sees",
    ],
)
def test_the_same_words_are_the_same_answer(again: str) -> None:
    assert is_repeated(again, ANSWER)


@pytest.mark.parametrize(
    "other", ["", "...", ANSWER[:-6], f"{ANSWER} Yes.", " ".join(ANSWER.split()[::-1])]
)
def test_other_words_are_another_answer(other: str) -> None:
    assert not is_repeated(other, ANSWER)
    assert not is_repeated(other, other) or other not in ("", "...")


def test_underscores_and_wide_letters_are_how_words_are_written() -> None:
    assert is_repeated("_lighthouse_keeper_", "lighthouse keeper")
    assert is_repeated("\uff4c\uff41\uff4d\uff50", "lamp")
