"""A memproc.toml exactly as version 0.1.0's `memproc init` wrote it goes on working, unchanged."""

from pathlib import Path

import pytest

from tests.chats import export_bytes, long_chat
from tests.stories.person import Person

WRITTEN_THEN = Path(__file__).with_name("settings") / "memproc-0.1.0.toml"


@pytest.fixture
def ada(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Somebody whose home folder holds nothing but that memproc.toml and the folders it names."""
    monkeypatch.setenv("HOME", str(tmp_path / "ada"))
    ada = Person(tmp_path / "ada")
    ada.toml.write_bytes(WRITTEN_THEN.read_bytes())
    return ada


def test_every_setting_of_it_is_read_and_nothing_is_said_about_any(ada: Person) -> None:
    checked = ada.memproc("config", "check")
    assert (checked.code, checked.err) == (0, "")
    assert "output.container" not in checked.out


@pytest.mark.full
def test_a_run_with_it_compresses_a_conversation_and_leaves_the_file_as_it_was(
    ada: Person,
) -> None:
    path = ada.drop(export_bytes(long_chat(90_000, tokens_each=1_500)))
    ran = ada.memproc("run", "--yes", path)
    assert ran.code == 0, ran
    assert "1 written" in ran.out
    assert ada.toml.read_bytes() == WRITTEN_THEN.read_bytes()
