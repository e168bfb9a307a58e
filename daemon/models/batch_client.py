"""A client of Anthropic's Message Batches: create, list, look at, cancel, read.

LiteLLM says what a direct call would send, and what it would make of an answer that came by a batch. So the body of a
request is the same by both transports, and so is the meaning of an answer and of a fault.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import takewhile
from typing import Any, TypeVar

import httpx

from daemon.models.completion import Completion, complete_over
from primer.reply import Request
from rules.errors import CutOff, MemprocError, ModelError
from rules.typingmind.message import write_date

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
    """What a direct call sends: its address, its headers, the key among them, and its JSON."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, Any] = field(repr=False)


def sent_for(request: Request) -> Sent:
    """What a direct call would send, without sending it. Raises ModelError where it cannot be sent at all."""
    sent: list[Sent] = []

    def take(leaving: httpx.Request) -> httpx.Response:
        headers = {name: leaving.headers[name] for name in leaving.headers if name not in _OF_THE_CONNECTION}
        sent.append(Sent(str(leaving.url), headers, json.loads(leaving.content)))
        return httpx.Response(httpx.codes.OK, json=_EMPTY)

    complete_over(request, take)
    return sent[0]


def answer_of(request: Request, message: Mapping[str, Any]) -> Completion:
    """The answer in a message, at half the price. `request` is the one that was asked, or any other to its model."""
    answer = complete_over(request, lambda _: httpx.Response(httpx.codes.OK, json=dict(message)))
    return answer if answer.usd is None else replace(answer, usd=answer.usd / 2)


def refusal_of(request: Request, error: Mapping[str, Any]) -> Completion:
    """The refusal that an error in a batch's results is, as an answer; else it raises what `complete` would raise."""
    inside = error.get("error", error)
    kind = str(inside.get("type", "")) if isinstance(inside, Mapping) else ""
    return complete_over(request, lambda _: httpx.Response(_STATUS.get(kind, _SERVER_FAULT), json=dict(error)))


def fault_of(request: Request, outcome: httpx.Response | httpx.HTTPError) -> MemprocError:
    """The error that a direct call with this outcome would raise."""

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
    """The headers that say something about the request; the body's encoding is undone already."""
    return {name: headers[name] for name in ("retry-after",) if name in headers}


T = TypeVar("T")

_TIMEOUT = httpx.Timeout(60.0, connect=30.0)
"""Seconds between two bytes, not for all of them: results may be large."""
_MOST_ON_A_PAGE = 100
_REFUSES = frozenset({400, 403, 404, 405, 413, 422})
_ROOT = "/v1/"


class NoBatches(Exception):
    """The provider takes no such batch: not at this address, from this key, or for this model. Nothing is wrong."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


@dataclass(frozen=True, slots=True)
class Route:
    """Where batches are asked for, and with which headers, the key among them; `sample` is a request for there."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    sample: Request

    def goes_as(self, other: "Route") -> bool:
        """Whether both go to one address with one key."""
        return (self.url, self.headers) == (other.url, other.headers)


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as the provider shows it."""

    name: str
    created_at: str
    """By the provider's clock."""
    ended: bool
    requests: int
    """How many are in it, whatever has become of them."""
    results_url: str
    """Empty until it has ended, and when its results are no longer kept."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one request: its key; `succeeded`, `errored`, `canceled` or `expired`; a message or an error."""

    key: str
    kind: str
    body: Mapping[str, Any]


def route_of(request: Request, sent: Sent) -> Route:
    """The route to the batches of a request; `sent` is what a direct call would send."""
    return Route(f"{sent.url}/batches", sent.headers, request)


def create(route: Route, bodies: Mapping[str, Mapping[str, Any]]) -> Batch:
    """Send requests together; `bodies` are what each would send by itself, by its key.

    Raises NoBatches where the provider does not take them, CutOff where the batch may have been made all the same,
    NotNow where it may be tried again, else ProviderRefuses or ModelError.
    """
    requests = [{"custom_id": key, "params": body} for key, body in bodies.items()]
    return _read(_batch, _asked(route, "POST", "", json={"requests": requests}))


