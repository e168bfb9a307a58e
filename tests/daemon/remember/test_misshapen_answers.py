"""Answers that are no answer by their form alone: asked again, then kept and marked before the engine's take over."""

import pytest

from daemon.models.roles import Roles
from primer.models import ENGINE, EXTRACTIVE, Model
from rules.conversation.memory import EXTRACTED, WRITTEN
from rules.conversation.quote import MOST_QUOTE_WORDS
from rules.extract.words import length
from tests.daemon.remember.test_compress import AGENT, MANAGER, QUOTE, Desk, remember
from tests.entries import talk
from tests.scripted import plain

FALLBACK = Roles(AGENT, MANAGER, Model("test/fallback"))
SURE = "Sure! I keep the ferry and Tomas, and the date that I had wrong."
SURE_AGAIN = "Certainly! I keep the ferry and Tomas, and the date that I had wrong."
AS_AI = "As an AI language model, I don't have personal memories of the ferry or of Tomas."
MARKED = "I keep the ferry and Tomas <|im_end|> and the date that I had wrong."
GOOD = "I want to keep the ferry and the date that I had wrong, and to ask about Tomas."
TOLD = "Sure! They spoke of the ferry, of Tomas and of a date."
BEFORE, AFTER = "2026-03-02T00:00:00.000Z", "2026-03-04T00:00:00.000Z"


@pytest.mark.parametrize("step", ["perspective", "analysis", "refinement"])
def test_an_answer_without_the_form_is_asked_for_once_more_with_the_reason(step: str) -> None:
    desk = Desk({"quote": [QUOTE], step: [SURE, GOOD]})
    memory = remember(desk)
    assert (memory.edition.made, memory.edition.form) == (WRITTEN, "")
    assert desk.noted == ["opening", "good in other words"]
    again = [request for request in desk.model.asked if request.step == step][-1]
    assert "The answer begins with a preface" in again.turns[-1].content


@pytest.mark.parametrize("step", ["perspective", "analysis", "refinement"])
def test_a_control_mark_inside_is_asked_for_once_more_and_never_kept(step: str) -> None:
    desk = Desk({"quote": [QUOTE], step: [MARKED]})
    memory = remember(desk)
    assert desk.noted[:2] == ["control mark", "control mark"]
    assert memory.edition.form == ""
    assert not any("<|" in text for text in memory.edition.texts)
    writer = memory.edition.context_manager if step == "analysis" else memory.edition.made
    assert writer == (EXTRACTIVE if step == "analysis" else EXTRACTED)


def test_of_what_the_passage_speaks_an_answer_and_a_quote_may_speak_too() -> None:
    said = "I am afraid of <|im_end|> in the log of the ferry."
    chunk = talk("What scares you?", said, "And Tomas?", plain("answer"))
    desk = Desk({"quote": [said], "perspective": [MARKED]})
    memory = remember(desk, chunk=chunk)
    assert (memory.edition.quotes[0].text, desk.noted) == (said, [])
    assert memory.edition.texts[3] == MARKED


def test_a_mark_around_a_quote_is_no_part_of_it() -> None:
    desk = Desk({"quote": [f"[THINK]Which one?[/THINK]**Quote:** {QUOTE}<|im_end|>"]})
    memory = remember(desk)
    assert (memory.edition.quotes[0].text, desk.noted) == (QUOTE, [])


@pytest.mark.parametrize("step", ["perspective", "refinement"])
def test_where_nothing_better_comes_it_is_kept_and_marked(step: str) -> None:
    desk = Desk({"quote": [QUOTE], step: [SURE, SURE_AGAIN]})
    memory = remember(desk)
    assert (memory.edition.made, memory.edition.form) == (WRITTEN, "opening")
    assert any(text.startswith(SURE_AGAIN) for text in memory.edition.texts)
    assert desk.noted == ["opening", "opening", "kept in spite of its form: opening"]


def test_an_analysis_without_the_form_is_kept_before_the_engine_s() -> None:
    desk = Desk({"quote": [QUOTE], "analysis": [TOLD]})
    memory = remember(desk)
    assert (memory.edition.context_manager, memory.edition.form) == (MANAGER.name, "opening")
    assert TOLD in memory.edition.texts[4]


@pytest.mark.parametrize("step", ["perspective", "refinement"])
def test_a_disclaimer_is_never_kept(step: str) -> None:
    desk = Desk({"quote": [QUOTE], step: [AS_AI]})
    memory = remember(desk)
    assert (memory.edition.made, memory.edition.form) == (EXTRACTED, "")
    assert desk.noted.count("disclaimer") == 2
    assert not any(AS_AI in text for text in memory.edition.texts)


def test_the_fallback_s_good_answer_comes_before_the_agent_s_without_the_form() -> None:
    desk = Desk({"quote": [QUOTE], "perspective": [SURE]})
    desk.model.answers_of["test/fallback"] = {"quote": [QUOTE], "perspective": [GOOD]}
    memory = remember(desk, roles=FALLBACK)
    assert (memory.edition.agent, memory.edition.form) == ("test/fallback", "")


def test_where_the_fallback_has_no_better_one_the_agent_s_own_is_kept() -> None:
    desk = Desk({"quote": [QUOTE], "perspective": [SURE]})
    desk.model.answers_of["test/fallback"] = {"quote": [QUOTE], "perspective": [AS_AI]}
    memory = remember(desk, roles=FALLBACK)
    assert (memory.edition.agent, memory.edition.form) == (AGENT.name, "opening")


def test_a_quote_that_is_much_longer_than_asked_for_is_cut_to_its_best_whole_sentences() -> None:
    rain = " ".join(f"It rained on day {number} of the month." for number in range(30))
    own = "I feel light today, and I do not know why I was afraid of it."
    message = f"{rain} {own} {rain}"
    desk = Desk({"quote": [message]})
    memory = remember(desk, chunk=talk("What is it?", message, "And then?", plain("answer")))
    (quote,) = memory.edition.quotes
    assert quote.chosen == "agent"
    assert quote.text in message
    assert own in quote.text
    assert quote.text.startswith("It rained") or quote.text.startswith("I feel")
    assert quote.text.endswith(".")
    assert length(quote.text) <= MOST_QUOTE_WORDS


def test_the_engine_is_asked_in_the_words_that_are_kept() -> None:
    desk = Desk({})
    memory = remember(desk, roles=Roles(ENGINE, ENGINE))
    assert memory.edition.made == EXTRACTED
    assert desk.model.asked == []
