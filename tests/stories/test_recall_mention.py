"""The opening says that older words can be looked up, where the person says that the chat has the tools."""

from pathlib import Path

import pytest

from daemon.config.loading import load_texts
from tests.chats import chat, conversation, export_bytes
from tests.stories.person import Person
from tests.stories.recalling import ask

SAID = load_texts(None).recall


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    """Somebody whose two chats have memories."""
    person = Person(tmp_path / "ada")
    person.drop(export_bytes(chat(*conversation(10, 400))), "one.json")
    other = chat(*conversation(10, 400, first=50), id="other", chatID="other", chatTitle="Another")
    person.drop(export_bytes(other), "other.json")
    assert person.memproc("run").code == 0
    return person


def openings(person: Person) -> dict[str, str]:
    """Each updated file's whole text, by the beginning of its name."""
    return {path.name[:3]: path.read_text() for path in person.updated()}


def test_it_is_said_in_the_opening_alone_and_only_where_it_is_wanted(ada: Person) -> None:
    before = openings(ada)
    assert not any(SAID in text for text in before.values())
    ada.settings('[[chats.override]]\nchat = "other"\nrecall.mention = true\n')
    assert ada.memproc("run").code == 0
    after = openings(ada)
    assert after["The"] == before["The"], "the other chat keeps every byte"
    assert after["Ano"].count(SAID) == 1
    assert after["Ano"].index(SAID) < after["Ano"].index("A direct quote?")
    assert "unchanged" in ada.memproc("run").out
    assert openings(ada) == after
    ada.settings("")
    assert ada.memproc("run").code == 0
    assert not any(SAID in text for text in openings(ada).values())


@pytest.mark.full
def test_it_names_tools_that_there_are(ada: Person) -> None:
    listed = ask(ada, lambda client: client.list_tools())
    assert {"recall_search", "recall_open"} <= {tool.name for tool in listed.tools}
    assert "recall_search" in SAID
    assert "recall_open" in SAID


@pytest.mark.full
def test_it_can_be_set_for_all_chats(ada: Person) -> None:
    ada.settings("[recall]\nmention = true\n")
    assert ada.memproc("run").code == 0
    assert all(SAID in text for text in openings(ada).values())