def newest(route: Route) -> Batch | None:
    """The batch that anybody created last; None where there is none. Raises as `create`."""
    page = _read(_page, _asked(route, "GET", "?limit=1"))
    return page.batches[0] if page.batches else None


def since(route: Route, created_at: str) -> Iterator[Batch]:
    """All batches that were created then or later, by the provider's clock, the newest first. Raises as `create`."""
    page, after = None, ""
    while page is None or page.more:
        page = _read(_page, _asked(route, "GET", f"?limit={_MOST_ON_A_PAGE}{after}"))
        yield from takewhile(lambda batch: batch.created_at >= created_at, page.batches)
        if page.batches and page.batches[-1].created_at < created_at:
            return
        after = f"&after_id={page.last}"


def look(route: Route, name: str) -> Batch:
    """One batch. Raises as `create`; NoBatches where this key does not see it."""
    return _read(_batch, _asked(route, "GET", f"/{name}"))


def cancel(route: Route, name: str) -> None:
    """Have nothing more of it begun; it ends soon after, if it has not ended already. Raises as `create`."""
    with suppress(NoBatches):
        _asked(route, "POST", f"/{name}/cancel")


def results(route: Route, batch: Batch) -> Iterator[Result]:
    """The results of a batch that has ended, in any order, as they come in. Raises as `create`."""
    with _faults(route), _http(route) as http, http.stream("GET", _here(route, batch.results_url)) as response:
        _check(route, response)
        for line in response.iter_lines():
            if line.strip():
                yield _read(_result, line)


@dataclass(frozen=True, slots=True)
class _Page:
    batches: Sequence[Batch]
    more: bool
    last: str


def _asked(route: Route, method: str, where: str, **body: Any) -> str:
    with _faults(route), _http(route) as http:
        response = http.request(method, f"{route.url}{where}", **body)
        _check(route, response)
        return response.text


def _http(route: Route) -> httpx.Client:
    return httpx.Client(headers=route.headers, timeout=_TIMEOUT)


@contextmanager
def _faults(route: Route) -> Iterator[None]:
    """Raise what a direct call would raise where the connection fails."""
    try:
        yield
    except httpx.HTTPError as fault:
        raise fault_of(route.sample, fault) from fault


def _check(route: Route, response: httpx.Response) -> None:
    if response.status_code in _REFUSES:
        raise NoBatches(response.status_code)
    if not response.is_success:
        response.read()
        raise fault_of(route.sample, response)


def _here(route: Route, url: str) -> str:
    """The address of the results where the batches are: the key goes nowhere else, whatever an answer says."""
    base, _, _ = route.url.rpartition(_ROOT)
    return f"{base}{_ROOT}{url.partition(_ROOT)[2]}"


def _read(read: Callable[[Any], T], text: str) -> T:
    """What an answer says. Raises CutOff where that is no answer of this API: something may have come of it."""
    try:
        return read(json.loads(text))
    except (ValueError, LookupError, TypeError, AttributeError):
        raise CutOff(
            "The provider's answer about a batch could not be read.",
            "Run memproc again later: what has been sent is looked for, and not sent again.",
        ) from None


def _page(page: Mapping[str, Any]) -> _Page:
    return _Page([_batch(batch) for batch in page["data"]], bool(page["has_more"]), str(page["last_id"]))


def _batch(batch: Mapping[str, Any]) -> Batch:
    return Batch(
        name=str(batch["id"]),
        created_at=write_date(datetime.fromisoformat(batch["created_at"])),
        ended=batch["processing_status"] == "ended",
        requests=sum(batch["request_counts"].values()),
        results_url=batch.get("results_url") or "",
    )


def _result(line: Mapping[str, Any]) -> Result:
    result = line["result"]
    kind = str(result["type"])
    return Result(str(line["custom_id"]), kind, result.get("message") or result.get("error") or {})
