"""After an upgrade nothing is asked twice: what was asked in former words is found, and judged as it was then.

`former_questions` holds two archives of the beginning of the sample conversation, as memproc left them when it asked
each question in the words that a memory keeps. In both the model's first view begins with "Sure!", and nothing came
back for the second memory, which is extracted. `whole` has all four memories; in `begun` the provider failed at the
last question of the fourth one.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.memories import memories as kept_memories
from rules.conversation.memory import Memory
from rules.conversation.memory_title import subject_in
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.stories.person import Person

FORMER = Path(__file__).with_name("former_questions")
SAMPLE = Path(__file__).parents[2] / "daemon" / "files" / "sample.json"
CHAT = "q7vmx2ka9t"
MESSAGES = 58
SETTINGS = (
    '[models]\nagent = "anthropic/claude-haiku-5-5"\nconcurrency = 1\n[memory]\nhindsight = 0\n'
)
pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer(Setup()) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        yield server


def upgraded(home: Path, name: str) -> Person:
    """The person after the upgrade, with the archive that the former version left, and the same export again."""
    person = Person(home, 3200, 800, 800)
    person.settings(SETTINGS)
    (home / "state").mkdir(mode=0o700)
    archive = home / "state" / "archive.sqlite3"
    archive.write_bytes(gzip.decompress((FORMER / f"{name}.sqlite3.gz").read_bytes()))
    archive.chmod(0o600)
    person.drop(talk_on(MESSAGES))
    return person


def talk_on(messages: int) -> bytes:
    """An export of the sample's first so many messages."""
    (chat,) = json.loads(SAMPLE.read_bytes())["data"]["chats"]
    chat["messages"] = chat["messages"][:messages]
    return json.dumps({"data": {"chats": [chat]}}, ensure_ascii=False).encode()


def kept(person: Person) -> tuple[Memory, ...]:
    with Archive.read(person.home / "state") as archive:
        return tuple(kept_memories(archive, CHAT))


def test_a_chat_whose_memories_are_all_there_costs_no_call(
    tmp_path: Path, server: ModelServer
) -> None:
    person = upgraded(tmp_path / "nessa", "whole")
    planned = json.loads(person.memproc("plan", "--json").out)
    assert [chat["calls"] for chat in planned["chats"]] == [0]
    ended = person.memproc("run")
    assert (ended.code, ended.err) == (0, ""), ended
    assert server.requests == []
    memories = kept(person)
    assert [memory.edition.made for memory in memories] == ["model", "extracted", "model", "model"]
    assert all(subject_in(memory.edition.texts[0]) == "" for memory in memories), "names stay"
    assert memories[0].edition.texts[3].startswith("Sure!"), "so does an answer that was kept"


def test_a_dialogue_that_was_begun_goes_on_in_the_words_and_by_the_checks_of_that_time(
    tmp_path: Path, server: ModelServer
) -> None:
    person = upgraded(tmp_path / "nessa", "begun")
    ended = person.memproc("run")
    assert (ended.code, ended.err) == (0, ""), ended
    (request,) = server.requests
    asked = [turn.text for turn in request.turns if turn.text.startswith("<context_manager>")]
    assert asked[-3].endswith("A direct quote?\n</context_manager>")
    assert "How do you see it?" in asked[-2]
    assert "\n\nYour memory?" in asked[-1]
    last = kept(person)[3].edition
    assert last.made == "model"
    assert last.texts[3].startswith("Sure!")
    assert last.form == "", "by the checks of that time nothing was wrong with it"
    assert subject_in(last.texts[0]), "a name that is new has its subject"


def test_what_is_new_is_asked_in_todays_words_and_judged_by_todays_checks(
    tmp_path: Path, server: ModelServer
) -> None:
    person = upgraded(tmp_path / "nessa", "whole")
    person.drop(talk_on(MESSAGES + 5))
    assert person.memproc("run").code == 0
    asked = [request.turns[-1].text for request in server.requests]
    assert len(asked) == 4
    assert "copied character for character, at most 60 words, nothing else." in asked[0]
    assert "In the first person." in asked[1]
    memories = kept(person)
    assert [bool(subject_in(each.edition.texts[0])) for each in memories] == [False] * 4 + [True]
