"""Serve the bridge's calls: the extension sends a chat, follows its job, and fetches the result.

Only a device that was paired with a code of `memproc pair` is answered, and only on the page on
which it was paired. Each call is signed and accepted once. Each reply is signed, too, and the
extension obeys no other: a foreign program on this port can neither learn nor order anything. A
device may plan, give a job, read its own jobs, keep a passage and end its own pairing, no more.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from time import time

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from daemon.bridge.devices import (
    Device,
    call_mac,
    devices,
    find_device,
    forget_devices,
    is_asked_for,
    is_first,
    is_nonce,
    is_same_secret,
    is_timely,
    note_use,
    pair,
    reply_mac,
)
from daemon.files.clock import now
from daemon.page.actions import do_command
from daemon.page.app import Desk, Plans
from daemon.page.bridge_jobs import job, plan_of_chat, result, submit
from daemon.page.guard import (
    FROM_ELSEWHERE,
    ORIGINS,
    CrossOrigin,
    RefusedRequest,
    content_type,
    let_read,
    read_body,
    refuse_host,
    texts_of,
)
from daemon.page.words import browser_name
from rules.errors import MemprocError, NotAnExport, RefusedArguments

PREFIX = "/bridge"
LARGEST = 64 << 20
"""Bytes of an export."""
LARGEST_PAIRING = 1 << 10
_CALLS = CrossOrigin(
    sends="Content-Type, X-Memproc-Device, X-Memproc-Time, X-Memproc-Nonce, X-Memproc-Mac",
    reads="X-Memproc-Mac",
    seconds=600,
)
_UNPAIRED = RefusedRequest(
    401, "This browser is not paired with memproc, or was forgotten: memproc pair"
)
_NO_JOB = (
    "memproc has no such job any more. Press to send the chat again; "
    "what is made is not paid again."
)
_CLOCK_IS_OFF = "The clock of this browser is more than two minutes off that of memproc."


@dataclass(frozen=True, slots=True)
class SignedCall:
    """A whole call of a paired device."""

    device: Device
    nonce: str
    body: bytes


Answer = Callable[[Desk, Request, SignedCall], Response]
Respond = Callable[[Request], Awaitable[Response]]


def bridge(desk: Desk, port: int) -> ASGIApp:
    """Return the application that answers under `PREFIX`."""
    responses: Sequence[tuple[str, str, Respond]] = (
        ("GET", "/typingmind.js", _script),
        ("POST", "/pair", _pair),
        ("POST", "/forget", _signed(_forget)),
        ("POST", "/keep", _signed(_keep)),
        ("POST", "/plan", _signed(_plan)),
        ("POST", "/jobs", _signed(_submit)),
        ("GET", "/jobs/{job}", _signed(_job)),
        ("GET", "/jobs/{job}/result", _signed(_result)),
    )
    app = Starlette(
        routes=[
            Route(f"{PREFIX}{path}", _guarded(respond), methods=[method, "OPTIONS"])
            for method, path, respond in responses
        ]
    )
    app.state.desk, app.state.port, app.state.plans = desk, port, Plans()
    return app


def _reply(status: int, **values: object) -> Response:
    return Response(json.dumps(values), status, media_type="application/json")


def _refused(status: int, reason: str) -> Response:
    return _reply(status, reason=reason)


def _guarded(respond: Respond) -> Respond:
    """Respond to pages that may call, and let their browsers read the response."""

    async def guarded(request: Request) -> Response:
        is_readable, response = False, Response(status_code=204)
        try:
            refused = await run_in_threadpool(_refusal, request)
            is_readable = refused is None or refused.status not in (403, 421)
            if request.method != "OPTIONS" or not is_readable:
                response = (
                    _refused(refused.status, refused.reason) if refused else await respond(request)
                )
        except MemprocError as fault:  # the devices, and so the allowed origins, cannot be read
            response = _refused(409, str(fault))
        if is_readable:
            let_read(request, response, _CALLS)
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    return guarded


def _refusal(request: Request) -> RefusedRequest | None:
    """Check host, origin and content type. Return the refusal, or None.

    An unpaired page of TypingMind's may read that it is not paired, and nothing else.
    """
    headers, is_script = request.headers, request.url.path == f"{PREFIX}/typingmind.js"
    if refused := refuse_host(headers, request.app.state.port):
        return refused
    origin, desk = headers.get("origin"), request.app.state.desk
    if origin is None:
        unnamed = RefusedRequest(403, "A browser names the page that a call comes from.")
        return None if is_script else unnamed
    is_typingmind = origin in (*ORIGINS, *desk.config.bridge.origins)
    state = desk.folders.state
    # Allowed are pages that are paired, and TypingMind's while a code is open.
    may_call = (is_typingmind and (is_script or is_asked_for(state, time()))) or any(
        device.origin == origin for device in devices(state)
    )
    if not may_call:
        return _UNPAIRED if is_typingmind else FROM_ELSEWHERE
    if request.method == "POST" and content_type(headers) != "application/json":
        return RefusedRequest(415, "memproc takes JSON here.")
    return None


async def _script(_: Request) -> Response:
    """Send the extension's script. It contains no secret, so any page may load it."""
    text = (files("daemon.bridge") / "typingmind.js").read_bytes()
    return Response(
        text, media_type="text/javascript", headers={"Cross-Origin-Resource-Policy": "cross-origin"}
    )


