"""Starts the server as a process of its own, for stories in which memproc is killed and the server is the judge."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
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
    command = [sys.executable, "-m", "tests.server", "--script", str(setup), "--log", str(log)]
    paths = [str(_ROOT / "tests" / "guard"), str(_ROOT)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    with subprocess.Popen(command, cwd=_ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        port = child.stdout.readline().decode().strip()
        if not port:
            raise RuntimeError(f"the server did not start; it ended with {child.wait()}")
        yield ServerProcess(f"http://127.0.0.1:{port}", log)
        child.stdin.close()
        if child.wait() != 0:
            raise RuntimeError(f"the server broke; it ended with {child.returncode}")
