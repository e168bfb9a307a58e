"""Faults come as often as asked for, where asked for, and the same way each time."""

import json
from dataclasses import replace
from typing import Any

import pytest

from rules.conversation.quote import NotVerbatim, find_quote
from tests.server.asking import (
    CHUNK,
    TOLD,
    TOOLS,
    asking_analysis,
    asking_core,
    asking_facts,
    asking_perspective,
    asking_quote,
    asking_refinement,
)
from tests.server.editing import APPEND
from tests.server.exchange import length
from tests.server.faults import NAMES, Faulty
from tests.server.outages import OUTAGES
from tests.server.passage import words
from tests.server.reply import Answer, Drop, Failure, Hang, Malformed
from tests.server.request import Request, Turn
from tests.server.scribe import scribe
from tests.server.spoil import SPOILS
from tests.server.step import read_task
from tests.server.tokens import count


def request_of(said: list[dict[str, Any]], salt: str = "") -> Request:
    turns = tuple(Turn(message["role"], message["content"]) for message in said)
    return Request("openai", "m" + salt, turns, 400, False, {}, number=1, attempt=1)


QUOTE = request_of(asking_quote())
PERSPECTIVE = request_of(asking_perspective(TOLD[5]))
REFINEMENT = request_of(asking_refinement(TOLD[5], "I see.", "It goes so."))


def spoilt(name: str, request: Request) -> Answer:
    reply = Faulty(at={1: name})(request)
    assert isinstance(reply, Answer)
    return reply


def edits_of(answer: Answer) -> list[tuple[str, Any]]:
    """The edits that an answer makes, as its calls or as its JSON."""
    if answer.calls:
        return [(call.name, call.parsed()) for call in answer.calls]
    listed = json.loads(answer.text.removeprefix("```json\n").removesuffix("\n```"))
    return [(one["function"], one["arguments"]) for one in listed]


def test_a_fabricated_quote_is_nobodys() -> None:
    assert isinstance(find_quote(spoilt("fabricated", QUOTE).text, CHUNK), NotVerbatim)


def test_cut_off_is_a_part_and_refused_is_nothing() -> None:
    whole = scribe(PERSPECTIVE).text
    part = spoilt("cut off", PERSPECTIVE)
    assert whole.startswith(part.text)
    assert 0 < len(part.text) < len(whole)
    assert part.ending == "cut off"
    assert spoilt("refused", PERSPECTIVE) == Answer("", "refused")
    assert spoilt("empty", PERSPECTIVE) == Answer("")


def test_thinking_comes_beside_the_answer() -> None:
    answer = spoilt("thinking", PERSPECTIVE)
    assert answer.text == scribe(PERSPECTIVE).text
    assert answer.thinking


def test_tags_can_be_forged_and_questions_said_back() -> None:
    assert "</context_manager>\n<system>" in spoilt("forged tags", PERSPECTIVE).text
    assert spoilt("restated", PERSPECTIVE).text == read_task(PERSPECTIVE).question


def test_the_wrong_language_is_another_one() -> None:
    text = spoilt("wrong language", PERSPECTIVE).text
    assert not any("a" <= character <= "z" for character in text.lower())


def test_a_refinement_can_be_too_short_or_longer_than_its_passage() -> None:
    assert words(spoilt("too short", REFINEMENT).text) == 1
    roomy = replace(REFINEMENT, max_tokens=4000)
    assert words(spoilt("too long", roomy).text) > words(" ".join(TOLD))
    assert count(spoilt("too long", replace(REFINEMENT, max_tokens=100)).text) in (98, 99)


def test_edits_of_the_core_memory_go_wrong_by_calls_and_in_json() -> None:
    core = request_of(asking_core())
    for request in (
        core,
        replace(core, body={"tools": TOOLS}),
        replace(core, body={"tools": TOOLS}, dialect="ollama"),
    ):
        assert edits_of(spoilt("unknown section", request)) == [
            (APPEND, {"name": "weather", "content": "It rains."})
        ]
        ((function, arguments),) = edits_of(spoilt("over the limit", request))
        assert (function, len(arguments["content"]) > 2000) == (APPEND, True)
        assert length(spoilt("over the limit", request)) <= 400
        ((_, arguments),) = edits_of(spoilt("text not found", request))
        assert arguments["old_content"] not in request.turns[-1].text
        assert edits_of(spoilt("unknown function", request)) == [
            ("core_memory_erase", {"name": "human"})
        ]
        assert (spoilt("nonsense", request).text[:5], spoilt("nonsense", request).calls) == (
            "Seven",
            (),
        )


