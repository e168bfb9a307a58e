"""Regenerate and the branch arrows: what becomes of everything that stood after a message (format, section 12)."""

from datetime import datetime

from tests.chats import Json, date
from tests.typingmind.texts import reworded


def base_of(messages: list[Json], at: int) -> int:
    """Where branches hang: at the message itself, or, for an answer, at what it answers. Raises ValueError."""
    place = range(len(messages))[at]
    while place >= 0 and messages[place].get("role") == "assistant":
        place -= 1
    if place < 0:
        raise ValueError("an answer that answers nothing cannot be asked for again")
    return place


def branch_off(messages: list[Json], base: int, now: datetime, say: str | None) -> list[Json]:
    """Move all that follows `messages[base]` into its threads, and return what is left.

    `say` is a new wording of that message: the first choice of Edit. The message's date becomes now. A branch
    keeps the wording and the date that the message had while the branch was in use, and the arrow brings both back.
    """
    asked, followed = messages[base], messages[base + 1 :]
    if followed:
        asked["threads"] = [*(asked.get("threads") or []), _branch(asked, followed)]
    asked["createdAt"] = date(now)
    if say is not None:
        asked["content"] = reworded(asked.get("content"), say)
    return messages[: base + 1]


def swapped(messages: list[Json], base: int) -> list[Json]:
    """The branch arrow: the newest stored branch comes back, and what stood there takes its place.

    Raises ValueError where no branch is stored.
    """
    asked, followed = messages[base], messages[base + 1 :]
    threads = asked.get("threads") or []
    if not threads:
        raise ValueError("there is no branch to go back to")
    *others, back = threads
    asked["threads"] = [*others, _branch(asked, followed)]
    asked["createdAt"], asked["content"] = back["createdAt"], back["userMessageContent"]
    return [*messages[: base + 1], *back["messages"]]


def _branch(asked: Json, followed: list[Json]) -> Json:
    return {
        "messages": followed,
        "createdAt": asked.get("createdAt"),
        "userMessageContent": asked.get("content"),
    }
