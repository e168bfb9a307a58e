"""Plain chats and exports for the tests, as TypingMind writes them; the same words on every day.

    export_bytes(long_chat(40_000))      one long conversation, as a file
    chat(*conversation(5, 200))          five turns, each of about 200 tokens

What is out of the ordinary stands in `tests.exports`.
"""

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from tests.exports.words import answer, question

Json = dict[str, Any]

CHAT_ID = "kxecrzvvc1"
MODEL = "claude-3-5-sonnet-20241022"
START = datetime(2024, 11, 7, 9, 0, tzinfo=UTC)

_USAGE = {
    "total_tokens": 238,
    "prompt_tokens": 83,
    "completion_tokens": 155,
    "cache_read_input_tokens": 0,
    "cache_creation_input_tokens": 0,
}
_SPELLED = re.compile(rb'"\\ue000([^"]*)\\ue001"|"\xee\x80\x80([^"]*)\xee\x80\x81"')


def user(text: str, number: int = 1, *, at: datetime = START, **fields: Any) -> Json:
    """What a person said, as a string; `number` decides the uuid."""
    return {
        "role": "user",
        "uuid": _uuid("user", number),
        "content": text,
        "createdAt": date(at),
    } | fields


def assistant(text: str, number: int = 1, *, at: datetime = START, **fields: Any) -> Json:
    """What the persona answered, with every field of the Claude path, in the order of a chat that was synced."""
    return {
        "id": f"msg_{number:024d}",
        "role": "assistant",
        "type": "message",
        "uuid": _uuid("assistant", number),
        "model": MODEL,
        "usage": dict(_USAGE),
        "finish": "end_turn",
        "content": [{"text": text, "type": "text"}],
        "keywords": [],
        "createdAt": date(at),
        "titleUsage": dict(_USAGE),
        "stop_reason": "end_turn",
        "stop_sequence": None,
    } | fields


def conversation(
    turns: int, tokens_each: int, *, start: datetime = START, first: int = 1
) -> list[Json]:
    """So many turns of a question and an answer, each of about `tokens_each` tokens in all (within a quarter).

    Turn `first` begins at `start`, the next an hour later; the same number always says the same, so a
    longer conversation with the same `start` begins with the shorter one.
    """
    spoken: list[Json] = []
    for number in range(first, first + turns):
        at = start + timedelta(hours=number - first)
        spoken.append(user(question(number, tokens_each // 4), number, at=at))
        reply = answer(number, tokens_each - tokens_each // 4)
        spoken.append(assistant(reply, number, at=at + timedelta(seconds=40)))
    return spoken


def chat(*messages: Json, **fields: Any) -> Json:
    """A chat of these messages, with the fields of one that TypingMind exports."""
    return {
        "id": CHAT_ID,
        "model": MODEL,
        "chatID": CHAT_ID,
        "preview": "We were talking about the lighthouse.",
        "messages": list(messages),
        "syncedAt": None,
        "chatTitle": "The lighthouse",
        "createdAt": date(START),
        "deletedAt": None,
        "modelInfo": {"title": "Claude 3.5 Sonnet", "id": MODEL},
        "updatedAt": date(START + timedelta(days=30)),
        "chatParams": {
            "maxTokens": "4000",
            "contextLimit": 0,
            "systemMessage": "You are Ada, who keeps a lighthouse.",
        },
        "tokenUsage": {"totalTokens": 21831894, "totalCostUSD": written("69.2240")},
        "linkedPlugins": [],
        "syncMetadata": {"deletedMessageUUIDs": []},
    } | fields


def long_chat(tokens: int = 60_000, *, tokens_each: int = 400, **fields: Any) -> Json:
    """A plain conversation of about so many tokens in turns of `tokens_each`; `fields` are the chat's own."""
    return chat(*conversation(max(1, tokens // tokens_each), tokens_each), **fields)


def export_bytes(*chats: Json, indent: int | None = None, ascii_only: bool = False) -> bytes:
    """An export file with these chats, on one line unless `indent` is given."""
    return json_bytes({"data": {"chats": list(chats)}}, indent=indent, ascii_only=ascii_only)


def json_bytes(value: object, *, indent: int | None = None, ascii_only: bool = False) -> bytes:
    """The JSON of a value; `written` numbers stand in it as they were written."""
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators)
    return _SPELLED.sub(lambda match: match[1] or match[2], text.encode())


def written(number: str) -> str:
    """A number that must be spelled just so in the file: `69.2240`, `1E400`, `-0`."""
    return f"\ue000{number}\ue001"


def texts(messages: Iterable[Json]) -> list[str]:
    """What each message says, where that is one string or one text part."""
    contents = [message["content"] for message in messages]
    return [content if isinstance(content, str) else content[0]["text"] for content in contents]


def date(when: datetime) -> str:
    """As TypingMind writes dates."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03d}Z"


def _uuid(role: str, number: int) -> str:
    return str(uuid5(NAMESPACE_URL, f"{role}/{number}"))
