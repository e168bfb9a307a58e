"""The uuids that no new message of ours may bear: those in the chat, and those that TypingMind deletes on sync."""

from collections.abc import Sequence

from rules.recognize.recognize import Place
from rules.typingmind import spans
from rules.typingmind.chat import Chat


def taken_uuids(chat: Chat, places: Sequence[Place]) -> frozenset[str]:
    """Our uuids follow from names, so one can be taken: by forgery, because ours was deleted once, or was edited.

    An edition that comes back in the place of what the person made of it is another message for their other devices.
    """
    here = {place.message.uuid for place in places}
    return deleted_uuids(chat) | {uuid for uuid in here if uuid}


def deleted_uuids(chat: Chat) -> frozenset[str]:
    """The messages that TypingMind takes out wherever it merges the chat, since they were deleted once."""
    sync = chat.field("syncMetadata")
    listed = sync.get("deletedMessageUUIDs") if isinstance(sync, dict) else None
    return frozenset(filter(None, map(spans.text, listed))) if isinstance(listed, list) else frozenset()
