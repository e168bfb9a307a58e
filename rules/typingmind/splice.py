"""Put new bytes in the place of some of a chat's own, and leave every other byte as it is."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from rules.typingmind import spans, walk
from rules.typingmind.chat import Chat
from rules.typingmind.spans import Span
from rules.typingmind.walk import Reel


@dataclass(frozen=True, slots=True)
class Edit:
    """New bytes for a span of the document; an empty span is an insertion."""

    span: Span
    new: bytes


def splice(chat: Chat, edits: Sequence[Edit]) -> bytes:
    """The chat's bytes with the edits made. They must not overlap."""
    pieces: list[bytes] = []
    at = chat.span.start
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.stop)):
        if edit.span.start < at:
            raise ValueError("edits overlap")
        pieces += [chat.slice(Span(at, edit.span.start)), edit.new]
        at = edit.span.stop
    return b"".join([*pieces, chat.slice(Span(at, chat.span.stop))])


def replace_messages(chat: Chat, kept: Sequence[int | None], raws: Sequence[bytes]) -> Edit:
    """The edit after which the chat has the messages `raws`; `kept` says which index of the input each has.

    What stands the same at the beginning and at the end of the two lists is not touched.
    """
    old, count, prefix, suffix = chat.messages, len(chat.messages), 0, 0
    while prefix < min(count, len(kept)) and kept[prefix] == prefix:
        prefix += 1
    while suffix < min(count, len(kept)) - prefix and kept[-1 - suffix] == count - 1 - suffix:
        suffix += 1
    new = raws[prefix : len(raws) - suffix]
    gone = old[prefix : count - suffix]
    if not gone and not new:
        return Edit(Span(chat.span.start, chat.span.start), b"")
    if gone and (new or count == len(gone)):
        return Edit(Span(gone[0].start, gone[-1].stop), _comma(chat).join(new))
    if gone:  # a comma goes with them
        start, stop = (old[prefix - 1].stop, gone[-1].stop) if prefix else (gone[0].start, old[-suffix].start)
        return Edit(Span(start, stop), b"")
    return _insertion(chat, prefix, new)


def _insertion(chat: Chat, at: int, new: Sequence[bytes]) -> Edit:
    """New messages before the one at index `at`, or behind the last one."""
    comma = _comma(chat)
    if at < len(chat.messages):
        start = chat.messages[at].start
        return Edit(Span(start, start), b"".join(raw + comma for raw in new))
    stop = chat.messages[-1].stop
    return Edit(Span(stop, stop), b"".join(comma + raw for raw in new))


def replace_field(chat: Chat, key: str, value: object) -> list[Edit]:
    """Give a field that the chat has another value; a field that it has not is not added."""
    member = chat.member(key)
    return [] if member is None else [Edit(member.value, _json(value))]


def add_deleted_uuids(chat: Chat, uuids: Sequence[str]) -> list[Edit]:
    """Add to `syncMetadata.deletedMessageUUIDs`, else another device's sync brings the messages back."""
    member = chat.member("syncMetadata")
    if not uuids:
        return []
    if member is None:
        brace = Span(chat.span.stop - 1, chat.span.stop - 1)
        return [Edit(brace, b"," + _json("syncMetadata") + b":" + _json({"deletedMessageUUIDs": uuids}))]
    if chat.text[member.value.start] != "{":
        return [Edit(member.value, _json({"deletedMessageUUIDs": uuids}))]
    inner, _ = walk.members(Reel(chat.text), member.value.start)
    known = next((found.value for found in inner if found.key == "deletedMessageUUIDs"), None)
    if known is None:
        at = member.value.start + 1
        entry = _json("deletedMessageUUIDs") + b":" + _json(uuids)
        return [Edit(Span(at, at), entry + (b"," if inner else b""))]
    if chat.text[known.start] != "[":
        return [Edit(known, _json(uuids))]
    return _longer_list(chat, known, uuids)


def replace_deleted_uuids(chat: Chat, uuids: Sequence[str]) -> list[Edit]:
    """Let `syncMetadata.deletedMessageUUIDs` be this list, where the chat has one; else as `add_deleted_uuids`."""
    member = chat.member("syncMetadata")
    if member is not None and chat.text[member.value.start] == "{":
        inner, _ = walk.members(Reel(chat.text), member.value.start)
        known = next((found.value for found in inner if found.key == "deletedMessageUUIDs"), None)
        if known is not None:
            return [Edit(known, _json(uuids))]
    return add_deleted_uuids(chat, uuids)


def _longer_list(chat: Chat, known: Span, uuids: Sequence[str]) -> list[Edit]:
    """What the list holds stays as it is; what it lacks is added behind."""
    listed, _ = walk.items(Reel(chat.text), known.start)
    before = {spans.value(chat.text, entry.start)[0] for entry in listed if chat.text[entry.start] == '"'}
    added = b",".join(_json(uuid) for uuid in uuids if uuid not in before)
    if not added:
        return []
    at = listed[-1].stop if listed else known.start + 1
    return [Edit(Span(at, at), b"," + added if listed else added)]


def _comma(chat: Chat) -> bytes:
    """What stands between two messages of this export: a comma, and its indentation where it has one."""
    if len(chat.messages) < 2:
        return b","
    return chat.slice(Span(chat.messages[0].stop, chat.messages[1].start))


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
