"""Read for stories what memproc prints with `--json`: no other helper knows the shape of a report."""

import json
import re
from types import SimpleNamespace
from typing import Any

from tests.chats import Json
from tests.stories.person import Person

_DECODER = json.JSONDecoder()
_MESSAGES = re.compile(r'"messages": ?\[')
Record = SimpleNamespace
"""A row of a report, whose values are attributes: `memory.edition.texts`."""


def report(person: Person, *command: str) -> Any:
    """Return what a command prints with `--json`, whatever its exit code."""
    ended = person.memproc(*command, "--json")
    assert ended.out and not ended.err, ended
    return json.loads(ended.out)


def records(person: Person, name: str, *command: str) -> list[Record]:
    """Return the rows of that name in a report; [] where the archive does not know the chat."""
    ended = person.memproc(*command, "--json")
    if "knows no chat" in ended.err:
        return []
    assert ended.out and not ended.err, ended
    found = json.loads(ended.out, object_hook=lambda row: Record(**row))
    rows: list[Record] = getattr(found, name)
    return rows


def memories(person: Person, chat_id: str) -> list[Record]:
    """Return all memories and folds of a chat with all editions, including forgotten and folded ones."""
    return records(person, "memories", "memories", chat_id)


def chat_ids(person: Person) -> list[str]:
    """Return the ids of all chats in the archive."""
    return [chat["chat_id"] for chat in report(person, "chats")["chats"]]


def memory_ids(person: Person) -> set[str]:
    """Return the ids of all memories and folds of all chats."""
    every = [memory for chat_id in chat_ids(person) for memory in memories(person, chat_id)]
    return {memory.memory_id for memory in every}


def calls(person: Person) -> list[Record]:
    """Return each call that a model has answered, oldest first."""
    return records(person, "calls", "calls")


def raw_conversation(person: Person, chat_id: str) -> list[Json]:
    """Return all messages of a chat as they were said, without those that the person has deleted."""
    return [json.loads(message) for message in raw_texts(person, chat_id)]


def raw_texts(person: Person, chat_id: str) -> list[str]:
    """Return the same messages in exactly the characters that `memproc expand` writes for each."""
    path = person.home / "whole.json"
    ended = person.memproc("expand", chat_id, "--output", path)
    assert ended.code == 0, ended.err
    export, texts = path.read_text(encoding="utf-8"), []
    path.unlink()
    begin = _MESSAGES.search(export)
    assert begin is not None
    at = begin.end()
    while export[at] != "]":
        _, end = _DECODER.raw_decode(export, at)
        texts.append(export[at:end])
        at = end + (export[end] == ",")
    return texts
