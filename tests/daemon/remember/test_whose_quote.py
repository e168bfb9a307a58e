"""A memory that quotes the person says so, and keeps the words themselves bare."""

from rules.conversation.memory import EXTRACTED
from tests.daemon.remember.test_compress import CHUNK, QUOTE, Desk, remember
from tests.entries import talk

ASKED = CHUNK[0].message.words
GERMAN = talk(
    "Ich habe gestern meine Schwester besucht, und wir haben lange über das Haus gesprochen.",
    "Das freut mich. Was habt ihr über das Haus gesagt, und wie geht es deiner Schwester?",
)


def test_words_of_the_person_stand_behind_a_lead_and_are_kept_bare() -> None:
    memory = remember(Desk({"quote": [ASKED]}))
    (quote,) = memory.edition.quotes
    assert (quote.text, quote.lead) == (ASKED, "You said: ")
    assert memory.edition.texts[1] == f"You said: {ASKED}"


def test_words_of_the_persona_have_no_lead() -> None:
    memory = remember(Desk({"quote": [QUOTE]}))
    (quote,) = memory.edition.quotes
    assert (quote.text, quote.lead) == (QUOTE, "")
    assert memory.edition.texts[1] == QUOTE


def test_the_lead_is_in_the_language_of_the_conversation() -> None:
    asked = GERMAN[0].message.words
    memory = remember(Desk({"quote": [asked]}), chunk=GERMAN)
    assert memory.edition.texts[1] == f"Du hast gesagt: {asked}"


def test_an_agent_that_is_asked_on_sees_the_words_that_it_has_quoted_and_no_lead() -> None:
    desk = Desk({"quote": [ASKED]})
    remember(desk)
    shown = [turn.content for turn in desk.model.asked[-1].turns]
    assert ASKED in shown
    assert not any("You said: " in text for text in shown)


def test_where_only_the_person_has_said_anything_the_engine_frames_what_it_quotes() -> None:
    chunk = talk(ASKED, "```\nx = 1\n```")
    memory = remember(Desk({}), chunk=chunk, tokens=100)
    assert memory.edition.made == EXTRACTED
    assert memory.edition.texts[1].startswith("You said: ")
    assert memory.edition.quotes[0].text in ASKED


DRAFT = "I have been a loyal member since 2019."
OWN = "I would keep it short and leave the fee for the end."
TALK = talk(
    "Can you help me write to the club?",
    f"{OWN}\n\nHere is a draft:\n\nDear Ms Ott,\n\n{DRAFT}\n\nKind regards,\nJo",
    "Thank you, that is what I wanted to say.",
    "I am glad. Tell me what they answer.",
)


def test_a_line_of_a_draft_is_asked_for_again_and_then_the_engine_chooses() -> None:
    asked_again = Desk({"quote": [DRAFT, OWN]})
    assert remember(asked_again, chunk=TALK).edition.quotes[0].text == OWN
    assert asked_again.noted == ["drafted", "good in other words"]
    quote = remember(Desk({"quote": [DRAFT]}), chunk=TALK).edition.quotes[0]
    assert quote.chosen == "engine"
    assert quote.text != DRAFT


def test_one_word_is_no_quote_where_there_are_sentences() -> None:
    desk = Desk({"quote": ["Good.", OWN]})
    chunk = talk("Good.", OWN, "Good.", "I am glad. Tell me what they answer.")
    assert remember(desk, chunk=chunk).edition.quotes[0].text == OWN
    assert desk.noted == ["short quote", "good in other words"]


def test_a_tag_of_ours_around_a_quote_is_taken_off_before_it_is_looked_for() -> None:
    desk = Desk({"quote": [f'<to_remember date="2026-03-02">\n{QUOTE}\n</to_remember>']})
    assert remember(desk).edition.quotes[0].text == QUOTE
    assert desk.noted == []
