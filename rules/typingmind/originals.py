"""Keep originals in the chat, shown but no longer sent; and edit TypingMind's list of deletions.

    {"role":"user","content":"Hi"}
    {"role":"user","content":"Hi","contextClearedAt":"...",
     "memproc":{"v":1,"kind":"original","memory":"..."}}

TypingMind does not send a message with `contextClearedAt`. The marker says that we added that, and
under which memory the message is. All other bytes of the message are the person's own.

With `keep-originals` all messages under a memory stay. Otherwise only those stay that refer to a
file of TypingMind's own store, which would be deleted with them; their marker says
`"for":"attachment"`.

When devices sync, TypingMind removes the messages that a chat lists as deleted:

    "syncMetadata":{"deletedMessageUUIDs":["6f2c","91aa"],"deletedSyncedBlobIDs":[]}

TypingMind lists here what the person deletes; older builds list nothing. memproc adds the messages
that memories have replaced, as another device's sync would bring them back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from rules.errors import ChatSkipped
from rules.typingmind import spans
from rules.typingmind.chat import Chat
from rules.typingmind.content import find_attachments
from rules.typingmind.message import Message, read_message
from rules.typingmind.spans import Fields, Member, Reel, Span, encode_json
from rules.typingmind.splice import (
    ByteEdit,
    field_bytes,
    insertion,
    with_field,
    without_field,
)

ORIGINAL = "original"
_CLEARED, _MARKER = "contextClearedAt", "memproc"
_VERSION = "1"  # numbers of an export are read as text
_BY_PERSON = "cleared"
"""A field of the marker: the person had excluded the message, so its date is theirs."""
_BEFORE = "was"
"""A field of the marker: the values that we have overwritten, such as `"contextClearedAt":null`."""
_WHY, _ATTACHMENT = "for", "attachment"
"""A field, and its value, in the marker of a message that stays only for its attachment."""
_TOOL_ROLES = frozenset({"tool", "function"})
NAMED_SINCE = datetime(2025, 9, 22, tzinfo=UTC)
"""The day of the build that began to list deletions."""
MOST_NAMED = 100
"""The most deletions that TypingMind keeps in its list."""
_SYNC, _LIST, _LIST_OF_FILES = "syncMetadata", "deletedMessageUUIDs", "deletedSyncedBlobIDs"


def is_original(marker: Fields | None) -> bool:
    """Return whether a `memproc` field marks a raw message kept with its memory."""
    if marker is None or marker.get("kind") != ORIGINAL:
        return False
    is_of_version = str(marker.get("v")) == _VERSION
    return is_of_version and spans.text_under(marker, "memory") != ""


def is_for_attachment(marker: Fields | None) -> bool:
    """Return whether the marker is that of an original which stays only for its attachment."""
    return marker is not None and is_original(marker) and marker.get(_WHY) == _ATTACHMENT


def with_attachments(messages: Sequence[Message]) -> frozenset[int]:
    """Return the indices of the messages that must stay in their chat, since they refer to a file.

    A tool call and its results stay together: a result without its call could not be sent to a
    model, if the person included it in the context again.
    """
    staying: set[int] = set()
    group: list[int] = []
    may_follow = False
    for index, message in enumerate(messages):
        is_of_tool = message.role in _TOOL_ROLES
        group = [*group, index] if is_of_tool and may_follow else [index]
        may_follow = is_of_tool or message.calls_tools
        if find_attachments(message.raw) or group[0] in staying:
            staying.update(group)
    return frozenset(staying)


def kept_original(raw: bytes, when: str, memory: str, *, for_attachment: bool = False) -> bytes:
    """Return the message marked as an original under this memory.

    It is shown, but no longer sent since the date `when`. A message that the person had excluded
    keeps their date; an original is marked again. Raises ChatSkipped where one of its keys occurs
    twice.
    """
    raw = plain_original(raw)
    marker: dict[str, object] = {"v": int(_VERSION), "kind": ORIGINAL, "memory": memory}
    if for_attachment:
        marker[_WHY] = _ATTACHMENT
    try:
        if read_message(raw).cleared:
            marker[_BY_PERSON] = True
            before = _fields_of(raw, [_MARKER])
        else:
            before = _fields_of(raw, [_CLEARED, _MARKER])
            raw = with_field(raw, _CLEARED, encode_json(when))
        written = encode_json(marker)
        if before != b"{}":
            written = with_field(written, _BEFORE, before)
        return with_field(raw, _MARKER, written)
    except spans.BadJson as fault:
        raise _unfit(raw) from fault


def _fields_of(raw: bytes, keys: Sequence[str]) -> bytes:
    """Return a JSON object with those of these fields that the message has, as written there."""
    fields = b"{}"
    for key in keys:
        value = field_bytes(raw, key)
        if value is not None:
            fields = with_field(fields, key, value)
    return fields


def plain_original(raw: bytes) -> bytes:
    """Return the message without what `kept_original` added, wherever that is now.

    TypingMind's sync reorders keys, and an edit adds some. A message that is no original is
    returned unchanged. Raises ChatSkipped where one of an original's keys occurs twice.
    """
    marker = read_message(raw).marker
    if marker is None or not is_original(marker):
        return raw
    try:
        written = field_bytes(raw, _MARKER) or b"{}"
        before = b"{}"
        if isinstance(marker.get(_BEFORE), dict):
            before = field_bytes(written, _BEFORE) or before
        ours = [_MARKER] if marker.get(_BY_PERSON) is True else [_CLEARED, _MARKER]
        for key in ours:
            value = field_bytes(before, key)
            raw = without_field(raw, key) if value is None else with_field(raw, key, value)
    except spans.BadJson as fault:
        raise _unfit(raw) from fault
    return raw


def _unfit(raw: bytes) -> ChatSkipped:
    return ChatSkipped(
        f"The message {read_message(raw).uuid or 'without a uuid'} has one of its keys twice, "
        "so it cannot be kept beside its memory.",
        "Export the chat again from TypingMind, which writes each key once.",
    )


@dataclass(frozen=True, slots=True)
class DeletionList:
    """A chat's own list of deletions."""

    uuids: frozenset[str]
    is_there: bool
    by_new_build: bool
    """Whether a second list is next to it; only builds that list deletions write that one."""


