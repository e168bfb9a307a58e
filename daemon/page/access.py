"""Which requests are answered at all: those of this computer's own browser, from our own pages, within a session.

Whoever is connected already reached loopback, so each check is against a page elsewhere that the browser has open:

    another Host    a name that was made to point at this computer (DNS rebinding)               421
    another Origin  a form, a fetch or a WebSocket from elsewhere                                403
    Sec-Fetch-Site  an image, a script or a link from elsewhere; browsers do not let pages set it    403
    content type    a form or JSON; anything else that a page may send unasked                   415
    size            more than a form of ours holds, or than an export may have                   413
    no session      nobody has followed a link of `memproc open` in this browser                 401

A rule that refuses gives the reason as a value; the application turns it into a short answer that shows nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from daemon.files.candidates import LARGEST_BYTES

SAFE_METHODS = frozenset({"GET", "HEAD"})
CONTENT_TYPES = frozenset(
    {"application/x-www-form-urlencoded", "multipart/form-data", "application/json"}
)
ORIGINS = ("https://www.typingmind.com", "https://setapp.typingcloud.com")
"""The origins of TypingMind's own pages."""
LARGEST_FORM = 1 << 20
"""Bytes of a request other than an upload."""
UPLOADS = "/drop"
"""The addresses that exports are sent to, as large as one in the inbox, with what a form has around it."""
_TOO_LARGE = "This is more than memproc takes at once."

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers would not say which page our own forms come from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """Why a request is not answered; `status` is HTTP's number for it."""

    status: int
    reason: str


def own_hosts(port: int) -> frozenset[str]:
    """The names by which a browser on this computer may call us."""
    return frozenset({f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"})


def refuse_request(method: str, headers: Mapping[str, str], port: int) -> RefusedRequest | None:
    """Why a request is refused before anybody looks who sent it; None where it is not."""
    host, origin = headers.get("host", ""), headers.get("origin")
    if host not in own_hosts(port):
        return RefusedRequest(421, "This is memproc on another address.")
    if origin is not None and origin != f"http://{host}":
        return RefusedRequest(403, "Pages from elsewhere may not use memproc.")
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return RefusedRequest(403, "Pages from elsewhere may not use memproc.")
    if method in SAFE_METHODS:
        return None
    if origin is None:
        return RefusedRequest(403, "A browser names the page that a form comes from.")
    if headers.get("content-type", "").partition(";")[0].strip().lower() not in CONTENT_TYPES:
        return RefusedRequest(415, "memproc takes its own forms only.")
    return None


def beside(page: ASGIApp, behind: Mapping[str, ASGIApp]) -> ASGIApp:
    """One application: what lies behind one of these prefixes has its own rules, everything else is the page."""

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        first = f"/{scope['path'].split('/')[1]}" if scope["type"] == "http" else ""
        await behind.get(first, page)(scope, receive, send)

    return dispatch


def most_body_bytes(path: str) -> int:
    """The largest size of a request to this path, in bytes."""
    return LARGEST_BYTES + LARGEST_FORM if path == UPLOADS else LARGEST_FORM


def bounded(receive: Receive, most: int) -> Receive:
    """The same request, of which no more than so many bytes are read: then HTTPException 413 is raised.

    Whoever sends need not say beforehand how much it will be.
    """
    size = 0

    async def receive_bounded() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            raise HTTPException(413, _TOO_LARGE)
        return message

    return receive_bounded


class Access:
    """The outermost layer of the application: refuses, and sets the headers that bind the browser."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app, self._port = app, port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_bound(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        headers, most = Headers(scope=scope), most_body_bytes(scope["path"])
        refused = refuse_request(scope["method"], headers, self._port)
        if refused is None and int(headers.get("content-length", 0)) > most:
            refused = RefusedRequest(413, _TOO_LARGE)
        app = PlainTextResponse(refused.reason, refused.status) if refused else self._app
        await app(scope, bounded(receive, most), send_bound)
