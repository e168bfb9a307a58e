"""What is seen is told in local time: here the place is Greenwich, in a winter of its own."""

import time
from collections.abc import Iterator

import pytest

from daemon.archive.archive import Archive


@pytest.fixture(autouse=True)
def greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local time is UTC."""
    if not hasattr(time, "tzset"):
        pytest.skip("the time zone of a process cannot be set on this system")
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def archive() -> Iterator[Archive]:
    """An empty archive that lies on no disk."""
    with Archive.memory() as archive:
        yield archive
