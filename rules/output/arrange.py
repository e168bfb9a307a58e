"""Arrange an output: what is kept, what is new, and in what order.

    input   [training] m1 m2 (m3 cleared) m4 m5 | m6 m7 m8
    output  [training] opening  memory of m1 m2 m4 m5  closing  (m3 cleared) | m6 m7 m8

A memory takes the place of its messages in the export, or of the first message it was made of. A
memory that lacks some of its messages gets them back; one that the export shows in another edition
is renewed, unless it is whole and the person has edited it in TypingMind. Messages that a memory
was made of stay after it with `keep-originals`; otherwise only where they refer to a file that
TypingMind would delete with them. One of our messages that would be removed stays so, too, and
where it has a picture.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rules.conversation.history import Entry, Place, group_by_memory
from rules.conversation.marker import (
    CLOSING,
    MEMORY,
    OPENING,
    Canned,
    Draft,
    memory_drafts,
    text_digest,
)
from rules.conversation.memory import Memory, folds_upwards, memories_by_id, memories_of_chunks
from rules.typingmind import spans
from rules.typingmind.content import find_attachments
from rules.typingmind.originals import with_attachments


@dataclass(frozen=True, slots=True)
class MemorySection:
    """All memories and folds of a chat, and those to show, oldest first."""

    memories: Sequence[Memory]
    shown: Sequence[Memory]
    touched: Collection[str] = ()
    """The ids of memories whose messages stay as the export has them, in any edition."""


@dataclass(frozen=True, slots=True)
class Original:
    """A message that is kept with its memory, excluded from the context."""

    place: Place
    memory: Memory
    for_attachment: bool = False
    """Whether it is kept only because it refers to a file."""


Part = Place | Memory | Draft | Original
"""A part of an output: a kept message, a new memory, a new message of ours, or an original."""


def memories_by_anchor(
    places: Sequence[Place], entries: Sequence[Entry], section: MemorySection
) -> dict[int, list[Memory]]:
    """Return the shown memories by the index of the export that they are put before.

    That is where their own messages begin in the export, or else the messages they were made of;
    where it has neither, before the first message under no memory.
    Memories never change their order: each is put where the one before it is, or later.
    """
    first = _first_indices(places, entries, section.memories)
    anchors = [first[memory.memory_id] for memory in section.shown if memory.memory_id in first]
    live = [entry.at for entry in entries if entry.memory is None and entry.at is not None]
    at = anchors[0] if anchors else min(live, default=len(places))
    waiting: dict[int, list[Memory]] = {}
    for memory in section.shown:
        at = max(at, first.get(memory.memory_id, at))
        waiting.setdefault(at, []).append(memory)
    return waiting


def _first_indices(
    places: Sequence[Place], entries: Sequence[Entry], memories: Sequence[Memory]
) -> dict[str, int]:
    """Return, by memory id, the index in the export where it, or what it was made of, begins."""
    first: dict[str, int] = {}
    for name, group in group_by_memory(places).items():
        first[name] = min(place.at for place in group.values())
    under = _places_under(places, entries)
    for memory in memories_of_chunks(memories):
        if memory.number in under:
            first.setdefault(memory.memory_id, min(place.at for place in under[memory.number]))
    for fold in folds_upwards(memories):
        inside = [first[name] for name in fold.members if name in first]
        if inside:
            first.setdefault(fold.memory_id, min(inside))
    return first


def _places_under(places: Sequence[Place], entries: Sequence[Entry]) -> dict[int, list[Place]]:
    """Return, by memory number, the raw messages under it that the export still has, in order."""
    under: dict[int, list[Place]] = {}
    for entry in entries:
        if entry.memory is not None and entry.at is not None:
            under.setdefault(entry.memory, []).append(places[entry.at])
    return under


def arrange(
    chat_id: str,
    places: Sequence[Place],
    entries: Sequence[Entry],
    section: MemorySection,
    canned: Canned,
    *,
    keep: bool,
) -> list[Part]:
    """Return every part of the output, in order.

    With `keep`, raw messages under memories stay (`keep-originals`).
    """
    parts = list(_kept_and_new(places, entries, section, keep=keep))
    memory_at = [index for index, part in enumerate(parts) if memory_of(part)]
    if memory_at:
        last = memory_of(parts[memory_at[-1]])
        parts.insert(memory_at[-1] + 1, _closing(places, last, canned))
        old = next((place for place in places if place.kind == OPENING), None)
        layers, shows = canned.has_layers, canned.shows
        new = Draft.opening(chat_id, canned.opening, layers=layers, shows=shows)
        parts.insert(memory_at[0], old if old and old.message.wording == new.text else new)
    return _with_attachments_of_ours(parts, places, section.memories)


def memory_of(part: Part) -> str:
    """Return the id of the memory that the part is, or is a message of; else ""."""
    if isinstance(part, Memory):
        return part.memory_id
    if isinstance(part, Draft):
        return part.marker.memory
    if isinstance(part, Place) and part.ours is not None and part.kind == MEMORY:
        return part.ours.memory
    return ""


def _closing(places: Sequence[Place], last: str, canned: Canned) -> Part:
    """Return the export's closing if it follows the memory `last`, else a new one.

    A new one has the words that the person has given it: in the export, or before it had none.
    """
    before = ""
    for place in places:
        if place.ours and place.kind == MEMORY:
            before = place.ours.memory
        elif place.kind == CLOSING and before == last:
            return place
    draft = Draft.closing(last, canned.closing)
    words = edited_closing(places)
    return replace(draft, text=(canned.edited_closing if words is None else words) or draft.text)


def edited_closing(places: Sequence[Place]) -> str | None:
    """Return what the person has made of the export's closing; empty where they have not edited it.

    Return None where the export has no closing.
    """
    edited = None
    for place in places:
        if place.ours and place.kind == CLOSING:
            words = place.message.words
            is_edited = words.strip() and text_digest(words) != place.ours.text
            edited = words if is_edited else edited or ""
    return edited


def _kept_and_new(
    places: Sequence[Place], entries: Sequence[Entry], section: MemorySection, *, keep: bool
) -> Iterator[Part]:
    """Yield all parts without the opening and the closing, in order."""
    shown = group_by_memory(places)
    waiting = memories_by_anchor(places, entries, section)
    kept = _kept(places, entries, section, keep=keep)
    for at in range(len(places) + 1):
        for memory in waiting.get(at, ()):
            group = shown.get(memory.memory_id, {})
            yield from _memory_messages(memory, group, section.touched)
        if at in kept:
            yield kept[at]


def _kept(
    places: Sequence[Place], entries: Sequence[Entry], section: MemorySection, *, keep: bool
) -> dict[int, Part]:
    """Return the messages of the export that stay, by their indices there."""
    known = {memory.memory_id for memory in section.memories}
    chunks = {memory.number: memory for memory in memories_of_chunks(section.memories)}
    compressed = {entry.key for entry in entries if entry.memory is not None}
    kept: dict[int, Part] = {}
    for place in places:
        # Of our own messages, only those of unknown memories stay as they are.
        if place.ours is not None:
            stays = place.kind == MEMORY and place.ours.memory not in known
        else:
            stays = not (place.is_copy and place.key in compressed)
        if stays:
            kept[place.at] = place
    for number, members in _places_under(places, entries).items():
        with_files = with_attachments([place.message for place in members])
        staying = members if keep else [members[index] for index in with_files]
        for place in members:
            kept.pop(place.at, None)
        for place in staying:
            kept[place.at] = Original(place, chunks[number], for_attachment=not keep)
    return kept


def _with_attachments_of_ours(
    parts: Sequence[Part], places: Sequence[Place], memories: Sequence[Memory]
) -> list[Part]:
    """Return the parts with each of our messages that would be removed but has more than words.

    The person may have attached a file to it, or in another branch of it, or put a picture into it.
    It is put before the raw message that followed it.
    """
    kept = list(parts)
    staying = {part.at for part in parts if isinstance(part, Place)}
    by_id = memories_by_id(memories)
    if not memories:
        return kept
    for place in places:
        if place.ours is None or place.at in staying:
            continue
        has_more = place.message.text != place.message.words
        if has_more or find_attachments(place.message.raw):
            memory = by_id.get(place.ours.memory, memories[0])
            original = Original(place, memory, for_attachment=True)
            kept.insert(_first_raw_after(kept, place.at), original)
    return kept


def _first_raw_after(parts: Sequence[Part], index: int) -> int:
    """Return the index among the parts of the first raw message after an index of the input."""
    for at, part in enumerate(parts):
        raw = part.place if isinstance(part, Original) else part
        if isinstance(raw, Place) and raw.ours is None and raw.at > index:
            return at
    return len(parts)


def _memory_messages(
    memory: Memory, group: Mapping[int, Place], touched: Collection[str]
) -> Iterator[Part]:
    """Yield the memory's messages of the export, and new ones for those that are missing.

    A memory that may not stay is yielded as a new one. `group` has the places of its messages in
    the export by slot, 1 to 6.
    """
    if not group or not (memory.memory_id in touched or _may_stay(memory, group)):
        yield memory
        return
    for slot, draft in enumerate(memory_drafts(memory), 1):
        yield group.get(slot, draft)


def _may_stay(memory: Memory, group: Mapping[int, Place]) -> bool:
    """Return whether texts and order are right, so that only missing messages need to be added."""
    texts = memory.edition.texts
    if any(place.message.wording != texts[slot - 1] for slot, place in group.items()):
        return False
    dates = [group[slot].message.created_at or "" for slot in sorted(group)]
    if dates != sorted(dates):
        return False
    markers = [place.message.marker for place in group.values()]
    names = {spans.text_under(marker, "memory") for marker in markers}
    return len(group) == len(texts) or names == {memory.memory_id}
