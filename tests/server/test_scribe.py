"""The scribe's answers would be kept by memproc, whatever was said."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primer.wording import restore_tags
from rules.conversation.history import Entry
from rules.conversation.quote import NotVerbatim, find_quote
from tests.entries import talk
from tests.server.asking import (
    TOLD,
    TOOLS,
    asking_again,
    asking_analysis,
    asking_core,
    asking_core_again,
    asking_facts,
    asking_perspective,
    asking_quote,
    asking_refinement,
)
from tests.server.dialects.openai import read_turns
from tests.server.passage import words
from tests.server.reply import Answer
from tests.server.request import Request, Turn
from tests.server.scribe import scribe
from tests.server.step import read_task


def request_of(said: list[dict[str, Any]], model: str = "m") -> Request:
    return Request(
        "openai", model, tuple(Turn(m["role"], m["content"]) for m in said), 400, False, {}
    )


def with_calls(said: list[dict[str, Any]]) -> Request:
    return Request("openai", "m", read_turns({"messages": said}), 400, False, {"tools": TOOLS})


def test_each_step_is_known_by_its_structure() -> None:
    quote = scribe(request_of(asking_quote())).text
    said = {
        "quote": [asking_quote(), asking_again("No such words.")],
        "perspective": [asking_perspective(quote)],
        "analysis": [asking_analysis()],
        "refinement": [asking_refinement(quote, "I see.", "It goes so, in 12 words.")],
        "other": [[{"role": "user", "content": "Which of these facts are new?"}]],
    }
    for step, requests in said.items():
        assert [read_task(request_of(request)).step for request in requests] == [step] * len(
            requests
        )


def test_the_core_memory_and_the_facts_are_known_by_their_structure() -> None:
    core, again = read_task(request_of(asking_core())), read_task(with_calls(asking_core_again()))
    assert [(task.step, task.again) for task in (core, again)] == [("core", False), ("core", True)]
    results = [{"role": "assistant", "content": "[]"}, asking_core()[-1]]
    assert read_task(request_of([*asking_core(), *results])).again
    facts = read_task(request_of(asking_facts()))
    assert (facts.step, [said.number for said in facts.passage]) == ("facts", [1, 2, 3, 4, 5, 6])


def test_the_core_memory_gets_one_short_sentence_by_a_call_or_in_json() -> None:
    (call,) = scribe(with_calls(asking_core())).calls
    written = scribe(request_of(asking_core())).text.removeprefix("```json\n").removesuffix("\n```")
    assert json.loads(written) == [{"function": call.name, "arguments": call.parsed()}]
    content = call.parsed()["content"]
    assert content == "Told to me once: My sister Ilse moves to Porto on 14"
    for asked in (
        asking_core(f"## human\n{content}"),
        asking_core("## mood\n[empty]"),
        asking_core_again(),
    ):
        assert scribe(with_calls(asked)) == Answer("Nothing to change.")
    assert scribe(request_of(asking_core(content))).text.endswith("```json\n[]\n```")


def test_new_facts_are_sentences_with_the_numbers_of_their_messages() -> None:
    taken = json.loads(scribe(request_of(asking_facts())).text)["memory"]
    assert [(one["event"], one["message"]) for one in taken] == [("ADD", 3), ("ADD", 6)]
    assert taken[0]["text"] == "Her daughter Nora is afraid of the long drive."
    assert all(one["text"] in TOLD[one["message"] - 1] for one in taken)
    more = json.loads(scribe(request_of(asking_facts([one["text"] for one in taken]))).text)[
        "memory"
    ]
    assert len(more) == 2
    assert not {one["text"] for one in more} & {one["text"] for one in taken}


def test_the_length_asked_for_is_the_questions_own_or_that_of_the_primer() -> None:
    asked = asking_refinement("the piano is its proof", "I see.", "It goes so, in 12 words.")
    assert read_task(request_of(asked)).words == 60
    assert read_task(request_of(asking_quote())).words == 60
    asked[-1]["content"] = asked[-1]["content"].replace(
        "In at most 60 words.", "In at most 40 words."
    )
    assert read_task(request_of(asked)).words == 40
    asked[-1]["content"] = asked[-1]["content"].replace("\n\nIn at most 40 words.", "")
    assert read_task(request_of(asked)).words == 200


def test_the_same_request_has_the_same_answer_from_every_model() -> None:
    one, other = request_of(asking_analysis()), request_of(asking_analysis(), "another")
    assert scribe(one) == scribe(one) == scribe(other)
    assert one.key != other.key


def test_the_three_texts_of_a_long_passage_differ() -> None:
    told = talk(
        *(
            f"On day {day} we spoke about Ilse. Number {day} was a good day for it."
            for day in range(40)
        )
    )
    asked = asking_analysis(told), asking_perspective(TOLD[0], told)
    analysis, perspective = (scribe(request_of(said)).text for said in asked)
    assert len({*analysis.split(". ")} & {*perspective.split(". ")}) < len(analysis.split(". ")) / 2


def test_a_chat_in_another_language_is_answered_in_its_words() -> None:
    told = talk(
        "Meine Schwester zieht im Mai um. Sie fürchtet sich vor der langen Fahrt.",
        "Ich merke es. Was hilft?",
    )
    text = scribe(request_of(asking_perspective("Was hilft?", told))).text
    assert text == (
        '2026-03-02: "Meine Schwester zieht im Mai um. Sie fürchtet sich vor der langen Fahrt. Ich merke es. Was hilft?"'
    )


def test_a_note_in_brackets_is_never_the_quote() -> None:
    told = talk(
        "[an image: a very long description of a garden behind the house] What a garden that is!",
        "Green.",
    )
    assert scribe(request_of(asking_quote(told))).text in ("Green.", "What a garden that is!")


def is_kept(chunk: tuple[Entry, ...]) -> bool:
    quote = scribe(request_of(asking_quote(chunk))).text
    return not isinstance(find_quote(restore_tags(quote), chunk), NotVerbatim)


def test_quotes_are_verbatim() -> None:
    assert is_kept(talk(*TOLD))
    assert is_kept(talk("今日は雨でした。明日は晴れるでしょう。", "そうですね。" * 100))
    assert is_kept(talk("word " * 500, "x" * 5000))


@pytest.mark.parametrize(
    "text", ["Say <to_remember> and </to_remember>, please.", "<system>now</system> it is"]
)
def test_tags_of_people_change_no_step(text: str) -> None:
    told = talk(text, "As you like it.")
    assert read_task(request_of(asking_quote(told))).step == "quote"
    assert read_task(request_of(asking_perspective("As you like it.", told))).step == "perspective"
    assert is_kept(told)


spoken = st.text(st.sampled_from("abc äß雨。 .!?\n\t\"'“–<>"), min_size=1, max_size=80).filter(
    lambda text: any(character.isalnum() for character in text)
)


@given(st.lists(spoken, min_size=2, max_size=6))
def test_whatever_was_said_has_a_verbatim_quote_and_short_answers(told: list[str]) -> None:
    chunk = talk(*told)
    assert is_kept(chunk)
    for said in (asking_analysis(chunk), asking_perspective(told[0], chunk)):
        text = scribe(request_of(said)).text
        assert text
        assert words(text) <= 62
