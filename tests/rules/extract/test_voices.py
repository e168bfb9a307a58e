"""Whose words a line is: the persona's own, or drafted, quoted and set in order."""

import pytest

from rules.extract.answers import pick_quote, write_perspective
from rules.extract.prose import Said, of_message
from tests.rules.extract.refining import refinement

ASKED = Said("user", "Can you help me with the letter to the landlord, due on 4 May?", "2026-05-01")
LINE = "I have lived here for nine years."
OWN = "I was uneasy while I wrote this, and I would leave out the second threat."


def own_lines(text: str) -> list[str]:
    return [sentence.text for sentence in of_message("assistant", text) if sentence.own]


DRAFTS = {
    "behind a colon that announces it": f"Here is a draft of the letter:\n\n{LINE}\n\n---\n\n{OWN}",
    "with a greeting": f"Dear Ms. Okafor,\n\n{LINE}\n\nSincerely,\nDarya\n\n{OWN}",
    "with a subject": f"Subject: Heat\n\n{LINE}\n\nBest regards,\n[Your Name]\n\n{OWN}",
    "between quotation marks": f"You could say:\n\n“{LINE}”\n\n{OWN}",
    "in a block quotation": f"This could be the heart of it:\n\n> {LINE}\n\n{OWN}",
    "in a fence": f"A template:\n\n```\n{LINE}\n```\n\n{OWN}",
    "under a heading": f"### Sample letter\n\n{LINE}\n\n***\n\n{OWN}",
    "behind a label": f"Example: {LINE}\n\n{OWN}",
}


@pytest.mark.parametrize("kind", DRAFTS)
def test_what_was_drafted_for_the_person_is_never_the_personas_own(kind: str) -> None:
    assert own_lines(DRAFTS[kind]) == [OWN]


@pytest.mark.parametrize("kind", DRAFTS)
def test_no_answer_gives_a_draft_to_the_persona(kind: str) -> None:
    passage = [ASKED, Said("assistant", DRAFTS[kind], "2026-05-01")]
    for answer in (pick_quote, write_perspective, refinement):
        assert "nine years" not in answer(passage, 60)


@pytest.mark.parametrize(
    "text",
    [
        "Hier ist ein Entwurf:\n\nIch wohne seit neun Jahren hier.",
        "Voici un brouillon :\n\nJ'habite ici depuis neuf ans.",
        "Aquí tienes un borrador:\n\nVivo aquí desde hace nueve años.",
        "Вот черновик:\n\nЯ живу здесь девять лет.",
        "下書きです：\n\n私はここに九年住んでいます。",
        "以下是草稿：\n\n我在这里住了九年。",
    ],
)
def test_drafts_are_known_in_many_languages(text: str) -> None:
    assert own_lines(text) == []


@pytest.mark.parametrize(
    "text",
    [
        'I said "wait for the rain, and I will never go.',
        "“I will never go back to the mill.",
        "I remember that you said „warte auf mich.",
    ],
)
def test_a_sentence_with_an_unclosed_quotation_mark_is_never_kept(text: str) -> None:
    passage = [ASKED, Said("assistant", f"{text}\n\n{OWN}", "2026-05-01")]
    for answer in (pick_quote, write_perspective, refinement):
        assert text.split()[-1] not in answer(passage, 60)


def test_inches_open_no_quotation() -> None:
    assert own_lines('I measured 24" of snow at the door.') == [
        'I measured 24" of snow at the door.'
    ]


def test_a_quotation_within_a_sentence_leaves_it_the_personas() -> None:
    line = "I keep thinking of the word “harbour” that you chose."
    assert own_lines(line) == [line]


@pytest.mark.parametrize(
    "line", ["- Store it in a cool place", "Storage: cool and dry.", "| 4 | 12 |"]
)
def test_items_labels_and_rows_are_no_running_text(line: str) -> None:
    assert own_lines(f"{OWN}\n\n{line}\n\n{line}") == [OWN]


def voice_of(line: str, text: str) -> str:
    return next(piece.voice for piece in of_message("assistant", text) if piece.text == line)


@pytest.mark.parametrize(
    "text",
    [
        f"Here are some tips to improve your letter:\n\n### 1. Begin\n\n{LINE}",
        f"Your letter can be shorter:\n\n### Tips for the letter\n\n{LINE}",
        f"### Example weekly schedule\n\n- **Monday**: rest.\n\n{LINE}",
        f"### Sample letter\n\nI write to you.\n\n### What to add\n\n{LINE}",
        f"Now rewrite it as a square:\n\n\\[ x^2 = 9 \\]\n\n### Check\n\n{LINE}",
    ],
)
def test_steps_towards_a_text_and_plans_are_no_drafts(text: str) -> None:
    assert voice_of(LINE, text) != "other"


@pytest.mark.parametrize(
    "text",
    [
        f"Here is a revised version of your letter:\n\n### Heat\n\n{LINE}",
        f"Some tips and a letter:\n\n{LINE}",
        f"### Sample letter\n\nI write to you.\n\n#### Heat\n\n{LINE}",
        f"### Sample letter\n\nI write to you.\n\n### Conclusion\n\n{LINE}",
        f"### Example email to schedule the repair\n\n{LINE}",
    ],
)
def test_a_draft_goes_on_through_its_own_headings(text: str) -> None:
    assert voice_of(LINE, text) == "other"


def test_behind_a_draft_that_a_heading_ended_nothing_is_the_personas_own() -> None:
    text = f"### Sample letter\n\nI write to you.\n\n### What to add\n\n{LINE}"
    assert own_lines(text) == []


def test_a_letter_that_nothing_ends_reaches_to_the_end_of_its_message() -> None:
    letter = of_message("assistant", "Dear Ms. Okafor,\n\n" + "I wait for you.\n" * 900)
    assert len(letter) > 900
    assert not any(sentence.own for sentence in letter)
