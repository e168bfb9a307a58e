"""A chat that was brought from another program, in the shape in which TypingMind stores chats.

Its field `memproc`, which TypingMind keeps and never sends, says which conversations it is made of:

    "memproc":{"v":1,"life":"Aria","brought":[["chatgpt","6b0f0d9c-..."],["chatgpt","91aa..."]]}

Between two of them is a message with our marker, which says where one ended.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rules.typingmind import spans
from rules.typingmind.chat import Chat, parse_chat
from rules.typingmind.dates import write_date
from rules.typingmind.message import DIVIDER
from rules.typingmind.spans import encoded
from rules.typingmind.splice import replace_or_add_fields, splice

_FIELD = "memproc"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class BroughtMessage:
    """The values of a message that another program's export has."""

    uuid: str
    role: str
    text: str
    when: datetime
    model: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """What a brought chat is made of. `life` is the name of one made of several conversations."""

    conversations: tuple[tuple[str, str], ...]
    """Program and id of each, in order."""
    life: str = ""


@dataclass(frozen=True, slots=True)
class BroughtChat:
    """The values of a new chat; `messages` are the bytes of each."""

    chat_id: str
    title: str
    model: str
    system_message: str
    messages: Sequence[bytes]
    began: str
    ended: str
    origin: Origin


def write_brought_message(message: BroughtMessage) -> bytes:
    """Return the JSON of a message as TypingMind would have stored it."""
    fields = {
        "role": message.role,
        "content": message.text,
        "uuid": message.uuid,
        "createdAt": write_date(message.when),
    }
    if message.role == "assistant":
        fields |= {"finish": "stop"} | ({"model": message.model} if message.model else {})
    return encoded(fields)


def write_divider(uuid: str, text: str, when: datetime) -> bytes:
    """Return the JSON of the message between two conversations of one life."""
    message = {
        "role": "user",
        "content": text,
        "uuid": uuid,
        "createdAt": write_date(when),
        _FIELD: {"v": _VERSION, "kind": DIVIDER},
    }
    return encoded(message)


def write_brought_chat(chat: BroughtChat) -> bytes:
    """Return the JSON of a chat that TypingMind has never seen."""
    fields: dict[str, object] = {
        "id": chat.chat_id,
        "chatID": chat.chat_id,
        "chatTitle": chat.title,
        "model": chat.model or None,
        "createdAt": chat.began,
        "updatedAt": chat.ended,
        "syncedAt": None,
        "deletedAt": None,
        "tokenUsage": None,
        _FIELD: _origin_field(chat.origin),
    }
    if chat.system_message:
        fields["chatParams"] = {"systemMessage": chat.system_message}
    head = encoded(fields)[:-1]
    return b"".join((head, b',"messages":[', b",".join(chat.messages), b"]}"))


def with_origin(chat: bytes, origin: Origin) -> bytes:
    """Return a known chat's bytes, which now is made of these conversations."""
    known = parse_chat(chat)
    return splice(known, replace_or_add_fields(known, {_FIELD: _origin_field(origin)}))


def origin_of(chat: Chat) -> Origin | None:
    """Return the conversations that a chat is made of; None where it was not brought."""
    field = chat.field(_FIELD)
    listed = spans.as_list(field, "brought")
    pairs = (item for item in listed if isinstance(item, list) and len(item) == 2)
    conversations = tuple((spans.text(source), spans.text(key)) for source, key in pairs)
    life = spans.text(field.get("life")) if isinstance(field, Mapping) else ""
    return Origin(conversations, life) if conversations else None


def _origin_field(origin: Origin) -> dict[str, object]:
    named = {"life": origin.life} if origin.life else {}
    return {"v": _VERSION, **named, "brought": [list(pair) for pair in origin.conversations]}
