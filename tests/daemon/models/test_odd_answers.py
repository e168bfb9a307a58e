"""Answers whose end or shape LiteLLM does not know are read in bounds: what can be used is, the rest is empty."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from daemon.models.batch_client import BatchResult, answer_of
from daemon.models.completion import Completion, complete
from primer.prompt import Turn
from primer.reply import EMBEDDING, Request
from rules.errors import Forbidden, MemprocError, NotNow, ProviderRefuses
from tests.daemon.models.test_bounded import answering, request

CLAUDE, GPT, GEMINI = "anthropic/claude-haiku-5-5", "openai/gpt-4o", "gemini/gemini-2.5-flash"
COMMAND, OLLAMA = "cohere/command-r7b-12-2024", "ollama_chat/llama"
BEDROCK = "bedrock/converse/anthropic.claude-haiku-4-5-20251001-v1:0"
ROUTER = "openrouter/qwen/qwen3.8-27b"


def chat(choices: object, **fields: object) -> dict[str, Any]:
    usage = {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}
    return {"id": "c", "created": 1, "model": "m", "usage": usage, "choices": choices, **fields}


def choice(content: object, finish: object = "stop", **fields: object) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {"index": 0, "finish_reason": finish, "message": message, **fields}


def claude(content: object, stop: object = "end_turn") -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": 4}
    return {
        "id": "m", "type": "message", "role": "assistant", "model": "claude", "content": content,
        "stop_reason": stop, "usage": usage,
    }  # fmt: skip


def google(*candidates: object, **fields: object) -> dict[str, Any]:
    counts = {"promptTokenCount": 10, "candidatesTokenCount": 4, "totalTokenCount": 14}
    return {"candidates": [*candidates], "usageMetadata": counts, **fields}


def candidate(finish: object) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"text": "Said."}]}, "finishReason": finish}


def cohere(finish: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": [{"type": "text", "text": "Said."}]}
    counts = {"input_tokens": 10, "output_tokens": 4}
    usage = {"billed_units": counts, "tokens": counts}
    return {"id": "c", "finish_reason": finish, "message": message, "usage": usage}


def ollama(reason: str | None) -> dict[str, Any]:
    message = {"role": "assistant", "content": "Said."}
    counts = {"prompt_eval_count": 10, "eval_count": 4}
    return {"model": "m", "message": message, "done": True, "done_reason": reason, **counts}


def bedrock(reason: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": [{"text": "Said."}]}
    usage = {"inputTokens": 10, "outputTokens": 4, "totalTokens": 14}
    return {"output": {"message": message}, "stopReason": reason, "usage": usage}


def read(name: str, body: object, status: int = 200) -> Completion:
    """The answer that is read of these bytes, or of this as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    with answering(status, lambda: iter([content])) as url:
        return complete(request(name, url))


@pytest.fixture(autouse=True)
def keys_of_a_cloud(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "none")
    monkeypatch.setenv("AWS_REGION_NAME", "us-east-1")


@pytest.mark.parametrize(
    ("name", "body", "finish"),
    [
        (CLAUDE, claude([{"type": "text", "text": "Said."}], "pause_turn"), "pause_turn"),
        (CLAUDE, claude([{"type": "text", "text": "Said."}], None), ""),
        (CLAUDE, claude([{"type": "text", "text": "Said."}]), "stop"),
        (GPT, chat([choice("Said.", "network_error")]), "network_error"),
        (GPT, chat([choice("Said.", None)]), ""),
        (GPT, chat([choice("Said.", "a sentence of words")]), "unknown"),
        (GPT, chat([choice("Said.", "EOS")]), "stop"),
        ("mistral/mistral-small-latest", chat([choice("Said.", "model_length")]), "length"),
        ("deepseek/deepseek-chat", chat([choice("Said.", "insufficient_system_resource")]),
         "insufficient_system_resource"),
        (ROUTER, chat([choice("Said.", "stop", native_finish_reason="MALFORMED_RESPONSE")]), "malformed_response"),
        (ROUTER, chat([choice("Said.", "stop", native_finish_reason="completed")]), "stop"),
        (ROUTER, chat([choice("Said.", "stop", error={"code": 502})]), "error"),
        ("hosted_vllm/x", chat([choice("Said.", "abort", stop_reason=None)]), "abort"),
        (GEMINI, google(candidate("MALFORMED_RESPONSE")), "malformed_response"),
        (GEMINI, google(candidate("STOP")), "stop"),
        (COMMAND, cohere("ERROR"), "error"),
        (COMMAND, cohere("COMPLETE"), "stop"),
        (OLLAMA, ollama("load"), "load"),
        (OLLAMA, ollama(None), ""),
        (BEDROCK, bedrock("malformed_model_output"), "malformed_model_output"),
        (BEDROCK, bedrock("end_turn"), "stop"),
    ],
)  # fmt: skip
def test_the_providers_own_reason_for_the_end_counts(
    name: str, body: dict[str, Any], finish: str
) -> None:
    answer = read(name, body)
    if name == "mistral/mistral-small-latest":
        assert answer.finish in ("length", "model_length")
    else:
        assert answer.finish == finish
    assert (answer.text, answer.tokens_in, answer.tokens_out) == ("Said.", 10, 4)


