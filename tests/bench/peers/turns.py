"""The turns of an exported conversation, as they are told to the peers: plain text, one person, one persona."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.server.tokens import count

Said = dict[str, str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation by turns, each with what the person said and what was answered; its length in tokens of o200k."""

    name: str
    turns: tuple[tuple[Said, ...], ...]
    tokens: int


def read_conversation(export: Path) -> Conversation:
    """The longest chat of an export."""
    chats = json.loads(export.read_bytes())["data"]["chats"]
    messages = max((chat["messages"] for chat in chats), key=len)
    turns: list[list[Said]] = []
    for message in messages:
        said = {"role": message["role"], "content": _text(message["content"])}
        if not turns or said["role"] == "user":
            turns.append([])
        turns[-1].append(said)
    tokens = sum(count(said["content"]) for turn in turns for said in turn)
    return Conversation(export.name, tuple(map(tuple, turns)), tokens)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n\n".join(block["text"] for block in content if block["type"] == "text")
