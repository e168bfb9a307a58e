"""Stories are about a person with an inbox."""

from pathlib import Path

import pytest

from tests.stories.person import Person


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    """A person with a memproc.toml for short chats, and an empty inbox."""
    return Person(tmp_path / "ada")
