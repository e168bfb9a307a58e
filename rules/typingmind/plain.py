"""Read a chat as TypingMind itself would: with the standard library's parser, as plain JSON.

Only the proof uses this, which must find what our own reader (chat.py, message.py) gets wrong. They
share only `Number`, `refuse_constant`, `without_bulk` and `make_printable`; see
rules/output/prove.py.
"""

import json
from collections.abc import Sequence

from rules.typingmind import spans
from rules.typingmind.content import make_printable
from rules.typingmind.spans import Number, refuse_constant, without_bulk

Json = dict[str, object]

MAY_CHANGE = frozenset({"messages", "updatedAt", "syncMetadata"})
"""The fields of a chat that memproc may change."""
MAY_BE_ADDED = frozenset({"syncMetadata"})
_NEEDED = frozenset({"role", "uuid", "content", "createdAt", "memproc"})
_SHAPE = frozenset(
    {
        "id",
        "type",
        "model",
        "usage",
        "finish",
        "keywords",
        "titleUsage",
        "stop_reason",
        "stop_sequence",
    }
)


def parse_json(text: str) -> Json:
    """Parse a chat or a message.

    Numbers stay as they are written, so that 69.2240 and 69.224 differ. A text too long to be words
    (an image) is replaced by its SHA-256, as two chats are compared in memory. Raises ValueError,
    or TypeError where the text is no object.
    """
    value = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=refuse_constant)
    if not isinstance(value, dict):
        raise TypeError("chats and messages are objects")
    return {key: without_bulk(inner) for key, inner in value.items()}


def messages_of(chat: Json) -> list[Json]:
    """Return a chat's messages. Raises TypeError where they are no list of objects."""
    messages = chat.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise TypeError("messages are a list of objects")
    return messages


def deletions_of(chat: Json) -> set[str]:
    """Return the uuids that the chat lists as deleted."""
    sync = chat.get("syncMetadata")
    named = sync.get("deletedMessageUUIDs") if isinstance(sync, dict) else None
    return set(map(spans.text, named if isinstance(named, list) else ()))


def uuid_of(message: Json) -> str:
    """Return the message's uuid, where that is a text; else ""."""
    return make_printable(spans.text(message.get("uuid")))


def date_of(message: Json) -> str:
    """Return the message's date, where that is a text; else ""."""
    return spans.text(message.get("createdAt"))


def marker_of(message: Json) -> Json:
    """Return our own field of the message; empty where there is none."""
    marker = message.get("memproc")
    return marker if isinstance(marker, dict) else {}


def is_excluded(message: Json) -> bool:
    """Return whether TypingMind shows the message and no longer sends it."""
    return bool(message.get("contextClearedAt"))


def lacks_fields(message: Json, others: Sequence[Json]) -> bool:
    """Return whether a new message lacks a needed field, or one of the chat's newest answer."""
    needed = _NEEDED
    if message.get("role") == "assistant":
        answers = (
            other
            for other in reversed(others)
            if other.get("role") == "assistant" and other.get("type") in (None, "message")
        )
        needed |= _SHAPE & next(answers, Json()).keys()
    return bool(needed - message.keys())


def sent_text(message: Json) -> str:
    """Return the text that would be sent: a string, or that of the only part; else ""."""
    content = message.get("content")
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        content = content[0].get("text")
    return spans.text(content)


def all_text(message: object) -> str:
    """Return all strings of a raw message's content, joined."""
    if isinstance(message, list):
        return "\n\n".join(all_text(item) for item in message)
    if isinstance(message, dict):
        keys = ("content", "text", "refusal", "responses", "messages")
        return "\n\n".join(all_text(message[key]) for key in keys if key in message)
    return spans.text(message)


def files_of(value: object) -> set[str]:
    """Return the ids of TypingMind's own files: the fields that end in `blobID` or `BlobID`."""
    if isinstance(value, dict):
        ids = (file for key, file in value.items() if key[-6:] in ("blobID", "BlobID"))
        named = {file for file in ids if isinstance(file, str) and file}
        return named.union(*(files_of(inner) for inner in value.values()))
    return set().union(*(files_of(inner) for inner in value)) if isinstance(value, list) else set()
