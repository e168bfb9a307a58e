"""Long conversations of ChatGPT, Claude and DeepSeek, which say something else in every message."""

from datetime import UTC, datetime
from typing import Any

from tests.exports.words import answer, question

DAY = 86_400
BEGAN = datetime(2025, 3, 1, 9, tzinfo=UTC).timestamp()


def spoken(key: str, turns: int, words: int = 40) -> list[str]:
    """What person and persona say in turns; more turns begin with the same words."""
    first = 1000 * (sum(map(ord, key)) + 1)
    makers = (question, answer)
    return [makers[place % 2](first + place, words) for place in range(2 * turns)]


def chatgpt(
    key: str, turns: int, *, day: int = 0, title: str = "", words: int = 40
) -> dict[str, Any]:
    """A conversation of ChatGPT's that began on this day, with an hour from message to message."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None}}
    before = "root"
    for place, text in enumerate(spoken(key, turns, words)):
        node = f"{key}-{place}"
        message = {
            "id": node,
            "author": {"role": ("user", "assistant")[place % 2]},
            "create_time": BEGAN + day * DAY + place * 3600,
            "content": {"content_type": "text", "parts": [text]},
            "metadata": {"model_slug": "gpt-4o"} if place % 2 else None,
            "recipient": "all",
        }
        mapping[node] = {"id": node, "message": message, "parent": before, "children": []}
        before = node
    return {
        "title": title or f"Talk {key}",
        "create_time": BEGAN + day * DAY,
        "mapping": mapping,
        "current_node": before,
        "conversation_id": key,
    }


def claude(
    key: str, turns: int, *, day: int = 0, title: str = "", words: int = 40
) -> dict[str, Any]:
    """The same in Claude's export, as a tree."""
    messages: list[dict[str, Any]] = []
    for place, text in enumerate(spoken(key, turns, words)):
        when = datetime.fromtimestamp(BEGAN + day * DAY + place * 3600, UTC)
        messages.append(
            {
                "uuid": f"{key}-{place}",
                "parent_message_uuid": f"{key}-{place - 1}" if place else "root",
                "sender": ("human", "assistant")[place % 2],
                "text": "",
                "content": [{"type": "text", "text": text}],
                "created_at": when.isoformat(),
            }
        )
    return {
        "uuid": key,
        "name": title or f"Talk {key}",
        "created_at": messages[0]["created_at"],
        "updated_at": messages[-1]["created_at"],
        "chat_messages": messages,
    }


def deepseek(
    key: str, turns: int, *, day: int = 0, title: str = "", words: int = 40
) -> dict[str, Any]:
    """The same in DeepSeek's export, as a tree without the branch last spoken on."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None}}
    for place, text in enumerate(spoken(key, turns, words)):
        when = datetime.fromtimestamp(BEGAN + day * DAY + place * 3600, UTC)
        said = {"type": ("REQUEST", "RESPONSE")[place % 2], "content": text}
        mapping[str(place + 1)] = {
            "id": str(place + 1),
            "parent": str(place) if place else "root",
            "children": [],
            "message": {
                "files": [],
                "model": "deepseek-chat",
                "inserted_at": when.isoformat(),
                "fragments": [said],
            },
        }
    began = datetime.fromtimestamp(BEGAN + day * DAY, UTC).isoformat()
    return {"id": key, "title": title or f"Talk {key}", "inserted_at": began, "mapping": mapping}
