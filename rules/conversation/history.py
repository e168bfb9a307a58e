"""The whole history of a chat: what the archive holds under memories, and what the export adds to it.

    archive   m1 m2 m3 m4 | m5 m6 ...      m1..m4 stand under memories
    export    [opening][memory][closing] m5 m6 m7 m8
    history   m1 m2 m3 m4 m5 m6 m7 m8

Chunks are made from the beginning without a hole, so what is under memories is the history's start.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from rules.conversation.marker import MEMORY
from rules.recognize.recognize import Place
from rules.typingmind.message import Message

INSERTED = "inserted among messages that stand under memories already"
UNDER_SOME_MEMORY = "of a memory whose other messages are lost"
"""Reason for messages of a rebuilt archive that no chunk can be made of any more."""


@dataclass(frozen=True, slots=True)
class Past:
    """A raw message that stands under a memory already, as the archive holds it."""

    key: str
    message: Message
    """As it was when the memory was made."""
    memory: int
    """The number of the memory that it stands under, from 1."""
    newest: Message | None
    """As it is now, which differs where the person has edited it since; None where they have deleted it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One lived message of the history. `memory` is None for what is not yet under one."""

    key: str
    message: Message
    memory: int | None
    at: int | None
    """Its index in the export, or None where only the archive still holds it."""
    newest: Message | None = None
    """As it is now; None where that is what `message` says, or where it is gone."""
    gone: bool = False
    """The person has deleted it, after it was compressed."""


def without_strays(past: Sequence[Past], places: Sequence[Place]) -> tuple[Place, ...]:
    """The places, of which those are left out of memories that stand before what is under one already.

    Chunks are frozen, so a message that a sync or another tool put among them cannot become part of one. It
    stays in the export where it stands, and nothing of it is lost.
    """
    under = {old.key for old in past}
    last = max((place.at for place in places if _is_past(place, under)), default=-1)
    return tuple(
        replace(place, left_out=INSERTED) if place.lived and place.key not in under and place.at < last else place
        for place in places
    )


def as_it_is_now(
    past: Sequence[Past], places: Sequence[Place], changed: Collection[int], deleted: Collection[str]
) -> tuple[Past, ...]:
    """The past after what the person did since the archive last saw the chat.

    `changed` are the numbers of the memories under which messages read otherwise or are gone, `deleted` the keys
    of those that are gone. An original that says the same as before is the same: a fork has given it another date.
    """
    here = {place.key: place for place in places if place.ours is None}
    return tuple(
        replace(old, newest=None if old.key in deleted else _newest(old, here.get(old.key)))
        if old.memory in changed
        else old
        for old in past
    )


def _newest(old: Past, place: Place | None) -> Message | None:
    if place is None:
        return old.newest
    same = old.newest is not None and place.original and place.message.digest == old.newest.digest
    return old.newest if same else place.message


def history(past: Sequence[Past], places: Sequence[Place]) -> tuple[Entry, ...]:
    """All lived messages in order, each once."""
    at = {place.key: place.at for place in places if place.ours is None}
    under = [
        Entry(old.key, old.message, old.memory, at.get(old.key), _other(old), gone=old.newest is None) for old in past
    ]
    taken = {old.key for old in past}
    rest = [Entry(place.key, place.message, None, place.at) for place in places if place.lived]
    return tuple(under + [entry for entry in rest if entry.key not in taken])


def _is_past(place: Place, under: set[str]) -> bool:
    if place.ours is not None:
        return place.ours.kind == MEMORY
    return place.key in under


def _other(old: Past) -> Message | None:
    return None if old.newest is None or old.newest.raw == old.message.raw else old.newest
