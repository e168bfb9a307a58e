"""Answers that are not whole, or of a shape of their own, are no memory, and are paid for once."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.server.reply import Malformed, Reply
from tests.server.request import Request
from tests.server.scribe import scribe
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.server.step import read_task
from tests.stories.person import Person
from tests.stories.test_weak_model import CHAT, SAMPLE
from tests.stories.wire import memories

pytestmark = pytest.mark.timeout(120)
SETTINGS = (
    '[models]\nagent = "openai/gpt-4o"\ncontext_manager = "openai/gpt-4o"\nconcurrency = 1\n'
    "[memory]\nhindsight = 0\n"
)
SECRET = "WORDS OF AN ANSWER"
BROKEN = "I keep the tide book and the clock, and I keep"
USAGE = {"prompt_tokens": 400, "completion_tokens": 4, "total_tokens": 404}


def said(finish: object, content: str, **fields: object) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    choices = [{"index": 0, "finish_reason": finish, "message": message}]
    return {"id": "c", "created": 1, "model": "gpt-4o", "usage": USAGE, "choices": choices} | fields


@dataclass
class Provider:
    """Answers well, but for the refinement of the second memory, to which it says `odd`."""

    odd: dict[str, Any] | None = None
    asked: list[str] = field(default_factory=list)
    """The steps that were asked for, of the refinement of the second memory alone."""

    def __call__(self, request: Request) -> Reply:
        is_second = any("<context_manager>\nMemory 2" in turn.text for turn in request.turns)
        is_third = any("<context_manager>\nMemory 3" in turn.text for turn in request.turns)
        if is_second and not is_third and read_task(request).step == "refinement":
            self.asked.append("refinement")
            return Malformed(self.odd)
        return scribe(request)


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
def nessa(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: Provider) -> Iterator[Person]:
    """A person with a conversation of four memories, whose model is OpenAI's."""
    person = Person(tmp_path / "nessa", 3200, 800, 800)
    person.settings(SETTINGS)
    with ModelServer(Setup(script=provider)) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_API_BASE", f"{server.url}/v1")
        yield person


def drop(person: Person, messages: int) -> None:
    (chat,) = json.loads(SAMPLE.read_bytes())["data"]["chats"]
    chat["messages"] = chat["messages"][:messages]
    person.drop(json.dumps({"data": {"chats": [chat]}}, ensure_ascii=False).encode())


def made(person: Person) -> list[str]:
    return [memory["edition"]["made"] for memory in memories(person, CHAT)]


@pytest.mark.full
def test_an_answer_without_choices_goes_down_the_ladder_and_is_paid_for_once(
    nessa: Person, provider: Provider
) -> None:
    """In a process of its own, where pydantic would warn in the answer's words."""
    provider.odd = said("stop", "", choices=[], id={"a": SECRET}, model=[SECRET])
    drop(nessa, 58)
    ended = nessa.spawn("run")
    assert (ended.code, ended.err) == (0, ""), ended
    assert "empty 2" in ended.out
    assert "memory extracted by the engine 1" in ended.out
    assert made(nessa) == ["model", "extracted", "model", "model"]
    assert len(provider.asked) == 2
    calls = json.loads(nessa.memproc("calls", "--json").out)["calls"]
    assert [call["tokens_in"] for call in calls if call["step"] == "refinement"].count(400) == 2
    drop(nessa, 64)
    assert nessa.memproc("run").code == 0
    assert len(provider.asked) == 2


@pytest.mark.full
@pytest.mark.parametrize("finish", ["error", "a_new_word", None])
def test_a_broken_answer_is_asked_for_once_more_and_never_kept(
    nessa: Person, provider: Provider, finish: str | None
) -> None:
    provider.odd = said(finish, BROKEN)
    drop(nessa, 58)
    ended = nessa.memproc("run")
    assert (ended.code, ended.err) == (0, ""), ended
    assert "broken off 2" in ended.out
    assert len(provider.asked) == 2
    assert BROKEN not in nessa.updated()[0].read_text("utf-8")
    assert made(nessa) == ["model", "extracted", "model", "model"]


def test_a_whole_answer_without_a_known_end_is_kept_and_told_once(
    nessa: Person, provider: Provider
) -> None:
    provider.odd = said(None, f"{BROKEN} them for the two of us, since you trusted me with both.")
    drop(nessa, 58)
    ended = nessa.memproc("run")
    assert (ended.code, ended.err) == (0, ""), ended
    assert ended.out.count("whole without a known end 1") == 1
    assert BROKEN in nessa.updated()[0].read_text("utf-8")
    assert len(provider.asked) == 1
