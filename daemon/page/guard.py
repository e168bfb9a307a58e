"""Guard HTTP on loopback, for the page, the bridge and the connector alike.

Whoever connects is on this computer already, so each check is against foreign web pages that the
browser has open:

    another Host    a name that was made to point at this computer (DNS rebinding)               421
    another Origin  a form, a fetch or a WebSocket of a foreign page                             403
    size            more than the application takes, whether or not the size was announced       413
    time            a body that is announced and does not come, or comes byte by byte            408

Starlette's TrustedHostMiddleware ignores ports, and its CORSMiddleware needs all origins when it
starts; ours are those of the devices that are paired at the moment.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ORIGINS = ("https://www.typingmind.com", "https://setapp.typingcloud.com")
"""The origins at which TypingMind itself is served."""
TOO_LARGE = "This is more than memproc takes at once."
_TOO_SLOW = "The rest of this request did not come in time. Send it again."
_FIRST_SECONDS = 30.0
_LEAST_RATE = 1 << 18
"""Bytes a second: with each byte that has come, the body may take so much longer."""


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """Why a request is not answered; `status` is the HTTP status."""

    status: int
    reason: str


FROM_ELSEWHERE = RefusedRequest(403, "Pages from elsewhere may not use memproc.")


@dataclass(frozen=True, slots=True)
class CrossOrigin:
    """The headers that an allowed page of another origin may send, and those that it may read."""

    sends: str
    """Names of request headers, separated by commas."""
    reads: str = ""
    """Names of response headers, separated by commas."""
    seconds: int = 0
    """How long a browser may cache the answer to its preflight; 0 for the browser's default."""


def own_hosts(port: int) -> tuple[str, ...]:
    """Return the hosts, with the port, by which a browser on this computer may call us."""
    return f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"


def refuse_host(headers: Mapping[str, str], port: int) -> RefusedRequest | None:
    """Refuse a request to any host but our own; return None for our own."""
    if headers.get("host", "") in own_hosts(port):
        return None
    return RefusedRequest(421, "This is memproc on another address.")


def content_type(headers: Mapping[str, str]) -> str:
    """Return the type of a request's body, without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def let_read(request: Request, response: Response, allowed: CrossOrigin) -> None:
    """Set the headers that let the calling page read the response (CORS)."""
    origin = request.headers.get("origin")
    if origin is None:
        return
    headers = {"Access-Control-Allow-Origin": origin, "Vary": "Origin"}
    if allowed.reads:
        headers["Access-Control-Expose-Headers"] = allowed.reads
    if request.method == "OPTIONS":
        headers["Access-Control-Allow-Methods"] = "GET, POST"
        headers["Access-Control-Allow-Headers"] = allowed.sends
        headers["Access-Control-Allow-Private-Network"] = "true"
        if allowed.seconds:
            headers["Access-Control-Max-Age"] = str(allowed.seconds)
    response.headers.update(headers)


def bounded(receive: Receive, most: int) -> Receive:
    """Wrap `receive` to limit the size of a request's body and the time that it may take.

    The wrapper raises HTTPException 413 after `most` bytes, and 408 where the body is too slow.
    """
    size, began, is_whole = 0, monotonic(), False

    async def receive_bounded() -> Message:
        nonlocal size, is_whole
        if is_whole:  # from now on, only the end of the connection is waited for
            return await receive()
        seconds_left = began + _FIRST_SECONDS + size / _LEAST_RATE - monotonic()
        try:
            async with asyncio.timeout(seconds_left):
                message = await receive()
        except TimeoutError as fault:
            raise HTTPException(408, _TOO_SLOW) from fault
        size += len(message.get("body", b""))
        is_whole = not message.get("more_body", False)
        if size > most:
            raise HTTPException(413, TOO_LARGE)
        return message

    return receive_bounded


def ending_connection(scope: Scope, send: Send) -> Send:
    """Wrap `send` to close the connection after an answer if the body could go on for ever.

    Such a body does not announce its size, which no browser's does, or was given up as too slow.
    """
    is_endless = any(name == b"transfer-encoding" for name, _ in scope["headers"])

    async def send_closing(message: Message) -> None:
        if message["type"] == "http.response.start" and (is_endless or message["status"] == 408):
            message["headers"] = [*message["headers"], (b"connection", b"close")]
        await send(message)

    return send_closing


def with_bounds(app: ASGIApp, most: int) -> ASGIApp:
    """Wrap an application so that at most `most` bytes of a request's body are read."""

    async def bound(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            receive, send = bounded(receive, most), ending_connection(scope, send)
        await app(scope, receive, send)

    return bound


async def read_body(request: Request, most: int) -> bytes | None:
    """Return the whole body; None, without reading on, where it has more than `most` bytes.

    Raises HTTPException 408 where the body is too slow.
    """
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length) > most:
        return None
    try:
        return await Request(request.scope, bounded(request.receive, most)).body()
    except HTTPException as fault:
        if fault.status_code != 413:
            raise
        return None


def texts_of(body: bytes, *names: str) -> tuple[str, ...] | None:
    """Return the strings of these names in a JSON object; None where the body is anything else.

    Strings with a NUL or a lone surrogate are not accepted.
    """
    try:
        fields = json.loads(body)
        texts = [fields[name] for name in names]
        is_fit = b"\0" not in "".join(texts).encode()
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return tuple(texts) if is_fit else None
