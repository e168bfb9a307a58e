"""A real conversation of 114,000 tokens in which somebody says now and then what is no longer so later on."""

import json
import re
from pathlib import Path

import pytest

from tests.chats import Json
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.stories.facts import asked_for_facts, shown
from tests.stories.person import Person
from tests.stories.statements import TOPICS, Keeper
from tests.stories.test_real_exports import FOUND
from tests.typingmind.texts import reworded, text_of

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]
NAME = "beam-100k-1"
PLANTED = {
    "I live in Lisbon.": 0.02,
    "I work as a baker.": 0.05,
    "My cat is called Miso.": 0.10,
    "In the morning I drink tea.": 0.15,
    "I have moved to Porto.": 0.22,
    "On Sundays I play chess.": 0.30,
    "By now I am a nurse.": 0.36,
    "I have changed over to coffee.": 0.44,
    "We call the cat by another name: Tofu.": 0.50,
    "I have moved to Braga.": 0.56,
    "I have taken up tennis.": 0.60,
}
"""What is said, and how far into the conversation; the last quarter of it is the live tail."""
LIVES = "The person lives in "


def planted(chat: Json) -> dict[str, str]:
    """Put the statements into messages of the person's; the uuid of each such message."""
    asked = [message for message in chat["messages"] if message["role"] == "user"]
    found = {}
    for statement, part in PLANTED.items():
        message = asked[int(part * len(asked))]
        message["content"] = reworded(
            message["content"], f"{statement} {text_of(message['content'])}"
        )
        found[statement] = message["uuid"]
    assert len(set(found.values())) == len(PLANTED)
    return found


def facts_of(said: str) -> str:
    """The fact that a statement comes to."""
    return next(
        f"{topic}{match[1]}."
        for topic, pattern in TOPICS.items()
        if (match := re.fullmatch(pattern, said))
    )


@pytest.mark.skipif(
    not [path for path in FOUND if path.stem == NAME], reason=f"no {NAME}.json: set MEMPROC_EXPORTS"
)
def test_of_statements_that_contradict_each_other_exactly_the_newest_are_true_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    (source,) = (path for path in FOUND if path.stem == NAME)
    export = json.loads(source.read_bytes())
    (chat,) = export["data"]["chats"]
    assert not any(
        pattern.search(text_of(one["content"]))
        for one in chat["messages"]
        for pattern in TOPICS.values()
    )
    sources = planted(chat)
    ada = Person(tmp_path / "ada", tail=30_000, step=24_000, chunk=4_000, layers=True)
    ada.drop(json.dumps(export, ensure_ascii=False).encode())
    with ModelServer(Setup(script=Keeper())) as server:
        ada.settings(
            '[models]\nagent = "anthropic/claude-haiku-5-5"\n'
            f'[models.options."anthropic/*"]\napi_base = "{server.url}"\n[memory]\nhindsight = 0\n'
        )
        ended = ada.memproc("run", "--json")
        assert (ended.code, ended.err, json.loads(ended.out)["noted"]) == (0, "", {})
        asked = asked_for_facts(server.requests)
    newest = {text.rpartition(" ")[0]: text for text in map(facts_of, PLANTED)}
    listed = json.loads(ada.memproc("facts", chat["chatID"], "--json").out)["facts"]
    assert sorted(one["text"] for one in listed) == sorted(newest.values())
    assert len(listed) == len(TOPICS)
    told = []
    for fact in listed:
        events = json.loads(
            ada.memproc("facts", chat["chatID"], "history", str(fact["number"]), "--json").out
        )["events"]
        assert [event["event"] for event in events] == ["ADD", *["UPDATE"] * (len(events) - 1)]
        told += [(event["text"], event["source"]) for event in events]
    assert sorted(told) == sorted((facts_of(said), sources[said]) for said in PLANTED), (
        "all of them in the history"
    )
    assert len(asked) > 15
    for request in asked:
        live = shown(request)
        assert all(sum(text.startswith(topic) for text in live) <= 1 for topic in TOPICS), (
            "never two of a kind"
        )
    seen = [any(text.startswith(LIVES) for text in shown(request)) for request in asked]
    assert seen == sorted(seen), "and from the first one on never none"
    opening = text_of(ada.chat()["messages"][0]["content"])
    assert [
        text for text in map(facts_of, PLANTED) if (text in opening) != (text in newest.values())
    ] == []
