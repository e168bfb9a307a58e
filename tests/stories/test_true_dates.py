"""A fork of older clients gives every message a new uuid and the day of the fork: memproc keeps to the true days."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.chats import Json, export_bytes, long_chat
from tests.server.passage import read_passage
from tests.server.request import Request
from tests.server.scribe import scribe
from tests.stories.facts import events as fact_events
from tests.stories.person import Person
from tests.stories.rounds import Life, life
from tests.typingmind.texts import text_of
from tests.typingmind.wire import read_chats

pytestmark = pytest.mark.timeout(200)
LONG_AGO = timedelta(days=100)

Way = Callable[[Life], str]


@pytest.fixture
def aria(tmp_path: Path) -> Iterator[Life]:
    """A chat of 4,800 tokens, with core memory and facts, that has not been processed yet."""
    with life(tmp_path, scribe, layers=True) as aria:
        aria.talk(4_800)
        yield aria


def forked(aria: Life) -> str:
    return aria.device.fork(aria.chat_id, new_uuids=True)


def forked_early(aria: Life) -> str:
    return aria.device.fork(aria.chat_id, -7, new_uuids=True)


def restored(aria: Life) -> str:
    return aria.device.restore(aria.chat_id)


def days(messages: list[Json]) -> dict[str, str]:
    """The day of each message, by what it says."""
    return {
        text_of(message["content"]): message["createdAt"]
        for message in messages
        if "memproc" not in message
    }


def days_told(requests: list[Request]) -> dict[str, str]:
    """The day that prompts give to each raw message, by what it says."""
    return {said.text: said.day for request in requests for said in read_passage(request.turns)}


def expanded(aria: Life) -> list[Json]:
    path = aria.person.home / "whole" / f"{aria.chat_id}.json"
    ended = aria.person.memproc("expand", aria.chat_id, "--output", path)
    assert ended.code == 0, ended.err
    (chat,) = read_chats(path.read_bytes())
    found: list[Json] = chat["messages"]
    return found


def goes_on_in(aria: Life, way: Way) -> list[Json]:
    """A hundred days later the person goes on in a fork; its messages as TypingMind has them now."""
    aria.device.now += LONG_AGO
    aria.chat_id = way(aria)
    return list(aria.device.messages(aria.chat_id))


@pytest.mark.full
@pytest.mark.variants
@pytest.mark.parametrize("way", [restored, forked_early, forked])
def test_prompts_facts_memories_and_expand_have_the_days_on_which_it_was_said(
    aria: Life, way: Way
) -> None:
    said = days(aria.device.messages(aria.chat_id))
    aria.round()
    copies = goes_on_in(aria, way)
    assert not set(days(copies).values()) & set(said.values())

    requests = aria.round()
    for _ in range(3):
        requests += aria.round(800)
    told = days_told(requests)
    common = told.keys() & said.keys()
    assert len(common) >= 16, "the live messages of the fork have become memories"
    assert {text: told[text] for text in common} == {text: said[text][:10] for text in common}
    whole = days(expanded(aria))
    assert {text: day for text, day in whole.items() if text in said} == {
        text: day for text, day in said.items() if text in whole
    }
    assert len(whole.keys() & said.keys()) >= len(said) - 6
    new = whole.keys() - said.keys()
    assert min(whole[text] for text in new) > max(said.values()), (
        "what was said in the fork has its own day"
    )
    memories = aria.memories()
    inside = [one for one in memories if set(one.keys) <= {message["uuid"] for message in copies}]
    assert inside and all((one.ended_at or "") <= max(said.values()) for one in inside)
    taken = [
        (event["text"], event["said_at"])
        for event in fact_events(aria.person, aria.chat_id)
        if event["memory"] <= memories.index(inside[-1]) + 1
    ]
    assert taken and all(said_at <= max(said.values()) for _, said_at in taken)

    live = [message for message in aria.device.messages(aria.chat_id) if "memproc" not in message]
    own = {message["uuid"]: message for message in copies}
    assert all(message == own[message["uuid"]] for message in live if message["uuid"] in own), (
        "live messages are as they were"
    )
    assert aria.person.memproc("verify").code == 0
    assert aria.round() == []


@pytest.mark.full
def test_a_fork_of_the_raw_conversation_has_its_true_days_too(aria: Life) -> None:
    said = days(aria.device.messages(aria.chat_id))
    copy = forked(aria)
    aria.round()
    aria.chat_id = copy
    requests = aria.round()
    told = days_told(requests)
    assert told.keys() <= said.keys()
    assert days(expanded(aria)) == said


@pytest.mark.full
def test_a_fork_of_a_fork_has_the_true_days(aria: Life) -> None:
    said = days(aria.device.messages(aria.chat_id))
    aria.round()
    for _ in range(2):
        goes_on_in(aria, forked)
        aria.round(800)
    assert days(expanded(aria)).items() >= said.items()


@pytest.mark.sampled
@pytest.mark.parametrize("odd", ["2024-W09-5", "20240301", "2024-13-45", "soon", "2024-03-01T12Z"])
def test_a_date_that_no_calendar_has_stops_no_command(tmp_path: Path, odd: str) -> None:
    ada = Person(tmp_path / "ada")
    ada.settings('[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n')
    chat = long_chat(4000, tokens_each=200, id="aaa", chatID="aaa", chatTitle="A")
    for message in chat["messages"][::3]:
        message["createdAt"] = odd
    ada.drop(export_bytes(chat))
    assert ada.memproc("run").code == 0
    for command in (
        ["memories", "aaa"],
        ["show", "aaa", "1"],
        ["search", "the"],
        ["expand", "aaa"],
        ["facts", "aaa"],
    ):
        ended = ada.memproc(*command)
        assert ended.code == 0, (command, ended)
    assert ada.memproc("verify").code == 0
