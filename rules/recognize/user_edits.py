"""Find what the person did to memories in TypingMind since the archive last saw the chat.

edited      no edition has these texts: they become the person's edition, and the memory is pinned
touched     all six messages are there, and one is excluded from the context or pinned: they stay
            as they are, though the memory may still be folded
forgotten   the memory is gone, and so are its raw messages and every fold of it
recalled    the memory was forgotten, and is back
changed     a raw message under the memory reads differently, or is gone: it needs a new edition
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from rules.conversation.history import SLOTS, Group, Past, Place, raw_messages
from rules.conversation.kept_wishes import lacks_only_wishes
from rules.conversation.marker import Marker, uuid_stem
from rules.conversation.memory import (
    Edition,
    Memory,
    folds_upwards,
    map_aliases,
    memories_by_id,
    memories_of_chunks,
    six_of,
    with_members,
)
from rules.conversation.short_quotes import export_forms
from rules.recognize.known import Known
from rules.typingmind.message import is_edited_since, is_touched
from rules.typingmind.originals import with_attachments


@dataclass(frozen=True, slots=True)
class PersonEdits:
    """The person's edits since the archive last saw the chat, by memory id."""

    edited: Mapping[str, Edition]
    """The edition that the export shows, with the person's texts."""
    touched: frozenset[str]
    forgotten: tuple[str, ...]
    recalled: tuple[str, ...]
    changed: Mapping[str, str]
    """Why the memory needs a new edition, as a part of a sentence."""
    deleted: tuple[str, ...]
    """Keys of the raw messages under a memory that were deleted."""

    @property
    def is_news(self) -> bool:
        """Return whether a memory reads differently than the archive knew, or is gone or back."""
        return bool(self.edited or self.forgotten or self.recalled)


NO_EDITS = PersonEdits({}, frozenset(), (), (), {}, ())


def find_edits(
    known: Known,
    places: Sequence[Place],
    shown: Mapping[str, Group],
    missing_under: Collection[str] = (),
) -> PersonEdits:
    """Find the person's edits by comparing an export with what the archive knows of its chat.

    `shown` are the messages of each memory that the export shows, as `group_by_memory` returns
    them. `missing_under` are keys of raw messages that the export lacks, though the person did not
    delete them.
    """
    here = find_memories_in_export(known, places, shown)
    changed = _find_changed(known, places, shown, missing_under)
    of_known = {name: group for name, group in shown.items() if name in known.editions}
    touched = []
    for name, group in of_known.items():
        is_whole = len(group) == len(SLOTS)
        if is_whole and any(is_touched(place.message) for place in group.values()):
            touched.append(name)
    return PersonEdits(
        edited=_find_edited(of_known, known),
        touched=frozenset(touched),
        forgotten=_find_forgotten(known.memories, here),
        recalled=_find_recalled(known.memories, shown, here),
        changed={name: reason for name, (reason, _) in changed.items()},
        deleted=tuple(key for _, deleted in changed.values() for key in deleted),
    )


def _find_edited(shown: Mapping[str, Group], known: Known) -> dict[str, Edition]:
    """Return the memories that read like none of their editions, as editions with the new texts.

    A memory with a picture in it is the person's, whatever its words. So is one that they edited
    back to former words; an older copy of it, which another device may have, was not edited.
    """
    edited: dict[str, Edition] = {}
    by_id = memories_by_id(known.memories)
    for name, group in shown.items():
        editions = known.editions[name]
        now = _read_edition(editions, group)
        has_picture = any(place.message.text != place.message.words for place in group.values())
        written = (edition for edition in editions if edition.kind == "person" or not has_picture)
        # Shortened forms of an edition are memproc's, too.
        ever = (form for edition in written for form in export_forms(by_id[name], edition))
        is_known = any(
            form.texts == now.texts or lacks_only_wishes(now.texts, form) for form in ever
        )
        if not is_known or _is_edited_back(by_id[name].edition, now, group):
            edited[name] = now
    return edited


def _is_edited_back(last: Edition, now: Edition, group: Group) -> bool:
    """Return whether the person has replaced their own edition, which was shown, by other words."""
    if last.kind != "person" or last.texts == now.texts:
        return False
    return any(is_edited_since(place.message, last.written_at) for place in group.values())


def _read_edition(editions: Sequence[Edition], group: Group) -> Edition:
    """Return the edition that the export shows, with the texts that it has there.

    It is the one that the memory's first message names, or the newest if that is unknown. For a
    message that is missing or empty, the edition's text counts.
    """
    marker = next(iter(group.values())).ours
    number = marker.edition if marker is not None else 0
    named = (edition for edition in editions if edition.number == number)
    before = next(named, editions[-1])
    texts = list(before.texts)
    for slot, place in group.items():
        if place.message.wording.strip():
            texts[slot - 1] = place.message.wording
    return replace(before, texts=six_of(texts))


