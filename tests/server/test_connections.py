"""Calls that overlap, and clients that leave."""

import json
import socket
import struct
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx

from tests.server.faults import Faulty
from tests.server.reply import Answer, Hang, Reply
from tests.server.request import Request
from tests.server.server import ModelServer
from tests.server.setup import KEY, PLAIN, Setup

PASSAGE = {
    "type": "text",
    "text": "Rye bread and water. " * 300,
    "cache_control": {"type": "ephemeral"},
}
BODY = {
    "model": "claude-haiku-5-5",
    "max_tokens": 50,
    "messages": [{"role": "user", "content": [PASSAGE]}],
}
HEADERS = {"x-api-key": KEY, "anthropic-version": "2023-06-01"}


class Gate:
    """A script that keeps its first request waiting until it is opened."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()

    def __call__(self, request: Request) -> Reply:
        if request.number == 1:
            self.reached.set()
            assert self.opened.wait(20)
        return Answer("Yes.")


def usage(server: ModelServer) -> tuple[int, int]:
    """Tokens that one call wrote to the cache, and that it read."""
    answered = httpx.post(
        f"{server.url}/v1/messages",
        json=BODY,
        headers=HEADERS,
        trust_env=False,
        verify=PLAIN,
        timeout=20,
    ).json()
    return answered["usage"]["cache_creation_input_tokens"], answered["usage"][
        "cache_read_input_tokens"
    ]


def test_two_calls_at_once_both_write_and_the_next_one_reads() -> None:
    gate = Gate()
    with ModelServer(Setup(script=gate)) as server, ThreadPoolExecutor(1) as other:
        first = other.submit(usage, server)
        assert gate.reached.wait(20)
        second = usage(server)
        gate.opened.set()
        written = first.result()[0]
        assert first.result() == second == (written, 0)
        assert usage(server) == (0, written)
        assert written > 512


def test_an_answer_that_nobody_waits_for_is_lost() -> None:
    gate = Gate()
    with ModelServer(Setup(script=gate)) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            body = json.dumps(BODY).encode()
            head = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
            client.sendall(
                f"POST /v1/messages HTTP/1.1\r\n{head}content-length: {len(body)}\r\n\r\n".encode()
                + body
            )
            assert gate.reached.wait(20)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        gate.opened.set()
        written, read = usage(server)
    assert (server.meter.calls, server.meter.heard.written + server.meter.heard.read) == (
        2,
        written + read,
    )
    assert sorted(bill.heard for bill in server.meter.bills.values()) == [False, True]
    assert server.meter.finished_and_seen_again in ([], [server.requests[0].key])


def test_a_server_with_hanging_calls_can_be_closed() -> None:
    reached = threading.Semaphore(0)

    def script(request: Request) -> Reply:
        reached.release()
        return Hang()

    server = ModelServer(Setup(script=script))
    with ThreadPoolExecutor(8) as clients:
        calls = [clients.submit(usage, server) for _ in range(8)]
        assert all(reached.acquire(timeout=20) for _ in calls)
        server.close()
        assert all(isinstance(call.exception(), httpx.HTTPError) for call in calls)
    assert server.meter.failures == {"hang": 8}


def test_many_calls_at_once_are_all_on_the_bill() -> None:
    script = Faulty(rates={"overloaded": 0.3, "drop": 0.2}, seed=3)

    def call(number: int) -> int:
        body = {**BODY, "messages": [{"role": "user", "content": f"Question {number}"}]}
        try:
            return httpx.post(
                f"{server.url}/v1/messages",
                json=body,
                headers=HEADERS,
                trust_env=False,
                verify=PLAIN,
            ).status_code
        except httpx.RemoteProtocolError:
            return 0

    with ModelServer(Setup(script=script)) as server, ThreadPoolExecutor(16) as clients:
        ended = list(clients.map(call, range(100)))
        assert server.meter.calls == 100
        assert sum(bill.heard for bill in server.meter.bills.values()) == ended.count(200)
        assert sum(not bill.heard for bill in server.meter.bills.values()) == ended.count(0) > 5
        assert server.meter.failures["529"] == ended.count(529) > 10
        assert {request.number for request in server.requests} == {*range(1, 101)}
