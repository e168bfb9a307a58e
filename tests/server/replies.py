"""That no reply is left half read: see `tests.server.asking.stream` for what comes of one."""

import gc
from collections.abc import Iterator
from typing import Any
from weakref import WeakSet

import pytest
from httpcore._sync import connection_pool

from tests.waiting import until


@pytest.fixture(autouse=True)
def every_reply_is_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail the test that leaves a reply open, and not the one that hangs on it later."""
    replies = WeakSet[Any]()

    class Noted(connection_pool.PoolByteStream):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            replies.add(self)

    monkeypatch.setattr(connection_pool, "PoolByteStream", Noted)
    yield
    until(lambda: _are_closed(replies))


def _are_closed(replies: WeakSet[Any]) -> bool:
    """Whether no reply is open any more; a thread of LiteLLM's may hold one a little longer than the test."""
    if any(not reply._closed for reply in list(replies)):
        gc.collect()  # while no call is under way that it could meet
    return all(reply._closed for reply in list(replies))
