"""Write new messages and chats in the shape in which TypingMind stores them.

A new assistant message has the keys of an assistant message of the same chat, and one text part or
one string, never empty: what TypingMind sends and shows depends on these.

A chat that was brought from another program has the field `memproc`, which TypingMind keeps and
never sends. It says which conversations the chat is made of. Between two of these is a message with
our marker:

    "memproc":{"v":1,"life":"Aria","brought":[["chatgpt","6b0f0d9c-..."],["chatgpt","91aa..."]]}

TypingMind stores a chat under `chatID` and replaces another chat with the same one. So an expanded
raw conversation becomes a chat with a new id, which keeps the old chat safe; message uuids may
occur in two chats, so messages keep theirs. In its list of deletions are none of its messages, but
those of memories that another device may show, so that the chat survives a sync.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rules.typingmind import spans
from rules.typingmind.chat import Chat, parse_chat, read_messages
from rules.typingmind.dates import parse_date, write_date
from rules.typingmind.message import DIVIDER
from rules.typingmind.originals import deleted_uuids, replace_deleted_uuids
from rules.typingmind.spans import Fields, encode_json
from rules.typingmind.splice import replace_field, replace_or_add_fields, splice, with_field

_USER = {"role": "user", "uuid": "", "content": "", "createdAt": ""}
_ASSISTANT = {"role": "assistant", "uuid": "", "content": "", "createdAt": "", "finish": "stop"}
_EMPTY_LISTS = frozenset({"keywords", "metaBlobs", "annotations"})
_NULLS = frozenset({"refusal", "citations", "stop_sequence"})
_COUNTS = frozenset({"usage", "titleUsage"})
_COPIED = frozenset({"type", "model"})
_ENDINGS = {"finish": "stop", "stop_reason": "end_turn"}
_FILLED = (
    _EMPTY_LISTS
    | _NULLS
    | _COUNTS
    | _COPIED
    | _ENDINGS.keys()
    | {"id", "role", "uuid", "content", "createdAt"}
)
"""The keys of a template that a new message gets, too."""

_FIELD = "memproc"
_VERSION = 1

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LENGTH = 10
_SUFFIX = "(memories)"


@dataclass(frozen=True, slots=True)
class NewMessage:
    """The values of a message that is to be written. Its id is derived from `name`."""

    name: str
    uuid: str
    role: str
    text: str
    when: datetime
    marker: Fields


@dataclass(frozen=True, slots=True)
class BroughtMessage:
    """The values of a message from another program's export."""

    uuid: str
    role: str
    text: str
    when: datetime
    model: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """What a brought chat is made of."""

    conversations: tuple[tuple[str, str], ...]
    """The program and id of each conversation, in order."""
    life: str = ""
    """The name of a chat that is made of several conversations."""


def write_message(new: NewMessage, template: Fields | None) -> bytes:
    """Return the message's JSON; an assistant's has those keys of `template` that we can fill."""
    shape: Fields = _USER
    if new.role == "assistant":
        shape = template if template is not None and "content" in template else _ASSISTANT
    message = {key: _fill(key, shape[key], new) for key in shape if key in _FILLED}
    message |= {"role": new.role, "uuid": new.uuid, "createdAt": write_date(new.when)}
    message["memproc"] = new.marker
    return spans.encode_json(message)


def _fill(key: str, value: object, new: NewMessage) -> object:
    """Return a value for a template's key, as in a finished answer without tools or thinking."""
    if key == "id":
        return "msg_" + hashlib.sha256(new.name.encode()).hexdigest()[:24]
    if key == "content":
        return [{"type": "text", "text": new.text}] if isinstance(value, list) else new.text
    if key in _COPIED:
        return spans.text(value) or None
    if key in _ENDINGS:
        return value if value in ("stop", "end_turn") else _ENDINGS[key]
    if key in _COUNTS and isinstance(value, dict):
        return dict.fromkeys(value, 0)
    return [] if key in _EMPTY_LISTS and isinstance(value, list) else None


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
    return encode_json(fields)


