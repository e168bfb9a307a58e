"""Ollama's chat and generate: no key, no cache, and a prompt that is too long is shortened without a word."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.server import fields
from tests.server.dialects.dialect import Dialect, Headers, pieces
from tests.server.dialects.openai import read_turns
from tests.server.entries import Entries, Sight
from tests.server.models import Model
from tests.server.reply import Answer, Call, Ending, Failure
from tests.server.request import Request, Turn
from tests.server.tokens import count
from tests.server.usage import Usage

_DONE: dict[Ending, str] = {"ended": "stop", "cut off": "length", "refused": "stop"}
_CREATED = "2026-11-21T12:00:00Z"


def _read(body: Mapping[str, Any], headers: Headers) -> Request:
    prompt = fields.take(body, "prompt", str)
    turns = read_turns(body) if prompt is None else (Turn("user", prompt),)
    # Without the field, Ollama streams.
    stream = fields.take(body, "stream", bool)
    return Request(
        dialect="ollama",
        model=fields.need(body, "model", str),
        turns=turns,
        max_tokens=fields.take(body.get("options") or {}, "num_predict", int),
        stream=stream is None or stream,
        body=body,
    )


def _admit(request: Request, model: Model) -> Request:
    """The request with as many of its newest turns as fit; system turns and the last one always stay."""
    window = fields.take(request.body.get("options") or {}, "num_ctx", int) or model.window
    turns = list(request.turns)
    while sum(count(turn.text) for turn in turns) > window:
        oldest = next((at for at, turn in enumerate(turns[:-1]) if turn.role != "system"), None)
        if oldest is None:
            break
        del turns[oldest]
    return replace(request, turns=tuple(turns))


def _look(request: Request, model: Model, entries: Entries) -> Sight:
    return Sight(fresh=sum(count(turn.text) for turn in request.turns))


def _part(request: Request, text: str, thinking: str, calls: Sequence[Call] = ()) -> dict[str, Any]:
    head = {"model": request.model, "created_at": _CREATED, "done": False}
    if "prompt" in request.body:
        return {**head, "response": text}
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if thinking:
        message["thinking"] = thinking
    if calls:
        message["tool_calls"] = [
            {"function": {"name": call.name, "arguments": call.parsed()}} for call in calls
        ]
    return {**head, "message": message}


def _done(answer: Answer, usage: Usage) -> dict[str, Any]:
    return {
        "done": True,
        "done_reason": _DONE[answer.ending],
        "prompt_eval_count": usage.prompt,
        "eval_count": usage.output,
    }


def _whole(request: Request, answer: Answer, usage: Usage) -> dict[str, Any]:
    return {**_part(request, answer.text, answer.thinking, answer.calls), **_done(answer, usage)}


def _events(request: Request, answer: Answer, usage: Usage) -> Iterator[bytes]:
    parts = [_part(request, "", piece) for piece in pieces(answer.thinking)]
    parts += [_part(request, piece, "") for piece in pieces(answer.text)]
    for part in [*parts, {**_part(request, "", "", answer.calls), **_done(answer, usage)}]:
        yield json.dumps(part).encode() + b"\n"


def _error(failure: Failure) -> dict[str, Any]:
    return {"error": failure.message}


OLLAMA = Dialect(
    name="ollama",
    streams="application/x-ndjson",
    key=None,
    read=_read,
    admit=_admit,
    look=_look,
    whole=_whole,
    events=_events,
    error=_error,
)
