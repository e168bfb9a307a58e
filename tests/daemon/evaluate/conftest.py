"""Provide a person, with a key, whose persona can be asked what it still knows."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.server.setup import KEY
from tests.stories.examining import lived, wants
from tests.stories.person import Person


@pytest.fixture(scope="session")
def examined(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """Make the person once; no test changes them."""
    return lived(tmp_path_factory.mktemp("examined") / "eve")


@pytest.fixture
def eve(examined: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Copy the person into a folder of the test's own."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    shutil.copytree(examined.home, tmp_path / "eve")
    copy = replace(examined, home=tmp_path / "eve")
    wants(copy)
    return copy
