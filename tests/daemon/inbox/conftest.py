"""What the tests of watching share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from tests.daemon.inbox.inbox import Inbox


@pytest.fixture
def inbox(tmp_path: Path) -> Iterator[Inbox]:
    """An empty inbox, and an archive in memory."""
    archive = Archive.memory()
    yield Inbox(tmp_path, archive)
    archive.close()
