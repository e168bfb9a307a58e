"""The time limit of a whole answer, in seconds from its first byte to its last, headers included.

A time-out of each read does not stop a server that sends a byte now and then.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from time import monotonic

import httpcore
from httpcore._backends.sync import SyncStream


@dataclass(slots=True)
class Deadline:
    """The end of an answer's time; `ends_at` is None until its first byte has come."""

    seconds: float
    ends_at: float | None = None

    @property
    def is_over(self) -> bool:
        """Return whether the answer's time has run out."""
        return self.ends_at is not None and monotonic() >= self.ends_at

    def left(self, timeout: float | None) -> float | None:
        """Return the seconds for one read. Raises httpcore.ReadTimeout where none are left."""
        if self.ends_at is None:
            return timeout
        if self.is_over:
            raise httpcore.ReadTimeout
        seconds = self.ends_at - monotonic()
        return seconds if timeout is None else min(seconds, timeout)


_DEADLINE: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def in_time(seconds: float) -> Iterator[Deadline]:
    """Limit each answer to this thread's requests to these seconds from its first byte on."""
    _install()
    deadline = Deadline(seconds)
    token = _DEADLINE.set(deadline)
    try:
        yield deadline
    finally:
        _DEADLINE.reset(token)


@cache
def _install() -> None:
    """Wrap the methods through which httpx reads and writes, encrypted or not."""
    read, write = SyncStream.read, SyncStream.write

    def read_in_time(self: SyncStream, max_bytes: int, timeout: float | None = None) -> bytes:
        deadline = _DEADLINE.get()
        if deadline is None:
            return read(self, max_bytes, timeout)
        data = read(self, max_bytes, deadline.left(timeout))
        deadline.ends_at = deadline.ends_at or monotonic() + deadline.seconds
        return data

    def write_before(self: SyncStream, buffer: bytes, timeout: float | None = None) -> None:
        if deadline := _DEADLINE.get():
            deadline.ends_at = None  # an answer before this write was a proxy's: the real one comes
        write(self, buffer, timeout)

    SyncStream.read, SyncStream.write = read_in_time, write_before  # type: ignore[method-assign]
