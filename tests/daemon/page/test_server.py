"""When the page's process ends."""

import asyncio
import socket
from threading import Thread

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from daemon.page import server

IDLE_SECONDS = 1.0


async def _slow(scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.sleep(2 * IDLE_SECONDS)
    await PlainTextResponse("answered")(scope, receive, send)


@pytest.mark.full
def test_the_process_ends_when_it_is_idle_and_not_while_it_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "IDLE_SECONDS", IDLE_SECONDS)
    monkeypatch.setattr(server, "_LOOK_SECONDS", 0.02)
    # The client is made first: that takes longer than the process waits.
    with httpx.Client(timeout=20) as http, socket.create_server(("127.0.0.1", 0)) as listener:
        process = Thread(target=server.serve, args=(listener, _slow), daemon=True)
        process.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        assert http.get(address).text == "answered"
        process.join(20)
    assert not process.is_alive()
