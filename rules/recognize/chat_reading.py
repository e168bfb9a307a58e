"""An export of a chat, read against what the archive knows of it: what is what, and what the person did.

First stand the true dates of a fork's copies, and memories that this chat's archive does not know: adopted, or frozen.

    archive   m1 7 Nov   m2 7 Nov   m3 8 Nov ...
    fork      m1 21 Nov  m2 21 Nov  m3 21 Nov ...  m9 22 Nov, said in the fork
    read as   m1 7 Nov   m2 7 Nov   m3 8 Nov ...   m9 22 Nov

Copies are known by what they say, in order, and by their dates, which lie within a minute. Their bytes stay.
Memories that an export shows and this chat's archive does not know are a fork's, or those of a lost archive:

of a fork      another chat of the archive knows them: this one gets memories of its own, with all their editions,
               and the raw messages under them
of nobody      they stay as they are, frozen; what was under them is not known any more
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from difflib import SequenceMatcher
from types import MappingProxyType

from rules.conversation.history import Entry, Past
from rules.conversation.marker import Marker, text_digest
from rules.conversation.memory import (
    WRITTEN,
    Edition,
    Memory,
    Quote,
    fold_id,
    memory_id,
    six_of,
    with_members,
)
from rules.conversation.place import Place
from rules.recognize.absent import NOTHING_ABSENT, Absent, Sure
from rules.recognize.user_edits import SLOTS, Group, PersonEdits, groups
from rules.typingmind.message import Message, parse_date

_AT_ONCE = timedelta(minutes=1)
_FEW = 4
"""This many messages in a row that say the same are no coincidence, even where no memory shows that it is a fork."""


def may_be_copies(
    places: Sequence[Place], dates: Mapping[str, str], *, is_fork: bool
) -> tuple[Place, ...]:
    """The raw messages without a known true date that were dated at once; none where they are too few.

    `dates` are the true dates that are known, by key. `is_fork`: the chat shows memories of another one.
    """
    raw = [
        place
        for place in places
        if place.ours is None and not place.original and place.key not in dates
    ]
    when = {place.key: parse_date(place.message.created_at) for place in raw}
    first = next((date for place in raw if (date := when[place.key])), None)
    at_once = tuple(
        place
        for place in raw
        if not (date := when[place.key]) or (first and abs(date - first) <= _AT_ONCE)
    )
    return at_once if is_fork or len(at_once) >= _FEW else ()


def true_dates(
    copies: Sequence[Place], known: Sequence[tuple[str, str | None]], *, is_fork: bool
) -> dict[str, str]:
    """The true dates of the copies, by key; `known` are digest and date of another chat's messages, in their order."""
    matcher = SequenceMatcher(
        None,
        [digest for digest, _ in known],
        [place.message.digest for place in copies],
        autojunk=False,
    )
    pairs = [
        (block.a + at, block.b + at)
        for block in matcher.get_matching_blocks()
        for at in range(block.size)
    ]
    if not is_fork and len(pairs) < _FEW:
        return {}
    dates: dict[str, str] = {}
    for origin, copy in pairs:
        date, copied = known[origin][1], parse_date(copies[copy].message.created_at)
        said_at = parse_date(date)
        if date and said_at and (copied is None or said_at < copied):
            dates[copies[copy].key] = date
    return dates


def as_dated(place: Place, dates: Mapping[str, str]) -> Place:
    """The place with the true date of its message, where that is known."""
    date = dates.get(place.key) if place.ours is None else None
    return replace(place, message=with_true_date(place.message, date)) if date else place


def with_true_date(message: Message, date: str) -> Message:
    """The message as said on that date, where one is known; its bytes keep the date of the copy."""
    return replace(message, created_at=date, is_copy=True) if date else message


def said_at(message: Message) -> str:
    """The true date of a copy, where it is known; empty for all other messages."""
    return message.created_at or "" if message.is_copy else ""


