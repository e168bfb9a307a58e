"""Read what a story sees of kept passages: in the archive, in the opening, and in the live tail."""

import json
from typing import Any

from tests.stories.cycle import Cycle

HEADING = "## Kept, word for word\n"
_JOINER = "\u2060"


def passages(chat: Cycle) -> list[dict[str, Any]]:
    """Return the passages that `memproc keep CHAT` lists."""
    ended = chat.person.memproc("keep", chat.chat_id, "--json")
    assert ended.code == 0, ended.err
    listed: list[dict[str, Any]] = json.loads(ended.out)["passages"]
    return listed


def states(chat: Cycle) -> dict[int, str]:
    """Return the state of each passage that is not released, by its number."""
    return {passage["number"]: passage["state"] for passage in passages(chat)}


def keep(chat: Cycle, *arguments: str) -> str:
    """Run `memproc keep CHAT`, which must succeed; return what it says."""
    ended = chat.person.memproc("keep", chat.chat_id, *arguments)
    assert (ended.code, ended.err) == (0, ""), ended
    return ended.out


def release(chat: Cycle, number: int) -> str:
    """Run `memproc release CHAT NUMBER`, which must succeed; return what it says."""
    ended = chat.person.memproc("release", chat.chat_id, str(number))
    assert (ended.code, ended.err) == (0, ""), ended
    return ended.out


def opening(chat: Cycle) -> str:
    """Return the text of the message before the memories in TypingMind."""
    (at,) = chat.ours("opening")
    return chat.said(at)


def kept_there(chat: Cycle) -> str:
    """Return what the opening shows as kept, without invisible characters."""
    return opening(chat).partition(HEADING)[2].replace(_JOINER, "").removesuffix("\n</system>")


def live(chat: Cycle) -> list[str]:
    """Return the texts of the live messages."""
    return [chat.said(at) for at in chat.live()]
