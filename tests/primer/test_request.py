"""The cache key of a request, under which journals keep its reply."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from primer.models import Model
from primer.prompt import ToolCall, Turn, question
from primer.reply import Request
from primer.wording import wrap

AGENT = Model("test/agent")
TURNS = (
    Turn("system", "You are Aria."),
    Turn("user", 'Zoë said: "so"\n', ends_prefix=True),
    Turn("assistant", "", calls=(ToolCall("c1", "note", '{"text": "sea"}'),)),
    Turn("tool", "done", answers="c1"),
)


@pytest.mark.parametrize("model", [AGENT, Model("test/agent", {"top_p": 1, "api_key": "s"})])
@pytest.mark.parametrize("turns", [TURNS, ()])
def test_the_key_is_the_digest_of_the_whole_request(model: Model, turns: tuple[Turn, ...]) -> None:
    request = Request("core", model, turns, 9)
    content = json.dumps([model.name, request.messages, request.parameters], sort_keys=True)
    assert request.key == hashlib.sha256(content.encode()).hexdigest()


def test_requests_that_begin_alike_have_the_key_of_their_own_turns() -> None:
    asked = [
        (*TURNS[:2], Turn("user", "And?")),
        (*TURNS[:2], Turn("assistant", "Yes."), Turn("user", "And?")),
        (Turn("system", "You are Ben."), TURNS[1], Turn("user", "And?")),
    ]
    for turns in (*asked, *asked):
        request = Request("perspective", AGENT, turns, 9)
        content = json.dumps([AGENT.name, request.messages, request.parameters], sort_keys=True)
        assert request.key == hashlib.sha256(content.encode()).hexdigest()


def test_a_request_is_sent_with_the_persons_days_and_known_by_those_of_utc() -> None:
    tag = wrap(
        "to_remember", "Good night.", role="user", date="2025-12-30T05:30:00.000Z", message="1"
    )
    asked = question("Memory 3, 30 December 2025. A direct quote?")
    turns = (Turn("user", tag), Turn("user", 'I said date="2025-12-30T05:30:00.000Z".'), asked)
    title = ("Memory 3, 30 December 2025", "Memory 3, 29 December 2025")
    request = Request("quote", AGENT, turns, 9, title=title)
    known = replace(request, title=("", ""))
    sent = request.sent_in(ZoneInfo("America/Los_Angeles"))
    passage, said, question_sent = (turn.content for turn in sent.turns)
    assert passage == tag.replace("2025-12-30T05:30:00.000Z", "2025-12-29T21:30:00-08:00")
    assert said == turns[1].content
    assert question_sent == asked.content.replace("30 December", "29 December")
    assert request.key == known.key
    assert known.sent_in(UTC) == known


def test_the_first_moment_of_1970_is_never_sent_as_a_date() -> None:
    tag = wrap(
        "to_remember", "Hm.", date="1970-01-01T00:00:00.000Z", until="1970-01-01T00:00:00.000Z"
    )
    request = Request("analysis", AGENT, (Turn("user", tag),), 9)
    (turn,) = request.sent_in(UTC).turns
    assert turn.content == "<to_remember>\nHm.\n</to_remember>"
