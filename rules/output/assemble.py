"""Assemble the finished chat: memories in their places, and every other byte as it was.

What is not compressed stays, byte for byte and in its order; memories that the export already has
are kept as they are. Only the bytes between the first and the last changed message,
`updatedAt` and `syncMetadata` change. New messages are dated between their neighbours.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from rules.conversation.history import Entry, Place
from rules.conversation.marker import (
    CLOSING,
    OPENING,
    Canned,
    Draft,
    Marker,
    memory_drafts,
    text_digest,
    write_marker,
)
from rules.conversation.memory import Memory
from rules.output.arrange import MemorySection, Original, Part, arrange
from rules.typingmind import spans
from rules.typingmind.chat import Chat
from rules.typingmind.dates import dates_inside, parse_date, write_date
from rules.typingmind.message import fields_of, read_message
from rules.typingmind.new_chat import NewMessage, write_message
from rules.typingmind.originals import (
    add_deleted_uuids,
    deleted_uuids,
    is_for_attachment,
    is_original,
    kept_original,
)
from rules.typingmind.splice import mark_changed, replace_messages, splice

Mode = Literal["replace", "new-chat", "keep-originals"]

_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Assembled:
    """A finished chat, whether its messages differ from the input's, and what was removed."""

    chat: bytes
    changed: bool
    removed: tuple[str, ...]
    """The uuids of the messages that the input has and the output lacks."""
    messages_sha256: str
    """The hash of all messages' content; chats that share it differ only in fields of the chat."""
    ours_sha256: str
    """The hash of our own messages' kinds and texts, without uuids, dates and order of keys."""


@dataclass(frozen=True, slots=True)
class OutputMessage:
    """A message of the output; `at` is its index in the input, None where its bytes are new."""

    at: int | None
    raw: bytes
    uuid: str | None


@dataclass(frozen=True, slots=True)
class _Bounds:
    """The latest dates that the messages of a new part may have."""

    ours: datetime
    """The earliest date of our messages that are kept after it, which is never exceeded."""
    others: datetime
    """The earliest date of all other messages kept after it, which is exceeded only to keep the
    order of our own."""

    def within(self, date: datetime, earliest: datetime) -> datetime:
        """Return the date within the bounds, not before `earliest`; `ours` takes precedence."""
        return min(self.ours, max(earliest, min(date, self.others)))


def assemble(
    chat: Chat,
    places: Sequence[Place],
    entries: Sequence[Entry],
    section: MemorySection,
    canned: Canned,
    now: str,
    mode: Mode = "replace",
) -> Assembled:
    """Assemble the finished chat: memories replace what they were made of, or are put before it.

    A message that refers to a file which TypingMind keeps stays in the chat, shown and no longer
    sent.
    """
    # Our uuids are derived from names, so one can be taken: forged, deleted once, or edited.
    taken = deleted_uuids(chat) | {place.message.uuid for place in places if place.message.uuid}
    parts = arrange(chat.chat_id, places, entries, section, canned, keep=mode == "keep-originals")
    pieces = write_parts(parts, section.shown, places, taken)
    kept = [piece.at for piece in pieces]
    ours = hashlib.sha256("\n".join(_our_lines(parts)).encode()).hexdigest()
    messages = hash_of_messages(piece.raw for piece in pieces)
    if kept == list(range(len(places))):
        return Assembled(chat.slice(chat.span), False, (), messages, ours)
    # A new chat never had the messages that are removed.
    removed = () if mode == "new-chat" else _removed(places, pieces)
    edits = [
        replace_messages(chat, kept, [piece.raw for piece in pieces]),
        *mark_changed(chat, now),
        *add_deleted_uuids(chat, removed),
    ]
    return Assembled(splice(chat, edits), True, removed, messages, ours)


def _removed(places: Sequence[Place], pieces: Sequence[OutputMessage]) -> tuple[str, ...]:
    """Return the uuids of the messages that the output lacks, each once."""
    staying = {piece.uuid for piece in pieces}
    uuids = (place.message.uuid for place in places)
    return tuple(dict.fromkeys(uuid for uuid in uuids if uuid and uuid not in staying))


def hash_of_messages(raws: Iterable[bytes]) -> str:
    """Return a hash of the content of messages that does not depend on how their JSON is written.

    The same export may be minified or, in a ZIP, indented; clients write escapes and numbers
    differently, and a sync may put keys in another order.
    """
    digests: list[bytes] = []
    for raw in raws:
        message = json.loads(spans.decode_json(raw), parse_int=float)
        canonical = json.dumps(spans.without_bulk(message), sort_keys=True)
        digests.append(hashlib.sha256(canonical.encode("ascii")).digest())
    return hashlib.sha256(b"\n".join(digests)).hexdigest()


