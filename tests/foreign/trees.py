"""Made conversations of ChatGPT and Claude: branches, circles, missing parents, empty texts."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any

BEGAN = 1_700_000_000
WORDS = (
    "festival",
    "sneakers",
    "Ärger",
    "夜",
    "🌊",
    "I am here",
    'he said "no"',
    "line\nline",
    "\\",
)


@dataclass(frozen=True)
class Node:
    """A message of a made tree; `said_at` is in seconds of Unix time, or None."""

    key: str
    parent: str
    role: str
    text: str
    said_at: float | None


def made_nodes(random: Random) -> list[Node]:
    """A tree of messages, as the person, regenerations and edits in the middle leave it."""
    nodes: list[Node] = []
    for place in range(random.randrange(1, 14)):
        behind = nodes[-1].key if nodes and random.random() < 0.75 else ""
        parent = behind or (random.choice(nodes).key if nodes else "")
        if random.random() < 0.04:
            parent = random.choice(("nowhere", f"n{random.randrange(14)}"))  # circles, too
        said_at = BEGAN + place * 3600 + random.randrange(90_000)
        nodes.append(
            Node(
                f"n{place}",
                parent,
                random.choice(("user", "assistant")),
                "" if random.random() < 0.1 else f"{random.choice(WORDS)} {place}",
                None if random.random() < 0.1 else float(said_at),
            )
        )
    return nodes


def chatgpt(
    nodes: list[Node], random: Random, key: str = "c1", title: str = "Aria"
) -> dict[str, Any]:
    """A conversation of ChatGPT's export with these messages, in any order."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None}}
    for node in random.sample(nodes, len(nodes)):
        message: dict[str, Any] | None = {
            "id": node.key,
            "author": {"role": node.role},
            "create_time": node.said_at,
            "content": {"content_type": "text", "parts": [node.text]},
            "recipient": "all",
        }
        if random.random() < 0.5:
            message |= {"metadata": {"model_slug": "gpt-5"}, "weight": 1.0}  # type: ignore[operator]
        if random.random() < 0.05:
            message = None
        elif random.random() < 0.1:
            message |= {"metadata": {"is_visually_hidden_from_conversation": True}}  # type: ignore[operator]
        elif random.random() < 0.05:
            message |= {"weight": 0}  # type: ignore[operator]
        mapping[node.key] = {"message": message, "parent": node.parent or "root", "children": []}
    current = random.choice((*mapping, "nowhere"))
    return {
        "title": title,
        "create_time": BEGAN + 0.5,
        "update_time": None,
        "mapping": mapping,
        "current_node": current if random.random() < 0.8 else None,
        "conversation_id": key,
    }


def claude(
    nodes: list[Node], random: Random, key: str = "c1", title: str = "Aria"
) -> dict[str, Any]:
    """A conversation of Claude's export with these messages: a tree, or flat."""
    flat = random.random() < 0.2
    messages = []
    for node in nodes:
        date = node.said_at and datetime.fromtimestamp(node.said_at, UTC).isoformat()
        message: dict[str, Any] = {
            "uuid": node.key,
            "sender": "human" if node.role == "user" else "assistant",
            "created_at": date,
        }
        if not flat:
            message["parent_message_uuid"] = node.parent or "00000000-0000-4000-8000-000000000000"
        as_blocks = random.random() < 0.6
        message["text"] = "" if as_blocks and random.random() < 0.5 else node.text
        if as_blocks:
            message["content"] = [{"type": "text", "text": node.text}]
        messages.append(message)
    if messages and random.random() < 0.05:
        messages.append(messages[0] | {"text": "once more", "content": []})  # the same id twice
    fields = {
        "uuid": key,
        "name": title,
        "created_at": "2023-11-14T22:13:20.5Z",
        "updated_at": "2023-12-01T00:00:00Z",
        "chat_messages": messages,
    }
    if random.random() < 0.2 and messages:
        fields["current_leaf_message_uuid"] = random.choice(messages)["uuid"]
    return fields


def exported(*conversations: dict[str, Any], ascii_only: bool = False) -> bytes:
    """An export's JSON text, spelled as ChatGPT (`ascii_only`) or as Claude spells it."""
    return json.dumps(list(conversations), ensure_ascii=ascii_only).encode()