async def _pair(request: Request) -> Response:
    body = await read_body(request, LARGEST_PAIRING)
    if body is None:
        return _refused(413, "That is no code.")
    return await run_in_threadpool(_exchange_code, request, body)


def _exchange_code(request: Request, body: bytes) -> Response:
    """Exchange a code for a device's token."""
    fields = texts_of(body, "code")
    if fields is None:
        return _refused(400, '{"code": "..."} is expected.')
    state = request.app.state.desk.folders.state
    name = browser_name(request.headers.get("user-agent", ""))
    paired = pair(state, fields[0], name, request.headers["origin"], time(), now()[:10])
    if isinstance(paired, str):
        return _refused(403, paired)
    return _reply(200, device=paired.device.id, token=paired.token)


def _signed(answer: Answer) -> Respond:
    """Respond to a paired device's call; signed once the call's own signature is checked."""

    async def respond(request: Request) -> Response:
        desk: Desk = request.app.state.desk
        call = await _read_call(request, desk.folders.state)
        if isinstance(call, RefusedRequest):
            return _refused(call.status, call.reason)
        reply = await run_in_threadpool(_answered, answer, desk, request, call)
        mac = reply_mac(call.device.key, call.nonce, reply.status_code, bytes(reply.body))
        reply.headers["X-Memproc-Mac"] = mac
        return reply

    return respond


async def _read_call(request: Request, state: Path) -> SignedCall | RefusedRequest:
    """Read the whole call, and check its device and its signature."""
    headers = request.headers
    device = await run_in_threadpool(find_device, state, headers.get("x-memproc-device", ""))
    if device is None:
        return _UNPAIRED
    if device.origin != headers["origin"]:
        return RefusedRequest(401, "This device was paired on another page.")
    body = await read_body(request, LARGEST)
    if body is None:
        return RefusedRequest(413, f"memproc takes chats of up to {LARGEST >> 20} MiB here.")
    nonce, at = headers.get("x-memproc-nonce", ""), headers.get("x-memproc-time", "")
    expected = call_mac(device.key, request.method, request.url.path, at, nonce, body)
    if not (is_nonce(nonce) and is_same_secret(expected, headers.get("x-memproc-mac", ""))):
        return RefusedRequest(401, "The call is not signed with the token of its device.")
    return SignedCall(device, nonce, body)


def _answered(answer: Answer, desk: Desk, request: Request, call: SignedCall) -> Response:
    """Answer a call that is on time and new; an error becomes a reply that says it."""
    from daemon.files.reasons import describe

    if not is_timely(request.headers.get("x-memproc-time", ""), time()):
        return _refused(401, _CLOCK_IS_OFF)
    try:
        if not is_first(desk.folders.state, call.nonce, time()):
            return _refused(401, "This call has come before.")
        note_use(desk.folders.state, call.device, now()[:10])
        return answer(desk, request, call)
    except (NotAnExport, RefusedArguments) as fault:
        return _refused(400, str(fault))
    except MemprocError as fault:
        return _refused(409, str(fault))
    except Exception as fault:  # the boundary for what we did not foresee
        return _refused(500, " ".join(describe(fault)))


def _keep(desk: Desk, _: Request, call: SignedCall) -> Response:
    fields = texts_of(call.body, "chat", "message", "words")
    if fields is None:
        return _refused(409, '{"chat": ..., "message": ..., "words": ...} is expected.')
    chat, message, words = fields
    result = do_command(desk.toml, "keep", "--message", message, "--", chat, words)
    return _reply(200, says=result.says) if result.is_done else _refused(409, result.says)


def _forget(desk: Desk, _: Request, call: SignedCall) -> Response:
    forget_devices(desk.folders.state, frozenset({call.device.id}))
    return _reply(200)


def _plan(desk: Desk, request: Request, call: SignedCall) -> Response:
    return _reply(200, **plan_of_chat(desk, request.app.state.plans, call.body))


def _submit(desk: Desk, _: Request, call: SignedCall) -> Response:
    return _reply(202, job=submit(desk, call.device, call.body))


def _job(desk: Desk, request: Request, call: SignedCall) -> Response:
    fields = job(desk, call.device, request.path_params["job"])
    return _reply(200, **fields) if fields else _refused(404, _NO_JOB)


def _result(desk: Desk, request: Request, call: SignedCall) -> Response:
    export = result(desk, call.device, request.path_params["job"])
    if export is None:
        return _refused(404, _NO_JOB)
    return Response(export, media_type="application/json")
