"""The bytes of the finished chat: opening, memories, closing, live tail.

Whatever is not compressed stays as it is, byte for byte and in its order; memories that the export has
already are kept as they stand there. Only the bytes between the first and the last changed message,
`updatedAt` and `syncMetadata` are ours.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from rules.conversation.drafts import Draft, memory_drafts
from rules.conversation.history import Entry
from rules.conversation.marker import CLOSING, OPENING, text_digest
from rules.conversation.memory import Memory
from rules.output.arrange import Canned, MemorySection, Original, Part, arrange
from rules.recognize.recognize import Place
from rules.typingmind import spans
from rules.typingmind.chat import Chat
from rules.typingmind.compose import write_message
from rules.typingmind.dates import dates_inside, parse_date, write_date
from rules.typingmind.deletions import add_deleted_uuids, deleted_uuids
from rules.typingmind.message import read_message
from rules.typingmind.originals import is_for_attachment, kept_original
from rules.typingmind.splice import changed_at, replace_messages, splice

Mode = Literal["replace", "new-chat", "keep-originals"]

_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class OutputMessage:
    """One message of the output; `at` is its index in the input, or None where its bytes are new."""

    at: int | None
    raw: bytes
    uuid: str | None


@dataclass(frozen=True, slots=True)
class Assembled:
    """A finished chat: its bytes, whether its messages differ from the input's, and what was taken out."""

    chat: bytes
    changed: bool
    removed: tuple[str, ...]
    """uuids of the messages that the input had and the output has not."""
    messages_sha256: str
    """Hash of what all messages hold, however spelled: two chats with the same differ in fields of the chat alone."""
    spelled_sha256: str
    """Hash of the bytes of all messages, as older archives have it of an output."""
    ours_sha256: str
    """Hash of what our own messages are and say, whatever uuid, date or order of keys they have by now."""

    def has_messages_of(self, messages_sha256: str) -> bool:
        """Whether an output with this hash of its messages holds the same messages."""
        return messages_sha256 in (self.messages_sha256, self.spelled_sha256)


def assemble(
    chat: Chat,
    places: Sequence[Place],
    entries: Sequence[Entry],
    section: MemorySection,
    canned: Canned,
    now: str,
    mode: Mode = "replace",
) -> Assembled:
    """Put memories in the place of what they stand for, or beside it.

    Whatever names a file that TypingMind keeps stays in the chat, shown and no longer sent.
    """
    # Our uuids follow from names, so one can be taken: by forgery, because ours was deleted once, or was edited.
    taken = deleted_uuids(chat) | {place.message.uuid for place in places if place.message.uuid}
    parts = arrange(chat.chat_id, places, entries, section, canned, keep=mode == "keep-originals")
    pieces = _written(parts, section.shown, _template(places), taken)
    kept = [piece.at for piece in pieces]
    ours = hashlib.sha256("\n".join(_of_ours(parts)).encode()).hexdigest()
    held = hashlib.sha256(b"\n".join(_held(piece.raw) for piece in pieces)).hexdigest()
    spelled = hashlib.sha256(b"\n".join(piece.raw for piece in pieces)).hexdigest()
    if kept == list(range(len(places))):
        return Assembled(chat.slice(chat.span), False, (), held, spelled, ours)
    staying = {piece.uuid for piece in pieces if piece.uuid}
    uuids = [place.message.uuid for place in places]
    gone = dict.fromkeys(uuid for uuid in uuids if uuid and uuid not in staying)
    removed = () if mode == "new-chat" else tuple(gone)  # the new chat never had them
    edits = [
        replace_messages(chat, kept, [piece.raw for piece in pieces]),
        *changed_at(chat, now),
        *add_deleted_uuids(chat, removed),
    ]
    return Assembled(splice(chat, edits), True, removed, held, spelled, ours)


def _held(raw: bytes) -> bytes:
    """Digest of what a message holds, however it is spelled.

    The same export comes minified and in a ZIP indented; a client writes escapes and numbers in its own way, and a sync
    may put keys in another order.
    """
    spelled = json.dumps(spans.without_bulk(json.loads(spans.decoded(raw), parse_int=float)), sort_keys=True)
    return hashlib.sha256(spelled.encode("ascii")).digest()


