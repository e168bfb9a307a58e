"""That no reply is left half read: see `tests.server.asking.stream` for what comes of one."""

from collections.abc import Iterator
from typing import Any
from weakref import WeakSet

import pytest
from httpcore._sync import connection_pool


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
    left = [reply for reply in replies if not reply._closed]
    assert not left, f"{len(left)} replies were left half read"
