"""The messages of an export, each with what it is, and the whole history of a chat.

    archive   m1 m2 m3 m4 | m5 m6 ...      m1..m4 are under memories
    export    [opening][memory][closing] m5 m6 m7 m8
    history   m1 m2 m3 m4 m5 m6 m7 m8

Chunks are made from the beginning without gaps, so what is under memories begins the history.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rules.conversation.marker import MEMORY, Marker, text_digest
from rules.typingmind.message import Message

SLOTS = range(1, 7)
COPY = "a copy of a message that the chat holds already"

INSERTED = "inserted among messages that stand under memories already"
UNDER_SOME_MEMORY = "of a memory whose other messages are lost"
"""Why messages of a rebuilt archive are left out that no chunk can be made of any more."""


@dataclass(frozen=True, slots=True)
class Place:
    """A message of the export: one of ours, an original kept with a memory, or conversation."""

    at: int
    """Its index in the export."""
    message: Message
    """The message as its author wrote it; an original is without our fields."""
    key: str
    """Its name within the chat; the same message has the same key in the next export."""
    ours: Marker | None
    """Its marker where it is one of ours."""
    left_out: str | None
    """Why no memory is made of it; None where one may be."""
    original: str = ""
    """The id of the memory that this original is kept with; empty for all other messages."""
    written: bytes = b""
    """Its bytes in the export."""
    for_attachment: bool = False
    """Whether this original stays only for its attachment, without its neighbours."""

    @property
    def lived(self) -> bool:
        """Return whether it is part of the conversation of which memories are made."""
        return self.ours is None and self.left_out is None

    @property
    def kind(self) -> str:
        """Return which of our messages it is: opening, memory or closing; "" for all others."""
        return self.ours.kind if self.ours is not None else ""

    @property
    def is_edited(self) -> bool:
        """Return whether it is one of our messages and its text has been changed."""
        return self.ours is not None and self.ours.text != text_digest(self.message.text)

    @property
    def is_copy(self) -> bool:
        """Return whether it is a copy of another message of the export, and so does not count."""
        return self.left_out == COPY


@dataclass(frozen=True, slots=True)
class Past:
    """A raw message that is under a memory already, as the archive has it."""

    key: str
    message: Message
    """The message as it was when the memory was made."""
    memory: int
    """The number of the memory that it is under, from 1."""
    newest: Message | None
    """The message as it is now, which the person may have edited; None if they deleted it."""
    digests: tuple[str, ...]
    """The digests of everything that it ever said, newest first."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of the history."""

    key: str
    message: Message
    memory: int | None
    """The number of the memory that it is under; None for none yet."""
    at: int | None
    """Its index in the export; None where only the archive has it."""
    newest: Message | None = None
    """The message as it is now, where that differs from `message` and it is not gone."""
    gone: bool = False
    """Whether the person has deleted it after it was compressed."""


Group = Mapping[int, Place]
"""The messages of one memory in an export, by slot."""


def group_by_memory(places: Sequence[Place]) -> dict[str, dict[int, Place]]:
    """Return the messages of each memory that the export shows, by memory id and slot.

    They are in the export's order. Where a message is there twice, an edited one counts.
    """
    by_memory: dict[str, dict[int, Place]] = {}
    for place in places:
        marker = place.ours
        if marker is not None and marker.kind == MEMORY:
            group = by_memory.setdefault(marker.memory, {})
            if marker.slot not in group or place.is_edited:
                group[marker.slot] = place
    return by_memory


def raw_messages(places: Iterable[Place]) -> Iterator[Place]:
    """Return the places of all messages that are neither ours nor copies."""
    return (place for place in places if place.ours is None and not place.is_copy)


def mark_strays(past: Sequence[Past], places: Sequence[Place]) -> tuple[Place, ...]:
    """Mark as left out the messages that were inserted before what is under a memory already.

    Chunks are frozen, so a message that a sync or another tool put among them cannot become part of
    one. It stays in the export where it is, and nothing of it is lost.
    """
    under = {old.key for old in past}
    last = -1
    for place in places:
        is_under = place.key in under and not place.is_copy
        if place.kind == MEMORY if place.ours is not None else is_under:
            last = place.at
    marked: list[Place] = []
    for place in places:
        if place.lived and place.key not in under and place.at < last:
            place = replace(place, left_out=INSERTED)
        marked.append(place)
    return tuple(marked)


def update_past(
    past: Sequence[Past],
    places: Sequence[Place],
    changed: Collection[int],
    deleted: Collection[str],
) -> tuple[Past, ...]:
    """Return the past with what the person did since the archive last saw the chat.

    `changed` are the numbers of the memories under which messages were changed or deleted,
    `deleted` the keys of deleted messages.
    """
    here = {place.key: place.message for place in raw_messages(places)}
    present: list[Past] = []
    for old in past:
        if old.memory in changed and old.key in deleted:
            old = replace(old, newest=None)
        elif old.memory in changed:
            old = replace(old, newest=here.get(old.key, old.newest))
        present.append(old)
    return tuple(present)


def build_history(past: Sequence[Past], places: Sequence[Place]) -> tuple[Entry, ...]:
    """Return all messages of the conversation in order, each once."""
    index = {place.key: place.at for place in raw_messages(places)}
    entries: list[Entry] = []
    for old in past:
        newest = old.newest
        if newest is not None and newest.raw == old.message.raw:
            newest = None
        entries.append(
            Entry(
                key=old.key,
                message=old.message,
                memory=old.memory,
                at=index.get(old.key),
                newest=newest,
                gone=old.newest is None,
            )
        )
    under = {old.key for old in past}
    for place in places:
        if place.lived and place.key not in under:
            entries.append(Entry(place.key, place.message, None, place.at))
    return tuple(entries)
