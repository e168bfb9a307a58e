"""Which messages of an export are ours and which are the conversation (D10, requirement 2).

First by the marker, then by a uuid that the archive knows as ours, and neither of them is believed where it does
not fit. A tag in somebody's text is never enough.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rules.errors import ChatSetAside
from rules.export.message import Message
from rules.history.claims import believed
from rules.history.experience import left_out
from rules.history.marker import MEMORY, Marker

_NAMELESS = "digest:"
_NOTHING: Mapping[str, Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Place:
    """One message of the export, at its index, and what it is there for."""

    at: int
    message: Message
    key: str
    """Its name within the chat; the same message has the same key in the next export."""
    ours: Marker | None
    left_out: str | None

    @property
    def lived(self) -> bool:
        """It is part of the agent's experience: memories are made of these."""
        return self.ours is None and self.left_out is None


def recognise(
    messages: Sequence[Message], known: Mapping[str, Marker], under: Mapping[str, Mapping[str, str]] = _NOTHING
) -> tuple[Place, ...]:
    """What each message of a chat is.

    `known` are the markers of our messages in the archive, by uuid; `under` are the keys of the messages that
    stand under each memory, by its id, each with the digest of what was said. Names that a memory of this
    export has replaced are taken. Nameless messages are named after what they say, so the next "ok" is another
    message than the first; a uuid that stands twice is another message where it says something else.
    """
    ours = believed(messages, known)
    shown = {marker.memory for marker in ours if marker is not None}
    taken = {key: digest for memory in shown for key, digest in under.get(memory, {}).items()}
    times = dict.fromkeys(taken, 1)
    places = []
    for at, (message, marker) in enumerate(zip(messages, ours, strict=True)):
        name = message.uuid or _NAMELESS + message.digest
        came_back = message.uuid is not None and taken.pop(name, None) == message.digest
        key = name if came_back else _free_key(name, times)
        places.append(Place(at, message, key, marker, None if marker else left_out(message)))
    return tuple(places)


def _free_key(name: str, times: dict[str, int]) -> str:
    """The name itself, or with a number where it is taken; `times` counts every name and key given out."""
    key = name
    while key in times:
        times[name] += 1
        key = f"{name}#{times[name]}"
    times[key] = 1
    return key


def memories_present(places: Sequence[Place]) -> tuple[str, ...]:
    """Ids of the memories in the export, oldest first. Raises ChatSetAside where one has lost a message."""
    slots: dict[str, list[int]] = {}
    for place in places:
        if place.ours is not None and place.ours.kind == MEMORY:
            slots.setdefault(place.ours.memory, []).append(place.ours.slot)
    for number, found in enumerate(slots.values(), 1):
        if found != [1, 2, 3, 4, 5, 6]:
            raise ChatSetAside(
                f"Memory {number} of the chat has {len(found)} of its six messages, or has them out of order.",
                "Undo the deletion in TypingMind, or drop an export from before it.",
            )
    return tuple(slots)
