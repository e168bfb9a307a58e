"""Draft our own messages, each with the marker that says that it is ours.

They get TypingMind's shape later.

TypingMind keeps the marker through edit, fork, sync, import and export, and never sends it to a
model.
"""

import hashlib
import uuid
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, Self

from rules.conversation.memory import (
    BEFORE_OPEN,
    BEFORE_WISH,
    Edition,
    Memory,
    listed_wishes,
    quotes_answer,
)
from rules.conversation.short_quotes import export_forms
from rules.typingmind import spans
from rules.typingmind.content import make_printable
from rules.typingmind.message import Message
from rules.typingmind.spans import Fields

OPENING, MEMORY, CLOSING = "opening", "memory", "closing"
QUOTE_SLOT, PERSPECTIVE_SLOT = 2, 3
_VERSION = 1
_LAST_SLOT = 6
_TEXTS = ("kind", "text", "memory", "made", "said_by", "first", "last", "edition_kind")
_NUMBERS = ("v", "level", "edition", "slot", "messages", "wishes")
_SHOWS = {"sections": 2, "facts": 2, "kept": 3}
"""What an opening shows, each with the number of texts in a row."""

Rows = tuple[tuple[str, ...], ...]
Shows = tuple[Rows, Rows, Rows]
"""The rows of an opening: sections, facts and kept passages.

A section's row is (name, digest), a fact's (day, digest), a passage's (day, speaker, digest). A
digest is that of the lines that show the item: lines with another digest are the person's.
"""
SHOWS_NOTHING: Shows = ((), (), ())


@dataclass(frozen=True, slots=True)
class Canned:
    """The two canned messages, with their tags."""

    opening: str
    closing: str
    has_layers: bool = False
    """Whether the opening also holds core memory or facts."""
    shows: Shows = SHOWS_NOTHING
    """The rows of what the opening shows."""
    edited_closing: str = ""
    """What the person has made of the closing; empty where they have not edited it."""


class Cited(NamedTuple):
    """A passage of a raw message that one of our messages repeats word for word."""

    source: str
    """The key of the raw message within its chat; empty if it is no longer known."""
    size: int
    """The number of its characters in our message, with the lead that says whose words they are."""


@dataclass(frozen=True, slots=True)
class Marker:
    """The description that one of our messages carries; it says nothing that the message does not.

    Only a memory's messages use the fields after `text`; an opening uses `shows`. Anyone who can
    write an export can write a marker, so a value counts only where the message's words agree with
    it.
    """

    kind: str
    text: str
    """The shortened SHA-256 of the message's text as we wrote it; another text is an edit."""
    memory: str = ""
    level: int = 1
    edition: int = 1
    slot: int = 0
    """Which of the memory's six messages this is, 1 to 6."""
    made: str = ""
    """`model`, or `extracted` where the built-in engine chose sentences that were said."""
    said_by: str = ""
    """`person` where the message quotes the person's words, after a lead that says so; `both` where
    a fold also quotes the persona's; else empty."""
    first: str = ""
    """The uuid of the memory's first raw message."""
    last: str = ""
    """The uuid of its last raw message."""
    messages: int = 0
    """The number of its raw messages."""
    wishes: int = 0
    """How many items at the end of the text are words that were said, each after "- "."""
    edition_kind: str = ""
    """In the perspective's question: as-of, hindsight or person."""
    cited: tuple[Cited, ...] = ()
    """In the answer with the quotes, each quote; in the last answer, each wish."""
    shows: Shows = SHOWS_NOTHING


def write_marker(marker: Marker) -> dict[str, object]:
    """Return the marker as its field's value in an export, without what its kind does not use."""
    fields = {key: value for key, value in asdict(marker).items() if value}
    shows = {key: rows for key, rows in zip(_SHOWS, fields.pop("shows"), strict=True) if rows}
    if marker.kind != MEMORY:
        fields = {"kind": marker.kind, "text": marker.text}
    return {"v": _VERSION, **fields, **shows}


