"""Servers in a process of their own: `tests.server.child` starts it, and one process serves all tests of a run.

It reads orders from standard input, one JSON line each, and answers each with one: `{"script": FILE, "log": FILE}`
opens a server and is answered with its `port`, `{"close": PORT}` ends it; what goes wrong is answered as `fault`.
The process ends when its standard input does.
"""

import json
import sys
from pathlib import Path
from typing import Any

from tests.server.server import ModelServer
from tests.server.setup import read_setup


def main() -> None:
    """Carry out orders until standard input ends."""
    servers: dict[int, ModelServer] = {}
    try:
        for line in sys.stdin:
            sys.stdout.write(json.dumps(carry_out(servers, json.loads(line))) + "\n")
            sys.stdout.flush()
    finally:
        for server in servers.values():
            server.close()


def carry_out(servers: dict[int, ModelServer], order: dict[str, Any]) -> dict[str, Any]:
    """Open a server, or close one; the answer."""
    try:
        if "close" in order:
            servers.pop(order["close"]).close()
            return {}
        server = ModelServer(read_setup(Path(order["script"])), Path(order["log"]))
    except Exception as fault:  # of whatever kind: the test that gave the order fails with it
        return {"fault": repr(fault)}
    servers[server.port] = server
    return {"port": server.port}


if __name__ == "__main__":
    main()
