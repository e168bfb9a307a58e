"""Guard HTTP on loopback, for the page, the bridge and the connector alike.

Whoever connects is on this computer already, so each check is against a page elsewhere that the
browser has open:

    another Host    a name that was made to point at this computer (DNS rebinding)               421
    another Origin  a form, a fetch or a WebSocket from elsewhere                                403
    size            more than the application takes; the sender need not have told its size      413
    time            a body that is announced and does not come, or comes byte by byte            408

Starlette's TrustedHostMiddleware does not look at ports, and its CORSMiddleware knows its origins
before it starts; ours are those of the devices paired just now.
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
"""The origins of TypingMind's own pages."""
TOO_LARGE = "This is more than memproc takes at once."
_TOO_SLOW = "The rest of this request did not come in time. Send it again."
_FIRST_SECONDS = 30.0
_LEAST_RATE = 1 << 18
"""Bytes a second: a body that has come so far may take so much longer."""


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """Why a request is not answered; `status` is HTTP's number for it."""

    status: int
    reason: str


FROM_ELSEWHERE = RefusedRequest(403, "Pages from elsewhere may not use memproc.")


@dataclass(frozen=True, slots=True)
class CrossOrigin:
    """What the browser of an allowed page elsewhere may send, and what it may read."""

    sends: str
    """Names of request headers, separated by commas."""
    reads: str = ""
    """Names of response headers, separated by commas."""
    seconds: int = 0
    """How long a browser may remember the answer to its preflight; 0 for its own default."""


def own_hosts(port: int) -> tuple[str, ...]:
    """Return the names by which a browser on this computer may call us."""
    return f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"


def refuse_host(headers: Mapping[str, str], port: int) -> RefusedRequest | None:
    """Refuse a request to any name but our own."""
    if headers.get("host", "") in own_hosts(port):
        return None
    return RefusedRequest(421, "This is memproc on another address.")


def content_type(headers: Mapping[str, str]) -> str:
    """Return the type of a request's body, without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def let_read(request: Request, response: Response, allowed: CrossOrigin) -> None:
    """Set the headers by which the browser lets the page that asks read the response."""
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
    """Return the same request, of which no more than `most` bytes are read, and waited for.

    After that, HTTPException 413 is raised, or 408 where they do not come.
    """
    size, began, is_whole = 0, monotonic(), False

    async def receive_bounded() -> Message:
        nonlocal size, is_whole
        if is_whole:  # what is waited for from now on is that the other side goes
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
    """Return the same answer, after which the connection ends if more could come for ever.

    That is a body that does not say its size, which no browser sends us, or one that is given up.
    """
    is_endless = any(name == b"transfer-encoding" for name, _ in scope["headers"])

    async def send_closing(message: Message) -> None:
        if message["type"] == "http.response.start" and (is_endless or message["status"] == 408):
            message["headers"] = [*message["headers"], (b"connection", b"close")]
        await send(message)

    return send_closing


def with_bounds(app: ASGIApp, most: int) -> ASGIApp:
    """Return the application, of whose requests no more than `most` bytes are read."""

    async def bound(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            receive, send = bounded(receive, most), ending_connection(scope, send)
        await app(scope, receive, send)

    return bound


async def read_body(request: Request, most: int) -> bytes | None:
    """Return the whole body, or None where it has more than `most` bytes; then no more is read.

    Raise HTTPException 408 where it does not come.
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
    """Return the texts of these names in a JSON object; None where the body is anything else.

    A NUL and half a surrogate pair are in no text.
    """
    try:
        said = json.loads(body)
        texts = [said[name] for name in names]
        is_fit = b"\0" not in "".join(texts).encode()
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return tuple(texts) if is_fit else None
