"""Our own messages before they have TypingMind's shape, and the marker that says they are ours.

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
from rules.conversation.short_quotes import forms
from rules.typingmind import spans
from rules.typingmind.content import printable
from rules.typingmind.message import Message
from rules.typingmind.spans import Fields

OPENING, MEMORY, CLOSING = "opening", "memory", "closing"
QUOTE_SLOT, PERSPECTIVE_SLOT = 2, 3
_VERSION = 1
_LAST_SLOT = 6
_TEXTS = ("kind", "text", "memory", "made", "said_by", "first", "last", "edition_kind")
_NUMBERS = ("v", "level", "edition", "slot", "messages", "wishes")
_SHOWS = {"sections": 2, "facts": 2, "kept": 3}
"""What an opening shows, and the number of texts in a row of it."""

Rows = tuple[tuple[str, ...], ...]
Shows = tuple[Rows, Rows, Rows]
"""The lines of an opening: sections (name, digest), facts (day, digest) and kept passages (day,
speaker, digest). A digest is of the line or lines that show it: other ones are the person's."""
SHOWS_NOTHING: Shows = ((), (), ())


@dataclass(frozen=True, slots=True)
class Canned:
    """The two canned messages, with their tags."""

    opening: str
    closing: str
    has_layers: bool = False
    """The opening holds core memory or facts, too."""
    shows: Shows = SHOWS_NOTHING
    """The values of the lines in which it shows them."""


class Cited(NamedTuple):
    """A passage of a raw message that a message of ours repeats, word for word."""

    source: str
    """Key of the raw message within its chat; empty if it is no longer known."""
    size: int
    """Its characters in our message, with the lead that says whose words they are."""


@dataclass(frozen=True, slots=True)
class Marker:
    """The description that one of our messages carries, and nothing that the message does not show.

    Only a memory's messages use the fields after `text`, and an opening `shows`. Whoever writes an
    export can write a marker, too: a value counts where the message's words say the same.
    """

    kind: str
    text: str
    """SHA-256 of the message's text as we wrote it: a different text means that the person edited
    it."""
    memory: str = ""
    level: int = 1
    edition: int = 1
    slot: int = 0
    """1 to 6: which of the memory's six messages this is."""
    made: str = ""
    """`model`, or `extracted` where the built-in engine chose sentences that were said."""
    said_by: str = ""
    """`person` where the message quotes the person's words, after a lead that says so; `both` where
    a fold quotes the persona's, too; else empty."""
    first: str = ""
    """uuid of the first raw message of the memory."""
    last: str = ""
    """uuid of the last one."""
    messages: int = 0
    """The number of its raw messages."""
    wishes: int = 0
    """How many items at the end of the text are words that were said, each after "- "."""
    edition_kind: str = ""
    """Of the perspective's question: as-of, hindsight or person."""
    cited: tuple[Cited, ...] = ()
    """Of the answer with the quotes: each of them. Of the last answer: each of the wishes."""
    shows: Shows = SHOWS_NOTHING


def write_marker(marker: Marker) -> dict[str, object]:
    """Return the field's value for the export, without what the kind does not use."""
    fields = {key: value for key, value in asdict(marker).items() if value}
    shows = {key: rows for key, rows in zip(_SHOWS, fields.pop("shows"), strict=True) if rows}
    if marker.kind != MEMORY:
        fields = {"kind": marker.kind, "text": marker.text}
    return {"v": _VERSION, **fields, **shows}


def read_marker(value: Fields | None) -> Marker | None:
    """Return the marker in a message's field, or None if it is none that we could have written."""
    if value is None:
        return None
    texts = {key: printable(spans.text_under(value, key)) for key in _TEXTS}
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
    """Return a whole number; numbers of an export reach us as their own text. 0 for all else."""
    digits = str(written)
    is_number = digits.isascii() and digits.isdecimal() and len(digits) < 10
    return int(digits) if is_number else 0


def _rows(value: Fields, key: str, width: int) -> Rows:
    """Return the rows of so many texts or numbers under that key; none unless all are such rows."""
    rows = spans.as_list(value, key)
    if not all(isinstance(row, list) and len(row) == width for row in rows):
        return ()
    cells = [cell for row in rows if isinstance(row, list) for cell in row]
    if not all(isinstance(cell, str | int) for cell in cells):
        return ()
    texts = map(printable, map(str, cells))
    return tuple(zip(*[texts] * width, strict=True))


