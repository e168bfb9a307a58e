"""Small histories for tests: `said("user", "...")` is one message, `entries(...)` a history of them."""

import json
from collections.abc import Sequence

from rules.export.chat import Chat
from rules.export.document import read_document
from rules.export.message import Message, read_message
from rules.history.entries import Entry
from rules.memory.memory import Edition, Memory, Quote


def said(role: str, text: str, number: int = 0, **fields: object) -> Message:
    """A message as TypingMind stores it; `number` makes its uuid and its minute."""
    message = {
        "role": role,
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "content": text if role == "user" else [{"type": "text", "text": text}],
        "createdAt": f"2026-03-02T{number // 60:02d}:{number % 60:02d}:00.000Z",
        **fields,
    }
    return read_message(json.dumps(message).encode())


def entries(messages: Sequence[Message]) -> tuple[Entry, ...]:
    """A history in which nothing stands under a memory yet."""
    return tuple(Entry(message.uuid or f"key-{at}", message, None, at) for at, message in enumerate(messages))


def talk(*texts: str) -> tuple[Entry, ...]:
    """Person and persona in turn, the person first."""
    return entries([said(("user", "assistant")[at % 2], text, at) for at, text in enumerate(texts)])


def chat_of(messages: Sequence[Message], **fields: object) -> Chat:
    """A chat with these messages, byte for byte, as the only one of an export."""
    head = {"id": "k3v9xq2m7p", "chatID": "k3v9xq2m7p", "chatTitle": "Aria", **fields, "messages": []}
    shell = json.dumps({"data": {"chats": [head]}}).encode()
    body = b", ".join(message.raw for message in messages)
    return read_document("test.json", shell.replace(b'"messages": []', b'"messages": [' + body + b"]")).chats[0]


def memory_of(number: int, chunk: Sequence[Entry], quote: str = "") -> Memory:
    """A memory of these messages; its quote is the first one's text unless another is given."""
    first, last = chunk[0].message, chunk[-1].message
    text = quote or first.words
    asked = [f"<context_manager>\nQuestion {slot} of memory {number}\n</context_manager>" for slot in (1, 2, 3)]
    return Memory(
        memory_id=f"m{number}",
        number=number,
        level=1,
        keys=tuple(entry.key for entry in chunk),
        first=first.uuid or "",
        last=last.uuid or "",
        began_at=first.created_at,
        ended_at=last.created_at,
        source_tokens=100,
        edition=Edition(
            number=1,
            kind="as-of",
            texts=(asked[0], text, asked[1], f"Perspective {number}", asked[2], f"Refinement {number}"),
            quote=Quote(text, chunk[0].key, "agent"),
            made="model",
            agent="test/agent",
            context_manager="test/manager",
            requests=(),
            tokens=10,
            written_at="2026-03-03T00:00:00.000Z",
        ),
    )