def test_arguments_are_wrong_in_two_ways() -> None:
    ways = set()
    for salt in range(20):
        request = request_of(asking_core(), str(salt))
        offered = replace(request, body={"tools": TOOLS})
        ways |= {wrong_in(request), wrong_in(offered)}
        assert wrong_in(replace(offered, dialect="anthropic")) == "no texts"
    assert ways == {"no texts", "no JSON"}


def wrong_in(request: Request) -> str:
    """What is wrong with the arguments of the request's answer."""
    try:
        ((_, arguments),) = edits_of(spoilt("wrong arguments", request))
    except json.JSONDecodeError:
        return "no JSON"
    return "" if any(isinstance(value, str) for value in arguments.values()) else "no texts"


def test_facts_are_answered_with_invented_ids_and_all_erased() -> None:
    request = request_of(asking_facts(["Ada likes tea.", "Ada is 36."]))
    invented = json.loads(spoilt("invented ids", request).text)["memory"]
    assert {one["event"] for one in invented} == {"UPDATE", "DELETE"}
    assert not {one["id"] for one in invented} & {"0", "1"}
    erased = json.loads(spoilt("erases all", request).text)["memory"]
    assert [(one["event"], one["id"], one["text"]) for one in erased] == [
        ("DELETE", "0", "Ada likes tea."),
        ("DELETE", "1", "Ada is 36."),
    ]
    assert json.loads(spoilt("erases all", request_of(asking_facts())).text) == {"memory": []}


def test_an_answer_without_words_has_no_calls_either() -> None:
    core = replace(request_of(asking_core()), body={"tools": TOOLS})
    assert spoilt("empty", core) == Answer("")
    assert spoilt("refused", core) == Answer("", "refused")
    assert spoilt("cut off", core) == Answer("", "cut off")


def test_every_fault_can_be_had_by_the_number_of_the_call() -> None:
    for name in NAMES:
        reply = Faulty(at={1: name})(QUOTE)
        assert reply != scribe(QUOTE)
        assert Faulty(at={2: name})(QUOTE) == scribe(QUOTE)
        kind = {"hang": Hang, "drop": Drop, "malformed": Malformed, "slow": Answer}.get(
            name, Failure
        )
        assert isinstance(reply, Answer if name in SPOILS else kind)


def test_an_unknown_fault_is_named() -> None:
    with pytest.raises(ValueError, match="hicups"):
        Faulty(rates={"hicups": 0.5})


@pytest.mark.full
def test_rates_are_met() -> None:
    script = Faulty(rates={"fabricated": 0.3, "empty": 0.1, "refused": 0.05}, seed=4)
    replies = [script(request_of(asking_quote(), str(salt))) for salt in range(1000)]
    texts = [
        reply.text for reply in replies if isinstance(reply, Answer) and reply.ending == "ended"
    ]
    assert 250 <= sum(text.startswith("Seven violet") for text in texts) <= 350
    assert 70 <= texts.count("") <= 130
    assert 30 <= 1000 - len(texts) <= 70


def test_a_fault_of_one_step_spares_the_others() -> None:
    script = Faulty(rates={"fabricated": 1.0})
    assert script(request_of(asking_analysis())) == scribe(request_of(asking_analysis()))
    assert script(QUOTE) != scribe(QUOTE)


def test_an_answer_stays_as_it_is_and_the_way_there_is_drawn_anew() -> None:
    bad = Faulty(rates={"empty": 0.5})
    for salt in range(20):
        request = request_of(asking_analysis(), str(salt))
        assert {
            bad(replace(request, attempt=attempt, number=attempt)) for attempt in range(1, 9)
        } == {bad(request)}
    shaky = Faulty(rates={name: 0.9 / len(OUTAGES) for name in OUTAGES})
    replies = [shaky(replace(QUOTE, attempt=attempt)) for attempt in range(1, 200)]
    assert scribe(QUOTE) in replies
    assert len(set(replies)) == len(OUTAGES) + 1
