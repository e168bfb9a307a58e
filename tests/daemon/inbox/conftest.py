"""Provide the inbox of the tests of watching."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from tests.daemon.inbox.inbox import Inbox


@pytest.fixture
def inbox(tmp_path: Path) -> Iterator[Inbox]:
    """Yield an empty inbox with an archive in memory."""
    archive = Archive.memory()
    yield Inbox(tmp_path, archive)
    archive.close()
