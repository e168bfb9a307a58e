"""Change some of a chat's bytes and leave every other byte as it is.

{"role":"user","content":"Hi"}          an object
{"role":"user","content":"Hi","n":1}    with a field `n`, which is added after the last one
{"content":"Hi","n":1}                  without the field `role` and one comma
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.typingmind import spans
from rules.typingmind.chat import Chat
from rules.typingmind.dates import moved_on
from rules.typingmind.spans import Fields, Member, Reel, Span, encode_json


@dataclass(frozen=True, slots=True)
class ByteEdit:
    """New bytes for a span of the document; an empty span is an insertion."""

    span: Span
    new: bytes


def insertion(at: int, new: bytes) -> ByteEdit:
    """Return the edit that adds bytes at an offset of the document."""
    return ByteEdit(Span(at, at), new)


def splice(chat: Chat, edits: Sequence[ByteEdit]) -> bytes:
    """Return the chat's bytes with the edits applied. Raises ValueError where edits overlap."""
    pieces: list[bytes] = []
    at = chat.span.start
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.stop)):
        span = edit.span
        if span.start < at:
            raise ValueError("edits overlap")
        pieces.append(chat.slice(Span(at, span.start)))
        pieces.append(edit.new)
        at = span.stop
    pieces.append(chat.slice(Span(at, chat.span.stop)))
    return b"".join(pieces)


def replace_messages(chat: Chat, kept: Sequence[int | None], raws: Sequence[bytes]) -> ByteEdit:
    """Return the edit that gives the chat the messages `raws`.

    `kept` has the index of each in the input, or None for a new one. Messages at the beginning and
    the end that stay the same are not touched.
    """
    old = chat.messages
    prefix, suffix = _same_ends(kept, len(old))
    new = raws[prefix : len(raws) - suffix]
    replaced = old[prefix : len(old) - suffix]
    if not replaced:
        return _insertion(chat, prefix, new)
    start = replaced[0].start
    stop = replaced[-1].stop
    # Where nothing replaces them, a comma is removed with them.
    if not new and prefix:
        start = old[prefix - 1].stop
    elif not new and suffix:
        stop = old[-suffix].start
    return ByteEdit(Span(start, stop), _comma(chat).join(new))


def _same_ends(kept: Sequence[int | None], count: int) -> tuple[int, int]:
    """Return how many of `count` messages are kept at the beginning and at the end."""
    prefix = suffix = 0
    most = min(count, len(kept))
    while prefix < most and kept[prefix] == prefix:
        prefix += 1
    while suffix < most - prefix and kept[-1 - suffix] == count - 1 - suffix:
        suffix += 1
    return prefix, suffix


def _insertion(chat: Chat, index: int, new: Sequence[bytes]) -> ByteEdit:
    """Return the edit that adds messages before the message at `index`, or after the last one."""
    if not new:
        return insertion(chat.span.start, b"")
    comma = _comma(chat)
    old = chat.messages
    added = comma.join(new)
    if index < len(old):
        return insertion(old[index].start, added + comma)
    return insertion(old[-1].stop, comma + added)


def replace_field(chat: Chat, key: str, value: object) -> list[ByteEdit]:
    """Return the edit that gives a field of the chat another value; none if the chat lacks it."""
    member = chat.member(key)
    return [] if member is None else [ByteEdit(member.value, encode_json(value))]


def mark_changed(chat: Chat, now: str) -> list[ByteEdit]:
    """Return the edit that sets `updatedAt` to `now`, but never back: other tools compare it."""
    return replace_field(chat, "updatedAt", moved_on(chat.updated_at, now))


def replace_or_add_fields(chat: Chat, fields: Fields) -> list[ByteEdit]:
    """Return the edits that give the chat's fields these values.

    Fields that it lacks are added after its last one.
    """
    edits: list[ByteEdit] = []
    lacking: dict[str, object] = {}
    for key, value in fields.items():
        replaced = replace_field(chat, key, value)
        edits += replaced
        if not replaced:
            lacking[key] = value
    if not lacking:
        return edits
    entries = encode_json(lacking)[1:-1]
    if chat.members:
        last = chat.members[-1].value
        return [*edits, insertion(last.stop, b"," + entries)]
    return [*edits, insertion(chat.span.start + 1, entries)]


def _comma(chat: Chat) -> bytes:
    """Return the separator of this export's messages: a comma, with white space if there is any."""
    if len(chat.messages) < 2:
        return b","
    return chat.slice(Span(chat.messages[0].stop, chat.messages[1].start))


def field_bytes(raw: bytes, key: str) -> bytes | None:
    """Return the value of an object's field as it is written there, or None.

    This and the next two functions raise spans.BadJson where the bytes are no JSON object, or a key
    occurs twice.
    """
    for member in _members(raw):
        if member.key == key:
            return raw[member.value.start : member.value.stop]
    return None


def with_field(raw: bytes, key: str, value: bytes) -> bytes:
    """Return the object with this value (as JSON) for a field; a new field is added at the end."""
    members = _members(raw)
    for member in members:
        if member.key == key:
            return _replace(raw, member.value, value)
    entry = encode_json(key) + b":" + value
    if not members:
        return _replace(raw, Span(1, 1), entry)
    end = members[-1].value.stop
    return _replace(raw, Span(end, end), b"," + entry)


def without_field(raw: bytes, key: str) -> bytes:
    """Return the object without a field, and without the comma before it (or after the first)."""
    members = _members(raw)
    keys = [member.key for member in members]
    if key not in keys:
        return raw
    at = keys.index(key)
    start = members[at].start
    stop = members[at].value.stop
    if at > 0:
        start = members[at - 1].value.stop
    elif len(members) > 1:
        stop = members[1].start
    return _replace(raw, Span(start, stop), b"")


def _replace(raw: bytes, span: Span, new: bytes) -> bytes:
    return raw[: span.start] + new + raw[span.stop :]


def _members(raw: bytes) -> list[Member]:
    """Read the members as latin-1, so that a character's index is its byte's offset."""
    return spans.read_members(Reel(raw.decode("latin-1")), 0)[0]


def with_date(raw: bytes, date: str) -> bytes:
    """Return the message with another date, if one is given; unchanged if a key occurs twice."""
    try:
        return with_field(raw, "createdAt", encode_json(date)) if date else raw
    except spans.BadJson:
        return raw
