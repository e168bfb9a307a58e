"""The server refuses what the real ones refuse; asked over plain HTTP, since LiteLLM mends much of it."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.server.models import Model
from tests.server.reply import Answer
from tests.server.request import Request
from tests.server.server import ModelServer
from tests.server.setup import KEY, PLAIN, Setup

HELLO = {"role": "user", "content": "Hello."}
HEADERS = {"x-api-key": KEY, "anthropic-version": "2023-06-01", "authorization": f"Bearer {KEY}"}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def post(
    server: ModelServer, path: str, body: Any, headers: dict[str, str] | None = None
) -> httpx.Response:
    return httpx.post(
        server.url + path,
        json=body,
        headers=HEADERS if headers is None else headers,
        trust_env=False,
        verify=PLAIN,
    )


def message(
    server: ModelServer, *messages: Any, model: str = "claude-haiku-5-5", **fields: Any
) -> httpx.Response:
    return post(
        server, "/v1/messages", {"model": model, "max_tokens": 50, "messages": messages, **fields}
    )


def marked(text: str, **mark: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral", **mark}}


def test_a_plain_question_is_answered(server: ModelServer) -> None:
    answered = message(server, HELLO).json()
    assert answered["stop_reason"] == "end_turn"
    assert answered["content"][0]["text"]


@pytest.mark.parametrize(
    ("messages", "fields", "why"),
    [
        ([], {}, "at least one message"),
        ([{"role": "assistant", "content": "Hi."}, HELLO], {}, "first message"),
        ([HELLO, {"role": "assistant", "content": "I say:"}], {}, "prefill"),
        ([{"role": "system", "content": "Be kind."}], {}, "input should be 'user' or 'assistant'"),
        ([{"role": "user", "content": ""}], {}, "non-empty"),
        ([{"role": "user", "content": []}], {}, "non-empty"),
        ([{"role": "user", "content": [{"type": "text", "text": " "}]}], {}, "non-empty"),
        ([{"role": "user", "content": 7}], {}, "messages.0.content"),
        ([HELLO], {"temperature": 0.5}, "temperature"),
        ([HELLO], {"max_tokens": None}, "max_tokens"),
        ([HELLO], {"max_tokens": "many"}, "max_tokens"),
        ([HELLO], {"memory": True}, "extra inputs"),
        ([{"role": "user", "content": [marked(text) for text in "abcde"]}], {}, "at most 4"),
        ([{"role": "user", "content": [marked("a", ttl="1h")]}], {}, "five minutes"),
    ],
)
def test_anthropic_refuses_a_request_that_is_wrong(
    server: ModelServer, messages: list[Any], fields: dict[str, Any], why: str
) -> None:
    refused = message(server, *messages, **fields)
    assert refused.status_code == 400
    assert refused.json()["error"]["type"] == "invalid_request_error"
    assert why in refused.json()["error"]["message"]
    assert server.meter.bills == {}


def test_older_models_take_a_temperature_and_a_prefill(server: ModelServer) -> None:
    prefill = {"role": "assistant", "content": "I say:"}
    answered = message(server, HELLO, prefill, model="claude-sonnet-4-6", temperature=0.5)
    assert answered.status_code == 200


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions"])
def test_a_wrong_key_and_an_unknown_model_are_refused(server: ModelServer, path: str) -> None:
    body = {"model": "claude-haiku-5-5", "max_tokens": 5, "messages": [HELLO]}
    wrong = {**HEADERS, "x-api-key": "other", "authorization": "Bearer other"}
    assert post(server, path, body, wrong).status_code == 401
    assert post(server, path, {**body, "model": "claude-3-5-sonnet-20241022"}).status_code == 404
    assert server.meter.failures == {"401": 1, "404": 1}


def test_what_is_no_request_is_refused(server: ModelServer) -> None:
    assert post(server, "/v1/messages", [1]).status_code == 400
    assert post(server, "/v1/nothing", {}).status_code == 404
    without = {name: value for name, value in HEADERS.items() if name != "anthropic-version"}
    body = {"model": "claude-haiku-5-5", "max_tokens": 5, "messages": [HELLO]}
    assert "anthropic-version" in post(server, "/v1/messages", body, without).text
    assert server.meter.calls == 0


def test_count_tokens_agrees_with_the_bill_and_is_on_none(server: ModelServer) -> None:
    body = {"model": "claude-haiku-5-5", "messages": [HELLO], "system": "Be kind to everybody."}
    counted = post(server, "/v1/messages/count_tokens", body).json()["input_tokens"]
    assert server.meter.calls == 0
    usage = post(server, "/v1/messages", {**body, "max_tokens": 50}).json()["usage"]
    assert usage["input_tokens"] == counted == server.meter.usage.fresh


def test_another_way_of_thinking_reads_the_system_message_alone(server: ModelServer) -> None:
    system, talk = "Rye bread and water. " * 200, "A long talk about bread. " * 200
    asked = {"role": "user", "content": [marked(talk)]}
    first = message(server, asked, system=[marked(system)]).json()["usage"]
    other = message(server, asked, system=[marked(system)], thinking={"type": "disabled"}).json()[
        "usage"
    ]
    assert (
        first["cache_creation_input_tokens"]
        == other["cache_creation_input_tokens"] + other["cache_read_input_tokens"]
    )
    assert 0 < other["cache_read_input_tokens"] < first["cache_creation_input_tokens"]


def test_ollama_forgets_the_oldest_turns_without_a_word() -> None:
    seen: list[Request] = []

    def script(request: Request) -> Answer:
        seen.append(request)
        return Answer("Yes.")

    turns = [{"role": "system", "content": "Be kind."}] + [
        {"role": "user", "content": f"word {at} " * 10} for at in range(9)
    ]
    body = {"model": "small", "messages": turns, "stream": False}
    with ModelServer(Setup(script=script, models={"small": Model(window=100)})) as server:
        answered = post(server, "/api/chat", body).json()
    texts = [turn.text for turn in seen[0].turns]
    assert texts[0] == "Be kind."
    assert texts[1:] == [turn["content"] for turn in turns[1:]][-len(texts[1:]) :]
    assert 50 < answered["prompt_eval_count"] <= 100


def test_thinking_comes_first_and_takes_its_share_of_max_tokens() -> None:
    with ModelServer(
        Setup(script=lambda _: Answer("The answer in five words.", thinking="I wonder " * 10))
    ) as server:
        whole = message(server, HELLO).json()
        assert [block["type"] for block in whole["content"]] == ["thinking", "text"]
        cut = message(server, HELLO, max_tokens=22).json()
        assert cut["stop_reason"] == "max_tokens"
        assert cut["usage"]["output_tokens"] == 22
        assert [
            block["type"] for block in message(server, HELLO, max_tokens=7).json()["content"]
        ] == ["thinking"]


def test_a_refusal_has_no_content() -> None:
    with ModelServer(Setup(script=lambda _: Answer("", "refused"))) as server:
        refused = message(server, HELLO).json()
        assert (refused["stop_reason"], refused["content"]) == ("refusal", [])
        body = {"model": "gpt-4o", "messages": [HELLO]}
        choice = post(server, "/v1/chat/completions", body).json()["choices"][0]
        assert choice["finish_reason"] == "content_filter"


def test_a_script_that_breaks_is_told_when_the_server_closes() -> None:
    def script(request: Request) -> Answer:
        raise ZeroDivisionError("the script is wrong")

    server = ModelServer(Setup(script=script))
    with pytest.raises(httpx.HTTPError):
        message(server, HELLO)
    with pytest.raises(ZeroDivisionError):
        server.close()
