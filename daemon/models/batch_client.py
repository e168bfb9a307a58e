"""A client of Anthropic's Message Batches: create, list, look at, cancel, read.

LiteLLM says what a direct call would send, and reads the answers that came by a batch. So both
transports send the same body, and an answer or a fault means the same by either.
"""

import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from itertools import takewhile
from typing import Annotated, Any, TypeVar

import httpx
from pydantic import AfterValidator, BaseModel, ValidationError

from daemon.models.completion import Completion, complete_over
from daemon.models.deadline import in_time
from daemon.models.guard import (
    MOST_SECONDS,
    TAKEN_ENCODINGS,
    TooManyBytes,
    answer_too_large,
    bound,
    most_answer_bytes,
    redirect_refused,
)
from primer.reply import Request
from rules.errors import CutOff, MemprocError, ModelError
from rules.typingmind.dates import write_date

_OF_THE_CONNECTION = frozenset(
    {"host", "connection", "accept-encoding", "user-agent", "content-length"}
)
_EMPTY = {
    "id": "", "type": "message", "role": "assistant", "model": "", "content": [],
    "stop_reason": "end_turn", "usage": {"input_tokens": 0, "output_tokens": 0},
}  # fmt: skip
_STATUS = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402,
    "permission_error": 403, "not_found_error": 404, "request_too_large": 413,
    "rate_limit_error": 429, "timeout_error": 504, "overloaded_error": 529,
}  # fmt: skip
_SERVER_FAULT = 500
_TIMEOUT = httpx.Timeout(60.0, connect=30.0)
"""Seconds between two bytes, not for all of them: results may be large."""
_MOST_ON_A_PAGE = 100
_BYTES_OF_A_PAGE = 4 * 1024**2
_MOST_REQUESTS = 100_000
"""The provider's own limit for a batch."""
_REFUSES = frozenset({400, 403, 404, 405, 413, 422})
_ROOT = "/v1/"
_Shape = TypeVar("_Shape", bound=BaseModel)


def _as_written(date: str) -> str:
    """Return a provider's date as memproc writes dates. Raises ValueError where it is none."""
    try:
        return write_date(datetime.fromisoformat(date))
    except OverflowError as fault:  # a zone that leads out of the calendar
        raise ValueError("no date") from fault


class NoBatches(Exception):
    """The provider takes no such batch, for this address, key or model, which is no error."""


@dataclass(frozen=True, slots=True)
class Route:
    """A call as it would be sent directly, and the address for batches of such calls.

    The key is in the headers.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, Any] = field(repr=False)
    sample: Request = field(repr=False)
    """The request that this is the route of."""

    def goes_as(self, other: "Route") -> bool:
        """Return whether both go to the same address with the same key."""
        return (self.url, self.headers) == (other.url, other.headers)


class Batch(BaseModel):
    """A batch as the provider shows it."""

    id: str
    created_at: Annotated[str, AfterValidator(_as_written)]
    """The time of its creation, by the provider's clock."""
    processing_status: str
    request_counts: dict[str, int]
    """The numbers of requests in it, by their state."""
    results_url: str | None = None
    """None until it has ended, and once its results are no longer kept."""

    @property
    def ended(self) -> bool:
        """Return whether all of its requests have ended."""
        return self.processing_status == "ended"

    @property
    def requests(self) -> int:
        """Return the number of requests in it."""
        return sum(self.request_counts.values())


class _Page(BaseModel):
    data: list[Batch]
    has_more: bool
    last_id: str | None


class Ending(BaseModel):
    """The end of one request: `succeeded`, `errored`, `canceled` or `expired`."""

    type: str
    message: Any = None
    """The answer, in any shape, so that one odd answer does not make the others unreadable."""
    error: Any = None


class BatchResult(BaseModel):
    """A line of a batch's results."""

    custom_id: str
    """The request's key."""
    result: Ending


def route_of(request: Request) -> Route:
    """Return the route of a request, without sending it. Raises ModelError if it has none."""
    routes: list[Route] = []

    def take(leaving: httpx.Request) -> httpx.Response:
        headers = {
            name: leaving.headers[name]
            for name in leaving.headers
            if name not in _OF_THE_CONNECTION
        }
        routes.append(
            Route(f"{leaving.url}/batches", headers, json.loads(leaving.content), request)
        )
        return httpx.Response(httpx.codes.OK, json=_EMPTY)

    complete_over(request, take)
    return routes[0]


def answer_of(request: Request, message: object) -> Completion:
    """Read the answer in a message of any shape; its cost is halved.

    `request` is the one that was asked, or any other to its model.
    """
    content = json.dumps(message).encode()
    answer = complete_over(request, lambda _: httpx.Response(httpx.codes.OK, content=content))
    return replace(answer, usd=None if answer.usd is None else answer.usd / 2)


def refusal_of(request: Request, error: object) -> Completion:
    """Return the answer that a batch's error stands for, else raise what `complete` would."""
    inside = error.get("error", error) if isinstance(error, Mapping) else error
    kind = str(inside.get("type", "")) if isinstance(inside, Mapping) else ""
    return complete_over(
        request, lambda _: httpx.Response(_STATUS.get(kind, _SERVER_FAULT), json=error)
    )