def deletion_list(chat: Chat) -> DeletionList:
    """Return the chat's list of deletions; one in a shape that is not TypingMind's is empty."""
    sync = chat.field(_SYNC)
    fields = sync if isinstance(sync, dict) else {}
    uuids = filter(None, map(spans.text, spans.as_list(fields, _LIST)))
    return DeletionList(frozenset(uuids), _LIST in fields, _LIST_OF_FILES in fields)


def deleted_uuids(chat: Chat) -> frozenset[str]:
    """Return the uuids of the messages that TypingMind removes when it merges the chat."""
    return deletion_list(chat).uuids


def add_deleted_uuids(chat: Chat, uuids: Sequence[str]) -> list[ByteEdit]:
    """Return the edits that add uuids to the list of deletions, which otherwise stays as it is."""
    if not uuids:
        return []
    lists = [
        member.value
        for member in _sync_members(chat)
        if member.key == _LIST and _is(chat, member.value, "[")
    ]
    if not lists:
        return replace_deleted_uuids(chat, uuids)
    listed, _ = spans.read_items(Reel(chat.text), lists[0].start)
    before = deleted_uuids(chat)
    added = b",".join(encode_json(uuid) for uuid in uuids if uuid not in before)
    if not added:
        return []
    if not listed:
        return [insertion(lists[0].start + 1, added)]
    return [insertion(listed[-1].stop, b"," + added)]


def _is(chat: Chat, value: Span, sign: str) -> bool:
    """Return whether a value begins with a sign, and so is an array or an object."""
    return chat.text[value.start] == sign


def _sync_members(chat: Chat) -> list[Member]:
    sync = chat.member(_SYNC)
    if sync is None or not _is(chat, sync.value, "{"):
        return []
    return spans.read_members(Reel(chat.text), sync.value.start)[0]


def replace_deleted_uuids(chat: Chat, uuids: Sequence[str]) -> list[ByteEdit]:
    """Return the edits that write this list of deletions in place of the present one, or add it."""
    sync = chat.member(_SYNC)
    new_sync = encode_json({_LIST: uuids})
    if sync is None:
        return [insertion(chat.span.stop - 1, b"," + encode_json(_SYNC) + b":" + new_sync)]
    if not _is(chat, sync.value, "{"):
        return [ByteEdit(sync.value, new_sync)]
    members = _sync_members(chat)
    for member in members:
        if member.key == _LIST:
            return [ByteEdit(member.value, encode_json(uuids))]
    entry = new_sync[1:-1]
    return [insertion(sync.value.start + 1, entry + b"," if members else entry)]
