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
from starlette.types import ASGIApp

IDLE_SECONDS = 600.0
_LOOK_SECONDS = 1.0
_LAST_SECONDS = 3
"""How long a request may still take after the process was told to end."""


def serve(listener: socket.socket, app: ASGIApp) -> None:
    """Answer requests until none has come for `IDLE_SECONDS`, or a signal ends the process."""
    # No access log: the URL of a one-time link holds its secret.
    config = uvicorn.Config(
        app,
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
        state, answered, last = server.server_state, 0, monotonic()
        while not server.should_exit:
            await asyncio.sleep(_LOOK_SECONDS)
            if state.tasks or state.total_requests > answered:
                answered, last = state.total_requests, monotonic()
            elif monotonic() - last > IDLE_SECONDS:
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
