"""The cache key of a request, under which journals keep its reply."""

import hashlib
import json

import pytest

from primer.models import ENGINE, Model
from primer.prompt import ToolCall, Turn
from primer.reply import Request

TURNS = (
    Turn("system", "You are Aria."),
    Turn("user", 'Zoë said: "so"\n', ends_prefix=True),
    Turn("assistant", "", calls=(ToolCall("c1", "note", '{"text": "sea"}'),)),
    Turn("tool", "done", answers="c1"),
)


@pytest.mark.parametrize("model", [Model("test/agent", {"top_p": 1, "api_key": "s"}), ENGINE])
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
        request = Request("perspective", ENGINE, turns, 9)
        content = json.dumps([ENGINE.name, request.messages, request.parameters], sort_keys=True)
        assert request.key == hashlib.sha256(content.encode()).hexdigest()
