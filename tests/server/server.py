"""The server itself, on a port of its own on loopback, for a test in the same process."""

import socket
import sys
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.server.batches import Batches
from tests.server.batching import Batching
from tests.server.entries import Entries
from tests.server.exchange import World
from tests.server.handler import Handler
from tests.server.limits import Gate
from tests.server.log import Log
from tests.server.meter import Meter
from tests.server.request import Request
from tests.server.setup import Setup
from tests.server.tokens import count


class ModelServer:
    """Answers from when it is made until it is closed. `log` is a file for its events, or none.

    `port` is the one to listen at, 0 any that is free. Closing it ends every connection,
    hanging ones too, and raises what went wrong inside the server itself.
    """

    def __init__(self, setup: Setup | None = None, log: Path | None = None, port: int = 0) -> None:
        setup = setup or Setup()
        count("")  # loads the table, so that the first answer takes no longer than the others
        self._world = World(
            setup,
            Entries(setup.clock),
            Log(log),
            [],
            threading.Event(),
            Gate(setup.limits, setup.clock),
        )
        self._batches = Batches(self._world, setup.batching)
        handler = type("BoundHandler", (Handler,), {"world": self._world, "batches": self._batches})
        self._http = _Http(("127.0.0.1", port), handler)
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.02,), name="model server"
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """The port that was free."""
        return self._http.server_port

    @property
    def url(self) -> str:
        """The `api_base` of Anthropic's and Ollama's dialects; OpenAI's has `/v1` behind it."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def meter(self) -> Meter:
        """The account up to now."""
        return self._world.log.meter

    @property
    def requests(self) -> list[Request]:
        """Every request that could be read, in the order of arrival."""
        return self._world.requests

    def batching(self, settings: Batching) -> None:
        """From now on batches go so, those that have been created too."""
        self._batches.settings = settings

    def close(self) -> None:
        """End every connection and let go of the port."""
        self._world.closing.set()
        self._http.shutdown()
        self._http.end_connections()
        self._http.server_close()
        self._thread.join()
        self._world.log.close()
        if self._http.broken:
            raise self._http.broken[0]

    def __enter__(self) -> "ModelServer":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Http(ThreadingHTTPServer):
    """Knows its open connections, so that none of them outlives it."""

    daemon_threads = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[Handler]) -> None:
        super().__init__(address, handler)
        self.broken: list[BaseException] = []
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Note the connection before its thread begins."""
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget the connection once it is served."""
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what broke in a handler, unless the client just went away."""
        fault = sys.exception()
        if fault is not None and not isinstance(fault, ConnectionError):
            self.broken.append(fault)

    def end_connections(self) -> None:
        """Wake every thread that waits for its client."""
        with self._lock:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # the client was faster