def write_divider(uuid: str, text: str, when: datetime) -> bytes:
    """Return the JSON of the message between two conversations of one chat."""
    message = write_brought_message(BroughtMessage(uuid, "user", text, when))
    return with_field(message, _FIELD, encode_json({"v": _VERSION, "kind": DIVIDER}))


def write_brought_chat(
    chat_id: str,
    title: str,
    origin: Origin,
    *,
    model: str,
    system_message: str,
    messages: Sequence[bytes],
    began: str,
    ended: str,
) -> bytes:
    """Return the JSON of a chat that TypingMind has never seen, with these bytes of messages."""
    fields: dict[str, object] = {
        "id": chat_id,
        "chatID": chat_id,
        "chatTitle": title,
        "model": model or None,
        "createdAt": began,
        "updatedAt": ended,
        "syncedAt": None,
        "deletedAt": None,
        "tokenUsage": None,
        _FIELD: _origin_field(origin),
    }
    if system_message:
        fields["chatParams"] = {"systemMessage": system_message}
    head = encode_json(fields)[:-1]
    return b"".join((head, b',"messages":[', b",".join(messages), b"]}"))


def with_origin(chat: bytes, origin: Origin) -> bytes:
    """Return the bytes of a chat that was brought before, with a new origin."""
    known = parse_chat(chat)
    return splice(known, replace_or_add_fields(known, {_FIELD: _origin_field(origin)}))


def origin_of(chat: Chat) -> Origin | None:
    """Return the conversations that a chat is made of; None for one that was not brought."""
    field = chat.field(_FIELD)
    listed = spans.as_list(field, "brought")
    pairs = (item for item in listed if isinstance(item, list) and len(item) == 2)
    conversations = tuple((spans.text(source), spans.text(key)) for source, key in pairs)
    return Origin(conversations, spans.text_under(field, "life")) if conversations else None


def _origin_field(origin: Origin) -> dict[str, object]:
    named = {"life": origin.life} if origin.life else {}
    return {"v": _VERSION, **named, "brought": [list(pair) for pair in origin.conversations]}


def with_corrected_deletions(chat: Chat, ours: Sequence[str]) -> bytes:
    """Return the bytes of an expanded chat with its list of deletions corrected where needed.

    The list no longer has any of the chat's messages, but has the uuids of memories' messages,
    `ours`.
    """
    present = {message.uuid for message in read_messages(chat)}
    before = deleted_uuids(chat)
    after = dict.fromkeys(uuid for uuid in (*sorted(before), *ours) if uuid not in present)
    return splice(chat, replace_deleted_uuids(chat, tuple(after)) if after.keys() != before else [])


def new_chat_id(chat_id: str, number: int = 1) -> str:
    """Derive an id like TypingMind's from a hash of the old id and a number.

    It has ten digits in base 36. A second run gives the same id.
    """
    digest = int.from_bytes(hashlib.sha256(f"{chat_id}/memories/{number}/0".encode()).digest())
    return "".join(_DIGITS[digest // 36**place % 36] for place in range(_LENGTH))


def memories_title(title: str) -> str:
    """Return the title with "(memories)" after it, unless it ends with that already."""
    return title if title.rstrip().endswith(_SUFFIX) else f"{title.rstrip()} {_SUFFIX}".lstrip()


def as_new_chat(chat: bytes, new_id: str, title: str, now: str) -> bytes:
    """Return a finished chat with another id and title, updated `now` and never synced.

    All other bytes stay, as does an `updatedAt` later than `now`. `chatID` and the title are
    added where they are missing: without a `chatID`, the import would replace another chat that has
    none. Raises spans.BadJson where the bytes are no chat.
    """
    new = parse_chat(chat)
    before, present = parse_date(new.updated_at), parse_date(now)
    edits = [
        *replace_field(new, "id", new_id),
        *replace_or_add_fields(new, {"chatID": new_id, "chatTitle": title}),
        *([] if before and present and before > present else replace_field(new, "updatedAt", now)),
        *replace_field(new, "syncedAt", None),
    ]
    return splice(new, edits)
