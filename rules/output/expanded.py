"""The raw conversation as a chat that TypingMind can import, and that stays so where devices sync.

None of its messages is still named as deleted, and the memories that another device shows are.
"""

from collections.abc import Sequence

from rules.export.chat import Chat, read_messages
from rules.export.splice import replace_deleted_uuids, splice
from rules.history.marker import read_marker
from rules.output.taken import deleted_uuids


def expanded(chat: Chat, ours: Sequence[str]) -> bytes:
    """The chat's bytes, with another list of deletions where that is needed; `ours` are uuids of memories' messages."""
    here = {message.uuid for message in read_messages(chat)}
    before = deleted_uuids(chat)
    after = dict.fromkeys(uuid for uuid in (*sorted(before), *ours) if uuid not in here)
    return splice(chat, replace_deleted_uuids(chat, tuple(after)) if after.keys() != before else [])


def our_uuids(chat: Chat) -> tuple[str, ...]:
    """Those of the messages that say of themselves that they are ours: opening, memories and closing."""
    messages = read_messages(chat)
    return tuple(message.uuid for message in messages if message.uuid and read_marker(message.marker))
