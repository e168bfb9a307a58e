"""A person whose chat has become memories, and a scripted model that is asked what it still knows of them."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from daemon.archive.archive import Archive
from tests.chats import CHAT_ID, export_bytes, long_chat
from tests.server.batching import Batching
from tests.server.examined import Examined, drawn
from tests.server.reply import Script
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.stories.person import Person

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
    """A person whose chat has become memories, written by the scribe."""
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


def passages_known(person: Person, share: float = 1.0) -> list[bool]:
    """Whether each passage that was asked about stands in the finished chat, of a share that is known."""
    chat = json.dumps(person.chat(), ensure_ascii=False)
    with Archive.read(person.home / "state") as archive:
        asked = archive.run("SELECT passage, text FROM question WHERE state = '' AND passage <> ''")
    return [
        json.dumps(passage, ensure_ascii=False)[1:-1] in chat and drawn(text) < share
        for passage, text in asked
    ]


def states(person: Person) -> Counter[str]:
    """How many questions there are, by why they are not asked."""
    with Archive.read(person.home / "state") as archive:
        return Counter(archive.column("SELECT state FROM question"))