PARTS = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Said."}]


@pytest.mark.parametrize("content", [["Sa", "id."], [{"text": "Said."}], "Said."])
def test_words_of_claude_in_an_odd_shape_are_the_answer(content: object) -> None:
    body = claude(content)
    del body["model"]
    answer = read(CLAUDE, body)
    assert (answer.text, answer.tokens_in, answer.tokens_out) == ("Said.", 10, 4)


@pytest.mark.parametrize("name", [GPT, "mistral/mistral-small-latest"])
@pytest.mark.parametrize(
    "said",
    [
        choice(PARTS[1:]), choice(PARTS), choice(["Sa", "id."]), choice(PARTS[1]),
        {"finish_reason": "stop", "message": {"role": "model", "content": "Said.", "audio": "?", "annotations": [1]}},
        {"index": 0, "finish_reason": "stop", "delta": {"content": "Said."}},
        {"index": 0, "finish_reason": "stop", "text": "Said."},
        {"finish_reason": "stop", "message": {"content": "Said.", "tool_calls": [None, {"function": None}]}},
    ],
)  # fmt: skip
def test_words_in_an_odd_shape_are_the_answer(name: str, said: dict[str, Any]) -> None:
    answer = read(name, chat([said]))
    assert (answer.text, answer.finish, answer.calls) == ("Said.", "stop", ())
    assert (answer.tokens_in, answer.tokens_out) == (10, 4)


CHOICES: tuple[object, ...] = ([], None, {}, [None], ["Said."], [{"message": "Said."}])
CONTENTS: tuple[object, ...] = (None, 5, [], [None], {"a": 1})


@pytest.mark.parametrize(
    ("name", "body"),
    [
        *((GPT, chat(choices)) for choices in CHOICES),
        *((GPT, chat([choice(content)])) for content in CONTENTS),
        (GPT, {"id": "c", "object": "chat.completion", "usage": chat([])["usage"]}),
        *((CLAUDE, claude(content)) for content in (None, [], [None], [{"type": "text", "text": None}])),
        (GEMINI, google()),
        *((GEMINI, google({"content": content})) for content in (None, {}, {"parts": None}, {"parts": [None]})),
    ],
)  # fmt: skip
def test_an_answer_that_holds_nothing_is_empty_and_its_tokens_count(
    name: str, body: dict[str, Any]
) -> None:
    answer = read(name, body)
    assert (answer.text, answer.tokens_in, answer.tokens_out) == ("", 10, 4)


