"""Make a person with memories, and read what a scripted model was asked about them in an evaluation."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.chats import CHAT_ID, export_bytes, long_chat
from tests.server.batching import Batching
from tests.server.examined import CHOICE, FOLLOWS, POSED, SENTENCE, Examined, drawn
from tests.server.reply import Script
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.stories.person import Person
from tests.stories.reports import raw_conversation
from tests.typingmind.texts import text_of

LIKELY = re.compile(r"likely \$([0-9.]+[0-9])")
HAIKU = "anthropic/claude-haiku-5-5"


@contextmanager
def serving(
    monkeypatch: pytest.MonkeyPatch, script: Script, batching: Batching | None = None
) -> Iterator[ModelServer]:
    with ModelServer(Setup(script=script, batching=batching or Batching())) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        yield server


def lived(home: Path) -> Person:
    """Make a person whose chat has become memories, written by the scribe."""
    with pytest.MonkeyPatch.context() as environment, serving(environment, Examined()):
        environment.setenv("ANTHROPIC_API_KEY", KEY)
        person = Person(home, tail=3200, step=800, chunk=800)
        wants(person)
        person.drop(export_bytes(long_chat(12_000, tokens_each=300)))
        ended = person.memproc("run")
        assert (ended.code, ended.err) == (0, "")
    return person


def wants(person: Person, more: str = "", manager: str = HAIKU) -> None:
    person.settings(f'[models]\nagent = "{HAIKU}"\ncontext_manager = "{manager}"\n{more}')


def evaluated(person: Person, *options: str) -> dict[str, Any]:
    ended = person.memproc("eval", CHAT_ID, "--json", *options)
    assert (ended.code, ended.err) == (0, "")
    report = json.loads(ended.out)
    assert isinstance(report, dict)
    return report


def passages_known(server: ModelServer, person: Person, share: float = 1.0) -> list[bool]:
    """Return for each question that was asked whether its passage is in the known share of the finished chat.

    A question is a sentence cut in two, so its passage is found by its beginning.
    """
    shown = json.dumps(person.chat(), ensure_ascii=False)
    said = [text_of(message["content"]) for message in raw_conversation(person, CHAT_ID)]
    sentences = {sentence for text in said for sentence in SENTENCE.findall(text)}
    passages = [
        (question, cut_so(sentences, question, choices)) for question, choices in asked(server)
    ]
    return [
        json.dumps(passage, ensure_ascii=False)[1:-1] in shown and drawn(question) < share
        for question, passage in passages
        if passage
    ]


def asked(server: ModelServer) -> list[tuple[str, str]]:
    """Return the questions, with their choices, that the persona was asked with its memories in view, each once."""
    posed: dict[str, None] = {}
    for request in server.requests:
        context = "\n".join(turn.text for turn in request.turns[:-1])
        if "A direct quote?" in context and "</to_remember>" not in context:
            posed[request.turns[-1].text] = None
    return [(question, choices) for text in posed for _, question, choices in POSED.findall(text)]


def cut_so(sentences: set[str], question: str, choices: str) -> str:
    """Return the sentence that a question is about, with one of the choices; "" if it was never said."""
    begun = question.removeprefix(FOLLOWS).rpartition("”")[0]
    whole = (f"{begun} {choice}" for _, choice in CHOICE.findall(choices))
    return next((sentence for sentence in whole if sentence in sentences), "")