def fault_of(request: Request, outcome: httpx.Response | httpx.HTTPError) -> MemprocError:
    """Return the error that a direct call with this outcome would raise."""

    def end(_: httpx.Request) -> httpx.Response:
        if isinstance(outcome, httpx.HTTPError):
            raise outcome
        # The body is decoded already, so the headers about its encoding must not go along.
        headers = {
            name: outcome.headers[name] for name in ("retry-after",) if name in outcome.headers
        }
        return httpx.Response(outcome.status_code, headers=headers, content=outcome.content)

    try:
        complete_over(request, end)
    except MemprocError as fault:
        return fault
    return ModelError(
        f"The provider of {request.model.name} refused a batch in a way that memproc does "
        "not know.",
        'To do without batches: batch = "never" in [models] in memproc.toml.',
    )


def create(route: Route, bodies: Mapping[str, Mapping[str, Any]]) -> Batch:
    """Create a batch; `bodies` has what each request would send directly, by its key.

    Raises NoBatches where the provider does not take it, CutOff where the batch may exist
    nevertheless, NotNow where it may be tried again, else ProviderRefuses or ModelError.
    """
    requests = [{"custom_id": key, "params": body} for key, body in bodies.items()]
    return _read(Batch, _fetch(route, "POST", "", json={"requests": requests}))


def newest(route: Route) -> Batch | None:
    """Return the batch that was created last, by any client, or None. Raises as `create`."""
    return next(iter(_read(_Page, _fetch(route, "GET", "?limit=1")).data), None)


def since(route: Route, created_at: str) -> Iterator[Batch]:
    """Yield the batches created at that time of the provider's clock or later, newest first.

    Raises as `create`.
    """
    page, after = None, ""
    while page is None or page.has_more:
        page = _read(_Page, _fetch(route, "GET", f"?limit={_MOST_ON_A_PAGE}{after}"))
        yield from takewhile(lambda batch: batch.created_at >= created_at, page.data)
        if page.data and page.data[-1].created_at < created_at:
            return
        after = f"&after_id={page.last_id}"


def look_at_batch(route: Route, name: str) -> Batch:
    """Look at one batch. Raises as `create`; NoBatches where this key does not see it."""
    return _read(Batch, _fetch(route, "GET", f"/{name}"))


def cancel(route: Route, name: str) -> None:
    """Cancel a batch: it begins no more requests, and ends soon. Raises as `create`."""
    with suppress(NoBatches):
        _fetch(route, "POST", f"/{name}/cancel")


def fetch_results(route: Route, batch: Batch) -> Iterator[BatchResult]:
    """Yield the results of a batch that has ended, in any order, as they come in.

    They are read at the batches' own host, whatever host the answer names, so that the key goes
    nowhere else. Raises as `create`.
    """
    base, _, _ = route.url.rpartition(_ROOT)
    path = (batch.results_url or "").partition(_ROOT)[2]
    # No answer is much longer than its request had room for, and they all have the sample's room.
    most = _BYTES_OF_A_PAGE + max(1, min(batch.requests, _MOST_REQUESTS)) * most_answer_bytes(
        route.sample
    )
    with _connected(route, most) as http, http.stream("GET", f"{base}{_ROOT}{path}") as response:
        _check(route, response)
        for line in _lines(response, 2 * most_answer_bytes(route.sample)):
            if line.strip():
                yield _read(BatchResult, line.decode("utf-8", "replace"))


def _lines(response: httpx.Response, longest: int) -> Iterator[bytes]:
    """Yield the lines of an answer as they come. Raises TooManyBytes for one above `longest`."""
    unfinished = b""
    for piece in response.iter_bytes():
        *lines, unfinished = (unfinished + piece).split(b"\n")
        yield from lines
        if len(unfinished) > longest:
            raise TooManyBytes
    yield unfinished


def _fetch(route: Route, method: str, where: str, **body: Any) -> str:
    with _connected(route, _BYTES_OF_A_PAGE) as http:
        response = http.request(method, f"{route.url}{where}", **body)
        _check(route, response)
        return response.text


@contextmanager
def _connected(route: Route, most: int) -> Iterator[httpx.Client]:
    """Open a client with the route's headers, whose answers may have `most` bytes.

    Raises what a direct call would raise where the connection fails; AnswerTooLarge for more bytes.
    """
    headers = {**route.headers, "accept-encoding": TAKEN_ENCODINGS}
    hooks = {"response": [lambda response: bound(response, most)]}
    try:
        with (
            in_time(MOST_SECONDS),
            httpx.Client(
                headers=headers, timeout=_TIMEOUT, verify=_certificates(), event_hooks=hooks
            ) as http,
        ):
            yield http
    except TooManyBytes:
        raise answer_too_large(route.sample.model.name, httpx.URL(route.url).host, most) from None
    except httpx.HTTPError as fault:
        raise fault_of(route.sample, fault) from fault


@cache
def _certificates() -> ssl.SSLContext:
    """Load the trusted authorities once: that takes 20 ms, and a batch is looked at often."""
    return httpx.create_ssl_context()


def _check(route: Route, response: httpx.Response) -> None:
    if refused := redirect_refused(route.sample.model.name, response.request, response):
        raise refused
    if response.status_code in _REFUSES:
        raise NoBatches(f"status {response.status_code}")
    is_page = "text/html" in response.headers.get("content-type", "")
    if is_page or not response.is_success:
        response.read()
        raise fault_of(route.sample, response)


def _read(shape: type[_Shape], text: str) -> _Shape:
    """Read an answer. Raises CutOff where it is not of this shape: the request may have worked."""
    try:
        return shape.model_validate_json(text)
    except ValidationError:
        raise CutOff(
            "The provider's answer about a batch could not be read.",
            "Run memproc again later: what has been sent is looked for, and not sent again.",
        ) from None