@pytest.mark.sampled
@pytest.mark.parametrize("name", [GPT, CLAUDE, GEMINI])
@pytest.mark.parametrize(
    "body",
    [
        {}, [], [1], "Said.", None, 5, b"", b"Said.", b'{"choices": [{"mess', b"[" * 100_000,
        {"error": "It failed."}, {"error": {"message": "Upstream failed.", "code": 502}},
    ],
)  # fmt: skip
def test_what_is_no_answer_at_all_is_an_empty_one(name: str, body: object) -> None:
    answer = read(name, body)
    assert (answer.text, answer.finish in ("", "error")) == ("", True)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        (GPT, chat([{"index": 0, "finish_reason": "content_filter", "message": None}])),
        (GPT, chat([choice(None, message={"content": None, "refusal": "I cannot."})])),
        (ROUTER, chat([choice("", "error", error={"code": 403, "message": "Blocked by moderation."})])),
        (ROUTER, chat([], error={"code": 400, "message": "Content Exists Risk"})),
        (CLAUDE, {"type": "error", "error": {"message": "Input flagged by a safety model."}}),
        (ROUTER, {"error": {"message": "No.", "code": "content_filter"}}),
        (GEMINI, {**google(), "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}),
        (GEMINI, {"promptFeedback": {"blockReason": "OTHER"}}),
    ],
)  # fmt: skip
def test_an_odd_answer_that_says_that_it_is_a_refusal_is_one(
    name: str, body: dict[str, Any]
) -> None:
    assert (read(name, body).text, read(name, body).finish) == ("", "content_filter")


def test_an_error_about_the_account_is_one_though_its_status_is_200() -> None:
    for code, meaning in (
        (429, NotNow),
        ("401", ProviderRefuses),
        (402, ProviderRefuses),
        (403, Forbidden),
    ):
        error = {"message": "Not now.", "code": code}
        for body in ({"error": error}, chat([choice("", "error", error=error)])):
            with pytest.raises(meaning):
                read(ROUTER, body)


@pytest.mark.parametrize("name", [GPT, CLAUDE, GEMINI])
@pytest.mark.parametrize("head", [b"\n ", b"\xef\xbb\xbf<!DOCTYPE html>", b"<?xml version='1.0'?>\n<!-- > -->"])  # fmt: skip
def test_a_web_page_is_no_answer_of_a_model(name: str, head: bytes) -> None:
    for status in (200, 403):
        with pytest.raises(MemprocError, match="answers with a web page"):
            read(name, head + b"<html><body>Sign in to the network</body></html>", status)


def test_vectors_in_an_odd_shape_say_nothing_of_likeness() -> None:
    with answering(200, lambda: iter([b'{"object": "list", "data": null}'])) as url:
        asked = request("openai/text-embedding-3-small", url)
        wanted = Request(EMBEDDING, asked.model, (Turn("user", "Hello"),), 0)
        assert complete(wanted).text == ""


@pytest.mark.parametrize(
    ("message", "text", "finish"),
    [
        (claude([{"type": "text", "text": "Said."}], "pause_turn"), "Said.", "pause_turn"),
        (claude("Said."), "Said.", "stop"),
        (claude(None, "refusal"), "", "content_filter"),
        ({}, "", ""),
        ([], "", ""),
        (None, "", ""),
    ],
)
def test_an_answer_by_a_batch_is_read_as_one_that_came_directly(
    message: object, text: str, finish: str
) -> None:
    line = {"custom_id": "a", "result": {"type": "succeeded", "message": message}}
    result = BatchResult.model_validate_json(json.dumps(line)).result
    answer = answer_of(request(CLAUDE, "http://127.0.0.1"), result.message)
    assert (answer.text, answer.finish) == (text, finish)


def test_what_openais_client_would_send_by_itself_is_held_back() -> None:
    httpx2 = pytest.importorskip("httpx2")
    from daemon.models.guard import RequestHeldBack, watched

    reached: list[bytes] = []

    def pieces() -> Iterator[bytes]:
        reached.append(b"")
        yield b"{}"

    with answering(200, pieces) as url:
        asked = request(GPT, url)
        with watched(asked) as call, pytest.raises(RequestHeldBack), httpx2.Client() as client:
            client.post(url, headers={"authorization": "Bearer k"})
        assert isinstance(call.refusal, ProviderRefuses)
        assert reached == []
        with httpx2.Client() as client:
            assert client.post(url).status_code == httpx.codes.OK


@pytest.mark.parametrize("name", [GPT, ROUTER, "hosted_vllm/x", "lm_studio/x", "deepseek/deepseek-chat"])  # fmt: skip
def test_the_guard_sees_each_answer_of_a_server_that_speaks_as_openais(name: str) -> None:
    assert read(name, chat([choice("Said.", "a_new_word")])).finish == "a_new_word"