def read_marker(value: Fields | None) -> Marker | None:
    """Return the marker in a message's field; None if we cannot have written it."""
    if value is None:
        return None
    texts = {key: make_printable(spans.text_under(value, key)) for key in _TEXTS}
    numbers = {key: _number_of(value.get(key, "")) for key in _NUMBERS}
    version = numbers.pop("v")
    fields: dict[str, Any] = {**texts, **numbers}
    sections, facts, kept = (_rows(value, key, width) for key, width in _SHOWS.items())
    cited = (Cited(source, _number_of(size)) for source, size in _rows(value, "cited", 2))
    marker = Marker(**fields, cited=tuple(cited), shows=(sections, facts, kept))
    if version != _VERSION:
        return None
    if marker.kind == MEMORY:
        return marker if marker.memory and 1 <= marker.slot <= _LAST_SLOT else None
    return marker if marker.kind in (OPENING, CLOSING) else None


def _number_of(written: object) -> int:
    """Return a whole number, as its digits or as a number; 0 for anything else."""
    digits = str(written)
    is_number = digits.isascii() and digits.isdecimal() and len(digits) < 10
    return int(digits) if is_number else 0


def _rows(value: Fields, key: str, width: int) -> Rows:
    """Return the rows under a key, each of `width` texts or numbers; none unless all are such."""
    rows = spans.as_list(value, key)
    if not all(isinstance(row, list) and len(row) == width for row in rows):
        return ()
    cells = [cell for row in rows if isinstance(row, list) for cell in row]
    if not all(isinstance(cell, str | int) for cell in cells):
        return ()
    texts = map(make_printable, map(str, cells))
    return tuple(zip(*[texts] * width, strict=True))


def passages_shown(
    text: str, cited: Sequence[Cited], before: str
) -> tuple[tuple[str, str], ...] | None:
    """Return the passages that end a text, with their sources; each comes after `before`.

    Promises and tasks are a second list after the wishes. Return None where the text does not end
    with these passages: the marker belongs to another text then.
    """
    frames = BEFORE_OPEN if before == BEFORE_WISH else ()
    shown: list[tuple[str, str]] = []
    for passage in reversed(cited):
        start = len(text) - passage.size
        if passage.size < 1 or start < 0 or not text.endswith(before, 0, start):
            return None
        shown.append((text[start:], passage.source))
        text = text[: start - len(before)]
        text = text.removesuffix(next(filter(text.endswith, frames), ""))
    return tuple(reversed(shown))


def our_uuids(messages: Iterable[Message]) -> tuple[str, ...]:
    """Return the uuids of the messages whose markers say that they are ours."""
    return tuple(
        message.uuid for message in messages if message.uuid and read_marker(message.marker)
    )


def uuid_stem(message_uuid: str) -> str:
    """Return the first 24 digits of a uuid, which all versions of one of our messages share."""
    return message_uuid[:-8]


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text, shortened to 16 characters: enough to notice an edit."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Draft:
    """A message of ours that has no date and no shape yet.

    Its `name` and `version` determine its uuid.
    """

    name: str
    role: str
    text: str
    marker: Marker
    version: str = ""
    """Tells it from the first of its name: it lacks wishes, or the first one's uuid was taken."""

    @classmethod
    def opening(
        cls, chat_id: str, text: str, *, layers: bool = False, shows: Shows = SHOWS_NOTHING
    ) -> Self:
        """Return the canned message before the memories.

        With `layers` it holds core memory or facts, and its uuid changes with its text.
        """
        name = f"{chat_id}/opening/{text_digest(text)}" if layers else f"{chat_id}/opening"
        return cls(name, "user", text, Marker(OPENING, text_digest(text), shows=shows))

    @classmethod
    def closing(cls, memory_id: str, text: str) -> Self:
        """Return the canned message after the last memory."""
        return cls(f"{memory_id}/closing", "user", text, Marker(CLOSING, text_digest(text)))

    @property
    def uuid(self) -> str:
        """Return the message's uuid (version 4 in form), of which the name determines the stem.

        Equal runs give equal bytes. A message is known by the stem, also when nothing tells any
        more which uuids were taken when it was written.
        """
        names = self.name, self.name + self.version
        first, own = (hashlib.sha256(name.encode()).digest() for name in names)
        return str(uuid.UUID(bytes=first[:12] + own[12:16], version=4))

    def apart_from(self, taken: Set[str]) -> "Draft":
        """Return the message, as another version where its uuid is taken."""
        draft = self
        while draft.uuid in taken:
            draft = replace(draft, version=f"{draft.version}+")
        return draft


