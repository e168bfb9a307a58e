"""Change some of a chat's bytes and leave every other byte as it is.

{"role":"user","content":"Hi"}          the object, from `{` to `}`
{"role":"user","content":"Hi","n":1}    `n` set: after the last field, where it was not there before
{"content":"Hi","n":1}                  `role` taken out, with one comma
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules.typingmind import spans
from rules.typingmind.chat import Chat
from rules.typingmind.dates import moved_on
from rules.typingmind.spans import Member, Reel, Span, encoded


@dataclass(frozen=True, slots=True)
class ByteEdit:
    """New bytes for a span of the document; an empty span is an insertion."""

    span: Span
    new: bytes


def splice(chat: Chat, edits: Sequence[ByteEdit]) -> bytes:
    """Return the chat's bytes with the edits made. They must not overlap."""
    pieces: list[bytes] = []
    at = chat.span.start
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.stop)):
        if edit.span.start < at:
            raise ValueError("edits overlap")
        pieces += [chat.slice(Span(at, edit.span.start)), edit.new]
        at = edit.span.stop
    return b"".join([*pieces, chat.slice(Span(at, chat.span.stop))])


def replace_messages(chat: Chat, kept: Sequence[int | None], raws: Sequence[bytes]) -> ByteEdit:
    """Return the edit after which the chat has the messages `raws`.

    `kept` has the index of each in the input, or None for a new one. What is the same at the
    beginning and at the end of the two lists is not touched.
    """
    old = chat.messages
    prefix, suffix = _same_ends(kept, len(old))
    new = raws[prefix : len(raws) - suffix]
    gone = old[prefix : len(old) - suffix]
    if gone and (new or len(old) == len(gone)):
        return ByteEdit(Span(gone[0].start, gone[-1].stop), _comma(chat).join(new))
    if gone and prefix:  # a comma goes with them
        return ByteEdit(Span(old[prefix - 1].stop, gone[-1].stop), b"")
    if gone:
        return ByteEdit(Span(gone[0].start, old[-suffix].start), b"")
    if not new:
        return ByteEdit(Span(chat.span.start, chat.span.start), b"")
    return _insertion(chat, prefix, new)


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
    """Return the edit that adds messages before the one at `index`, or after the last one."""
    comma, old = _comma(chat), chat.messages
    if index < len(old):
        at = old[index].start
        return ByteEdit(Span(at, at), b"".join(raw + comma for raw in new))
    at = old[-1].stop
    return ByteEdit(Span(at, at), b"".join(comma + raw for raw in new))


def replace_field(chat: Chat, key: str, value: object) -> list[ByteEdit]:
    """Give a field that the chat has another value; a field that it has not is not added."""
    member = chat.member(key)
    return [] if member is None else [ByteEdit(member.value, encoded(value))]


def mark_changed(chat: Chat, now: str) -> list[ByteEdit]:
    """Date the chat's last change `now`, never before what it says: other tools compare this."""
    return replace_field(chat, "updatedAt", moved_on(chat.updated_at, now))


def replace_or_add_fields(chat: Chat, fields: Mapping[str, object]) -> list[ByteEdit]:
    """Give the chat's fields these values; those that it lacks go after its last one."""
    edits = [edit for key, value in fields.items() for edit in replace_field(chat, key, value)]
    lacking = {key: value for key, value in fields.items() if chat.member(key) is None}
    if not lacking:
        return edits
    at = chat.members[-1].value.stop if chat.members else chat.span.start + 1
    entries = encoded(lacking)[1:-1]
    return [*edits, ByteEdit(Span(at, at), b"," + entries if chat.members else entries)]


def _comma(chat: Chat) -> bytes:
    """Return the separator of messages in this export: a comma, with its indentation if any."""
    if len(chat.messages) < 2:
        return b","
    return chat.slice(Span(chat.messages[0].stop, chat.messages[1].start))


def field_bytes(raw: bytes, key: str) -> bytes | None:
    """Return the value of an object's field as it is spelled there, or None.

    This and the next two raise spans.BadJson where the bytes are no JSON object, or a key occurs
    twice.
    """
    values = (raw[it.value.start : it.value.stop] for it in _members(raw) if it.key == key)
    return next(values, None)


def with_field(raw: bytes, key: str, value: bytes) -> bytes:
    """Return the object with that value (JSON) for the field, which is added at the end if new."""
    members = _members(raw)
    for member in members:
        if member.key == key:
            return raw[: member.value.start] + value + raw[member.value.stop :]
    at = members[-1].value.stop if members else 1
    entry = encoded(key) + b":" + value
    return raw[:at] + (b"," if members else b"") + entry + raw[at:]


def without_field(raw: bytes, key: str) -> bytes:
    """Return the object without the field and the comma before it, or else the one after it."""
    members = _members(raw)
    at = next((index for index, member in enumerate(members) if member.key == key), None)
    if at is None:
        return raw
    start, stop = members[at].start, members[at].value.stop
    if at > 0:
        start = members[at - 1].value.stop
    elif len(members) > 1:
        stop = members[1].start
    return raw[:start] + raw[stop:]


def _members(raw: bytes) -> list[Member]:
    """Read the members as latin-1, so that a character's index is its byte's offset."""
    return spans.members(Reel(raw.decode("latin-1")), 0)[0]


def with_date(raw: bytes, date: str) -> bytes:
    """Return the message with another date, if one is given; unchanged if a key occurs twice."""
    try:
        return with_field(raw, "createdAt", encoded(date)) if date else raw
    except spans.BadJson:
        return raw
