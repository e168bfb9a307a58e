"""OpenAI's chat completions, as OpenAI and every server that is compatible with it speak them."""

import json
from array import array
from collections.abc import Iterator, Mapping
from typing import Any

from tests.server import fields
from tests.server.dialects.dialect import Dialect, Headers, call_id, pieces
from tests.server.dialects.openai_tools import call_turns, check_tools
from tests.server.entries import Entries, Sight
from tests.server.models import Model
from tests.server.prefixes import look
from tests.server.reply import Answer, Ending, Failure, invalid
from tests.server.request import Request, Turn
from tests.server.tokens import encoded
from tests.server.usage import Usage

_FINISH: dict[Ending, str] = {"ended": "stop", "cut off": "length", "refused": "content_filter"}
_CODES = {
    "authentication_error": "invalid_api_key",
    "not_found_error": "model_not_found",
    "rate_limit_error": "rate_limit_exceeded",
    "insufficient_quota": "insufficient_quota",
}


def _read(body: Mapping[str, Any], headers: Headers) -> Request:
    room = fields.take(body, "max_completion_tokens", int)
    return Request(
        dialect="openai",
        model=fields.need(body, "model", str),
        turns=read_turns(body),
        max_tokens=fields.take(body, "max_tokens", int) if room is None else room,
        stream=fields.take(body, "stream", bool) or False,
        body=body,
    )


def read_turns(body: Mapping[str, Any]) -> tuple[Turn, ...]:
    """Every text of every message with its role, and every call; images and the like are no text."""
    return tuple(
        turn
        for at, message in enumerate(fields.messages(body))
        for turn in _message_turns(at, message)
    )


def _message_turns(at: int, message: Mapping[str, Any]) -> list[Turn]:
    role = "result" if message["role"] == "tool" else message["role"]
    blocks = fields.blocks(message.get("content") or "", f"messages.{at}.content")
    said = [
        Turn(role, fields.need(block, "text", str))
        for block in blocks
        if block.get("type") == "text"
    ]
    return [*said, *call_turns(message)]


def prompt(request: Request) -> "array[int]":
    """The tokens of the tools, which come first, and of all turns, one behind the other."""
    tokens = array("I")
    for tool in request.body.get("tools") or []:
        tokens.extend(encoded(json.dumps(tool)))
    for turn in request.turns:
        tokens.extend(encoded(turn.text))
    return tokens


def _admit(request: Request, model: Model) -> Request:
    check_tools(request.body)
    tokens = len(prompt(request))
    if tokens > model.window:
        raise invalid(
            f"This model's maximum context length is {model.window} tokens, but the messages have {tokens} tokens."
        )
    return request


def _look(request: Request, model: Model, entries: Entries) -> Sight:
    return look(entries, request.model, prompt(request), model.cache_minimum)


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.output,
        "total_tokens": usage.prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.read},
    }


def _head(request: Request, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{request.number:08}",
        "object": kind,
        "created": 1_790_000_000,
        "model": request.model,
    }


def _whole(request: Request, answer: Answer, usage: Usage) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.thinking:
        message["reasoning_content"] = answer.thinking
    if answer.calls:
        message |= {"content": answer.text or None, "tool_calls": _calls(request, answer)}
    choice = {"index": 0, "message": message, "finish_reason": _finish(answer)}
    return {**_head(request, "chat.completion"), "choices": [choice], "usage": _usage(usage)}


def _finish(answer: Answer) -> str:
    return "tool_calls" if answer.calls and answer.ending == "ended" else _FINISH[answer.ending]


def _calls(request: Request, answer: Answer) -> list[dict[str, Any]]:
    return [
        {
            "id": call_id("call", request, at),
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for at, call in enumerate(answer.calls)
    ]


def _events(request: Request, answer: Answer, usage: Usage) -> Iterator[bytes]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in pieces(answer.thinking)]
    deltas += [{"content": piece} for piece in pieces(answer.text)]
    deltas += [
        {"tool_calls": [{"index": at, **call}]} for at, call in enumerate(_calls(request, answer))
    ]
    for delta in deltas:
        yield _event(request, [{"index": 0, "delta": delta, "finish_reason": None}])
    yield _event(request, [{"index": 0, "delta": {}, "finish_reason": _finish(answer)}])
    if (request.body.get("stream_options") or {}).get("include_usage"):
        yield _event(request, [], usage=_usage(usage))
    yield b"data: [DONE]\n\n"


def _event(request: Request, choices: list[dict[str, Any]], **more: Any) -> bytes:
    return f"data: {json.dumps({**_head(request, 'chat.completion.chunk'), 'choices': choices, **more})}\n\n".encode()


def _error(failure: Failure) -> dict[str, Any]:
    too_long = "maximum context length" in failure.message
    code = "context_length_exceeded" if too_long else _CODES.get(failure.kind)
    return {
        "error": {"message": failure.message, "type": failure.kind, "param": None, "code": code}
    }


OPENAI = Dialect(
    name="openai",
    streams="text/event-stream",
    key=lambda headers: headers.get("authorization", "").removeprefix("Bearer "),
    read=_read,
    admit=_admit,
    look=_look,
    whole=_whole,
    events=_events,
    error=_error,
)