def memory_drafts(memory: Memory) -> list[Draft]:
    """Return the six messages of a memory: three questions with their answers."""
    edition = memory.edition
    name = f"{memory.memory_id}/{edition.number}{'/short' if edition.is_short else ''}"
    version = f"/{text_digest(edition.texts[-1])}" if edition.lacks_wishes else ""
    # Whose words it quotes, where they are not the persona's alone.
    said_by = ""
    by_person = [bool(quote.lead) for quote in edition.quotes]
    if any(by_person):
        said_by = "person" if all(by_person) else "both"
    return [
        Draft(
            name=f"{name}/{slot}",
            role="assistant" if slot % 2 == 0 else "user",
            text=text,
            marker=Marker(
                kind=MEMORY,
                text=text_digest(text),
                memory=memory.memory_id,
                level=memory.level,
                edition=edition.number,
                slot=slot,
                made=edition.made,
                said_by=said_by if slot == QUOTE_SLOT else "",
                first=memory.first,
                last=memory.last,
                messages=len(memory.keys),
                wishes=len(listed_wishes(edition.wishes)) if slot == _LAST_SLOT else 0,
                edition_kind=edition.kind if slot == PERSPECTIVE_SLOT else "",
                cited=_cited(edition, slot),
            ),
            version=version,
        )
        for slot, text in enumerate(edition.texts, 1)
    ]


def _cited(edition: Edition, slot: int) -> tuple[Cited, ...]:
    """Return the passages that a slot's message repeats word for word; none if its text differs."""
    text = edition.texts[slot - 1]
    if slot == QUOTE_SLOT and text == quotes_answer(edition.quotes):
        return tuple(Cited(quote.source, len(quote.framed)) for quote in edition.quotes)
    listed = listed_wishes(edition.wishes) if slot == _LAST_SLOT else []
    cited = tuple(Cited(wish.source, len(wish.line)) for wish in listed)
    shown = passages_shown(text, cited, BEFORE_WISH) or ()
    return cited if [line for line, _ in shown] == [wish.line for wish in listed] else ()


def known_markers(
    openings: Mapping[str, Sequence[str]],
    memories: Sequence[Memory],
    editions: Mapping[str, Sequence[Edition]],
    words: Canned,
) -> dict[str, Marker]:
    """Return by `uuid_stem` the markers of all messages that we may have written into a chat.

    They recognize our messages where a client has dropped the markers. A fork may have kept the
    uuids of the chat that it comes from.

    `openings` are by the id of the chat that each was written for: this chat, and those that it was
    forked from.
    """
    drafts = []
    for chat_id, texts in openings.items():
        drafts += [Draft.opening(chat_id, words.opening), Draft.closing(chat_id, words.closing)]
        drafts += [Draft.opening(chat_id, text, layers=True) for text in texts]
    for memory in memories:
        for name in memory.ids:
            named = replace(memory, memory_id=name)
            for edition in editions[memory.memory_id]:
                for form in export_forms(memory, edition):
                    drafts += memory_drafts(replace(named, edition=form))
            drafts.append(Draft.closing(name, words.closing))
    return {uuid_stem(draft.uuid): draft.marker for draft in drafts}