def _of_ours(parts: Sequence[Part]) -> Iterator[str]:
    """What each message of ours is and says."""
    for part in parts:
        if isinstance(part, Place) and part.ours is not None:
            yield f"{part.ours.kind} {part.ours.memory} {part.ours.slot} {text_digest(part.message.text)}"
        elif isinstance(part, Memory | Draft):
            for draft in memory_drafts(part) if isinstance(part, Memory) else [part]:
                yield f"{draft.marker.kind} {draft.marker.memory} {draft.marker.slot} {text_digest(draft.text)}"


def _written(
    parts: Sequence[Part], memories: Sequence[Memory], template: Mapping[str, object] | None, taken: Set[str]
) -> list[OutputMessage]:
    """Every part as bytes; new messages are dated inside what they stand for, and never before one another.

    TypingMind sorts by date when it merges devices, and equal dates keep their order. So a new message is not dated
    later than those of ours behind it, which in a fork can all bear one date, nor than an original behind it.
    """
    pieces: list[OutputMessage] = []
    ours, others = _earliest_behind(parts, ours=True), _earliest_behind(parts, ours=False)
    after = _EARLIEST
    for at, part in enumerate(parts):
        if isinstance(part, Original):
            pieces.append(_original(part))
        elif isinstance(part, Place):
            pieces.append(OutputMessage(part.at, part.written, part.message.uuid))
            after = max(after, parse_date(part.message.created_at) or after) if part.ours else after
        else:
            drafts = [one.apart_from(taken) for one in (memory_drafts(part) if isinstance(part, Memory) else [part])]
            dates = _dates(part, memories, len(drafts), after, ours[at], others[at])
            for draft, when in zip(drafts, dates, strict=True):
                pieces.append(OutputMessage(None, write_message(draft, when, template), draft.uuid))
            after = dates[-1]
    return pieces


def _dates(
    part: Memory | Draft,
    memories: Sequence[Memory],
    count: int,
    after: datetime,
    ours: datetime,
    others: datetime,
) -> list[datetime]:
    """Dates inside the part's span; not later than `ours`, nor, as far as the span goes, than `others`."""
    began, ended = _span(part, memories)
    closes = isinstance(part, Draft) and part.marker.kind == CLOSING
    earliest = max(after, parse_date(began) or after)
    wanted = dates_inside(ended if closes else began, ended, count, after)
    return [min(ours, max(earliest, min(when, others))) for when in wanted]


def _earliest_behind(parts: Sequence[Part], *, ours: bool) -> list[datetime]:
    """For each part, the earliest date of all that is kept behind it: of our messages, or of all others."""
    found = [_LATEST]
    for part in reversed(parts):
        place = part.place if isinstance(part, Original) else part
        counts = isinstance(place, Place) and (place.ours is not None) == ours
        date = parse_date(place.message.created_at) if isinstance(place, Place) and counts else None
        found.append(min(found[-1], date or _LATEST))
    return found[:0:-1]


def _original(part: Original) -> OutputMessage:
    """The original as it stands, where it is excluded already; else excluded, with a date that its chunk determines."""
    place, memory = part.place, part.memory
    written = read_message(place.written)
    was_alone = is_for_attachment(written.marker)
    if place.original == memory.memory_id and written.cleared and (was_alone or not part.for_attachment):
        return OutputMessage(place.at, place.written, place.message.uuid)
    when = memory.ended_at or place.message.created_at or write_date(_EARLIEST)
    alone = was_alone or part.for_attachment
    kept = kept_original(place.message.raw, when, memory.memory_id, for_attachment=alone)
    return OutputMessage(None, kept, place.message.uuid)


def _span(part: Memory | Draft, memories: Sequence[Memory]) -> tuple[str | None, str | None]:
    """First and last date of what a new part stands for: the opening begins it all, the closing ends it."""
    if isinstance(part, Memory):
        return part.began_at, part.ended_at
    if part.marker.memory:
        own = next(memory for memory in memories if memory.memory_id == part.marker.memory)
        return own.began_at, own.ended_at
    if not memories:
        return None, None
    if part.marker.kind == OPENING:
        return memories[0].began_at, memories[0].began_at
    return memories[-1].began_at, memories[-1].ended_at


def _template(places: Sequence[Place]) -> Mapping[str, object] | None:
    """The newest assistant message of the chat, which ours are shaped like."""
    for place in reversed(places):
        if place.message.role == "assistant" and place.message.type in (None, "message"):
            found, _ = spans.value(spans.decoded(place.message.raw), 0)
            return found if isinstance(found, dict) else None
    return None
