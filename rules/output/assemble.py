"""The chat as it will be: opening, memories, closing, live tail (requirements 9.5 to 9.7).

    input   [training] m1 m2 (m3 cleared) m4 m5 | m6 m7 m8
    output  [training] opening  memory of m1 m2 m4 m5  closing  (m3 cleared) | m6 m7 m8

Whatever is not compressed stays as it is, byte for byte and in its order; memories that the export has
already are kept as they stand there (D11), unless a newer edition was written since. Only the bytes between
the first and the last changed message, `updatedAt` and `syncMetadata` are ours (D1, D9).
"""

import hashlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime

from rules.export import spans
from rules.export.chat import Chat
from rules.export.dates import dates_inside, moved_on, parse_date
from rules.export.splice import add_deleted_uuids, replace_field, replace_messages, splice
from rules.history.edited import edited_memories
from rules.history.entries import Entry
from rules.history.marker import CLOSING, MEMORY, OPENING
from rules.history.recognise import Place, memories_present
from rules.memory.memory import Memory
from rules.output.compose import Draft, memory_drafts, write_message
from rules.output.taken import taken_uuids

_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Canned:
    """The two canned messages, with their tags (requirements 9.6 and 9.7)."""

    opening: str
    closing: str


@dataclass(frozen=True, slots=True)
class Piece:
    """One message of the output; `at` is its index in the input, or None where it is new."""

    at: int | None
    raw: bytes


@dataclass(frozen=True, slots=True)
class Assembled:
    """A finished chat: its bytes, whether its messages differ from the input's, and what was taken out."""

    chat: bytes
    changed: bool
    removed: tuple[str, ...]
    """uuids of the messages that the input had and the output has not (D9)."""
    messages_sha256: str
    """Of all messages one after the other: two chats with the same differ in dates of the chat alone."""


def assemble(
    chat: Chat,
    places: Sequence[Place],
    entries: Sequence[Entry],
    memories: Sequence[Memory],
    canned: Canned,
    now: str,
) -> Assembled:
    """Put memories in the place of what they stand for. `memories` are all of the chat's, oldest first."""
    pieces = _pieces(chat, places, entries, memories, canned)
    kept = [piece.at for piece in pieces]
    digest = hashlib.sha256(b"\n".join(piece.raw for piece in pieces)).hexdigest()
    if kept == list(range(len(places))):
        return Assembled(chat.slice(chat.span), changed=False, removed=(), messages_sha256=digest)
    staying = {places[at].message.uuid for at in kept if at is not None}
    uuids = [place.message.uuid for place in places if place.at not in set(kept)]
    removed = tuple(dict.fromkeys(uuid for uuid in uuids if uuid and uuid not in staying))
    edits = [
        replace_messages(chat, kept, [piece.raw for piece in pieces]),
        *replace_field(chat, "updatedAt", moved_on(_text(chat.field("updatedAt")), now)),
        *add_deleted_uuids(chat, removed),
    ]
    return Assembled(splice(chat, edits), changed=True, removed=removed, messages_sha256=digest)


# Part of an output: a message that is kept, a memory that is new, or a canned message that is new.
_Part = Place | Memory | Draft


def _pieces(
    chat: Chat, places: Sequence[Place], entries: Sequence[Entry], memories: Sequence[Memory], canned: Canned
) -> list[Piece]:
    """Every message of the output, in order."""
    parts = _parts(places, entries, memories)
    at = [index for index, part in enumerate(parts) if _memory_of(part)]
    if not at:
        return [Piece(place.at, place.message.raw) for place in places]
    taken = taken_uuids(chat, places)
    closing = Draft.closing(_memory_of(parts[at[-1]]), canned.closing).apart_from(taken)
    parts.insert(at[-1] + 1, _standing(places, CLOSING, closing.uuid) or closing)
    opening = Draft.opening(chat.chat_id, canned.opening)
    parts.insert(at[0], _standing(places, OPENING, None) or opening)
    return _written(parts, memories, _template(places), taken)


def _parts(places: Sequence[Place], entries: Sequence[Entry], memories: Sequence[Memory]) -> list[_Part]:
    """What is kept, with each memory that the export lacks where the first message it stands for was.

    A memory that was written again stands where its older edition was.
    """
    numbers = {entry.at: entry.memory for entry in entries if entry.at is not None}
    present = set(memories_present(places))
    missing = {memory.number: memory for memory in memories if memory.memory_id not in present}
    renewed = _renewed(places, memories)
    parts: list[_Part] = []
    for place in places:
        number = numbers.get(place.at)
        if place.ours is not None and place.ours.kind != MEMORY:
            continue
        if place.ours is not None and place.ours.memory in renewed:
            parts += [renewed[place.ours.memory]] if place.ours.slot == 1 else []
            continue
        if number is None:
            parts.append(place)
        elif number in missing:
            parts.append(missing.pop(number))
    return parts


def _renewed(places: Sequence[Place], memories: Sequence[Memory]) -> dict[str, Memory]:
    """The memories of which the export shows another edition, but for those that the person has edited (D11)."""
    shown = {place.ours.memory: place.ours.edition for place in places if place.ours is not None}
    pinned = edited_memories(places)
    return {
        memory.memory_id: memory
        for memory in memories
        if memory.memory_id not in pinned and shown.get(memory.memory_id) not in (None, memory.edition.number)
    }


def _memory_of(part: _Part) -> str:
    """The id of the memory that the part is, or is a message of; empty for all others."""
    if isinstance(part, Memory):
        return part.memory_id
    if isinstance(part, Place) and part.ours is not None and part.ours.kind == MEMORY:
        return part.ours.memory
    return ""


def _standing(places: Sequence[Place], kind: str, uuid: str | None) -> Place | None:
    """The canned message that the export has already; a closing only where it follows the same memory."""
    found = (place for place in places if place.ours is not None and place.ours.kind == kind)
    return next((place for place in found if uuid in (None, place.message.uuid)), None)


def _written(
    parts: Sequence[_Part], memories: Sequence[Memory], template: Mapping[str, object] | None, taken: Set[str]
) -> list[Piece]:
    """Every part as bytes; new messages are dated inside what they stand for, and never before one another."""
    pieces: list[Piece] = []
    after = _EARLIEST
    for part in parts:
        if isinstance(part, Place):
            pieces.append(Piece(part.at, part.message.raw))
            after = max(after, parse_date(part.message.created_at) or after) if part.ours else after
            continue
        drafts = [one.apart_from(taken) for one in (memory_drafts(part) if isinstance(part, Memory) else [part])]
        began, ended = _span(part, memories)
        dates = dates_inside(began, ended, len(drafts), after)
        pieces += [Piece(None, write_message(d, when, template)) for d, when in zip(drafts, dates, strict=True)]
        after = dates[-1]
    return pieces


def _span(part: Memory | Draft, memories: Sequence[Memory]) -> tuple[str | None, str | None]:
    """First and last date of what a new part stands for: the opening begins it all, the closing ends it."""
    if isinstance(part, Memory):
        return part.began_at, part.ended_at
    if not memories:
        return None, None
    edge = memories[0].began_at if part.marker.kind == OPENING else memories[-1].ended_at
    return edge, edge


def _template(places: Sequence[Place]) -> Mapping[str, object] | None:
    """The newest assistant message of the chat, which ours are shaped like."""
    for place in reversed(places):
        if place.message.role == "assistant" and place.message.type in (None, "message"):
            found, _ = spans.value(place.message.raw.decode("utf-8"), 0)
            return found if isinstance(found, dict) else None
    return None


def _text(field: object) -> str | None:
    return field if isinstance(field, str) else None
