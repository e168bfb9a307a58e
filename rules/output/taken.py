"""Which uuids no new message of ours may bear: those of raw messages, and those that TypingMind deletes on sync."""

from collections.abc import Sequence

from rules.export.chat import Chat
from rules.history.recognise import Place


def taken_uuids(chat: Chat, places: Sequence[Place]) -> frozenset[str]:
    """Our uuids follow from names, so somebody else can bear one: by forgery, or because ours was deleted once."""
    raw = {place.message.uuid for place in places if place.ours is None}
    sync = chat.field("syncMetadata")
    listed = sync.get("deletedMessageUUIDs") if isinstance(sync, dict) else None
    deleted = listed if isinstance(listed, list) else []
    return frozenset(uuid for uuid in [*raw, *deleted] if isinstance(uuid, str))
