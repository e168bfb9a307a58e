"""A weak model's answers are looked at: asked again with the reason, kept and marked, or taken over by the engine."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.conversation.quote import MOST_QUOTE_WORDS
from rules.extract.words import length
from tests.server.reply import Answer
from tests.server.request import Request
from tests.server.scribe import scribe
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.server.step import read_task
from tests.stories.person import Person

SAMPLE = Path(__file__).parents[2] / "daemon" / "files" / "sample.json"
CHAT = "q7vmx2ka9t"
SETTINGS = (
    '[models]\nagent = "anthropic/claude-haiku-5-5"\nconcurrency = 1\n[memory]\nhindsight = 0\n'
)
SURE = "Sure! Here is how I see the tide book of Bríd that Nessa brought."
THIRD = "The assistant helped the user Nessa with the tide book and Bríd's clock times."
AS_AI = "As an AI language model, I don't have personal memories of Nessa or Bríd's tide book."
_NUMBER = re.compile(r"<context_manager>\nMemory (\d+)[,.]")
pytestmark = pytest.mark.timeout(120)


def weak(request: Request) -> Answer:
    """Quote a whole message, open with a preface, speak in the third person, disclaim: a chunk for each."""
    task = read_task(request)
    numbers = [int(number) for turn in request.turns for number in _NUMBER.findall(turn.text)]
    answers = {
        (1, "quote"): max((said.text for said in task.passage), key=len, default=""),
        (1, "perspective"): SURE,
        (2, "perspective"): THIRD,
        (3, "refinement"): AS_AI,
    }
    answer = answers.get((max(numbers, default=0), task.step))
    return Answer(answer) if answer else scribe(request)


@pytest.fixture
def nessa(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    """A person whose model is weak, and the beginning of the sample conversation in their inbox."""
    person = Person(tmp_path / "nessa", 3200, 800, 800)
    person.settings(SETTINGS)
    (chat,) = json.loads(SAMPLE.read_bytes())["data"]["chats"]
    chat["messages"] = chat["messages"][:58]
    person.drop(json.dumps({"data": {"chats": [chat]}}, ensure_ascii=False).encode())
    with ModelServer(Setup(script=weak)) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        yield person


@pytest.mark.full
def test_each_kind_is_counted_and_what_is_kept_is_marked(nessa: Person) -> None:
    ended = nessa.memproc("run")
    assert (ended.code, ended.err) == (0, ""), ended
    for kind in ("disclaimer 2", "opening 2", "third person 2"):
        assert kind in ended.out
    assert "kept in spite of its form: opening 1" in ended.out
    assert "kept in spite of its form: third person 1" in ended.out
    listed = nessa.memproc("memories", CHAT).out.splitlines()
    assert ["odd form" in line for line in listed[2:6]] == [True, True, False, False]
    assert ["extracted" in line for line in listed[2:6]] == [False, False, True, False]
    shown = nessa.memproc("show", "2").out
    assert "Kept in spite of its form: third person" in shown
    assert THIRD in shown
    assert AS_AI not in nessa.memproc("show", "3").out


@pytest.mark.full
def test_a_whole_message_is_no_quote(nessa: Person) -> None:
    assert nessa.memproc("run").code == 0
    quote = nessa.memproc("show", "1").out.partition("Quote\n")[2].partition("\n\n  Perspective")[0]
    assert 0 < length(quote) <= MOST_QUOTE_WORDS
    assert nessa.memproc("verify").code == 0


@pytest.mark.full
def test_memories_are_told_apart_by_their_subjects(nessa: Person) -> None:
    assert nessa.memproc("run").code == 0
    heads = [nessa.memproc("show", str(number)).out.splitlines()[1] for number in range(1, 5)]
    subjects = [head.partition(": ")[2] for head in heads]
    assert all(subjects)
    assert len(set(subjects)) == len(subjects)
