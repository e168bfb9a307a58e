"""HTTP itself: which path is whose, and how bytes reach the wire or fail to."""

import json
import socket
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs

from tests.server.batches import Batches
from tests.server.dialects.anthropic import ANTHROPIC
from tests.server.dialects.anthropic_prompt import check, prompt_tokens
from tests.server.dialects.dialect import Dialect
from tests.server.dialects.ollama import OLLAMA
from tests.server.dialects.openai import OPENAI
from tests.server.embeddings import embeddings
from tests.server.exchange import World, admit, check_key, exchange
from tests.server.reply import Rejected

_COUNT = "/v1/messages/count_tokens"
_EMBEDDINGS = "/v1/embeddings"
_DIALECTS = {
    "/v1/messages": ANTHROPIC,
    _COUNT: ANTHROPIC,
    "/v1/chat/completions": OPENAI,
    "/chat/completions": OPENAI,
    _EMBEDDINGS: OPENAI,
    "/api/chat": OLLAMA,
    "/api/v0/chat/completions": OPENAI,
    "/api/generate": OLLAMA,
}
_BATCHES = "/v1/messages/batches"


class Handler(BaseHTTPRequestHandler):
    """One connection of a client, request after request. The wire of its exchanges."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    world: World
    batches: Batches
    _told: Mapping[str, str] = MappingProxyType({})

    def do_GET(self) -> None:
        """Only batches are looked at, and what a server of one's own tells of itself."""
        try:
            if not self._tells_of_itself():
                self._batches({})
        except ConnectionError:
            self.close_connection = True

    def do_POST(self) -> None:
        """Hand a request to its dialect; whatever the client does, the server goes on."""
        try:
            self._answer()
        except ConnectionError:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the server has a log of its own."""

    def _answer(self) -> None:
        path = self.path.partition("?")[0]
        dialect = ANTHROPIC if path.startswith(_BATCHES) else _DIALECTS.get(path)
        raw = self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}"
        if self._tells_of_itself():
            return
        if dialect is None:
            self.say(404, {"error": f"nothing is at {path}"})
            return
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            self.say(
                400,
                {
                    "error": {
                        "type": "invalid_request_error",
                        "message": "the body is no JSON object",
                    }
                },
            )
            return
        headers = self._named_headers()
        if path.startswith(_BATCHES):
            self._batches(body)
        elif path == _COUNT:
            self._count(dialect, headers, body)
        elif path == _EMBEDDINGS:
            self._embed(dialect, headers, body)
        else:
            exchange(self.world, dialect, headers, body, self)

    def _tells_of_itself(self) -> bool:
        """Answer what a server of one's own tells of itself; False where it is asked something else."""
        own = self.world.setup.own
        if own is None:
            return False
        own.note(self.path, self._named_headers())
        told = own.tell(self.path)
        if told is None and self.command == "POST":
            return False
        self.say(404 if told is None else 200, told or {"error": "not found"})
        return True

    def _named_headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _batches(self, body: Mapping[str, Any]) -> None:
        """Everything about batches: created, listed, looked at, canceled, and their results."""
        where, _, query = self.path.partition("?")
        name, _, rest = where.removeprefix(_BATCHES).strip("/").partition("/")
        headers, asked = self._named_headers(), parse_qs(query)
        try:
            if self.command == "POST" and not name:
                made, heard = self.batches.create(headers, body)
                (self.say if heard else self._say_half)(200, made)
            elif self.command == "POST" and rest == "cancel":
                self.say(200, self.batches.cancel(headers, name))
            elif not name:
                limit, after = asked.get("limit", ["20"])[0], asked.get("after_id", [""])[0]
                self.say(200, self.batches.newest(headers, int(limit), after))
            elif rest == "results":
                lines = self.batches.results(headers, name)
                self.stream(
                    "application/x-jsonl", (json.dumps(line).encode() + b"\n" for line in lines)
                )
            else:
                self.say(200, self.batches.one(headers, name))
        except Rejected as rejected:
            failure = rejected.failure
            self.say(failure.status, ANTHROPIC.error(failure), failure.retry_after)

    def _say_half(self, status: int, body: Mapping[str, Any]) -> None:
        self.drop(body)

    def _count(self, dialect: Dialect, headers: Mapping[str, str], body: Mapping[str, Any]) -> None:
        """How many tokens a prompt has: free of charge, so it is on no bill."""
        try:
            request = dialect.read(body, headers)
            check(request, admit(self.world.setup, dialect, headers, request))
            self.say(200, {"input_tokens": prompt_tokens(request)})
        except Rejected as rejected:
            self.say(rejected.failure.status, dialect.error(rejected.failure))

    def _embed(self, dialect: Dialect, headers: Mapping[str, str], body: Mapping[str, Any]) -> None:
        """Vectors for texts, from whatever model is named."""
        try:
            check_key(self.world.setup, dialect, headers)
            answer = embeddings(body, self.world.log)
            self.world.closing.wait(self.world.setup.seconds)
            self.say(200, answer)
        except Rejected as rejected:
            self.say(rejected.failure.status, dialect.error(rejected.failure))

    def say(self, status: int, body: Mapping[str, Any], retry_after: int | None = None) -> None:
        """Answer with a whole body of JSON."""
        own = self.world.setup.own
        sent = json.dumps(own.timed(self.path, body) if own else body).encode()
        self._begin(status, "application/json", retry_after, {"Content-Length": str(len(sent))})
        self.wfile.write(sent)

    def tell(self, headers: Mapping[str, str]) -> None:
        """Send these headers too, whatever is answered next."""
        self._told = headers

    def garble(self) -> None:
        """Answer with status 200 and no JSON."""
        sent = b'{"id": "msg_1", "content": [{"type": "te'
        self._begin(200, "application/json", None, {"Content-Length": str(len(sent))})
        self.wfile.write(sent)

    def stream(self, media_type: str, events: Iterator[bytes]) -> None:
        """Answer piece by piece."""
        self._begin(200, media_type, None, {"Transfer-Encoding": "chunked"})
        for event in events:
            self._chunk(event)
        self.wfile.write(b"0\r\n\r\n")

    def drop(self, body: Mapping[str, Any]) -> None:
        """Answer half of the body, and close the connection."""
        sent = json.dumps(body).encode()
        self._begin(200, "application/json", None, {"Content-Length": str(len(sent))})
        self.wfile.write(sent[: len(sent) // 2])
        self._hang_up()

    def drop_stream(self, media_type: str, events: Iterator[bytes]) -> None:
        """Answer half of the pieces, and close the connection."""
        self._begin(200, media_type, None, {"Transfer-Encoding": "chunked"})
        pieces = list(events)
        for event in pieces[: len(pieces) // 2]:
            self._chunk(event)
        self._hang_up()

    def _begin(
        self, status: int, media_type: str, retry_after: int | None, headers: Mapping[str, str]
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        if retry_after is not None:
            self.send_header("Retry-After", str(retry_after))
        for name, value in {**headers, **self._told}.items():
            self.send_header(name, value)
        self._told = {}
        self.end_headers()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
