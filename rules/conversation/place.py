"""One message of an export, and what it is there for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rules.conversation.marker import Marker
from rules.typingmind.message import Message

COPY = "a copy of a message that the chat holds already"


@dataclass(frozen=True, slots=True)
class Place:
    """A message of the export at its index, recognised as ours, as an original, or as the person's."""

    at: int
    message: Message
    """The message as its author wrote it: an original kept with its memory is without our fields."""
    key: str
    """Its name within the chat; the same message has the same key in the next export."""
    ours: Marker | None
    left_out: str | None
    original: str = ""
    """The id of the memory that this original is kept with; empty for all others."""
    written: bytes = b""
    """Its bytes in the export."""

    @property
    def lived(self) -> bool:
        """Return whether it is part of the agent's experience, of which memories are made."""
        return self.ours is None and self.left_out is None

    @property
    def is_copy(self) -> bool:
        """Return whether the same message occurs elsewhere in the export: this place is not counted."""
        return self.left_out == COPY


def raw_messages(places: Iterable[Place]) -> Iterator[Place]:
    """Return the places of all messages that are not ours, without copies."""
    return (place for place in places if place.ours is None and not place.is_copy)
