"""Days are the person's: those of one time zone, in titles, tags, facts, lists, search and on the page."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.files import candidates
from tests.chats import Json, chat, conversation, export_bytes
from tests.foreign import talks, trees
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.stories.cycle import ENGINE
from tests.stories.person import Person
from tests.stories.test_page import Browser
from tests.typingmind.texts import text_of

LOS_ANGELES, KIRITIMATI = "America/Los_Angeles", "Pacific/Kiritimati"
EVENING = datetime(2025, 12, 30, 5, 30, tzinfo=UTC)
"""Half past nine in the evening of 29 December in Los Angeles."""


SAMPLE = Path(candidates.__file__).with_name("sample.json")
MESSAGES = 58
SETTINGS = (
    '[models]\nagent = "anthropic/claude-haiku-5-5"\nconcurrency = 1\n[memory]\nhindsight = 0\n'
)


def settings_of(zone: str) -> str:
    return f'{ENGINE}[memory]\nzone = "{zone}"\n'


def evenings(turns: int) -> Json:
    """A chat of one long talk each evening, four turns in a quarter of an hour."""
    said = conversation(turns, 200)
    for number, message in enumerate(said):
        at = EVENING + timedelta(days=number // 8, minutes=2 * (number % 8))
        message["createdAt"] = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return chat(*said)


def memories(person: Person) -> list[str]:
    """The texts of all messages of ours in the updated export."""
    return [text_of(said["content"]) for said in person.chat()["messages"] if "memproc" in said]


def titles(texts: list[str]) -> list[str]:
    """The titles of memories, without the subjects."""
    return [found[1] for text in texts if (found := re.search(r"\n(Memory [^:.\n]+)[:.]", text))]


@pytest.fixture(scope="module")
def ada(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A person in Los Angeles, who talks in the evening, after a first run."""
    ada = Person(tmp_path_factory.mktemp("days") / "ada")
    ada.settings(settings_of(LOS_ANGELES))
    ada.drop(export_bytes(evenings(30)))
    assert ada.memproc("run", "--yes").code == 0
    return ada


def test_an_evening_has_its_own_day_in_titles_and_memories(ada: Person) -> None:
    texts = memories(ada)
    assert titles(texts)[0] == "Memory 1, 29 December 2025, extracted"
    assert "On 29 December 2025" in "\n".join(texts[:8])


def test_lists_search_and_recall_tell_the_same_day(ada: Person) -> None:
    assert "2025-12-29" in ada.memproc("memories", "The lighthouse").out.splitlines()[2]
    words = text_of(evenings(1)["messages"][0]["content"]).split()[:3]
    found = json.loads(
        ada.memproc("search", *words, "--in", "raw", "--to", "2025-12-29", "--json").out
    )["hits"]
    assert found
    assert {hit["said_at"][:10] for hit in found} == {"2025-12-29"}
    kept_words = " ".join(text_of(evenings(1)["messages"][0]["content"]).split()[:6])
    assert ada.memproc("keep", "The lighthouse", kept_words).code == 0
    assert "2025-12-29" in ada.memproc("keep", "The lighthouse").out


def test_the_page_heads_the_same_day(ada: Person) -> None:
    browser = Browser(ada)
    page = browser.open("/chat/kxecrzvvc1/read")
    assert "You, 29 December 2025, 21:30" in page
    assert "30 December" not in page.partition("All days")[0]
    assert "Since 29 December 2025" in browser.open("/chat/kxecrzvvc1")


@pytest.mark.full  # what an archive keeps is in tests/daemon/archive/test_zone.py
def test_an_archive_keeps_the_zone_of_the_computer_that_made_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = Person(tmp_path / "ada")
    ada.settings(ENGINE)
    ada.drop(export_bytes(evenings(20)))
    with monkeypatch.context() as there:
        there.setenv("TZ", LOS_ANGELES)
        assert ada.spawn("run", "--yes").code == 0
    before = titles(memories(ada))
    ada.drop(export_bytes(evenings(30)))
    assert ada.memproc("run", "--yes").code == 0
    after = titles(memories(ada))
    assert before[0].startswith("Memory 1, 29 December 2025")
    assert after[: len(before)] == before
    assert len(after) > len(before)
    assert f"Its days are those of {LOS_ANGELES}." in ada.memproc("doctor", "--all").out
    assert "zone" not in ada.toml.read_text()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer(Setup()) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        yield server