def _our_lines(parts: Sequence[Part]) -> Iterator[str]:
    """Yield a line for each message of ours: its kind, memory, slot, and the hash of its text."""
    for part in parts:
        ours: list[tuple[Marker, str]] = []
        if isinstance(part, Memory):
            ours = [(draft.marker, draft.text) for draft in memory_drafts(part)]
        elif isinstance(part, Draft):
            ours = [(part.marker, part.text)]
        elif isinstance(part, Place) and part.ours is not None:
            ours = [(part.ours, part.message.wording)]
        for marker, text in ours:
            yield f"{marker.kind} {marker.memory} {marker.slot} {text_digest(text)}"


def write_parts(
    parts: Sequence[Part],
    memories: Sequence[Memory],
    places: Sequence[Place],
    taken: Set[str],
) -> list[OutputMessage]:
    """Return every part as messages, with uuids that are not in `taken`.

    New messages are dated within the time of what they replace, in their order: TypingMind sorts by
    date when it merges devices, and keeps the order of equal dates. So a new message is not dated
    later than our messages after it, which in a fork can all have one date, nor than an original
    after it.
    """
    answers = (place.message for place in reversed(places) if place.message.role == "assistant")
    newest = next((answer for answer in answers if answer.type in (None, "message")), None)
    template = fields_of(newest) if newest else None  # new messages take their shape from it
    pieces: list[OutputMessage] = []
    after = _EARLIEST
    for part, bounds in zip(parts, _bounds(parts), strict=True):
        if isinstance(part, Original):
            pieces.append(_write_original(part))
        elif isinstance(part, Place):
            pieces.append(OutputMessage(part.at, part.written, part.message.uuid))
            if part.ours:
                after = max(after, parse_date(part.message.created_at) or after)
        else:
            for new in _new_messages(part, memories, bounds, after, taken):
                pieces.append(OutputMessage(None, write_message(new, template), new.uuid))
                after = new.when
    return pieces


def _bounds(parts: Sequence[Part]) -> list[_Bounds]:
    """Return for each part the latest dates that its new messages may have."""
    bounds: list[_Bounds] = []
    ours = others = _LATEST
    for part in reversed(parts):
        bounds.append(_Bounds(ours, others))
        place = part.place if isinstance(part, Original) else part
        if isinstance(place, Place):
            date = parse_date(place.message.created_at) or _LATEST
            if place.ours is None:
                others = min(others, date)
            else:
                ours = min(ours, date)
    return bounds[::-1]


def _new_messages(
    part: Memory | Draft,
    memories: Sequence[Memory],
    bounds: _Bounds,
    after: datetime,
    taken: Set[str],
) -> list[NewMessage]:
    """Return the part's messages, dated within its time and the bounds.

    `after` is the date of our last message before it.
    """
    drafts = memory_drafts(part) if isinstance(part, Memory) else [part]
    began, ended = _span(part, memories)
    earliest = max(after, parse_date(began) or after)
    is_closing = isinstance(part, Draft) and part.marker.kind == CLOSING
    dates = dates_inside(ended if is_closing else began, ended, len(drafts), after)
    messages: list[NewMessage] = []
    for draft, date in zip(drafts, dates, strict=True):
        named = draft.apart_from(taken)
        messages.append(
            NewMessage(
                name=named.name + named.version,
                uuid=named.uuid,
                role=named.role,
                text=named.text,
                when=bounds.within(date, earliest),
                marker=write_marker(named.marker),
            )
        )
    return messages


def _write_original(part: Original) -> OutputMessage:
    """Return an original as it is if it is marked and excluded; else mark and exclude it."""
    place = part.place
    memory = part.memory
    present = read_message(place.written)
    was_for_attachment = is_for_attachment(present.marker)
    for_attachment = was_for_attachment or part.for_attachment
    is_marked = is_original(present.marker) and for_attachment == was_for_attachment
    if is_marked and place.original == memory.memory_id and present.cleared:
        return OutputMessage(place.at, place.written, place.message.uuid)
    when = memory.ended_at or place.message.created_at or write_date(_EARLIEST)
    kept = kept_original(place.message.raw, when, memory.memory_id, for_attachment=for_attachment)
    return OutputMessage(None, kept, place.message.uuid)


def _span(part: Memory | Draft, memories: Sequence[Memory]) -> tuple[str | None, str | None]:
    """Return the first and last date that a new part covers; the last memory's for the closing."""
    if isinstance(part, Memory):
        return part.began_at, part.ended_at
    for memory in memories:
        if memory.memory_id == part.marker.memory:
            return memory.began_at, memory.ended_at
    if not memories:
        return None, None
    first = memories[0]
    last = memories[-1]
    if part.marker.kind == OPENING:
        return first.began_at, first.began_at
    return last.began_at, last.ended_at
