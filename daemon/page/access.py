"""Decide which requests the page answers: those of this computer's browser, within a session.

Besides what the guard (guard.py) refuses, these are refused:

    Sec-Fetch-Site  an image, a script or a link from elsewhere; pages cannot set it             403
    content type    neither a form nor JSON: what any page may send unasked                      415
    no session      no link of `memproc open` was followed in this browser                       401

A function that refuses returns the reason; the application turns it into a short answer.
"""

from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from daemon.page.guard import (
    FROM_ELSEWHERE,
    TOO_LARGE,
    RefusedRequest,
    bounded,
    content_type,
    ending_connection,
    refuse_host,
)

SAFE_METHODS = frozenset({"GET", "HEAD"})
CONTENT_TYPES = frozenset(
    {"application/x-www-form-urlencoded", "multipart/form-data", "application/json"}
)
LARGEST_FORM = 1 << 20
"""Bytes of a request other than an upload."""
LARGEST_UPLOAD = 4 << 30
"""Bytes. ChatGPT's exports hold pictures; TypingMind's have a limit of their own in the inbox."""
UPLOADS = "/drop"
"""The address to which exports are sent."""

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer, browsers would not say which page our own forms come from.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def refuse_request(method: str, headers: Mapping[str, str], port: int) -> RefusedRequest | None:
    """Check host, origin and content type. Return the refusal, or None."""
    host, origin = headers.get("host", ""), headers.get("origin")
    if refused := refuse_host(headers, port):
        return refused
    is_ours = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
    if not is_ours or origin not in (None, f"http://{host}"):
        return FROM_ELSEWHERE
    if method in SAFE_METHODS:
        return None
    if origin is None:
        return RefusedRequest(403, "A browser names the page that a form comes from.")
    if content_type(headers) not in CONTENT_TYPES:
        return RefusedRequest(415, "memproc takes its own forms only.")
    return None


def dispatcher(page: ASGIApp, others: Mapping[str, ASGIApp]) -> ASGIApp:
    """Combine the page with applications that have rules of their own, each under its prefix."""

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await page(scope, receive, send)
            return
        path, send = scope["path"], ending_connection(scope, send)
        if not path.startswith("/"):  # CONNECT names a host
            await PlainTextResponse("memproc is no proxy.", 400)(scope, receive, send)
            return
        first = f"/{path.split('/')[1]}"
        await others.get(first, page)(scope, receive, send)

    return dispatch


def with_access(app: ASGIApp, port: int) -> ASGIApp:
    """Wrap the page to refuse requests, and to set the headers that restrict the browser."""

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_bound(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        most = LARGEST_FORM + (LARGEST_UPLOAD if scope["path"] == UPLOADS else 0)
        headers = Headers(scope=scope)
        refused = refuse_request(scope["method"], headers, port)
        if refused is None and int(headers.get("content-length", 0)) > most:
            refused = RefusedRequest(413, TOO_LARGE)
        answer = PlainTextResponse(refused.reason, refused.status) if refused else app
        await answer(scope, bounded(receive, most), send_bound)

    return respond
