"""Anthropic's Messages: how a request is read, and how the answer looks."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.server import fields
from tests.server.dialects.anthropic_prompt import SAMPLING, check, look_up, read_turns
from tests.server.dialects.dialect import Dialect, Headers, call_id, pieces
from tests.server.models import Model
from tests.server.reply import Answer, Ending, Failure, invalid
from tests.server.request import Request
from tests.server.usage import Usage

_STOP: dict[Ending, str] = {"ended": "end_turn", "cut off": "max_tokens", "refused": "refusal"}
_FIELDS = {
    "model", "messages", "system", "max_tokens", "stream", "thinking", "tools", "tool_choice", "metadata",
    "stop_sequences", "service_tier", "output_config", *SAMPLING,
}  # fmt: skip


def _read(body: Mapping[str, Any], headers: Headers) -> Request:
    if "anthropic-version" not in headers:
        raise invalid("anthropic-version: header is required")
    unknown = sorted(body.keys() - _FIELDS)
    if unknown:
        raise invalid(f"{unknown[0]}: extra inputs are not permitted")
    return Request(
        dialect="anthropic",
        model=fields.need(body, "model", str),
        turns=read_turns(body),
        max_tokens=fields.take(body, "max_tokens", int),
        stream=fields.take(body, "stream", bool) or False,
        body=body,
    )


def _admit(request: Request, model: Model) -> Request:
    fields.need(request.body, "max_tokens", int)
    return check(request, model)


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "input_tokens": usage.fresh,
        "cache_creation_input_tokens": usage.written,
        "cache_read_input_tokens": usage.read,
        "output_tokens": usage.output,
    }


def _stop(answer: Answer) -> str:
    return "tool_use" if answer.calls and answer.ending == "ended" else _STOP[answer.ending]


def _content(request: Request, answer: Answer) -> list[dict[str, Any]]:
    thought = (
        [{"type": "thinking", "thinking": answer.thinking, "signature": "c2NyaXB0ZWQ="}]
        if answer.thinking
        else []
    )
    said = [{"type": "text", "text": answer.text}] if answer.text else []
    calls = [
        {
            "type": "tool_use",
            "id": call_id("toolu", request, at),
            "name": call.name,
            "input": call.parsed(),
        }
        for at, call in enumerate(answer.calls)
    ]
    return [*thought, *said, *calls]


def _whole(request: Request, answer: Answer, usage: Usage) -> dict[str, Any]:
    return {
        "id": f"msg_{request.number:08}",
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": _content(request, answer),
        "stop_reason": _stop(answer),
        "stop_sequence": None,
        "usage": _usage(usage),
    }


def _events(request: Request, answer: Answer, usage: Usage) -> Iterator[bytes]:
    begun = {**_whole(request, answer, usage), "content": [], "stop_reason": None}
    yield _event("message_start", message={**begun, "usage": {**_usage(usage), "output_tokens": 1}})
    for at, block in enumerate(_content(request, answer)):
        kind = block["type"]
        if kind == "tool_use":
            yield from _call_events(at, block)
            continue
        yield _event("content_block_start", index=at, content_block={"type": kind, kind: ""})
        for piece in pieces(block[kind]):
            yield _event(
                "content_block_delta", index=at, delta={"type": f"{kind}_delta", kind: piece}
            )
        if kind == "thinking":
            signed = {"type": "signature_delta", "signature": block["signature"]}
            yield _event("content_block_delta", index=at, delta=signed)
        yield _event("content_block_stop", index=at)
    ended = {"stop_reason": _stop(answer), "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage={"output_tokens": usage.output})
    yield _event("message_stop")


def _call_events(at: int, block: Mapping[str, Any]) -> Iterator[bytes]:
    yield _event("content_block_start", index=at, content_block={**block, "input": {}})
    for piece in pieces(json.dumps(block["input"])):
        yield _event(
            "content_block_delta",
            index=at,
            delta={"type": "input_json_delta", "partial_json": piece},
        )
    yield _event("content_block_stop", index=at)


def _event(name: str, **data: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()


def _error(failure: Failure) -> dict[str, Any]:
    return {"type": "error", "error": {"type": failure.kind, "message": failure.message}}


ANTHROPIC = Dialect(
    name="anthropic",
    streams="text/event-stream",
    key=lambda headers: headers.get("x-api-key", ""),
    read=_read,
    admit=_admit,
    look=look_up,
    whole=_whole,
    events=_events,
    error=_error,
)
