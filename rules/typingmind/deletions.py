"""Which messages a chat names as deleted: TypingMind takes them out again wherever its devices sync.

    "syncMetadata":{"deletedMessageUUIDs":["6f2c","91aa"],"deletedSyncedBlobIDs":[]}

TypingMind notes here what the person deletes; older builds note nothing. memproc adds the messages that memories took
the place of, else another device's sync brings them back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from rules.typingmind import spans, walk
from rules.typingmind.chat import Chat
from rules.typingmind.spans import Member, Span, encoded
from rules.typingmind.splice import ByteEdit
from rules.typingmind.walk import Reel

NAMED_SINCE = datetime(2025, 9, 22, tzinfo=UTC)
"""The day of the build that began to note deletions: a chat with a later message was in that one, or a newer."""
MOST_NAMED = 100
"""TypingMind keeps this many deletions in its list."""
_SYNC, _LIST, _LIST_OF_FILES = "syncMetadata", "deletedMessageUUIDs", "deletedSyncedBlobIDs"


@dataclass(frozen=True, slots=True)
class DeletionList:
    """The chat's own list of deletions."""

    uuids: frozenset[str]
    exists: bool
    by_new_build: bool
    """Beside it stands a list that only those builds write which note what the person deletes."""


def deletion_list(chat: Chat) -> DeletionList:
    """Read the chat's list of deletions; a list in another shape than TypingMind's counts as empty."""
    sync = chat.field(_SYNC)
    fields = sync if isinstance(sync, dict) else {}
    listed = fields.get(_LIST)
    uuids = filter(None, map(spans.text, listed)) if isinstance(listed, list) else ()
    return DeletionList(frozenset(uuids), _LIST in fields, _LIST_OF_FILES in fields)


def deleted_uuids(chat: Chat) -> frozenset[str]:
    """The uuids of the messages that TypingMind takes out wherever it merges the chat."""
    return deletion_list(chat).uuids


def add_deleted_uuids(chat: Chat, uuids: Sequence[str]) -> list[ByteEdit]:
    """Add to the list, which stays as it is otherwise, whatever its length."""
    known = _list_of(chat)
    if not uuids:
        return []
    if known is None:
        return _new_list(chat, uuids)
    listed, _ = walk.items(Reel(chat.text), known.start)
    before = {spans.value(chat.text, entry.start)[0] for entry in listed if chat.text[entry.start] == '"'}
    added = b",".join(encoded(uuid) for uuid in uuids if uuid not in before)
    at = listed[-1].stop if listed else known.start + 1
    return [ByteEdit(Span(at, at), b"," + added if listed else added)] if added else []


def replace_deleted_uuids(chat: Chat, uuids: Sequence[str]) -> list[ByteEdit]:
    """Let the list be this one."""
    known = _list_of(chat)
    if known is not None:
        return [ByteEdit(known, encoded(uuids))]
    return _new_list(chat, uuids) if uuids else []


def _list_of(chat: Chat) -> Span | None:
    """The span of the list, or None where there is none."""
    known = _member(chat)
    return known.value if known is not None and chat.text[known.value.start] == "[" else None


def _member(chat: Chat) -> Member | None:
    """What stands under the list's name, whatever it is."""
    return next((member for member in _sync_members(chat) or () if member.key == _LIST), None)


def _sync_members(chat: Chat) -> list[Member] | None:
    sync = chat.member(_SYNC)
    if sync is None or chat.text[sync.value.start] != "{":
        return None
    return walk.members(Reel(chat.text), sync.value.start)[0]


def _new_list(chat: Chat, uuids: Sequence[str]) -> list[ByteEdit]:
    """The list where the chat has none, or something else in its place."""
    sync, members, known = chat.member(_SYNC), _sync_members(chat), _member(chat)
    if sync is None:
        brace = Span(chat.span.stop - 1, chat.span.stop - 1)
        return [ByteEdit(brace, b"," + encoded(_SYNC) + b":" + encoded({_LIST: uuids}))]
    if members is None:
        return [ByteEdit(sync.value, encoded({_LIST: uuids}))]
    if known is not None:
        return [ByteEdit(known.value, encoded(uuids))]
    at = sync.value.start + 1
    return [ByteEdit(Span(at, at), encoded(_LIST) + b":" + encoded(uuids) + (b"," if members else b""))]
