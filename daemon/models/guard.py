"""The guard: it checks every request before it leaves, and every answer before it is read.

Requests to a provider whose key memproc keeps go to that provider's own hosts or to agreed ones. No
redirect is followed, since the conversation would go along. No key goes over plain HTTP, except to
this machine. An answer is bounded in seconds and in bytes after decompression, since a megabyte of
gzip can hold a gigabyte. Its token counts are made numbers, and the provider's own reason for its
end is read here.
"""

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, partial
from typing import NoReturn

import httpx

from daemon.models.deadline import Deadline, in_time
from daemon.models.hosts import (
    KEY_HEADERS,
    OWN_HOSTS,
    is_key,
    is_local,
    is_loopback,
    is_own_host,
    readable_host,
)
from daemon.models.raw_answer import RawAnswer, read_raw
from primer.models import Model
from primer.reply import EMBEDDING, Request
from rules.errors import (
    AnswerTooLarge,
    AnswerTooSlow,
    MemprocError,
    ModelError,
    ProviderRefuses,
)

TAKEN_ENCODINGS = "gzip, deflate"
"""The encodings that requests accept; an answer in another one is not read."""
MOST_SECONDS = 600.0
"""The most for a whole answer, from its first byte: less for a small room, and a server of one's
own has its time-out."""
_SECONDS_ANYHOW = 60.0
"""For any answer: providers send white space while a request waits in a queue."""
_SECONDS_A_TOKEN = 0.1
_PIECE_BYTES = 1 << 18
_ANY_HEADER = zlib.MAX_WBITS | 32
_PLAIN = ("", "identity")
_PACKED = ("gzip", "x-gzip", "deflate")

_BYTES_ANYHOW = 4 * 1024**2
"""For any answer: JSON around the words, thinking that is sent along, errors."""
_BYTES_A_TOKEN = 64
"""A long token in a script each of whose letters is escaped in JSON."""
_BYTES_A_VECTOR = 128 * 1024
"""4,096 numbers of an embedding, written out in full."""


class TooManyBytes(Exception):
    """An answer had more bytes than its bound."""


class BoundedBody(httpx.SyncByteStream):
    """The bytes of an answer, decompressed as they come; raises TooManyBytes beyond `most`."""

    def __init__(self, stream: httpx.SyncByteStream, encoding: str, most: int) -> None:
        self._stream = stream
        self._encoding = encoding.strip().lower()
        self._most = most

    def __iter__(self) -> Iterator[bytes]:
        count = 0
        for piece in self._decompressed():
            count += len(piece)
            if count > self._most:
                raise TooManyBytes
            yield piece

    def _decompressed(self) -> Iterator[bytes]:
        if self._encoding in _PLAIN:
            yield from self._stream
            return
        if self._encoding not in _PACKED:
            raise httpx.DecodingError("The answer is packed in a way that memproc does not read.")
        unpacker = zlib.decompressobj(_ANY_HEADER)
        try:
            for packed in self._stream:
                while packed:
                    yield unpacker.decompress(packed, _PIECE_BYTES)
                    packed = unpacker.unconsumed_tail
            yield unpacker.flush()
        except zlib.error as fault:
            raise httpx.DecodingError("The answer cannot be decompressed.") from fault

    def close(self) -> None:
        """Close the connection's stream."""
        self._stream.close()


@dataclass(slots=True)
class WatchedCall:
    """A call under way: its model, and what the guard has seen that LiteLLM does not tell."""

    model: Model
    most_bytes: int
    """The most bytes of the answer, decompressed."""
    deadline: Deadline
    refusal: MemprocError | None = None
    """Why a request was held back, or its answer was not read."""
    raw: RawAnswer | None = None
    """The answer that was read last; None before the first."""
    content: bytes = b""
    """The bytes of that answer, as they came."""

    def hold_back(self, host: str, why: str) -> NoReturn:
        """Raise instead of sending to a host."""
        self.refusal = ProviderRefuses(
            f"A request for {self.model.name} would have gone to {readable_host(host)}, {why}, so "
            "it was not sent.",
            "Look at the address in memproc.toml and in the environment, and whom it belongs to.",
        )
        raise RequestHeldBack


class RequestHeldBack(Exception):
    """A request must not be sent, or its answer not be read."""


_CALL: ContextVar[WatchedCall | None] = ContextVar("call", default=None)


def bound(response: httpx.Response, most: int) -> None:
    """Have an answer that is not read yet decompressed as it comes, up to `most` bytes."""
    assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101  not asynchronous
    response.stream = BoundedBody(
        response.stream, response.headers.pop("content-encoding", ""), most
    )
    response.headers.pop("content-length", None)


@contextmanager
def watched(request: Request) -> Iterator[WatchedCall]:
    """Guard this call in the block: what may not pass is held back; `refusal` says why."""
    _install()
    with in_time(_most_seconds(request)) as deadline:
        call = WatchedCall(request.model, most_answer_bytes(request), deadline)
        token = _CALL.set(call)
        try:
            yield call
        finally:
            _CALL.reset(token)


def most_answer_bytes(request: Request) -> int:
    """Return the most bytes that an answer may have: a few megabytes more than its room holds."""
    of_vectors = len(request.turns) * _BYTES_A_VECTOR if request.step == EMBEDDING else 0
    return _BYTES_ANYHOW + request.most_tokens * _BYTES_A_TOKEN + of_vectors


