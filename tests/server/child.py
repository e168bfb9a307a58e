"""Servers in a process of their own, for stories in which memproc is killed and the server is the judge.

Starting that process takes longer than most stories, so one serves all tests of this process.
"""

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.server.log import read_meter
from tests.server.meter import Meter

_ROOT = Path(__file__).parents[2]


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
    host = _host(os.getpid())
    opened = host.order(script=str(setup), log=str(log))
    if "fault" in opened:
        raise RuntimeError(f"the server did not start: {opened['fault']}")
    try:
        yield ServerProcess(f"http://127.0.0.1:{opened['port']}", log)
    finally:
        closed = host.order(close=opened["port"])
    if "fault" in closed:
        raise RuntimeError(f"the server broke: {closed['fault']}")


class _Host:
    """The process of all servers; it ends with this one."""

    def __init__(self) -> None:
        paths = [str(_ROOT / "tests" / "guard"), str(_ROOT)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.server"],
            cwd=_ROOT, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        atexit.register(self._end)

    def order(self, **order: object) -> dict[str, Any]:
        """Have it open or close a server; its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process of the servers ended with {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _end(self) -> None:
        self._process.communicate()


@cache
def _host(process: int) -> _Host:
    """The process that serves this one, whose number is `process`: what is forked from it has another."""
    return _Host()
