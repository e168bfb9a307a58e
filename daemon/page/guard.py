"""Guard HTTP on loopback, for the page, the bridge and the connector alike.

Whoever connects is on this computer already, so each check is against a page elsewhere that the
browser has open:

    another Host    a name that was made to point at this computer (DNS rebinding)               421
    another Origin  a form, a fetch or a WebSocket from elsewhere                                403
    size            more than the application takes; the sender need not have told its size      413

Starlette's TrustedHostMiddleware does not look at ports, and its CORSMiddleware knows its origins
before it starts; ours are those of the devices paired just now.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive

ORIGINS = ("https://www.typingmind.com", "https://setapp.typingcloud.com")
"""The origins of TypingMind's own pages."""
TOO_LARGE = "This is more than memproc takes at once."


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


def refuse_host(headers: Mapping[str, str], port: int) -> RefusedRequest | None:
    """Refuse a request to any name but those by which a browser on this computer may call us."""
    if headers.get("host", "") in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"):
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
    """Return the same request, of which no more than `most` bytes are read.

    After that, HTTPException 413 is raised.
    """
    size = 0

    async def receive_bounded() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            raise HTTPException(413, TOO_LARGE)
        return message

    return receive_bounded


async def read_body(request: Request, most: int) -> bytes | None:
    """Return the whole body, or None where it has more than `most` bytes; then no more is read."""
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length) > most:
        return None
    try:
        return await Request(request.scope, bounded(request.receive, most)).body()
    except HTTPException:
        return None
