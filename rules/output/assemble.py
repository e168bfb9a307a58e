"""Assemble the finished chat: what is kept, what is new, in which order, and every other byte as it was.

    input   [training] m1 m2 (m3 cleared) m4 m5 | m6 m7 m8
    output  [training] opening  memory of m1 m2 m4 m5  closing  (m3 cleared) | m6 m7 m8

A memory stands where its messages stood, or else where the first of what it stands for was. One of which
messages were deleted gets them back; one that the export shows in another edition is renewed, unless the
person has touched it in TypingMind, and it is whole. What is under a memory stays behind it with
`keep-originals`; otherwise only where it names a file that TypingMind would delete with it, and so does a message of
ours that is to go.

Whatever is not compressed stays as it is, byte for byte and in its order; memories that the export has
already are kept as they stand there. Only the bytes between the first and the last changed message,
`updatedAt` and `syncMetadata` are ours.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from rules.conversation.history import Entry
from rules.conversation.marker import (
    CLOSING,
    MEMORY,
    OPENING,
    Draft,
    memory_drafts,
    text_digest,
    write_marker,
)
from rules.conversation.memory import Memory
from rules.conversation.place import Place
from rules.recognize.user_edits import groups
from rules.typingmind import spans
from rules.typingmind.chat import Chat
from rules.typingmind.content import attachments
from rules.typingmind.dates import dates_inside, parse_date, write_date
from rules.typingmind.message import fields_of, read_message
from rules.typingmind.new_message import NewMessage, write_message
from rules.typingmind.originals import (
    add_deleted_uuids,
    deleted_uuids,
    is_for_attachment,
    kept_original,
    with_attachments,
)
from rules.typingmind.splice import changed_at, replace_messages, splice


@dataclass(frozen=True, slots=True)
class Canned:
    """The two canned messages, with their tags."""

    opening: str
    closing: str
    has_layers: bool = False
    """The opening holds core memory or facts, too."""


@dataclass(frozen=True, slots=True)
class Original:
    """A message that stays beside its memory, excluded from the context."""

    place: Place
    memory: Memory
    for_attachment: bool = False
    """Whether it stays only because it names a file."""


@dataclass(frozen=True, slots=True)
class MemorySection:
    """All memories and folds of a chat, and those of them that are to be shown, oldest first."""

    memories: Sequence[Memory]
    shown: Sequence[Memory]
    touched: Collection[str] = ()
    """Ids of those whose messages stay as they stand in the export, whatever their edition."""


Part = Place | Memory | Draft | Original
"""A part of an output: a message that is kept, a whole new memory, a new message of ours, or an original."""


def arrange(
    chat_id: str,
    places: Sequence[Place],
    entries: Sequence[Entry],
    section: MemorySection,
    canned: Canned,
    *,
    keep: bool,
) -> list[Part]:
    """Every part of the output, in order. With `keep`, raw messages under memories stay (`keep-originals`)."""
    parts = list(_parts(places, entries, section, keep=keep))
    at = [index for index, part in enumerate(parts) if memory_of(part)]
    if at:
        last = memory_of(parts[at[-1]])
        opening: Part = Draft.opening(chat_id, canned.opening, layers=canned.has_layers)
        closing: Part = Draft.closing(last, canned.closing)
        # What the export has already stays: an opening that says what it should, a closing behind the same memory.
        marked = [(place, place.ours) for place in places if place.ours is not None]
        first = next((place for place, marker in marked if marker.kind == OPENING), None)
        if first is not None and first.message.text == canned.opening:
            opening = first
        before = ""
        for place, marker in marked:
            if marker.kind == CLOSING and before == last:
                closing = place
                break
            before = marker.memory if marker.kind == MEMORY else before
        parts.insert(at[-1] + 1, closing)
        parts.insert(at[0], opening)
    return _with_attachments_of_ours(parts, places, section.memories)


def memory_of(part: Part) -> str:
    """The id of the memory that the part is, or is a message of; empty for all others."""
    if isinstance(part, Memory):
        return part.memory_id
    if isinstance(part, Draft):
        return part.marker.memory
    if isinstance(part, Place) and part.ours is not None and part.ours.kind == MEMORY:
        return part.ours.memory
    return ""


def _parts(
    places: Sequence[Place], entries: Sequence[Entry], section: MemorySection, *, keep: bool
) -> Iterator[Part]:
    shown = groups(places)
    waiting = _by_anchor(places, entries, section)
    known = {memory.memory_id for memory in section.memories}
    under = {memory.number: memory for memory in section.memories if not memory.is_fold}
    numbers = {entry.at: entry.memory for entry in entries if entry.at is not None}
    compressed = {entry.key for entry in entries if entry.memory is not None}
    attached = _attached(places, entries)
    for at in range(len(places) + 1):
        for memory in waiting.get(at, ()):
            yield from _standing(memory, shown.get(memory.memory_id, {}), section.touched)
        if at == len(places):
            return
        place, number = places[at], numbers.get(at)
        if place.ours is not None:
            if place.ours.kind == MEMORY and place.ours.memory not in known:
                yield place
        elif place.is_copy and place.key in compressed:
            continue  # it goes with its message
        elif number is None:
            yield place
        elif keep or at in attached:
            yield Original(place, under[number], for_attachment=not keep)


def _attached(places: Sequence[Place], entries: Sequence[Entry]) -> set[int]:
    """Indices of the messages under memories that must not leave the chat."""
    under: dict[int, list[Place]] = {}
    for entry in entries:
        if entry.memory is not None and entry.at is not None:
            under.setdefault(entry.memory, []).append(places[entry.at])
    return {
        mine[index].at
        for mine in under.values()
        for index in with_attachments([place.message for place in mine])
    }


def _with_attachments_of_ours(
    parts: list[Part], places: Sequence[Place], memories: Sequence[Memory]
) -> list[Part]:
    """Keep each message of ours that was to go but names a file, before the raw message that stood behind it.

    Somebody may have attached a file to it, or talked on in another branch of it.
    """
    staying = {part.at for part in parts if isinstance(part, Place)}
    by_id = {memory.memory_id: memory for memory in memories}
    for place in places:
        if (
            place.ours is None
            or place.at in staying
            or not memories
            or not attachments(place.message.raw)
        ):
            continue
        at = len(parts)
        for index, part in reversed(list(enumerate(parts))):
            raw = part.place if isinstance(part, Original) else part
            if isinstance(raw, Place) and raw.ours is None and raw.at > place.at:
                at = index
        parts.insert(
            at, Original(place, by_id.get(place.ours.memory, memories[0]), for_attachment=True)
        )
    return parts


def _standing(
    memory: Memory, group: Mapping[int, Place], touched: Collection[str]
) -> Iterator[Part]:
    """The memory as the export has it, with what it lacks; or as a new one.

    It may stay where it reads as it should, in the order of its dates, and its missing messages can bear the same name.
    """
    is_whole = len(group) == len(memory.edition.texts)
    dates = [place.message.created_at or "" for _, place in sorted(group.items())]
    names = {spans.text((place.message.marker or {}).get("memory")) for place in group.values()}
    may_stay = (
        all(place.message.text == memory.edition.texts[slot - 1] for slot, place in group.items())
        and dates == sorted(dates)
        and (is_whole or names == {memory.memory_id})
    )
    if not group or not (may_stay or (is_whole and memory.memory_id in touched)):
        yield memory
        return
    for slot, draft in enumerate(memory_drafts(memory), 1):
        yield group.get(slot, draft)


def _by_anchor(
    places: Sequence[Place], entries: Sequence[Entry], section: MemorySection
) -> dict[int, list[Memory]]:
    """The shown memories by the index of the export that they stand before; they never change their order.

    That is where their messages begin in the export, or those that they stand for.
    """
    first = {
        name: min(place.at for place in group.values()) for name, group in groups(places).items()
    }
    raw: dict[int, int] = {}
    for entry in entries:
        if entry.at is not None and entry.memory is not None:
            raw[entry.memory] = min(entry.at, raw.get(entry.memory, entry.at))
    for memory in sorted(section.memories, key=lambda memory: (memory.is_fold, memory.level)):
        inside = [first[name] for name in memory.members if name in first]
        inside += [raw[memory.number]] if not memory.is_fold and memory.number in raw else []
        if memory.memory_id not in first and inside:
            first[memory.memory_id] = min(inside)
    live = min(
        (entry.at for entry in entries if entry.memory is None and entry.at is not None),
        default=len(places),
    )
    anchors = [first.get(memory.memory_id) for memory in section.shown]
    at = next((anchor for anchor in anchors if anchor is not None), live)
    waiting: dict[int, list[Memory]] = {}
    for memory, anchor in zip(section.shown, anchors, strict=True):
        at = max(at, anchor if anchor is not None else at)
        waiting.setdefault(at, []).append(memory)
    return waiting


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
    ours_sha256: str
    """Hash of what our own messages are and say, whatever uuid, date or order of keys they have by now."""


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
    held_digest = hash_of_messages(piece.raw for piece in pieces)
    if kept == list(range(len(places))):
        return Assembled(chat.slice(chat.span), False, (), held_digest, ours)
    staying = {piece.uuid for piece in pieces if piece.uuid}
    uuids = [place.message.uuid for place in places]
    gone = dict.fromkeys(uuid for uuid in uuids if uuid and uuid not in staying)
    removed = () if mode == "new-chat" else tuple(gone)  # the new chat never had them
    edits = [
        replace_messages(chat, kept, [piece.raw for piece in pieces]),
        *changed_at(chat, now),
        *add_deleted_uuids(chat, removed),
    ]
    return Assembled(splice(chat, edits), True, removed, held_digest, ours)


def hash_of_messages(raws: Iterable[bytes]) -> str:
    """Hash of what messages hold, however they are spelled.

    The same export comes minified and in a ZIP indented; a client writes escapes and numbers in its own way, and a sync
    may put keys in another order.
    """
    digests: list[bytes] = []
    for raw in raws:
        spelled = json.dumps(
            spans.without_bulk(json.loads(spans.decoded(raw), parse_int=float)), sort_keys=True
        )
        digests.append(hashlib.sha256(spelled.encode("ascii")).digest())
    return hashlib.sha256(b"\n".join(digests)).hexdigest()


def _of_ours(parts: Sequence[Part]) -> Iterator[str]:
    """A line for each message of ours: its kind, its memory and slot, and the hash of its text."""
    for part in parts:
        if isinstance(part, Place) and part.ours is not None:
            yield f"{part.ours.kind} {part.ours.memory} {part.ours.slot} {text_digest(part.message.text)}"
        elif isinstance(part, Memory | Draft):
            for draft in memory_drafts(part) if isinstance(part, Memory) else [part]:
                yield f"{draft.marker.kind} {draft.marker.memory} {draft.marker.slot} {text_digest(draft.text)}"


def _written(
    parts: Sequence[Part],
    memories: Sequence[Memory],
    template: Mapping[str, object] | None,
    taken: Set[str],
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
            drafts = memory_drafts(part) if isinstance(part, Memory) else [part]
            drafts = [draft.apart_from(taken) for draft in drafts]
            began, ended = _span(part, memories)
            earliest = max(after, parse_date(began) or after)
            first = ended if isinstance(part, Draft) and part.marker.kind == CLOSING else began
            for draft, inside in zip(
                drafts, dates_inside(first, ended, len(drafts), after), strict=True
            ):
                when = min(ours[at], max(earliest, min(inside, others[at])))
                new = NewMessage(
                    draft.name, draft.uuid, draft.role, draft.text, when, write_marker(draft.marker)
                )
                pieces.append(OutputMessage(None, write_message(new, template), draft.uuid))
            after = when
    return pieces


def _earliest_behind(parts: Sequence[Part], *, ours: bool) -> list[datetime]:
    """The earliest date of all that is kept behind each part: of our messages, or of all others."""
    dates = [_LATEST]
    for part in reversed(parts):
        place = part.place if isinstance(part, Original) else part
        counts = isinstance(place, Place) and (place.ours is not None) == ours
        date = parse_date(place.message.created_at) if isinstance(place, Place) and counts else None
        dates.append(min(dates[-1], date or _LATEST))
    return dates[:0:-1]


def _original(part: Original) -> OutputMessage:
    """The original as it stands, where it is excluded already; else excluded, with a date that its chunk determines."""
    place, memory = part.place, part.memory
    written = read_message(place.written)
    was_alone = is_for_attachment(written.marker)
    if (
        place.original == memory.memory_id
        and written.cleared
        and (was_alone or not part.for_attachment)
    ):
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
            return fields_of(place.message)
    return None
