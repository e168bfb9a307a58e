"""An answer has so many bytes after decompression and no more, whatever it claims to be."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx
import pytest

from daemon.models.batch_client import newest, route_of
from daemon.models.completion import complete
from daemon.models.guard import TooManyBytes, bound
from primer.prompt import Turn
from primer.reply import Request
from rules.errors import AnswerTooLarge, ModelError
from tests.known import known
from tests.server.asking import litellm

pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_")
MB = 1024**2
_MODELS = ("anthropic/claude-haiku-5-5", "openai/gpt-4o", "gemini/gemini-2.5-flash")


def request(name: str, url: str) -> Request:
    return Request(
        "quote", known(name, {"api_key": "k", "api_base": url}), (Turn("user", "Hello"),), 60
    )


@contextmanager
def answering(
    status: int, pieces: Callable[[], Iterator[bytes]], encoding: str = ""
) -> Iterator[str]:
    """A server on loopback that answers everything with these bytes, and does not mind being hung up on."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            if encoding:
                self.send_header("Content-Encoding", encoding)
            self.end_headers()
            with suppress(OSError):
                for piece in pieces():
                    self.wfile.write(piece)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def bomb() -> Iterator[bytes]:
    """Half a gigabyte of blanks, as a few hundred kilobytes."""
    packer = zlib.compressobj(9, wbits=31)
    for _ in range(512):
        yield packer.compress(b" " * MB)
    yield packer.flush()


def flood() -> Iterator[bytes]:
    while True:
        yield b'{"a": "' + b"x" * MB


@pytest.mark.sampled
@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("name", _MODELS)
def test_a_bomb_of_gzip_is_cut_off(name: str, status: int) -> None:
    litellm()  # is loaded before it is measured
    with answering(status, bomb, "gzip") as url:
        tracemalloc.start()
        try:
            with pytest.raises(AnswerTooLarge, match="more than 4 MB"):
                complete(request(name, url))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 200 * MB


def test_an_answer_that_never_ends_is_cut_off() -> None:
    with answering(200, flood) as url, pytest.raises(AnswerTooLarge):
        complete(request("openai/gpt-4o", url))


def test_an_answer_about_a_batch_is_cut_off() -> None:
    with answering(200, flood) as url:
        route = route_of(request("anthropic/claude-haiku-5-5", url))
        with pytest.raises(AnswerTooLarge):
            newest(route)


def test_an_answer_in_an_encoding_that_was_not_asked_for_is_not_read() -> None:
    with answering(200, flood, "br") as url, pytest.raises(ModelError):
        complete(request("openai/gpt-4o", url))


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("", bytes), ("identity", bytes)],
)
def test_what_is_in_bounds_is_read_as_it_is(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    body = b"{}" * 1000

    def send(_: httpx.Request) -> httpx.Response:
        headers = {"content-encoding": encoding} if encoding else {}
        return httpx.Response(200, headers=headers, stream=Pieces(pack(body)))

    for most, fits in ((len(body), True), (len(body) - 1, False)):
        with httpx.Client(transport=Bounded(send, most)) as client:
            if fits:
                assert client.get("http://a").content == body
            else:
                with pytest.raises(TooManyBytes):
                    client.get("http://a")


class Pieces(httpx.SyncByteStream):
    def __init__(self, body: bytes) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        for at in range(0, len(self._body), 7):
            yield self._body[at : at + 7]


class Bounded(httpx.BaseTransport):
    def __init__(self, send: Callable[[httpx.Request], httpx.Response], most: int) -> None:
        self._send, self._most = send, most

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._send(request)
        bound(response, self._most)
        return response
