"""Read back a finished chat as TypingMind reads it: each message with its place in the input.

This uses the standard library's parser, and not spans.py's walker, splice.py or assemble.py, which
made the output.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rules.conversation.history import Entry, Place
from rules.conversation.marker import Marker, read_marker
from rules.conversation.memory import Memory
from rules.layers.kept_passages import KeptPassage
from rules.output.arrange import MemorySection
from rules.recognize.align import align
from rules.typingmind import plain
from rules.typingmind.chat import Chat
from rules.typingmind.originals import is_original, plain_original
from rules.typingmind.plain import Json
from rules.typingmind.spans import decode_json


@dataclass(frozen=True, slots=True)
class Finished:
    """The chat to be proved, before and after, with what is known about every message."""

    before: Chat
    after: bytes
    places: Sequence[Place]
    """The messages of `before`, recognized."""
    entries: Sequence[Entry]
    """The whole history, with the memory that each message is under."""
    section: MemorySection
    removed: Sequence[str]
    opening: str = ""
    """The text that a new opening must have; empty where any text is right."""
    kept: Sequence[tuple[KeptPassage, bytes]] = ()
    """All kept passages, by date, each with its message's bytes, empty where that is lost."""
    versions: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    """All versions of edited messages that shown editions quote, by key.

    The person may have chosen an edition from before an edit.
    """


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """A message of the finished chat, as TypingMind would read it."""

    fields: Json
    at: int | None
    """Its index in the input; None where it is new."""
    mark: Marker | None
    """The marker of a message of ours; None for others, even with such a field."""

    @property
    def is_sent(self) -> bool:
        """Return whether it is sent to the model; an original, only if the person included it."""
        return not (_is_original(self.fields) and plain.is_excluded(self.fields))


@dataclass(frozen=True, slots=True)
class ReadBack:
    """The finished chat as TypingMind would read it."""

    finished: Finished
    before: Json
    after: Json
    originals: Sequence[Json]
    """The messages of `before`."""
    messages: Sequence[ReadMessage]
    """The messages of `after`."""
    kept: frozenset[int]
    """The indices in the input of the messages that are still there."""
    live: frozenset[int]
    """The indices in the input of those that are also still sent."""

    @property
    def ours(self) -> list[tuple[ReadMessage, Marker]]:
        """Return our own messages, each with its marker, in the order of the chat."""
        return [(message, message.mark) for message in self.messages if message.mark is not None]

    @property
    def shown(self) -> Sequence[Memory]:
        """Return the memories and folds to show, oldest first."""
        return self.finished.section.shown

    @property
    def places(self) -> Sequence[Place]:
        """Return the messages of the input, recognized."""
        return self.finished.places


def read_back(finished: Finished) -> ReadBack | str:
    """Return the finished chat as TypingMind would read it, or why it cannot be read."""
    try:
        before = plain.parse_json(decode_json(finished.before.slice(finished.before.span)))
        after = plain.parse_json(decode_json(finished.after))
        written = plain.messages_of(after)
        originals = plain.messages_of(before)
    except (ValueError, TypeError, RecursionError) as fault:
        return f"the finished chat is nothing that TypingMind could read: {type(fault).__name__}"
    came_from = _came_from(finished.places, originals, written)
    if came_from is None:
        return "a message is neither ours nor one of the input's in its order"
    messages: list[ReadMessage] = []
    for fields, at in zip(written, came_from, strict=True):
        if at is None:
            mark = read_marker(plain.marker_of(fields))
        else:
            mark = None if _is_original(fields) else finished.places[at].ours
        messages.append(ReadMessage(fields, at, mark))
    there = {message.at: message.is_sent for message in messages if message.at is not None}
    live = frozenset(at for at, is_sent in there.items() if is_sent)
    return ReadBack(finished, before, after, originals, messages, frozenset(there), live)


def _came_from(
    places: Sequence[Place], originals: Sequence[Json], messages: Sequence[Json]
) -> list[int | None] | None:
    """Return each message's index in the input, None for a new one; None if any is neither.

    An original that stays for several copies has the fields of the last one, and the index of the
    first.
    """
    uuids = {plain.uuid_of(message) for message in originals}
    kept = {
        number: (_to_compare(message),)
        for number, message in enumerate(messages)
        if _is_original(message) or not plain.marker_of(message) or plain.uuid_of(message) in uuids
    }
    alignment = align({at: (_to_compare(message),) for at, message in enumerate(originals)}, kept)
    if alignment.new:
        return None
    came_from = {number: at for at, number in alignment.pairs.items()}
    first = {place.key: place.at for place in places if not place.is_copy}
    for number, at in came_from.items():
        if places[at].is_copy and _is_original(messages[number]):
            came_from[number] = first[places[at].key]
    return [came_from.get(number) for number in range(len(messages))]


def _to_compare(message: Json) -> object:
    """Return a hashable form of a message with all its fields; an original's, without ours."""
    if _is_original(message):
        message = json.loads(plain_original(json.dumps(message).encode()))
    return _hashable(message)


def _hashable(value: object) -> object:
    """Return a value as tuples, which do not depend on the order of keys.

    Large texts are not copied.
    """
    if isinstance(value, dict):
        return "{", *sorted((key, _hashable(inner)) for key, inner in value.items())
    if isinstance(value, list):
        return "[", *map(_hashable, value)
    return value


def _is_original(message: Json) -> bool:
    return is_original(plain.marker_of(message))
