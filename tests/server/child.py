"""Starts the server as a process of its own, for stories in which memproc is killed and the server is the judge.

Where the system can, it is a fork of one that has all that it needs in memory: a start takes a fiftieth of a second.
"""

import json
import multiprocessing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from pathlib import Path
from typing import Any

import pytest

from tests.server.log import read_meter
from tests.server.meter import Meter
from tests.server.server import ModelServer
from tests.server.setup import read_setup

_ROOT = Path(__file__).parents[2]
_START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A running server: its `api_base`, and the log that it writes."""

    url: str
    log: Path

    @property
    def meter(self) -> Meter:
        """The account up to now, read from the log."""
        return read_meter(self.log)


@contextmanager
def serve(folder: Path, script: Mapping[str, Any] | None = None) -> Iterator[ServerProcess]:
    """A server with this script, as `read_setup` knows it, until the block ends. Its files lie in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    setup, log = folder / "script.json", folder / "server.jsonl"
    setup.write_text(json.dumps(script or {}), encoding="utf-8")
    log.touch()
    ours, theirs = _processes().Pipe()
    with ours:
        with theirs:
            child = _processes().Process(target=_serve, args=(setup, log, theirs), name="model server")
            child.start()
        try:
            port = ours.recv() if ours.poll(_START_SECONDS) else 0
        except EOFError:
            port = 0
        if not port:
            child.join()
            raise RuntimeError(f"the server did not start; it ended with {child.exitcode}")
        yield ServerProcess(f"http://127.0.0.1:{port}", log)
    child.join()
    if child.exitcode != 0:
        raise RuntimeError(f"the server broke; it ended with {child.exitcode}")


def _serve(setup: Path, log: Path, parent: Connection) -> None:
    """Tell the port, and serve until the parent closes its end, or ends."""
    with ModelServer(read_setup(setup), log) as server:
        parent.send(server.port)
        parent.poll(None)


@cache
def _processes() -> ForkServerContext | SpawnContext:
    """How a process is started: by a fork of one that has imported the server and loaded the table of tokens."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.server.loaded"])
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", str(_ROOT / "tests" / "guard"), prepend=":")
        environment.setenv("PYTHONPATH", str(_ROOT), prepend=":")
        forkserver.ensure_running()
    return context
