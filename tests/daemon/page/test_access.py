"""Only a browser on this computer that shows our own pages is answered."""

import asyncio
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.types import Message

from daemon.page import guard
from daemon.page.access import dispatcher, refuse_request, with_access

PORT = 27183
HOST = {"host": f"127.0.0.1:{PORT}"}
FORM = {"origin": f"http://127.0.0.1:{PORT}", "content-type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize("host", [f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"[::1]:{PORT}"])
def test_this_computer_is_answered_by_each_of_its_names(host: str) -> None:
    assert refuse_request("GET", {"host": host}, PORT) is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        f"127.0.0.1:{PORT + 1}",
        f"127.0.0.1:{PORT}.evil",
        f"127.0.0.1:{PORT}@evil.example",
        "",
    ],
)
def test_a_name_that_was_made_to_point_here_is_refused(host: str) -> None:
    refused = refuse_request("GET", {"host": host}, PORT)
    assert refused is not None
    assert refused.status == 421


@pytest.mark.parametrize(
    "origin",
    ["https://www.typingmind.com", "null", f"http://localhost:{PORT}", "http://127.0.0.1:1"],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_pages_from_elsewhere_are_refused(method: str, origin: str) -> None:
    refused = refuse_request(method, {**HOST, **FORM, "origin": origin}, PORT)
    assert refused is not None
    assert refused.status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_images_scripts_and_links_from_elsewhere_are_refused(site: str) -> None:
    refused = refuse_request("GET", {**HOST, "sec-fetch-site": site}, PORT)
    assert refused is not None
    assert refused.status == 403


@pytest.mark.parametrize("site", ["none", "same-origin"])
def test_what_the_person_opens_and_our_own_pages_are_answered(site: str) -> None:
    assert refuse_request("GET", {**HOST, "sec-fetch-site": site}, PORT) is None


def test_our_own_form_is_taken() -> None:
    assert refuse_request("POST", {**HOST, **FORM}, PORT) is None


def test_a_form_that_names_no_page_is_refused() -> None:
    refused = refuse_request("POST", {**HOST, "content-type": FORM["content-type"]}, PORT)
    assert refused is not None
    assert refused.status == 403


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/octet-stream"])
def test_what_a_page_may_send_unasked_is_no_form_of_ours(content_type: str) -> None:
    refused = refuse_request("POST", {**HOST, **FORM, "content-type": content_type}, PORT)
    assert refused is not None
    assert refused.status == 415


async def _begin_of_answer(method: str, target: str, *headers: tuple[bytes, bytes]) -> Message:
    """Return how the page begins its answer to a request whose body does not come."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": target, "headers": headers}
    await dispatcher(with_access(Starlette(), PORT), {})(scope, _never, send)
    return sent[0]


@pytest.mark.parametrize(("method", "target"), [("CONNECT", f"127.0.0.1:{PORT}"), ("OPTIONS", "*")])
def test_a_target_that_is_no_path_is_refused(method: str, target: str) -> None:
    assert asyncio.run(_begin_of_answer(method, target))["status"] == 400


def test_a_body_without_a_size_holds_no_connection() -> None:
    chunked = (b"transfer-encoding", b"chunked")
    for headers, ends in (((), False), ((chunked,), True)):
        begin = asyncio.run(_begin_of_answer("POST", "/drop", *headers))
        assert begin["status"] == 421
        assert ((b"connection", b"close") in begin["headers"]) == ends


async def _never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


@pytest.mark.parametrize("comes", [0, 3])
def test_a_body_that_is_announced_and_does_not_come_is_given_up(
    comes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "_FIRST_SECONDS", 0.01)
    pieces = iter([{"type": "http.request", "body": b"a", "more_body": True}] * comes)

    async def receive() -> Message:
        return next(pieces, None) or await _never()

    async def read() -> None:
        receive_bounded = guard.bounded(receive, 10**18)
        while True:
            await receive_bounded()

    with pytest.raises(HTTPException) as given_up:
        asyncio.run(read())
    assert given_up.value.status_code == 408


def test_once_the_body_is_whole_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_FIRST_SECONDS", 0.0)
    messages: Iterator[Message] = iter([{"type": "http.request"}, {"type": "http.disconnect"}])

    async def receive() -> Message:
        return next(messages)

    async def read() -> list[str]:
        receive_bounded = guard.bounded(receive, 10)
        return [(await receive_bounded())["type"] for _ in range(2)]

    assert asyncio.run(read()) == ["http.request", "http.disconnect"]
