"""Memories as older versions of memproc wrote them stay as they are, and are known beside those of today.

`old_form` holds an export and an archive as they were before: the beginning of the sample conversation, of which the
oldest two memories are folded. `updated.json` is what memproc had written.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.conversation.memory_title import numbers_in
from tests.chats import Json, texts
from tests.requests_answers import answer
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.stories.person import Person
from tests.stories.wire import memories

OLD = Path(__file__).with_name("old_form")
SAMPLE = Path(__file__).parents[2] / "daemon" / "files" / "sample.json"
CHAT = "q7vmx2ka9t"
SETTINGS = (
    "[models]\nconcurrency = 1\n[memory]\nhindsight = 0\n[fold]\nbudget = {budget}\ngroup = 2\n"
)
pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer(Setup(script=answer)) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        yield server


def nessa(home: Path, *, archive: bool = True, budget: int = 800) -> Person:
    """The person, after the update of memproc; without the archive, where that was lost."""
    person = Person(home, 3200, 800, 800, layers=True)
    person.settings(SETTINGS.format(budget=budget))
    if archive:
        (home / "state").mkdir(mode=0o700)
        content = gzip.decompress((OLD / "archive.sqlite3.gz").read_bytes())
        (home / "state" / "archive.sqlite3").write_bytes(content)
        (home / "state" / "archive.sqlite3").chmod(0o600)
    return person


def old_chat() -> dict[str, Any]:
    (chat,) = json.loads((OLD / "updated.json").read_bytes())["data"]["chats"]
    assert isinstance(chat, dict)
    return chat


def gone_on(messages: int) -> bytes:
    """The old updated export, in which the conversation has gone on as in the sample."""
    chat = old_chat()
    (whole,) = json.loads(SAMPLE.read_bytes())["data"]["chats"]
    known = {message["uuid"] for message in chat["messages"]}
    last = next(
        at
        for at, message in enumerate(whole["messages"])
        if message["uuid"] == chat["messages"][-1]["uuid"]
    )
    chat["messages"] += [
        one for one in whole["messages"][last + 1 : last + 1 + messages] if one["uuid"] not in known
    ]
    return json.dumps({"data": {"chats": [chat]}}, ensure_ascii=False).encode()


def ours(chat: dict[str, Any]) -> dict[str, list[Json]]:
    """The messages of each memory, by its id."""
    found: dict[str, list[Json]] = {}
    for message in chat["messages"]:
        if message.get("memproc", {}).get("kind") == "memory":
            found.setdefault(message["memproc"]["memory"], []).append(message)
    return found


@pytest.mark.parametrize("archive", [True, False], ids=["known", "of a lost archive"])
def test_older_memories_keep_their_bytes_and_newer_ones_stand_behind_them(
    tmp_path: Path, server: ModelServer, archive: bool
) -> None:
    person = nessa(tmp_path / "home", archive=archive, budget=4000)
    person.drop(gone_on(30))
    ended = person.memproc("run")
    assert (ended.code, ended.err) == (0, ""), ended
    before, after = ours(old_chat()), ours(person.chat())
    older = [name for name in after if name in before]
    newer = [name for name in after if numbers_in(texts(after[name])[0])]
    assert older and newer
    assert all(after[name] == before[name] for name in older), (
        "their bytes are those of the older version"
    )
    assert list(after)[-len(newer) :] == newer
    numbers = [numbers_in(texts(after[name])[0]) for name in newer]
    assert numbers == sorted(set(numbers), key=lambda pair: pair or (0, 0)), (
        "each has a number of its own"
    )
    known = {memory["memory_id"]: memory for memory in memories(person, CHAT)}
    assert not any(known[name]["pinned"] for name in older), (
        "the older form is no edit of the person's"
    )
    assert person.memproc("verify").code == 0


def test_show_retry_and_expand_know_both_forms_in_one_chat(
    tmp_path: Path, server: ModelServer
) -> None:
    person = nessa(tmp_path / "home", budget=4000)
    person.drop(gone_on(30))
    assert person.memproc("run").code == 0
    for name, messages in ours(person.chat()).items():
        shown = person.memproc("show", name)
        assert (shown.code, shown.err) == (0, "")
        assert texts(messages)[5] in shown.out
    expanded = person.memproc("expand", CHAT, "--output", tmp_path / "raw.json")
    assert (expanded.code, expanded.err) == (0, ""), expanded
    (raw,) = json.loads((tmp_path / "raw.json").read_bytes())["data"]["chats"]
    (sample,) = json.loads(SAMPLE.read_bytes())["data"]["chats"]
    assert texts(raw["messages"]) == texts(sample["messages"])[: len(raw["messages"])]


def test_an_edit_of_an_older_memory_and_one_of_a_newer_one_are_both_the_persons(
    tmp_path: Path, server: ModelServer
) -> None:
    person = nessa(tmp_path / "home", budget=4000)
    person.drop(gone_on(30))
    assert person.memproc("run").code == 0
    chat = person.chat()
    first, *_, last = ours(chat).values()
    for messages in (first, last):
        messages[5]["content"][0]["text"] = "Mine, in the person's words."
    person.drop(json.dumps({"data": {"chats": [chat]}}, ensure_ascii=False).encode())
    ended = person.memproc("run")
    assert ended.code == 0, ended
    assert "2 yours kept" in ended.out
    pinned = {memory["memory_id"] for memory in memories(person, CHAT) if memory["pinned"]}
    assert pinned == {first[0]["memproc"]["memory"], last[0]["memproc"]["memory"]}


def test_what_the_opening_said_before_is_no_edit_and_its_sections_and_facts_stay(
    tmp_path: Path, server: ModelServer
) -> None:
    person = nessa(tmp_path / "home")
    person.drop((OLD / "updated.json").read_bytes())
    before = person.memproc("core", CHAT).out
    ended = person.memproc("run")
    assert (ended.code, ended.err) == (0, ""), ended
    opening = (
        next(text for text in texts(person.chat()["messages"]) if text.startswith("<system>"))
        if (person.updated())
        else ""
    )
    assert "You wrote them yourself" not in opening
    assert person.memproc("core", CHAT).out == before
