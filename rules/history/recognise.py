"""Which messages of an export are ours and which are the conversation.

First by the marker, then by a uuid that the archive knows as ours, then by the exact texts; none of them is
believed where it does not fit. A tag in somebody's text is never enough.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from rules.export.message import Message, read_message
from rules.history.claims import believed
from rules.history.experience import left_out
from rules.history.marker import Marker
from rules.history.originals import is_original, plain_original

Under = Mapping[str, Mapping[str, str]]
"""By memory id: the keys of the messages that stand under it, each with the digest of what was said."""

_NAMELESS = "digest:"
_NOTHING: Under = MappingProxyType({})
_SAME: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Place:
    """One message of the export, at its index, and what it is there for."""

    at: int
    message: Message
    """As the person and the agent wrote it: an original that we keep beside its memory is without our fields."""
    key: str
    """Its name within the chat; the same message has the same key in the next export."""
    ours: Marker | None
    left_out: str | None
    original: str = ""
    """The id of the memory beside which we keep this original; empty for all others."""
    written: bytes = b""
    """Its bytes in the export."""

    @property
    def lived(self) -> bool:
        """It is part of the agent's experience: memories are made of these."""
        return self.ours is None and self.left_out is None


def recognise(
    messages: Sequence[Message],
    known: Mapping[str, Marker],
    under: Under = _NOTHING,
    aliases: Mapping[str, str] = _SAME,
) -> tuple[Place, ...]:
    """What each message of a chat is.

    `known` are the markers of our messages in the archive, by uuid. Names that a memory of this export has
    replaced are taken. Nameless messages are named after what they say, so the next "ok" is another message than
    the first; a uuid that stands twice is another message where it says something else. `aliases` are the ids by
    which a fork's export may still call its memories, with those that they have here.
    """
    ours = [_renamed(marker, aliases) for marker in believed(messages, known)]
    shown = {marker.memory for marker in ours if marker is not None}
    taken = {key: digest for memory in shown for key, digest in under.get(memory, {}).items()}
    times = dict.fromkeys(taken, 1)
    waiting = {memory: dict(keys) for memory, keys in under.items()}
    places = []
    for at, (message, marker) in enumerate(zip(messages, ours, strict=True)):
        kept = _original(message, waiting, aliases) if marker is None else None
        if kept is not None:
            places.append(kept.at_index(at, message.raw))
            continue
        name = message.uuid or _NAMELESS + message.digest
        came_back = message.uuid is not None and taken.pop(name, None) == message.digest
        key = name if came_back else _free_key(name, times)
        places.append(Place(at, message, key, marker, None if marker else left_out(message), "", message.raw))
    return tuple(places)


@dataclass(frozen=True, slots=True)
class _Original:
    plain: Message
    key: str
    memory: str

    def at_index(self, at: int, written: bytes) -> Place:
        return Place(at, self.plain, self.key, None, left_out(self.plain), self.memory, written)


def _original(message: Message, waiting: Mapping[str, dict[str, str]], aliases: Mapping[str, str]) -> _Original | None:
    """The raw message that we kept here beside its memory: by its uuid, or by what it says, in order.

    In a fork no uuid is known; where a uuid stands twice, what the message says tells which of them has stayed.
    """
    if not is_original(message.marker):
        return None
    said = str((message.marker or {})["memory"])
    memory = aliases.get(said, said)
    keys = waiting.get(memory, {})
    plain = read_message(plain_original(message.raw))
    named = plain.uuid if plain.uuid in keys else None
    key = named if named and keys[named] == plain.digest else _saying(keys, plain.digest, named)
    if key is None:
        return None
    del keys[key]
    return _Original(plain, key, memory)


def _saying(keys: Mapping[str, str], digest: str, named: str | None) -> str | None:
    """The first key of a message that says this; else `named`, whose message the person has edited."""
    return next((key for key in keys if keys[key] == digest), named)


def _renamed(marker: Marker | None, aliases: Mapping[str, str]) -> Marker | None:
    if marker is None or marker.memory not in aliases:
        return marker
    return replace(marker, memory=aliases[marker.memory])


def _free_key(name: str, times: dict[str, int]) -> str:
    """The name itself, or with a number where it is taken; `times` counts every name and key given out."""
    key = name
    while key in times:
        times[name] += 1
        key = f"{name}#{times[name]}"
    times[key] = 1
    return key
