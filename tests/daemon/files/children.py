"""Children of the test that may lose their rights, run out of room, or be killed at a given line."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import settings

import daemon.files

FILES = str(Path(daemon.files.__file__).parent)
_LINES = 23 if settings().max_examples < 100 else 5
"""Lines from one kill to the next; `make test-long` kills more often."""

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
needs_root = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0,
    reason="only root may mount a small disk, and only on Linux",
)


def in_child(work: Callable[[], str]) -> tuple[int, str]:
    """Run `work` in a forked child: its exit code (negative: the signal that ended it), and what it returned."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.write(writing, work().encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        text = said.read().decode()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text


def stopped_child(work: Callable[[Callable[[], None]], None]) -> int:
    """Fork a child that runs `work` until that calls what it was given: there it stays. Its process number."""
    reading, writing = os.pipe()

    def stop() -> None:
        os.write(writing, b"!")
        signal.pause()

    child = os.fork()
    if child == 0:
        try:
            work(stop)
        finally:
            os._exit(1)
    os.close(writing)
    reached = os.read(reading, 1)
    os.close(reading)
    assert reached, "the child ended before it came to its stop"
    return child


def kill(child: int) -> None:
    """Kill it (-9), and wait until it is gone."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def killed_along(work: Callable[[], str], lines: int = _LINES) -> Iterator[int]:
    """Run `work` in children, the next killed (-9) so many `lines` of daemon/files later, until one comes through."""
    for number in count(1, lines):
        code, _ = in_child(lambda number=number: _dying(number, work))  # type: ignore[misc]
        if code == 0:
            return
        assert code == -signal.SIGKILL
        yield number


def _dying(number: int, work: Callable[[], str]) -> str:
    left = number

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(FILES):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    try:
        return work()
    finally:
        sys.settrace(None)


@contextmanager
def small_disk(size: str) -> Iterator[Path]:
    """A disk of its own of that size, such as "64k"."""
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], check=True)
        try:
            yield Path(place)
        finally:
            subprocess.run(["umount", place], check=True)