def talk_on(messages: int) -> bytes:
    """An export of the sample's first so many messages."""
    (sample,) = json.loads(SAMPLE.read_bytes())["data"]["chats"]
    return export_bytes({**sample, "messages": sample["messages"][:messages]})


def first_questions(person: Person) -> list[str]:
    """The first question of each memory, which has its title."""
    listed = json.loads(person.memproc("memories", "Aria", "--json").out)["memories"]
    return [memory["editions"][0]["texts"][0] for memory in listed]


@pytest.mark.full
def test_another_zone_asks_nothing_again_and_leaves_the_titles_that_stand(
    tmp_path: Path, server: ModelServer
) -> None:
    person = Person(tmp_path / "nessa", 3200, 800, 800)
    person.settings(SETTINGS)
    person.drop(talk_on(MESSAGES))
    assert person.memproc("run").code == 0
    before, asked = first_questions(person), len(server.requests)
    assert asked
    for zone in (KIRITIMATI, LOS_ANGELES):
        person.settings(f'{SETTINGS}zone = "{zone}"\n')
        assert person.memproc("run").code == 0
        assert first_questions(person) == before
    assert len(server.requests) == asked
    person.settings(f'{SETTINGS}zone = "{KIRITIMATI}"\n')
    person.drop(talk_on(MESSAGES + 5))
    assert person.memproc("run").code == 0
    *standing, new = first_questions(person)
    assert standing == before
    sent = "\n".join(turn.text for turn in server.requests[asked].turns)
    assert f"{titles([new])[0]}." in sent
    assert "+14:00" in sent


def undated(said: Json) -> Json:
    """The same message as TypingMind keeps one without a date."""
    return {name: value for name, value in said.items() if name != "createdAt"}


@pytest.mark.full
def test_a_chat_without_dates_has_no_days(tmp_path: Path) -> None:
    ada = Person(tmp_path / "ada")
    ada.settings(settings_of(LOS_ANGELES))
    ada.drop(export_bytes(chat(*map(undated, conversation(30, 200)))))
    assert ada.memproc("run", "--yes").code == 0
    _has_no_days(ada, "kxecrzvvc1")


def _has_no_days(person: Person, chat_id: str) -> None:
    texts = memories(person)
    assert titles(texts)[0] == "Memory 1, extracted"
    assert not re.search(r"\b(?:19|20)\d\d\b", "\n".join(texts))
    browser = Browser(person)
    pages = [browser.open(f"/chat/{chat_id}{view}") for view in ("", "/read", "/facts", "/kept")]
    shown = [
        person.memproc(*words).out for words in (("memories", chat_id), ("show", chat_id, "1"))
    ]
    assert not re.search(r"\b19(?:69|70)\b", "\n".join([*pages, *shown]))


@pytest.mark.full
@pytest.mark.sampled
@pytest.mark.parametrize("program", [talks.chatgpt, talks.claude])
def test_what_is_brought_without_dates_has_no_days(
    tmp_path: Path, program: Callable[[str, int], dict[str, Any]]
) -> None:
    nessa = Person(tmp_path / "nessa")
    nessa.settings(settings_of(LOS_ANGELES))
    export = nessa.home / "foreign.json"
    export.write_bytes(trees.exported(without_times(program("a", 40))))
    assert nessa.memproc("bring", export, "--chat", "1", "--model", "m", "--yes").code == 0
    _has_no_days(nessa, nessa.chat()["chatID"])


def without_times(value: Any) -> Any:
    """An export's value without the dates in it."""
    if isinstance(value, list):
        return [without_times(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    times = {"create_time", "update_time", "created_at", "updated_at"}
    return {key: without_times(inner) for key, inner in value.items() if key not in times}
