"""What a story sees of kept passages: in the archive, in the opening, and in the live tail."""

import json
from typing import Any

from tests.stories.cycle import Cycle

HEADING = "## Kept, word for word\n"
_JOINER = "\u2060"


def passages(chat: Cycle) -> list[dict[str, Any]]:
    """The passages that `memproc keep CHAT` lists."""
    ended = chat.person.memproc("keep", chat.chat_id, "--json")
    assert ended.code == 0, ended.err
    listed: list[dict[str, Any]] = json.loads(ended.out)["passages"]
    return listed


def states(chat: Cycle) -> dict[int, str]:
    """The state of each passage that is not released, by its number."""
    return {passage["number"]: passage["state"] for passage in passages(chat)}


def keep(chat: Cycle, *arguments: str) -> str:
    """`memproc keep CHAT`, which must go well; what it says."""
    ended = chat.person.memproc("keep", chat.chat_id, *arguments)
    assert (ended.code, ended.err) == (0, ""), ended
    return ended.out


def release(chat: Cycle, number: int) -> str:
    """`memproc release CHAT NUMBER`, which must go well; what it says."""
    ended = chat.person.memproc("release", chat.chat_id, str(number))
    assert (ended.code, ended.err) == (0, ""), ended
    return ended.out


def opening(chat: Cycle) -> str:
    """The message before the memories, as TypingMind shows it."""
    (at,) = chat.ours("opening")
    return chat.said(at)


def kept_there(chat: Cycle) -> str:
    """What the opening shows as kept, without what nobody sees."""
    return opening(chat).partition(HEADING)[2].replace(_JOINER, "").removesuffix("\n</system>")


def live(chat: Cycle) -> list[str]:
    """What the live messages say."""
    return [chat.said(at) for at in chat.live()]