@dataclass(frozen=True, slots=True)
class Kin:
    """Another chat of the archive: its memories and folds, all their editions, and the raw messages under them."""

    chat_id: str
    memories: Sequence[Memory]
    editions: Mapping[str, Sequence[Edition]]
    past: Sequence[Past]


@dataclass(frozen=True, slots=True)
class Adopted:
    """Memories and folds that a chat takes over, under ids of its own, and the raw messages under them."""

    memories: tuple[Memory, ...] = ()
    editions: Mapping[str, tuple[Edition, ...]] = field(default_factory=dict)
    past: tuple[Past, ...] = ()

    @property
    def had_hindsight(self) -> frozenset[str]:
        """Ids of those that have a hindsight edition already, and so get none by themselves."""
        return frozenset(
            name
            for name, editions in self.editions.items()
            if any(edition.kind == "hindsight" for edition in editions)
        )


def inherit(chat_id: str, shown: Mapping[str, Group], kin: Kin) -> Adopted:
    """Everything of the other chat up to the newest of its memories that this export shows.

    What the export does not show of it, by itself or in a fold, was forgotten before the fork.
    """
    by_name = {
        name: memory for memory in kin.memories for name in (memory.memory_id, *memory.origins)
    }
    present = {by_name[name].memory_id for name in shown if name in by_name}
    covered = with_members(present, kin.memories)
    chunks = [memory for memory in kin.memories if not memory.is_fold]
    upto = max(memory.number for memory in chunks if memory.memory_id in covered)
    digests: dict[int, list[str]] = {}
    for old in kin.past:
        digests.setdefault(old.memory, []).append(old.message.digest)
    by_id = {memory.memory_id: memory for memory in kin.memories}
    own: dict[str, Memory] = {}
    for memory in chunks:
        if memory.number <= upto:
            name = memory.memory_id
            own_id = memory_id(chat_id, memory.number, digests.get(memory.number, [name]))
            is_forgotten = memory.forgotten or name not in covered
            own[name] = replace(
                memory, memory_id=own_id, origins=(name, *memory.origins), forgotten=is_forgotten
            )
    for fold in kin.memories:
        if fold.is_fold and all(name in own for name in fold.members):
            mine = [own[name] for name in fold.members]
            # A fold of what the person has edited since is another fold than that of the edited ones.
            is_of_today = fold.memory_id == fold_id(
                kin.chat_id, [by_id[name] for name in fold.members]
            )
            own_id = fold_id(chat_id if is_of_today else f"{chat_id}/{fold.memory_id}", mine)
            members = tuple(memory.memory_id for memory in mine)
            origins = (fold.memory_id, *fold.origins)
            own[fold.memory_id] = replace(fold, memory_id=own_id, origins=origins, members=members)
    return Adopted(
        tuple(own.values()),
        {memory.memory_id: tuple(kin.editions[name]) for name, memory in own.items()},
        tuple(old for old in kin.past if old.memory <= upto),
    )


def freeze(
    shown: Mapping[str, Group],
    first_number: int,
    count: Callable[[str], int],
    own_ids: Mapping[str, str] = MappingProxyType({}),
) -> Adopted:
    """The memories as they stand, oldest first. One that has lost a message is none of them: it just stays.

    `own_ids` are the ids that those get whose names are taken, since another chat of the archive knows them.
    """
    whole = [(name, group) for name, group in shown.items() if len(group) == len(SLOTS)]
    memories = [
        _frozen(name, group, number, count)
        for number, (name, group) in enumerate(whole, first_number)
    ]
    memories = [
        replace(memory, memory_id=own_ids[memory.memory_id], origins=(memory.memory_id,))
        if memory.memory_id in own_ids
        else memory
        for memory in memories
    ]
    return Adopted(tuple(memories), {memory.memory_id: (memory.edition,) for memory in memories})


