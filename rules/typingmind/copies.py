"""The raw conversation as a chat that TypingMind can import, and that survives a sync.

None of its messages is still named as deleted, and the memories that another device shows are.

TypingMind stores a chat under `chatID` and replaces another with the same: in a new chat, the new
id keeps the old one safe. Message uuids may occur in two chats, so messages keep theirs.
"""

import hashlib
from collections.abc import Sequence

from rules.typingmind.chat import Chat, parse_chat, read_messages
from rules.typingmind.dates import parse_date
from rules.typingmind.originals import deleted_uuids, replace_deleted_uuids
from rules.typingmind.splice import replace_field, replace_or_add_fields, splice

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LENGTH = 10
_SUFFIX = "(memories)"


def expanded(chat: Chat, ours: Sequence[str]) -> bytes:
    """Return the chat's bytes with its list of deletions corrected where needed.

    Its messages are named no longer, and memories' messages, whose uuids are `ours`, are.
    """
    here = {message.uuid for message in read_messages(chat)}
    before = deleted_uuids(chat)
    after = dict.fromkeys(uuid for uuid in (*sorted(before), *ours) if uuid not in here)
    return splice(chat, replace_deleted_uuids(chat, tuple(after)) if after.keys() != before else [])


def new_chat_id(chat_id: str, number: int = 1) -> str:
    """Derive an id of TypingMind's form from old id and number, so that a second run agrees.

    Ten digits of base 36, drawn from a hash.
    """
    drawn = int.from_bytes(hashlib.sha256(f"{chat_id}/memories/{number}/0".encode()).digest())
    return "".join(_DIGITS[drawn // 36**place % 36] for place in range(_LENGTH))


def memories_title(title: str) -> str:
    """Return the old title with "(memories)" after it; one that ends so already stays."""
    return title if title.rstrip().endswith(_SUFFIX) else f"{title.rstrip()} {_SUFFIX}".lstrip()


def as_new_chat(chat: bytes, new_id: str, title: str, now: str) -> bytes:
    """Return a finished chat under another id and title, updated `now` and never synced.

    All other bytes stay, and `updatedAt` where it is later than `now`. `chatID` and the title are
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
