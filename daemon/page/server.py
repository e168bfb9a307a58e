"""Run the page's process: serve a listening socket on loopback, and end when idle.

The daemon holds the port and hands its socket over when a browser connects. So the address always
answers, although only the small daemon stays in memory. Without a daemon, `memproc open` starts
this.
"""

import asyncio
import contextlib
import socket
from time import monotonic

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

IDLE_SECONDS = 600.0
_LOOK_SECONDS = 1.0
_LAST_SECONDS = 3
"""How long a request may still take after the process was told to end."""


class _Activity:
    """Counts the requests that are being answered, and remembers when the last one ended."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._open, self._last = app, 0, monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._open += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open -= 1
            self._last = monotonic()

    def idle_seconds(self) -> float:
        return 0.0 if self._open else monotonic() - self._last


def serve(listener: socket.socket, app: ASGIApp, idle_seconds: float = IDLE_SECONDS) -> None:
    """Answer requests until none has come for `idle_seconds`, or a signal ends the process."""
    activity = _Activity(app)
    # No access log: the URL of a one-time link holds its secret.
    config = uvicorn.Config(
        activity,
        log_config=None,
        access_log=False,
        ws="none",
        lifespan="off",
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_LAST_SECONDS,
    )
    server = uvicorn.Server(config)

    async def end_when_idle() -> None:
        while not server.should_exit:
            await asyncio.sleep(_LOOK_SECONDS)
            if activity.idle_seconds() > idle_seconds:
                server.should_exit = True

    async def both() -> None:
        watch = asyncio.create_task(end_when_idle())
        try:
            await server.serve(sockets=[listener])
        finally:
            watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watch

    asyncio.run(both())
