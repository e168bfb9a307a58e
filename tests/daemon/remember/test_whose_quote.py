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
