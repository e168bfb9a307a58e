"""What the person has done to memories in TypingMind since the archive last saw the chat.

edited      its texts are those of no edition: they become one, the person's, and the memory is pinned
touched     excluded from the context or pinned there: its messages stay as they are
forgotten   it is gone, and so are its raw messages and every fold of it
recalled    it was forgotten, and stands there again
changed     a raw message of a memory reads otherwise, or is gone: the memory needs a new edition
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rules.conversation.history import Past
from rules.conversation.marker import MEMORY, Marker
from rules.conversation.memory import Edition, Memory, Six, aliases, six_of, with_members
from rules.conversation.place import Place, raw_messages
from rules.conversation.short_quotes import forms
from rules.typingmind.message import is_touched, read_message
from rules.typingmind.originals import is_for_attachment, with_attachments

SLOTS = range(1, 7)
Group = Mapping[int, Place]
"""The messages of one memory in an export, by their slots."""


@dataclass(frozen=True, slots=True)
class PersonEdits:
    """The person's edits since the archive last saw the chat, by memory id."""

    edited: Mapping[str, Six]
    touched: frozenset[str]
    forgotten: tuple[str, ...]
    recalled: tuple[str, ...]
    changed: Mapping[str, str]
    """Why the memory needs a new edition, as half a sentence."""
    deleted: tuple[str, ...]
    """Keys of the raw messages under a memory that were deleted."""

    @property
    def is_news(self) -> bool:
        """Whether a memory reads otherwise than the archive knew, or is gone or back."""
        return bool(self.edited or self.forgotten or self.recalled)


def groups(places: Sequence[Place]) -> dict[str, dict[int, Place]]:
    """The messages of each memory that the export shows, by slot; in the order of the export."""
    by_memory: dict[str, dict[int, Place]] = {}
    for place in places:
        if place.ours is not None and place.ours.kind == MEMORY:
            by_memory.setdefault(place.ours.memory, {}).setdefault(place.ours.slot, place)
    return by_memory


def edits_of(
    memories: Sequence[Memory],
    editions: Mapping[str, Sequence[Edition]],
    past: Sequence[Past],
    places: Sequence[Place],
    missing: Collection[str] = (),
) -> PersonEdits:
    """Compare what the archive knows of a chat with its export. `editions` are all of each memory.

    `missing` are keys of raw messages that the export lacks, though the person did not delete them.
    """
    shown = groups(places)
    known = {memory.memory_id: memory for memory in memories}
    texts = {name: _texts(shown[name], editions[name]) for name in shown if name in known}
    here = there(memories, past, places)
    changed, deleted = _changed(memories, past, places, shown, missing)
    return PersonEdits(
        edited={
            name: six
            for name, six in texts.items()
            if six
            not in {
                form.texts for edition in editions[name] for form in forms(known[name], edition)
            }
        },
        touched=frozenset(
            name
            for name in texts
            if any(is_touched(place.message) for place in shown[name].values())
        ),
        forgotten=tuple(
            memory.memory_id
            for memory in memories
            if not (memory.forgotten or memory.recalled) and memory.memory_id not in here
        ),
        recalled=_recalled(memories, shown, here),
        changed=changed,
        deleted=deleted,
    )


def _texts(group: Group, editions: Sequence[Edition]) -> Six:
    """The six texts as they stand in the export; what is missing or empty is that of the edition that it shows."""
    marker = next(iter(group.values())).ours
    edition = next(
        (it for it in editions if marker is not None and it.number == marker.edition), editions[-1]
    )
    here = {slot: place.message.text for slot, place in group.items() if place.message.text.strip()}
    return six_of([here.get(slot, edition.texts[slot - 1]) for slot in SLOTS])


