"""A person whose persona can be asked what it still knows, with a key."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.server.setup import KEY
from tests.stories.examining import lived, wants
from tests.stories.person import Person


@pytest.fixture(scope="session")
def examined(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """The person, never changed."""
    return lived(tmp_path_factory.mktemp("examined") / "eve")


@pytest.fixture
def eve(examined: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """The same person, in a folder of their own."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    shutil.copytree(examined.home, tmp_path / "eve")
    own = replace(examined, home=tmp_path / "eve")
    wants(own)
    return own
