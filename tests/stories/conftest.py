"""Stories are about a person with an inbox."""

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
    """A person with a memproc.toml for short chats, and an empty inbox."""
    return Person(tmp_path / "ada")


@pytest.fixture
def chat(tmp_path: Path) -> Cycle:
    """A chat with a few memories, imported."""
    return Cycle.lived(tmp_path)


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The person has a key, so that models are asked."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


@pytest.fixture(scope="session")
def examined(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A person whose persona can be asked what it still knows; never changed."""
    return lived(tmp_path_factory.mktemp("examined") / "eve")


@pytest.fixture
def eve(examined: Person, tmp_path: Path) -> Person:
    """The same person, in a folder of their own."""
    shutil.copytree(examined.home, tmp_path / "eve")
    own = replace(examined, home=tmp_path / "eve")
    wants(own)
    return own
