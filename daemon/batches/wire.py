"""What a direct call would send, and what it would make of an answer that came by a batch: LiteLLM is asked for both.

So the body of a request is the same on both ways, and so are the meaning of an answer and of a fault.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import httpx

from daemon.models.completion import Completion, complete_over
from primer.request import Request
from rules.errors import MemprocError, ModelError

_OF_THE_CONNECTION = frozenset({"host", "connection", "accept-encoding", "user-agent", "content-length"})
_EMPTY = {
    "id": "", "type": "message", "role": "assistant", "model": "", "content": [], "stop_reason": "end_turn",
    "usage": {"input_tokens": 0, "output_tokens": 0},
}  # fmt: skip
_STATUS = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
    "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "timeout_error": 504,
    "overloaded_error": 529,
}  # fmt: skip
_SERVER_FAULT = 500


@dataclass(frozen=True, slots=True)
class Sent:
    """What a call would send: where to, with which headers, the key among them, and its JSON."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, Any] = field(repr=False)


def sent_for(request: Request) -> Sent:
    """What a direct call would send; nothing leaves. Raises ModelError where the request cannot be sent at all."""
    sent: list[Sent] = []

    def take(leaving: httpx.Request) -> httpx.Response:
        headers = {name: leaving.headers[name] for name in leaving.headers if name not in _OF_THE_CONNECTION}
        sent.append(Sent(str(leaving.url), headers, json.loads(leaving.content)))
        return httpx.Response(httpx.codes.OK, json=_EMPTY)

    complete_over(request, take)
    return sent[0]


def answer_of(request: Request, message: Mapping[str, Any]) -> Completion:
    """What a message answers, at a batch's price. `request` is the one that was asked, or any other to its model."""
    found = complete_over(request, lambda _: httpx.Response(httpx.codes.OK, json=dict(message)))
    return found if found.usd is None else replace(found, usd=found.usd / 2)


def refusal_of(request: Request, error: Mapping[str, Any]) -> Completion:
    """The same where a batch's results hold an error, as a refusal that is an answer, or raised as `complete` does."""
    inside = error.get("error", error)
    kind = str(inside.get("type", "")) if isinstance(inside, Mapping) else ""
    return complete_over(request, lambda _: httpx.Response(_STATUS.get(kind, _SERVER_FAULT), json=dict(error)))


def fault_of(request: Request, outcome: httpx.Response | httpx.HTTPError) -> MemprocError:
    """What a direct call would raise that ended so."""

    def end(_: httpx.Request) -> httpx.Response:
        if isinstance(outcome, httpx.HTTPError):
            raise outcome
        return httpx.Response(outcome.status_code, headers=_kept(outcome.headers), content=outcome.content)

    try:
        complete_over(request, end)
    except MemprocError as fault:
        return fault
    return ModelError(
        f"The provider of {request.model.name} refused a batch in a way that memproc does not know.",
        'To do without batches: batch = "never" in [models] in memproc.toml.',
    )


def _kept(headers: httpx.Headers) -> dict[str, str]:
    """Those that say something about the request; the body's encoding is undone already."""
    return {name: headers[name] for name in ("retry-after",) if name in headers}
