"""Cloud sync: what one device pushed reaches another (format, section 3)."""

from datetime import timedelta

from tests.chats import Json, date
from tests.typingmind.clock import by_date
from tests.typingmind.device import TypingMind
from tests.typingmind.others import in_jsonb_order
from tests.typingmind.shapes import Build
from tests.typingmind.wire import copied, stringify

_LARGEST_BYTES = 3_145_728
_LARGEST_CHARACTERS_OF_2024 = 2_400_000


def sync(a: TypingMind, b: TypingMind, chat_id: str) -> None:
    """`a` pushes the chat, where it has news of it, and `b` pulls it.

    What `b` then has to say itself needs `sync(b, a)`. Where `a` has nothing newer than what `b` last saw,
    nothing happens: a cloud holds the newest push, never an older copy.
    """
    a.now = b.now = max(a.now, b.now)
    _push(a, chat_id)
    remote: Json = in_jsonb_order(copied(a.chat(chat_id)))
    local = b.chats.get(chat_id)
    if not remote.get("syncedAt") or (
        local and (local.get("syncedAt") or "") >= remote["syncedAt"]
    ):
        return
    if remote.get("deletedAt"):
        b.chats.pop(chat_id, None)
    elif local is None:
        b.chats[chat_id] = remote
    else:
        b.chats[chat_id] = _pulled(local, remote, b.build)


def _push(device: TypingMind, chat_id: str) -> None:
    """A chat with changes gets the moment of its push; one that is too large keeps null, and is never pushed."""
    chat = device.chat(chat_id)
    if not chat.get("syncedAt") and not _is_too_large(chat, device.build):
        device.now += timedelta(seconds=1)
        chat["syncedAt"] = date(device.now)


def _is_too_large(chat: Json, build: Build) -> bool:
    text = stringify(chat)
    if build == "2024":
        return len(text) > _LARGEST_CHARACTERS_OF_2024
    return len(text.encode(errors="backslashreplace")) > _LARGEST_BYTES


def _pulled(local: Json, remote: Json, build: Build) -> Json:
    """What stands on the pulling device afterwards: a copy with changes of its own stays, a clean one gives way."""
    if "syncedAt" in local and local["syncedAt"] is None:
        same = local | {"syncedAt": remote["syncedAt"]} == remote
        return remote if same else local
    return remote if build == "2024" else _merged(local, remote)


def _merged(local: Json, remote: Json) -> Json:
    """By uuid: what only the pulling device has comes back, unless the other device says that it was deleted.

    A merge that brought something is a change of its own, to be pushed back; one that brought nothing is not,
    else two devices would push to each other for ever.
    """
    there = {message.get("uuid") for message in remote["messages"]}
    gone = set((remote.get("syncMetadata") or {}).get("deletedMessageUUIDs") or [])
    only_here = [
        message for message in local["messages"] if message.get("uuid") not in there | gone
    ]
    messages = by_date([*remote["messages"], *only_here])
    if messages == remote["messages"]:
        return remote
    return remote | {"messages": messages, "syncedAt": None}