def there(
    memories: Sequence[Memory], past: Sequence[Past], places: Sequence[Place]
) -> frozenset[str]:
    """Ids of the memories that the export shows, holds raw messages of, or shows a fold of.

    A fold that it does not show counts too where something of it is there: folds come and go with the budget.
    """
    shown = groups(places)
    raw = {place.key for place in places if place.ours is None and not place.original}
    numbers = {old.memory for old in past if old.key in raw}
    by_raw = {
        memory.memory_id for memory in memories if not memory.is_fold and memory.number in numbers
    }
    here = set(
        with_members(
            by_raw | {memory.memory_id for memory in memories if memory.memory_id in shown},
            memories,
        )
    )
    for fold in sorted(
        (memory for memory in memories if memory.is_fold), key=lambda fold: fold.level
    ):
        if here & set(fold.members):
            here.add(fold.memory_id)
    return frozenset(here)


def deleted_memories(
    memories: Sequence[Memory], deleted: Collection[str], ours: Mapping[str, Marker]
) -> frozenset[str]:
    """Ids of the memories of which, or of whose highest folds, a message of the edition shown last is in the list.

    Older editions and folded memories are in it too, since we took their messages out ourselves. `deleted` is
    TypingMind's own list of deletions, `ours` the markers of all our messages, by uuid.
    """
    names = aliases(memories)
    markers = [ours[uuid] for uuid in deleted if uuid in ours and ours[uuid].kind == MEMORY]
    listed = {(names.get(marker.memory, marker.memory), marker.edition) for marker in markers}
    folded = {member for memory in memories for member in memory.members}
    highest = [memory for memory in memories if memory.memory_id not in folded]
    gone = {
        memory.memory_id
        for memory in highest
        if (memory.memory_id, memory.edition.number) in listed
    }
    return with_members(gone, memories)


def _recalled(
    memories: Sequence[Memory], shown: Collection[str], here: Collection[str]
) -> tuple[str, ...]:
    """Ids of the memories that are back, and of forgotten folds whose members are all back."""
    back = [
        memory.memory_id
        for memory in memories
        if memory.memory_id in (shown if memory.forgotten else here if memory.recalled else ())
    ]
    forgotten = {memory.memory_id for memory in memories if memory.forgotten} - set(back)
    for fold in sorted(
        (memory for memory in memories if memory.is_fold), key=lambda memory: memory.level
    ):
        if fold.memory_id in forgotten and forgotten.isdisjoint(fold.members):
            forgotten.discard(fold.memory_id)
            back.append(fold.memory_id)
    return tuple(back)


def _changed(
    memories: Sequence[Memory],
    past: Sequence[Past],
    places: Sequence[Place],
    shown: Collection[str],
    missing: Collection[str],
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Why each memory's raw messages differ from what is known, by its id; and the keys of those that were deleted.

    Only where raw messages still stand by right: under a memory that is not shown yet, or kept beside it.
    """
    here = {place.key: place for place in raw_messages(places)}
    under: dict[int, list[Past]] = {}
    for old in past:
        under.setdefault(old.memory, []).append(old)
    covered = with_members(shown, memories)
    changed: dict[str, str] = {}
    deleted: list[str] = []
    for memory in memories:
        mine = [] if memory.is_fold else under.get(memory.number, [])
        standing = [here[old.key] for old in mine if old.key in here]
        if not standing or (
            memory.memory_id in covered and not any(place.original for place in standing)
        ):
            continue
        edited = sum(
            old.newest is None or old.newest.digest != here[old.key].message.digest
            for old in mine
            if old.key in here
        )
        expected: Sequence[Past] = mine
        if any(
            place.original and is_for_attachment(read_message(place.written).marker)
            for place in standing
        ):
            # Some stand there for their attachments alone: the others under their memory have left the chat.
            expected = [
                mine[index]
                for index in sorted(with_attachments([old.newest or old.message for old in mine]))
            ]
        lacking = (old.key for old in expected if old.key not in here and old.newest is not None)
        gone = [key for key in lacking if key not in missing]
        if edited or gone:
            reasons = [f"{edited} of its messages edited"] if edited else []
            reasons += [f"{len(gone)} deleted"] if gone else []
            changed[memory.memory_id] = ", ".join(reasons)
            deleted += gone
    return changed, tuple(deleted)
