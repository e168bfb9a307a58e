"""A memory whose words were lost in the archive stands out in an evaluation, and no other does."""

import json
from pathlib import Path
from typing import Any

import pytest

from daemon.archive.archive import Archive
from tests.chats import CHAT_ID, export_bytes, long_chat
from tests.groups import groups_of
from tests.server.examined import Examined
from tests.server.setup import KEY
from tests.stories.examining import evaluated, serving, wants
from tests.stories.person import Person
from tests.typingmind.texts import text_of

pytestmark = pytest.mark.timeout(200)
ANOTHER = ["Memory 1.", "An oar.", "How?", "It was another sea.", "And?", "Nothing of it."]


def everything(person: Person) -> list[dict[str, Any]]:
    found = json.loads(person.memproc("memories", CHAT_ID, "--json").out)["memories"]
    assert isinstance(found, list)
    return found


def rewritten(person: Person, memory: str, texts: list[str]) -> None:
    """Give a memory other words than were written for it, as a fault would."""
    with Archive.open(person.home / "state") as archive:
        archive.run("UPDATE edition SET texts = ? WHERE memory = ?", (json.dumps(texts), memory))


def words_of(person: Person, memory: dict[str, Any]) -> str:
    """Every word that was said under a memory."""
    whole = person.home / "whole.json"
    whole.unlink(missing_ok=True)
    assert person.memproc("expand", CHAT_ID, "--output", whole).code == 0
    (chat,) = json.loads(whole.read_bytes())["data"]["chats"]
    said = {message["uuid"]: text_of(message["content"]) for message in chat["messages"]}
    return "\n\n".join(said[key] for key in memory["keys"])


@pytest.mark.full
@pytest.mark.parametrize("slot", [1, 3, 5], ids=["quote", "perspective", "memory"])
@pytest.mark.variants
def test_a_memory_that_lost_its_words_stands_out_and_no_other_does(
    eve: Person, slot: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()):
        memories = everything(eve)
        for one in memories:
            texts = [*ANOTHER[:slot], words_of(eve, one), *ANOTHER[slot + 1 :]]
            rewritten(eve, one["memory_id"], texts)
        assert not any(group["stands_out"] for group in evaluated(eve)["groups"]["memories"])
        rewritten(eve, memories[0]["memory_id"], ANOTHER)
        faulty = evaluated(eve)["groups"]["memories"]
    assert [group["stands_out"] for group in faulty] == [one == memories[0] for one in memories]


@pytest.mark.long
def test_a_fold_that_lost_its_quotes_stands_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with serving(monkeypatch, Examined()), groups_of(3):
        ada = Person(tmp_path / "ada", tail=3200, step=800, chunk=800)
        wants(ada, "[fold]\nbudget = 900\n")
        ada.drop(export_bytes(long_chat(14_000, tokens_each=300)))
        assert ada.memproc("run").code == 0
        shown = [one for one in everything(ada) if one["state"] == "shown"]
        folds = [one["memory_id"] for one in shown if one["members"]]
        assert folds
        for one in shown:
            rewritten(ada, one["memory_id"], [*ANOTHER[:1], words_of(ada, one), *ANOTHER[2:]])
        assert not any(group["stands_out"] for group in evaluated(ada)["groups"]["memories"])
        rewritten(ada, folds[0], ANOTHER)
        groups = evaluated(ada)["groups"]["memories"]
    assert [group["name"] for group in groups if group["stands_out"]] == [folds[0]]