def _frozen(name: str, group: Group, number: int, count: Callable[[str], int]) -> Memory:
    places = [group[slot] for slot in SLOTS]
    marker = places[0].ours or Marker("", "")
    texts = six_of([place.message.text for place in places])
    quotes = texts[1].split("\n\n") if marker.level > 1 else [texts[1]]
    edition = Edition(
        number=marker.edition or 1,
        kind="as-of",
        texts=texts,
        quotes=tuple(Quote(quote, "", "unknown") for quote in quotes),
        made=marker.made or WRITTEN,
        agent="unknown",
        context_manager="unknown",
        requests=(),
        tokens=sum(count(text) for text in texts),
        written_at=places[0].message.created_at or "",
    )
    return Memory(
        memory_id=name,
        number=number,
        level=max(1, marker.level),
        keys=(),
        first=marker.first,
        last=marker.last,
        began_at=places[0].message.created_at,
        ended_at=places[-1].message.created_at,
        source_tokens=0,
        edition=edition,
        in_prompts=edition,
        pinned=any(
            place.ours is not None and place.ours.text != text_digest(place.message.text)
            for place in places
        ),
    )


@dataclass(frozen=True, slots=True)
class ChatReading:
    """Everything that is known of a chat when its export has been read. Nothing of it is kept yet."""

    places: tuple[Place, ...]
    entries: tuple[Entry, ...]
    memories: tuple[Memory, ...]
    """All of the chat, oldest first, and then its folds; as they are after what the person did."""
    adopted: Adopted
    """The memories that the archive does not have for this chat yet."""
    edits: PersonEdits
    person: Mapping[str, Edition]
    """The texts that the person has written, as editions, by memory id."""
    absent: Absent = NOTHING_ABSENT
    """The messages that the archive has seen and that the export lacks."""

    @property
    def chunk_memories(self) -> tuple[Memory, ...]:
        """The memories that are no folds, oldest first."""
        return tuple(memory for memory in self.memories if not memory.is_fold)


_MOST_NAMES = 12
_WHETHER: dict[Sure, str] = {
    "deletions are named": "and TypingMind does not name them as deleted",
    "the list was full": "and whether you deleted them cannot be told, since TypingMind names only the last 100",
    "nothing is named": "and whether you deleted them cannot be told, since this TypingMind names no deletions",
}


def user_edits(reading: ChatReading) -> str:
    """Describe what the person did, in numbers and without a full stop; empty where they did nothing."""
    edits, absent = reading.edits, reading.absent
    chunks = {memory.memory_id for memory in reading.chunk_memories}
    live = {memory.memory_id for memory in reading.memories if not memory.forgotten}
    # Messages of memories that the export lacks, and that the next updated export has again.
    put_back = sum(
        len(SLOTS) - len(group) for name, group in groups(reading.places).items() if name in live
    )
    counts = [
        (len(edits.edited), "yours kept"),
        (put_back, "put back"),
        (len(chunks.intersection(edits.recalled)), "back again"),
        (absent.deleted, "deleted message" if absent.deleted == 1 else "deleted messages"),
        (absent.replaced, "answer replaced" if absent.replaced == 1 else "answers replaced"),
    ]
    if forgotten := chunks.intersection(edits.forgotten):
        counts.append(
            (
                len(forgotten),
                f"forgotten: memproc recall {_names(reading.memories, edits.forgotten)}",
            )
        )
    parts = [", ".join(f"{count:,} {what}" for count, what in counts if count)]
    if count := len(absent.missing) + len(absent.under):
        messages = (
            "1 message of the last time is"
            if count == 1
            else f"{count:,} messages of the last time are"
        )
        kept = "the archive and memproc expand keep" if absent.keys else "the archive keeps"
        parts.append(f"{messages} missing, {_WHETHER[absent.sure]}: {kept} what was said")
    return "; ".join(filter(None, parts))


def _names(memories: Sequence[Memory], forgotten: Sequence[str]) -> str:
    """The highest of what was forgotten: recalling a fold brings back all that it stands for."""
    inside = {
        name for memory in memories if memory.memory_id in forgotten for name in memory.members
    }
    names = [name for name in forgotten if name not in inside]
    return " ".join(names if len(names) <= _MOST_NAMES else [*names[:_MOST_NAMES], "..."])
