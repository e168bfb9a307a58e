"""What has to come of a foreign conversation, by the standard library alone.

It walks from the last message to the first, and knows nothing of the readers in `rules`.
"""

import json
from datetime import UTC, datetime
from typing import Any

Row = tuple[str, str, str]
"""Role, text and date of a message."""


def _moment(value: Any) -> datetime | None:
    if isinstance(value, str):
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    return None if value is None else datetime.fromtimestamp(float(value), UTC)


def _path(parents: dict[str, str], dates: dict[str, datetime | None], current: str) -> list[str]:
    """The ids from the first message to the last one of the branch last spoken on."""
    if not parents:
        return []
    if current not in parents:
        ends = [key for key in parents if key not in set(parents.values())]
        never = datetime.min.replace(tzinfo=UTC)
        current = (ends or list(parents))[-1]
        for key in ends:
            if (dates[key] or never) > (dates[current] or never):
                current = key
            elif (dates[key] or never) == (dates[current] or never):
                current = max(key, current, key=list(parents).index)
    path = [current]
    while (above := parents[path[-1]]) in parents and above not in path:
        path.append(above)
    return path[::-1]


def _rows(said: list[tuple[str, str, datetime | None]], began: datetime | None) -> list[Row]:
    """The messages that say something, dated so that none is before the one above it."""
    said = [row for row in said if row[1].strip()]
    last: datetime | None = None
    rows = []
    for role, text, when in said:
        own = when or last or began
        assert own is not None
        last = own if last is None else max(own, last)
        shown = last.strftime("%Y-%m-%dT%H:%M:%S.") + f"{last.microsecond // 1000:03d}Z"
        rows.append((role, text, shown))
    return rows


def expected_of_chatgpt(text: bytes) -> list[Row]:
    """The rows of the only conversation of an export of ChatGPT's."""
    (fields,) = json.loads(text)
    mapping = fields["mapping"]
    parents = {key: node["parent"] or "" for key, node in mapping.items()}
    messages = {key: node["message"] for key, node in mapping.items() if node["message"]}
    dates = {
        key: _moment(messages[key]["create_time"]) if key in messages else None for key in mapping
    }
    said = []
    for key in _path(parents, dates, fields["current_node"] or ""):
        message = messages.get(key)
        if message is None or message.get("weight", 1) == 0:
            continue
        if (message.get("metadata") or {}).get("is_visually_hidden_from_conversation"):
            continue
        said.append((message["author"]["role"], message["content"]["parts"][0], dates[key]))
    return _rows(said, _moment(fields["create_time"]))


def expected_of_claude(text: bytes) -> list[Row]:
    """The rows of the only conversation of an export of Claude's."""
    (fields,) = json.loads(text)
    messages = {message["uuid"]: message for message in fields["chat_messages"]}
    keys = list(messages)
    if any("parent_message_uuid" in message for message in messages.values()):
        parents = {key: messages[key]["parent_message_uuid"] for key in keys}
    else:
        parents = dict(zip(keys, ["", *keys], strict=False))
    dates = {key: _moment(message["created_at"]) for key, message in messages.items()}
    said = []
    for key in _path(parents, dates, fields.get("current_leaf_message_uuid", "")):
        blocks = messages[key].get("content") or []
        words = "".join(block["text"] for block in blocks) or messages[key]["text"]
        role = {"human": "user"}.get(messages[key]["sender"], "assistant")
        said.append((role, words, dates[key]))
    return _rows(said, _moment(fields["created_at"]))


def rows_of_chat(chat: bytes) -> list[Row]:
    """The rows of a chat as TypingMind would import it."""
    messages = json.loads(chat)["messages"]
    return [(message["role"], message["content"], message["createdAt"]) for message in messages]
