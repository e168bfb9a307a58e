"""The whole history of a chat: what the archive holds under memories, and what the export adds to it.

    archive   m1 m2 m3 m4 | m5 m6 ...      m1..m4 stand under memories
    export    [opening][memory][closing] m5 m6 m7 m8
    history   m1 m2 m3 m4 m5 m6 m7 m8

Chunks are made from the beginning without a hole (D8), so what is under memories is the history's start.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.errors import ChatSetAside
from rules.export.message import Message
from rules.history.recognise import Place


@dataclass(frozen=True, slots=True)
class Past:
    """A raw message that stands under a memory already, as the archive holds it."""

    key: str
    message: Message
    memory: int
    """The number of the memory that it stands under, from 1."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One lived message of the history. `memory` is None for what is not yet under one."""

    key: str
    message: Message
    memory: int | None
    at: int | None
    """Its index in the export, or None where only the archive still holds it."""


def history(past: Sequence[Past], places: Sequence[Place]) -> tuple[Entry, ...]:
    """All lived messages in order, each once.

    Raises ChatSetAside where the export has new messages before some that already stand under a memory.
    """
    lived = {place.key: place for place in places if place.lived}
    under = [Entry(old.key, old.message, old.memory, _at(lived.pop(old.key, None))) for old in past]
    rest = [Entry(place.key, place.message, None, place.at) for place in lived.values()]
    last_under = max((entry.at for entry in under if entry.at is not None), default=-1)
    early = [entry for entry in rest if entry.at is not None and entry.at < last_under]
    if early:
        raise ChatSetAside(
            f"{len(early)} messages of this export stand before messages that are already under a memory, "
            "and memproc has never seen them.",
            "Drop the export of the chat that you talk in, not an older copy or a branch of it.",
        )
    return tuple(under + rest)


def _at(place: Place | None) -> int | None:
    return None if place is None else place.at
