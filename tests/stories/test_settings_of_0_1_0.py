"""A memproc.toml exactly as version 0.1.0's `memproc init` wrote it goes on working, unchanged."""

from pathlib import Path

import pytest

from tests.chats import export_bytes, long_chat
from tests.daemon.config.test_former import GONE, sentence
from tests.stories.daemon import QUICK, export, running
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
    assert not any(".".join(gone) in checked.out for gone in GONE)


@pytest.mark.full
def test_a_run_with_it_compresses_a_conversation_and_leaves_the_file_as_it_was(
    ada: Person,
) -> None:
    path = ada.drop(export_bytes(long_chat(90_000, tokens_each=1_500)))
    ran = ada.memproc("run", "--yes", path)
    assert ran.code == 0, ran
    assert "1 written" in ran.out
    assert ada.toml.read_bytes() == WRITTEN_THEN.read_bytes()


@pytest.mark.full
def test_another_value_of_what_has_gone_gets_one_sentence_and_the_daemon_goes_on(
    tmp_path: Path,
) -> None:
    eve = Person(tmp_path / "eve")
    eve.settings(QUICK)
    text = eve.toml.read_text()
    for name, gone in GONE:
        table, line = f"[{name}]\n", f"{gone} = 7\n"
        text = text.replace(table, table + line) if table in text else text + table + line
    eve.toml.write_text(text)
    with running(eve) as daemon:
        eve.drop(export("a", 6000), "a.json")
        daemon.comes_to("a.json", "written")
    for command in ("config check", "plan", "run"):
        ended = eve.memproc(*command.split())
        said = " ".join(ended.out.split())
        assert (ended.code, [said.count(sentence(*gone)) for gone in GONE]) == (0, [1] * len(GONE))
