"""A question is asked in more words than its memory keeps, and says all that a usable answer needs."""

import pytest

from primer.prompt import pose_kept_question, question
from primer.wording import fill, lacking_clauses
from tests.server.asking import TEXTS

TITLE = "Memory 7, 15 March 2024: sneakers, festival."


def test_the_question_for_the_quote_is_asked_without_the_subject_and_says_what_to_copy() -> None:
    kept = question(f"{TITLE} {TEXTS.quote}").content
    asked = pose_kept_question(TEXTS, "quote", kept, 200)
    assert "Memory 7, 15 March 2024. A direct quote?" in asked
    assert "copied character for character, at most 60 words, nothing else." in asked
    assert "sneakers" not in asked


def test_an_analysis_in_the_question_stays_as_it_is() -> None:
    kept = question(fill(TEXTS.refinement, analysis="They met {words} times.\n\nTwice.")).content
    asked = pose_kept_question(TEXTS, "refinement", kept, 200)
    assert "They met {words} times.\n\nTwice." in asked
    assert "Write the memory that you want to keep, in the first person" in asked
    assert TEXTS.refinement.rpartition("\n")[2] not in asked


@pytest.mark.parametrize("text", ["Another question?", "Mine, in the person's words."])
def test_a_question_that_is_none_of_ours_is_asked_as_it_is(text: str) -> None:
    assert text in pose_kept_question(TEXTS, "perspective", question(text).content, 200)


def test_the_shipped_primer_lacks_nothing_and_an_empty_one_all() -> None:
    assert lacking_clauses(TEXTS.primer) == ()
    assert any("how long answers may be" in clause for clause in lacking_clauses("Remember."))
    assert any("to_remember" in clause for clause in lacking_clauses("Remember."))
