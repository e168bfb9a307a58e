"""Tools as the real providers have them: called in every dialect, answered in order, and the beginning of a prompt."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.server.asking import TOOLS, ask, asking_analysis, asking_core, stream
from tests.server.exchange import length, within_room
from tests.server.reply import Answer, Call
from tests.server.request import Turn
from tests.server.server import ModelServer
from tests.server.setup import KEY, PLAIN, Setup
from tests.server.tokens import count

# LiteLLM's own slips with pydantic, which warns of them.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Accessing the 'model_"),
    pytest.mark.filterwarnings("ignore:Items? '.*' on TypedDict class"),
]
MODELS = ["anthropic/claude-haiku-5-5", "openai/gpt-4o", "ollama_chat/local-model"]
CALLS = (Call("core_memory_append", '{"name": "human", "content": "Ada."}'), Call("look", "{}"))
HEADERS = {"x-api-key": KEY, "anthropic-version": "2023-06-01", "authorization": f"Bearer {KEY}"}
HELLO = {"role": "user", "content": "Hello."}
LONG = "A long talk about rye bread and water. " * 400


@pytest.fixture
def calling() -> Iterator[ModelServer]:
    with ModelServer(Setup(script=lambda request: Answer("Let me see.", calls=CALLS))) as running:
        yield running


def post(server: ModelServer, path: str, body: dict[str, Any]) -> httpx.Response:
    return httpx.post(server.url + path, json=body, headers=HEADERS, trust_env=False, verify=PLAIN)


@pytest.mark.parametrize("model", MODELS)
def test_calls_arrive_whole_and_in_a_stream(calling: ModelServer, model: str) -> None:
    choice = ask(calling, model, asking_core(), tools=TOOLS).choices[0]
    assert (choice.finish_reason, choice.message.content) == ("tool_calls", "Let me see.")
    assert calls_in(choice.message.tool_calls) == [(call.name, call.parsed()) for call in CALLS]
    pieces = stream(calling, model, asking_core(), tools=TOOLS)
    deltas = [call for piece in pieces for call in piece.choices[0].delta.tool_calls or []]
    assert [call.function.name for call in deltas if call.function.name] == [
        call.name for call in CALLS
    ]
    assert pieces[-1].choices[0].finish_reason == "tool_calls"


def calls_in(found: list[Any]) -> list[tuple[str, Any]]:
    return [(call.function.name, Call("", call.function.arguments).parsed()) for call in found]


@pytest.mark.parametrize("model", MODELS)
def test_results_are_taken_counted_and_part_of_the_request(
    calling: ModelServer, model: str
) -> None:
    first = ask(calling, model, asking_core(), tools=TOOLS)
    made = first.choices[0].message.tool_calls
    said = [
        *asking_core(),
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [one.model_dump() for one in made],
        },
    ]
    results = [{"role": "tool", "tool_call_id": one.id, "content": "Done."} for one in made]
    second = ask(calling, model, [*said, *results], tools=TOOLS)
    assert second.usage.prompt_tokens > first.usage.prompt_tokens + count(
        "Let me see."
    ) + 2 * count("Done.")
    kinds = [turn.role for turn in calling.requests[1].turns[-4:]]
    assert kinds == ["call", "call", "result", "result"]
    assert calling.requests[1].turns[-1] == Turn("result", "Done.")
    assert calling.requests[1].key != calling.requests[0].key


@pytest.mark.parametrize("model", MODELS[:2])
def test_the_same_request_has_calls_of_the_same_name(calling: ModelServer, model: str) -> None:
    ids = {
        tuple(
            one.id
            for one in ask(calling, model, asking_core(), tools=TOOLS).choices[0].message.tool_calls
        )
        for _ in range(2)
    }
    assert len(ids) == 1
    assert len(set(*ids)) == 2


def test_other_tools_make_another_prompt_from_its_first_token_on(calling: ModelServer) -> None:
    said = [{"role": "user", "content": LONG}]
    others = [
        {
            **TOOLS[0],
            "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}},
        }
    ]
    read = [
        ask(calling, "openai/gpt-4o", said, tools=tools).usage.prompt_tokens_details.cached_tokens
        for tools in (TOOLS, TOOLS, others)
    ]
    assert read[0] == read[2] == 0 < read[1]


def test_anthropic_finds_nothing_behind_other_tools(calling: ModelServer) -> None:
    body = {
        "model": "claude-haiku-5-5",
        "max_tokens": 400,
        "system": [{"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}],
        "messages": [HELLO],
    }
    tool = {"name": "look", "input_schema": {"type": "object"}}
    usages = [
        post(calling, "/v1/messages", {**body, "tools": tools}).json()["usage"]
        for tools in ([tool], [tool], [{**tool, "description": "Looks."}], [])
    ]
    assert [bool(usage["cache_read_input_tokens"]) for usage in usages] == [
        False,
        True,
        False,
        False,
    ]


def test_calls_are_on_the_bill_and_stay_whole_when_room_runs_out() -> None:
    answer = Answer("Let me see.", calls=CALLS)
    assert within_room(answer, length(answer)) == answer
    assert within_room(answer, length(answer) - 1) == Answer(
        "Let me see.", "cut off", calls=CALLS[:1]
    )
    assert within_room(answer, 2).calls == ()


USE = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "Done."}
TEXT = {"type": "text", "text": "And now?"}
LOOK = [{"name": "look", "input_schema": {"type": "object"}}]


def says(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def calls(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


@pytest.mark.parametrize(
    ("messages", "tools", "why"),
    [
        ([HELLO, calls(USE), HELLO], LOOK, "immediately after"),
        ([HELLO, calls(USE), says(TEXT, RESULT)], LOOK, "immediately after"),
        ([HELLO, calls(USE), says(RESULT, RESULT)], LOOK, "single result"),
        ([HELLO, calls(TEXT), says(RESULT)], LOOK, "unexpected `tool_use_id`"),
        (
            [HELLO, calls(USE), says({**RESULT, "tool_use_id": "other"})],
            LOOK,
            "unexpected `tool_use_id`",
        ),
        ([HELLO, calls(USE), says(RESULT)], [], "must define tools"),
        ([says(USE)], LOOK, "only be in `assistant`"),
        ([HELLO, calls({**USE, "input": "{}"}), says(RESULT)], LOOK, "valid dictionary"),
        ([HELLO, calls({**USE, "id": "no id"}), says(RESULT)], LOOK, "ids must match"),
        ([HELLO], [*LOOK, *LOOK], "unique"),
        ([HELLO], [{"name": "look at", "input_schema": {"type": "object"}}], "must match"),
        ([HELLO], [{"name": "look"}], "input_schema"),
    ],
)
def test_anthropic_refuses_what_does_not_belong_together(
    calling: ModelServer, messages: list[Any], tools: list[Any], why: str
) -> None:
    body = {"model": "claude-haiku-5-5", "max_tokens": 50, "messages": messages, "tools": tools}
    refused = post(calling, "/v1/messages", body)
    assert (refused.status_code, why in refused.text) == (400, True)


def test_anthropic_takes_results_in_front_of_words_and_in_neighbouring_messages(
    calling: ModelServer,
) -> None:
    body = {"model": "claude-haiku-5-5", "max_tokens": 50, "tools": LOOK}
    for behind in (
        [says(RESULT, TEXT)],
        [says(RESULT), HELLO],
        [says({**RESULT, "content": [TEXT]})],
    ):
        talk = [HELLO, calls(TEXT, USE), *behind]
        assert post(calling, "/v1/messages", {**body, "messages": talk}).status_code == 200


CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
ASKS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
GIVES = {"role": "tool", "tool_call_id": "call_1", "content": "Done."}


@pytest.mark.parametrize(
    ("messages", "why"),
    [
        ([HELLO, ASKS], "must be followed"),
        ([HELLO, ASKS, HELLO], "must be followed"),
        ([HELLO, GIVES], "must be a response"),
        ([HELLO, ASKS, GIVES, GIVES], "must be a response"),
        (
            [
                HELLO,
                {**ASKS, "tool_calls": [{**CALL, "function": {"name": "look", "arguments": {}}}]},
                GIVES,
            ],
            "arguments",
        ),
        (
            [HELLO, {**ASKS, "tool_calls": [{"id": "call_1", "type": "function"}]}, GIVES],
            "a function is required",
        ),
        ([HELLO, {**ASKS, "tool_calls": [{**CALL, "type": "other"}]}, GIVES], "type"),
    ],
)
def test_openai_refuses_what_does_not_belong_together(
    calling: ModelServer, messages: list[Any], why: str
) -> None:
    refused = post(calling, "/v1/chat/completions", {"model": "gpt-4o", "messages": messages})
    assert (refused.status_code, why in refused.text) == (400, True)


def test_openai_takes_a_call_with_its_result_and_no_empty_tools(calling: ModelServer) -> None:
    body = {"model": "gpt-4o", "messages": [HELLO, ASKS, GIVES, HELLO]}
    assert post(calling, "/v1/chat/completions", body).status_code == 200
    assert "empty array" in post(calling, "/v1/chat/completions", {**body, "tools": []}).text


def test_a_batch_has_calls_and_bills_them() -> None:
    with ModelServer(Setup(script=lambda request: Answer("", calls=CALLS))) as server:
        params = {
            "model": "claude-haiku-5-5",
            "max_tokens": 400,
            "messages": [HELLO],
            "tools": LOOK,
        }
        path = "/v1/messages/batches"
        made = post(server, path, {"requests": [{"custom_id": "one", "params": params}]}).json()
        for rest in ("", "/results"):
            found = httpx.get(
                f"{server.url}{path}/{made['id']}{rest}",
                headers=HEADERS,
                trust_env=False,
                verify=PLAIN,
            ).json()
        answer = found["result"]["message"]
        assert (answer["stop_reason"], len(answer["content"])) == ("tool_use", 2)
        assert (
            answer["usage"]["output_tokens"]
            == server.meter.usage.output
            == length(Answer("", calls=CALLS))
        )


def test_a_request_without_tools_is_the_one_it_was() -> None:
    with ModelServer() as server:
        for tools in ({}, {"tools": TOOLS}):
            ask(server, "openai/gpt-4o", asking_analysis(), **tools)
        one, other = server.requests
        assert one.turns == other.turns
        assert one.key != other.key
