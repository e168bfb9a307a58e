"""Provide the persons and chats that stories are about."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.server.setup import KEY
from tests.stories.cycle import Cycle
from tests.stories.examining import lived, wants
from tests.stories.person import Person


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    """Make a person with a memproc.toml for short chats, and an empty inbox."""
    return Person(tmp_path / "ada")


@pytest.fixture
def chat(tmp_path: Path) -> Cycle:
    """Make a chat with a few memories, imported into TypingMind."""
    return Cycle.lived(tmp_path)


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the person a key, so that models are asked."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


@pytest.fixture(scope="session")
def examined(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """Make once a person whose persona can be asked what it still knows; no story changes them."""
    return lived(tmp_path_factory.mktemp("examined") / "eve")


@pytest.fixture
def eve(examined: Person, tmp_path: Path) -> Person:
    """Copy the examined person into a folder of the story's own."""
    shutil.copytree(examined.home, tmp_path / "eve")
    copy = replace(examined, home=tmp_path / "eve")
    wants(copy)
    return copy
