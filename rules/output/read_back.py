"""A finished chat read back as TypingMind would read it, with the standard library's parser, for the proof."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from rules.export import spans
from rules.export.chat import Chat, without_bulk
from rules.export.content import printable
from rules.export.spans import Number, decoded
from rules.history.entries import Entry
from rules.history.marker import Marker, read_marker
from rules.history.originals import is_original, plain_original
from rules.history.recognise import Place
from rules.output.arrange import Section

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Finished:
    """What is to be proved: the chat before and after, and the accounts of who stands where."""

    before: Chat
    after: bytes
    places: Sequence[Place]
    """The messages of `before`, recognised."""
    entries: Sequence[Entry]
    """The whole history, with the memory that each message stands under."""
    section: Section
    removed: Sequence[str]
    opening: str = ""
    """What the opening says, where it is new; empty: whatever it says."""


@dataclass(frozen=True, slots=True)
class ReadBack:
    """The finished chat as TypingMind would read it; `came_from` are its messages' indices in the input."""

    finished: Finished
    before: Json
    after: Json
    messages: Sequence[Json]
    came_from: Sequence[int | None]
    """None for a message that is new."""
    kept: frozenset[int]
    """Indices in the input of the messages that are still there."""
    live: frozenset[int]
    """Those that are still sent, too; originals beside their memory are not."""
    marks: Sequence[Marker | None]
    """What each message is of ours; None for all others, whatever field they carry."""

    @property
    def ours(self) -> list[Json]:
        """The messages that are ours."""
        return [message for message, mark in zip(self.messages, self.marks, strict=True) if mark is not None]

    @property
    def new(self) -> list[tuple[Json, Marker]]:
        """Those of ours that are not kept as they stood in the input: people and other tools may have changed these."""
        every = zip(self.messages, self.came_from, self.marks, strict=True)
        return [(message, mark) for message, at, mark in every if mark is not None and at is None]


def read_back(finished: Finished) -> ReadBack | str:
    """The finished chat as it reads; or why it cannot be one, as a fault in plain words."""
    try:
        before, after = parse(finished.before.json_text), parse(decoded(finished.after))
        messages, originals = messages_of(after), messages_of(before)
    except (ValueError, TypeError, RecursionError) as fault:
        return f"the finished chat is nothing that TypingMind could read: {type(fault).__name__}"
    came_from = _came_from(originals, messages)
    if came_from is None:
        return "a message is neither ours nor one of the input's in its order"
    both = list(zip(messages, came_from, strict=True))
    return ReadBack(
        finished,
        before,
        after,
        messages,
        came_from,
        kept=frozenset(at for at in came_from if at is not None),
        live=frozenset(at for message, at in both if at is not None and not _is_put_out(message)),
        marks=[_mark(message, None if at is None else finished.places[at]) for message, at in both],
    )


def parse(text: str) -> Json:
    """A chat or a message. Numbers stay as they are spelled, so that 69.2240 and 69.224 differ.

    What is too long to be words, an image, is held as its SHA-256: two chats are compared, and both are in memory.
    """
    found = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=_refuse)
    if not isinstance(found, dict):
        raise TypeError("chats and messages are objects")
    return {key: without_bulk(value) for key, value in found.items()}


def _refuse(name: str) -> None:
    raise ValueError(name)


def messages_of(chat: Json) -> list[Json]:
    """A chat's messages. Raises TypeError where they are no list of objects."""
    found = chat.get("messages")
    if not isinstance(found, list) or not all(isinstance(message, dict) for message in found):
        raise TypeError("messages are a list of objects")
    return found


def _came_from(originals: Sequence[Json], messages: Sequence[Json]) -> list[int | None] | None:
    """Where each message of the output stands in the input (None: it is new), or None where one is in neither."""
    uuids = {uuid_of(message) for message in originals}
    at: dict[object, list[int]] = {}
    for index, message in reversed(list(enumerate(originals))):
        at.setdefault(_said_plainly(message), []).append(index)
    found: list[int | None] = []
    for message in messages:
        if _marker(message) and not _is_original(message) and uuid_of(message) not in uuids:
            found.append(None)
        elif same := at.get(_said_plainly(message)):
            found.append(same.pop())
        else:
            return None
    return found


def uuid_of(message: Json) -> str:
    """Its uuid, where that is a text; else empty."""
    return printable(spans.text(message.get("uuid")))


def _said_plainly(message: Json) -> object:
    """The message, so that two are equal where all their fields are; of an original without our own fields."""
    if _is_original(message):
        message = json.loads(plain_original(json.dumps(message).encode()))
    return _hashable(message)


def _hashable(value: object) -> object:
    """The value in tuples, whatever the order of keys. Its texts are not copied: an image in one may be large."""
    if isinstance(value, dict):
        return "{", *sorted((key, _hashable(inner)) for key, inner in value.items())
    return ("[", *map(_hashable, value)) if isinstance(value, list) else value


def _mark(message: Json, came_from: Place | None) -> Marker | None:
    if came_from is None:
        return read_marker(_marker(message))
    return None if _is_original(message) else came_from.ours


def _is_original(message: Json) -> bool:
    return is_original(_marker(message))


def _is_put_out(message: Json) -> bool:
    """An original that TypingMind no longer sends; one that the person took back into the context is sent again."""
    return _is_original(message) and bool(message.get("contextClearedAt"))


def _marker(message: Json) -> Json:
    found = message.get("memproc")
    return found if isinstance(found, dict) else {}