def _most_seconds(request: Request) -> float:
    """Return the seconds that an answer may take, by its room; an own server has its time-out."""
    given = request.route.get("timeout")
    seconds = min(MOST_SECONDS, _SECONDS_ANYHOW + request.most_tokens * _SECONDS_A_TOKEN)
    if isinstance(given, int | float) and is_local(request.model):
        return max(seconds, given)
    return seconds


def look_at(call: WatchedCall, request: httpx.Request) -> None:
    """Raise RequestHeldBack where the request must not leave.

    Its host is checked only for providers whose key memproc keeps: of others none is known.
    """
    provider, host = call.model.provider, request.url.host
    agreed = {address.host for address in call.model.addresses}
    if provider in OWN_HOSTS and host not in agreed and not is_own_host(provider, host):
        call.hold_back(host, "which is not its provider's own address, nor one that you named")
    headers = (request.headers.get(name, "") for name in KEY_HEADERS)
    carries_key = "key" in request.url.params or any(map(is_key, headers))
    if carries_key and request.url.scheme != "https" and not is_loopback(host):
        call.hold_back(host, "over plain HTTP")


def redirect_refused(
    model: str, request: httpx.Request, response: httpx.Response
) -> ModelError | None:
    """Return the error for an answer that redirects; None for any other."""
    if not response.has_redirect_location:
        return None
    try:
        target = request.url.join(response.headers["location"])
        place = f"{target.host}:{target.port}" if target.port else target.host
    except httpx.InvalidURL:
        place = "an address that cannot be read"
    return ModelError(
        f"{readable_host(request.url.host)} answers a request for {model} by pointing to "
        f"{readable_host(place)} (status {response.status_code}). memproc follows nobody there, "
        "since the conversation would go along.",
        "If the model is served at that address now, name it: api_base in [models.options] of "
        f'memproc.toml, in a table "{model}".',
    )


def send_watched(
    request: httpx.Request, send: Callable[[httpx.Request], httpx.Response]
) -> httpx.Response:
    """Send a request with `send`; if a call is guarded, check it before, and read its answer.

    Raises RequestHeldBack where it must not be sent, or its answer not be read.
    """
    call = _CALL.get()
    if call is None:
        return send(request)  # batches have their own client, which follows no redirect
    look_at(call, request)
    request.headers["accept-encoding"] = TAKEN_ENCODINGS
    try:
        return _read_answer(call, request, send(request))
    except httpx.ReadTimeout:
        if not call.deadline.is_over:
            raise
        call.refusal = answer_too_slow(call.model.name, request.url.host, call.deadline.seconds)
        raise RequestHeldBack from None


def _read_answer(
    call: WatchedCall, request: httpx.Request, response: httpx.Response
) -> httpx.Response:
    """Read an answer in bounds, and return it in a shape that LiteLLM can read.

    Raises RequestHeldBack where it must not be read.
    """
    if refused := redirect_refused(call.model.name, request, response):
        response.close()
        call.refusal = refused
        raise RequestHeldBack
    bound(response, call.most_bytes)
    try:
        content = response.read()
    except TooManyBytes:
        response.close()
        call.refusal = answer_too_large(call.model.name, request.url.host, call.most_bytes)
        raise RequestHeldBack from None
    call.raw, call.content = read_raw(response.status_code, content), content
    return httpx.Response(call.raw.status, headers=response.headers, content=call.raw.content)


def answer_too_large(model: str, host: str, most: int) -> AnswerTooLarge:
    """Return the error for an answer that was cut off at `most` bytes."""
    return AnswerTooLarge(
        f"The answer of {model} at {readable_host(host)} had more than {most // 1024**2:,} MB, "
        "which its room cannot hold, so it was cut off. It counts as it was reserved.",
        "Look at the address in memproc.toml, or choose another model; then run memproc again.",
    )


def answer_too_slow(model: str, host: str, most: float) -> AnswerTooSlow:
    """Return the error for an answer that had not ended after `most` seconds."""
    return AnswerTooSlow(
        f"The answer of {model} at {readable_host(host)} had not ended {most:,.0f} seconds after "
        "it began, so it was cut off. It counts as it was reserved.",
        "Run memproc again later: finished answers are kept and not asked for again.",
    )


@cache
def _install() -> None:
    """Wrap the one method through which every client of httpx sends, with proxies or without.

    OpenAI's library prefers httpx2 where it is installed; its answers cannot be guarded, so its
    requests are held back.
    """
    send = httpx.HTTPTransport.handle_request

    def handle_request(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        return send_watched(request, partial(send, self))

    httpx.HTTPTransport.handle_request = handle_request  # type: ignore[method-assign]
    with suppress(ImportError):
        _hold_back_httpx2()


def _hold_back_httpx2() -> None:
    import httpx2

    send = httpx2.HTTPTransport.handle_request

    def handle_request(self: httpx2.HTTPTransport, request: httpx2.Request) -> httpx2.Response:
        if call := _CALL.get():
            call.hold_back(request.url.host, "by a client that memproc cannot watch")
        return send(self, request)

    httpx2.HTTPTransport.handle_request = handle_request  # type: ignore[method-assign]
