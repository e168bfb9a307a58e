"""Serve TypingMind's connector protocol in memproc itself, so that lookups need no Node.

It is off unless `recall.connector` in memproc.toml is true. Callers need the token of `memproc mcp
token`; browsers must be on a page of TypingMind's or of a host that memproc.toml names. Nothing can
be started or changed: `/start` answers that memproc is there already. With `recall.keep`, passages
to keep can be proposed, which wait for the user.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from daemon.page.guard import FROM_ELSEWHERE, ORIGINS, CrossOrigin, let_read, read_body, refuse_host
from daemon.recall.bearer import TOKEN_NEEDED, is_allowed
from daemon.recall.library import Library
from daemon.recall.toolbox import call_tool, list_tools, offered_tools, with_whole_letters

PREFIX = "/connector"
_CLIENT = "memproc"
_LARGEST = 64 << 10  # bytes of a request
_ALLOWED = CrossOrigin(sends="Authorization, Content-Type")
_BEGAN = "2026-01-01T00:00:00.000Z"

Answer = Callable[[Request], Awaitable[Response]]


def connector(library: Library, port: int, origins: Sequence[str]) -> ASGIApp:
    """Return the application that answers under `PREFIX`."""
    routes = (
        ("/ping", "GET", _ping),
        ("/start", "POST", _start),
        ("/clients", "GET", _clients),
        (f"/clients/{_CLIENT}/tools", "GET", _list_tools),
        (f"/clients/{_CLIENT}/call_tools", "POST", _call_tool),
    )
    app = Starlette(
        routes=[
            Route(f"{PREFIX}{path}", _guarded(answer), methods=[method, "OPTIONS"])
            for path, method, answer in routes
        ],
    )
    app.state.library = library
    app.state.port, app.state.origins = port, frozenset((*ORIGINS, *origins))
    return app


def _guarded(answer: Answer) -> Answer:
    """Answer callers that may call, and let browsers on allowed pages read the answer."""

    async def respond(request: Request) -> Response:
        response = _refusal(request) or await answer(request)
        if request.headers.get("origin") in request.app.state.origins:
            let_read(request, response, _ALLOWED)
        return response

    return respond


async def _ping(_: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _start(_: Request) -> Response:
    clients = [{"id": _CLIENT, "message": "is here"}]
    return JSONResponse({"message": "memproc is here", "clients": clients}, 201)


async def _clients(request: Request) -> Response:
    client = {
        "id": _CLIENT,
        "command": "memproc",
        "args": ["mcp"],
        "createdAt": _BEGAN,
        "tools": list(offered_tools(request.app.state.library)),
    }
    return JSONResponse([client])


async def _list_tools(request: Request) -> Response:
    return JSONResponse(list_tools(request.app.state.library))


async def _call_tool(request: Request) -> Response:
    body = await read_body(request, _LARGEST)
    if body is None:
        return PlainTextResponse(f"A request has at most {_LARGEST:,} bytes.", 413)
    try:
        call: Any = json.loads(with_whole_letters(body.decode()))
        name, arguments = str(call["name"]), dict(call.get("arguments") or {})
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return PlainTextResponse('{"name": ..., "arguments": {...}} is expected.', 400)
    library = request.app.state.library
    return JSONResponse(await run_in_threadpool(call_tool, library, name, arguments))


def _refusal(request: Request) -> Response | None:
    """Check host, origin and token. Return the refusal, or None.

    A browser's preflight carries no token, so it needs none.
    """
    origin, state = request.headers.get("origin"), request.app.state
    refused = refuse_host(request.headers, state.port)
    if refused is None and origin is not None and origin not in state.origins:
        refused = FROM_ELSEWHERE
    if refused:
        return PlainTextResponse(refused.reason, refused.status)
    if request.method == "OPTIONS":
        return Response(status_code=204)
    if is_allowed(state.library.state, request.headers):
        return None
    return PlainTextResponse(TOKEN_NEEDED, 401)
