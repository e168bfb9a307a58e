"""Let a person make statements about themselves, and a context manager take exactly these as facts."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from shutil import copytree
from types import MappingProxyType
from typing import Any

from tests.server.facts import known_facts, operations
from tests.server.reply import Answer, Reply
from tests.server.request import Request
from tests.server.scribe import scribe
from tests.server.step import Task, read_task
from tests.stories.rounds import Life, life
from tests.typingmind.texts import text_of

Take = Callable[[Task], str]
"""A function that returns a context manager's answer to the question about facts."""

TOPICS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "The person lives in ": re.compile(r"I (?:live in|have moved to) (\w+)\."),
        "The person's work: ": re.compile(r"(?:I work as|By now I am) an? (\w+)\."),
        "The person's cat is called ": re.compile(
            r"(?:My cat is called|We call the cat by another name:) (\w+)\."
        ),
        "The person drinks ": re.compile(
            r"(?:In the morning I drink|I have changed over to) (\w+)\."
        ),
        "The person plays ": re.compile(r"(?:On Sundays I play|I have taken up) (\w+)\."),
    }
)
"""The beginnings of facts, each with the pattern of the statements of such a fact; the last statement counts."""
DAYS = 3
"""The days between one statement and the next."""


def take_statements(task: Task) -> str:
    """Answer with each statement of the passage as a fact; a shown fact on the same topic is updated by its id."""
    said = {
        topic: (match[1], message.number)
        for message in task.passage
        for topic, pattern in TOPICS.items()
        for match in pattern.finditer(message.text)
    }
    shown = {
        topic: fact
        for fact in known_facts(task)
        for topic in TOPICS
        if fact["text"].startswith(topic)
    }
    return operations(
        [_operation(f"{topic}{what}.", at, shown.get(topic)) for topic, (what, at) in said.items()]
    )


def _operation(text: str, message: int, known: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if known is None:
        return {"event": "ADD", "text": text, "message": message}
    if known["text"] == text:
        return {"event": "NONE", "id": known["id"], "message": message}
    return {
        "event": "UPDATE",
        "id": known["id"],
        "old_memory": known["text"],
        "text": text,
        "message": message,
    }


@dataclass
class Keeper:
    """The scribe with an exchangeable way of taking facts."""

    take: Take = take_statements

    def __call__(self, request: Request) -> Reply:
        task = read_task(request)
        return Answer(self.take(task)) if task.step == "facts" else scribe(request)


def tell(lived: Life, *statements: str) -> None:
    """Make the statements, days apart, each at the beginning of a passage that is longer than a chunk."""
    for statement in statements:
        lived.device.now += timedelta(days=DAYS)
        lived.talk(1000)
        lived.device.edit(
            lived.chat_id,
            -20,
            f"{statement} {text_of(lived.device.messages(lived.chat_id)[-20]['content'])}",
        )


@contextmanager
def telling(folder: Path, keeper: Keeper, *statements: str, **tables: str) -> Iterator[Life]:
    """Yield a life in which all statements were made, long enough ago to be in chunks; memproc has not run yet."""
    plain = {"core": "enabled = false", "memory": "hindsight = 0"}
    with life(folder, keeper, layers=True, **{**plain, **tables}) as lived:
        tell(lived, *statements)
        lived.talk(3700)
        yield lived


def copy_of(lived: Life, folder: Path, **tables: str) -> Life:
    """Return a copy of a life at the same server; what is done in it does not change the original."""
    copytree(lived.person.home, folder)
    copied = replace(
        lived,
        person=replace(lived.person, home=folder),
        device=deepcopy(lived.device),
        tables=dict(lived.tables),
        said=list(lived.said),
    )
    copied.settings(**tables)
    return copied
