"""Fork and Restore: a chat once more, under an id of its own (format, sections 2.4 and 12)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random

from tests.chats import Json, date
from tests.typingmind.shapes import Build, new_chat_id, new_uuid
from tests.typingmind.wire import copied


def fork_of(
    chat: Json, messages: list[Json], build: Build, dice: Random, now: datetime, *, renew: bool
) -> Json:
    """A fork with these messages of the chat. `renew`: every message gets a new uuid and date.

    2024: one date for all, and the cost so far is copied. 2026: a date for each, and no cost.
    """
    found: Json = copied(chat | {"messages": messages})
    chat_id = new_chat_id(dice)
    found |= {
        "id": chat_id,
        "chatID": chat_id,
        "createdAt": date(now),
        "updatedAt": date(now),
        "syncedAt": None,
    }
    if build == "2026":
        found["tokenUsage"] = None
    if renew:
        for number, message in enumerate(_all_of(found["messages"])):
            _renew(
                message,
                new_uuid(dice),
                now if build == "2024" else now + timedelta(milliseconds=number // 8),
            )
    return found


def _renew(message: Json, uuid: str, at: datetime) -> None:
    """A divider, which is nothing but its type, stays as it is."""
    if "role" in message or "uuid" in message:
        message.pop("updatedAt", None)
        message |= {"uuid": uuid, "createdAt": date(at)}


def _all_of(messages: list[Json]) -> Iterator[Json]:
    """Every message, and those in its branches and among its several answers."""
    for message in messages:
        yield message
        for holder in (*(message.get("threads") or []), *(message.get("responses") or [])):
            yield from _all_of(holder.get("messages") or [])