def find_memories_in_export(
    known: Known, places: Sequence[Place], shown: Collection[str]
) -> frozenset[str]:
    """Return the ids of the memories that the export shows or has raw messages of.

    `shown` are the ids of those that it shows itself; those in a fold of them count, too. So does a
    fold that it does not show if anything of it is there: folds come and go with the budget.
    """
    memories = known.memories
    raw = {place.key for place in places if place.ours is None and not place.original}
    numbers = {old.memory for old in known.past if old.key in raw}
    seen = {memory.memory_id for memory in memories if memory.memory_id in shown}
    chunks = memories_of_chunks(memories)
    seen |= {memory.memory_id for memory in chunks if memory.number in numbers}
    here = set(with_members(seen, memories))
    for fold in folds_upwards(memories):
        if not here.isdisjoint(fold.members):
            here.add(fold.memory_id)
    return frozenset(here)


def find_deleted_memories(
    memories: Sequence[Memory], deleted: Collection[str], ours: Mapping[str, Marker]
) -> frozenset[str]:
    """Return the ids of the memories that TypingMind's list of deletions names.

    It names a memory by a message of the edition shown last, of the memory or of its outermost
    fold. Older editions and folded memories are in the list as well, since we took their messages
    out ourselves. `deleted` is that list, `ours` the markers of all our messages by uuid stem.
    """
    names = map_aliases(memories)
    markers = (ours[stem] for stem in map(uuid_stem, deleted) if stem in ours)
    listed = {(names.get(marker.memory, marker.memory), marker.edition) for marker in markers}
    folded = {member for memory in memories for member in memory.members}
    gone: set[str] = set()
    for memory in memories:
        shown_last = (memory.memory_id, memory.edition.number)
        if shown_last in listed and memory.memory_id not in folded:
            gone.add(memory.memory_id)
    return with_members(gone, memories)


def _find_forgotten(memories: Sequence[Memory], here: Collection[str]) -> tuple[str, ...]:
    """Return the ids of the memories that the export has nothing of, though it should.

    A recalled memory is excused, as no export has had it since, and so is a fold made of such.
    """
    excused = {memory.memory_id for memory in memories if memory.recalled}.union(here)
    for fold in folds_upwards(memories):
        if excused.issuperset(fold.members):
            excused.add(fold.memory_id)
    absent = (memory for memory in memories if memory.memory_id not in excused)
    return tuple(memory.memory_id for memory in absent if not memory.forgotten)


def _find_recalled(
    memories: Sequence[Memory], shown: Collection[str], here: Collection[str]
) -> tuple[str, ...]:
    """Return the ids of the memories that are back, and of the folds whose members all are."""
    # A recalled memory is back if anything of it is there; a forgotten one only if it is shown, by
    # itself or in a fold.
    covered = with_members(shown, memories)
    back = []
    for memory in memories:
        is_awaited = memory.forgotten or memory.recalled
        is_back = memory.memory_id in (covered if memory.forgotten else here)
        if is_awaited and is_back:
            back.append(memory.memory_id)
    forgotten = {memory.memory_id for memory in memories if memory.forgotten}.difference(back)
    for fold in folds_upwards(memories):
        if fold.memory_id in forgotten and forgotten.isdisjoint(fold.members):
            forgotten.discard(fold.memory_id)
            back.append(fold.memory_id)
    return tuple(back)


def _find_changed(
    known: Known, places: Sequence[Place], shown: Collection[str], missing: Collection[str]
) -> dict[str, tuple[str, list[str]]]:
    """Return, by memory id, what changed under it in words, and the keys of deleted messages.

    Raw messages count only where the export may have them: under a memory that it does not show
    yet, or as originals kept with it.
    """
    here = {place.key: place for place in raw_messages(places)}
    under: dict[int, list[Past]] = {}
    for old in known.past:
        under.setdefault(old.memory, []).append(old)
    covered = with_members(shown, known.memories)
    changed: dict[str, tuple[str, list[str]]] = {}
    for memory in memories_of_chunks(known.memories):
        is_covered = memory.memory_id in covered
        edited, deleted = _compare_raw(under.get(memory.number, []), here, missing, is_covered)
        if edited or deleted:
            of_edited = f"{edited} of its messages edited" if edited else ""
            of_deleted = f"{len(deleted)} deleted" if deleted else ""
            reason = ", ".join(filter(None, (of_edited, of_deleted)))
            changed[memory.memory_id] = reason, deleted
    return changed


def _compare_raw(
    mine: Sequence[Past], here: Mapping[str, Place], missing: Collection[str], is_covered: bool
) -> tuple[int, list[str]]:
    """Return how many raw messages of a memory were edited, and the keys of the deleted ones.

    `is_covered` tells whether the export shows the memory.
    """
    in_export = [(old, here[old.key]) for old in mine if old.key in here]
    is_kept = any(place.original for _, place in in_export)
    if not in_export or (is_covered and not is_kept):
        return 0, []
    edited = sum(
        old.newest is None or old.newest.digest != place.message.digest for old, place in in_export
    )
    # If some stay only for their attachments, the others have left the chat.
    if any(place.for_attachment for _, place in in_export):
        naming = with_attachments([old.newest or old.message for old in mine])
        mine = [mine[index] for index in sorted(naming)]
    told_of = {*here, *missing}
    there_before = [old.key for old in mine if old.newest is not None]
    return edited, [key for key in there_before if key not in told_of]
