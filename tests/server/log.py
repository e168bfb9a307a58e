"""The server's log: one JSON line for each event, on disk before anything else happens."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.server.meter import Meter


class Log:
    """Notes events in a meter and, where there is a path, in a file. `number` counts arrivals from 1."""

    def __init__(self, path: Path | None = None) -> None:
        self.meter = Meter()
        self._lock = threading.Lock()
        self._arrivals = 0
        self._file = path.open("a", encoding="utf-8") if path else None

    def arrived(self, key: str, **facts: Any) -> tuple[int, int]:
        """Note a request; its number, and how often it has been seen by now."""
        with self._lock:
            self._arrivals += 1
            self._write({"event": "arrived", "number": self._arrivals, "key": key, **facts})
            return self._arrivals, self.meter.seen[key]

    def note(self, event: str, **facts: Any) -> None:
        """Note what became of a request."""
        with self._lock:
            self._write({"event": event, **facts})

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._file:
                self._file.close()
                self._file = None

    def _write(self, event: dict[str, Any]) -> None:
        self.meter.note(event)
        if self._file:
            self._file.write(json.dumps({"at": time.time(), **event}) + "\n")
            self._file.flush()


def read_events(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a log, in order. `at` is in seconds since 1970. A last line that is still being written waits."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):
                yield json.loads(line)


def read_meter(path: Path) -> Meter:
    """The account of a server that wrote this log, be it still running or not."""
    meter = Meter()
    for event in read_events(path):
        meter.note(event)
    return meter