def passages_shown(
    text: str, cited: Sequence[Cited], before: str
) -> tuple[tuple[str, str], ...] | None:
    """Return the passages that end a text, with their sources; `before` is in front of each.

    What is open is a list of its own after the wishes. None where the text does not end so: then the
    marker is of another text.
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


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text, shortened to 16 characters: enough to notice an edit."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Draft:
    """A message of ours that is still to be dated and shaped. `name` decides its uuid."""

    name: str
    role: str
    text: str
    marker: Marker

    @classmethod
    def opening(
        cls, chat_id: str, text: str, *, layers: bool = False, shows: Shows = SHOWS_NOTHING
    ) -> Self:
        """Return the canned message before the memories.

        With `layers` it holds core memory or facts, and is a new message whenever these change.
        """
        name = f"{chat_id}/opening/{text_digest(text)}" if layers else f"{chat_id}/opening"
        return cls(name, "user", text, Marker(OPENING, text_digest(text), shows=shows))

    @classmethod
    def closing(cls, memory_id: str, text: str) -> Self:
        """Return the canned message after the last memory."""
        return cls(f"{memory_id}/closing", "user", text, Marker(CLOSING, text_digest(text)))

    @property
    def uuid(self) -> str:
        """Return the message's uuid, made from its name (version 4 in form).

        So equal runs give equal bytes.
        """
        return str(uuid.UUID(bytes=hashlib.sha256(self.name.encode()).digest()[:16], version=4))

    def apart_from(self, taken: Set[str]) -> "Draft":
        """Return the same message, under another name if its uuid is taken."""
        draft = self
        while draft.uuid in taken:
            draft = replace(draft, name=f"{draft.name}+")
        return draft


def memory_drafts(memory: Memory) -> list[Draft]:
    """Return the six messages of a memory: three questions with their answers."""
    edition = memory.edition
    name = f"{memory.memory_id}/{edition.number}{'/short' if edition.is_short else ''}"
    if edition.lacks_wishes:
        name = f"{name}/{text_digest(edition.texts[-1])}"
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
                edition=memory.edition.number,
                slot=slot,
                made=memory.edition.made,
                said_by=said_by if slot == QUOTE_SLOT else "",
                first=memory.first,
                last=memory.last,
                messages=len(memory.keys),
                wishes=len(listed_wishes(memory.edition.wishes)) if slot == _LAST_SLOT else 0,
                edition_kind=memory.edition.kind if slot == PERSPECTIVE_SLOT else "",
                cited=_cited(memory.edition, slot),
            ),
        )
        for slot, text in enumerate(memory.edition.texts, 1)
    ]


def _cited(edition: Edition, slot: int) -> tuple[Cited, ...]:
    """Return what one of an edition's messages repeats word for word; nothing where it does not."""
    text = edition.texts[slot - 1]
    if slot == QUOTE_SLOT and text == quotes_answer(edition.quotes):
        return tuple(Cited(quote.source, len(quote.framed)) for quote in edition.quotes)
    listed = listed_wishes(edition.wishes) if slot == _LAST_SLOT else []
    cited = tuple(Cited(wish.source, len(wish.line)) for wish in listed)
    shown = passages_shown(text, cited, BEFORE_WISH) or ()
    return cited if [line for line, _ in shown] == [wish.line for wish in listed] else ()


def drafts_of(
    openings: Mapping[str, Sequence[str]],
    memories: Sequence[Memory],
    editions: Mapping[str, Sequence[Edition]],
    words: Canned,
    deleted: Set[str] = frozenset(),
) -> dict[str, Marker]:
    """Return the markers of all messages that we may have written into a chat, by uuid.

    This recognizes them where a client has dropped the markers themselves. A fork may have kept the
    uuids of the chat that it comes from.

    `openings` are by the id of the chat that each was written for: this chat, and those that it
    comes from. Those with core memory or facts have uuids of their own; all are known by their
    words. Where a message of ours was deleted in TypingMind, so that its uuid is among `deleted`,
    it may be back under another one.
    """
    drafts = []
    for chat_id, texts in openings.items():
        drafts += [Draft.opening(chat_id, words.opening), Draft.closing(chat_id, words.closing)]
        drafts += [Draft.opening(chat_id, text, layers=True) for text in texts]
    for memory in memories:
        for name in memory.ids:
            named = replace(memory, memory_id=name)
            for edition in editions[memory.memory_id]:
                for form in forms(memory, edition):
                    drafts += memory_drafts(replace(named, edition=form))
            drafts.append(Draft.closing(name, words.closing))
    return {
        version.uuid: version.marker
        for draft in drafts
        for version in (draft, draft.apart_from(deleted))
    }
