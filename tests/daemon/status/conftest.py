"""Set the local time zone, in which times are shown, to UTC."""

import time
from collections.abc import Iterator

import pytest

from daemon.archive.archive import Archive


@pytest.fixture(autouse=True)
def greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make UTC the local time zone."""
    if not hasattr(time, "tzset"):
        pytest.skip("the time zone of a process cannot be set on this system")
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def archive() -> Iterator[Archive]:
    """Yield an empty archive in memory."""
    with Archive.memory() as archive:
        yield archive
