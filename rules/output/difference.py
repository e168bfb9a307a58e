"""Compare two exports of a chat: memories, raw messages, opening, closing and fields."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from rules.conversation.history import Group, Place, group_by_memory
from rules.conversation.marker import CLOSING, OPENING
from rules.conversation.memory import Memory, memories_of_chunks, shown_in
from rules.recognize.align import Alignment, Named, align
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message, fields_of

MemoryHow = Literal[
    "new", "gone", "renewed", "edited", "completed", "incomplete", "folded", "unfolded"
]
How = Literal["compressed", "come back", "new", "gone", "edited", "changed"]
_FIRST_CHARACTERS = 45  # a line of the difference then fits into 80 columns
_ABSENT = object()
"""Stands for a field that a message lacks, as opposed to one that is null."""


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """The change of a memory or a fold that is shown in one of the exports, or in both."""

    how: MemoryHow
    """How the memory changed.

    `edited`: other texts in the same edition. `completed`, `incomplete`: more or fewer of its six
    messages.
    """
    memory: str
    before: int
    """The number of its edition in the first export; 0 where that does not show it."""
    after: int
    fold: str = ""
    """The id of the fold that it went into, or came out of."""


@dataclass(frozen=True, slots=True)
class MessageChange:
    """The change of one raw message."""

    how: How
    """`come back`: it was under a memory. `changed`: the same words with other `fields`."""
    uuid: str
    role: str
    date: str
    begins: str
    """Its first words, in one line."""
    memory: str = ""
    """The id of the memory that it is or was under."""
    was: str = ""
    """Its first words before an edit."""
    fields: tuple[str, ...] = ()
    """The names of its fields that differ, where both exports have it."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two exports, with its messages recognized."""

    chat: Chat
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the chat that was added, is gone, or has another value."""

    name: str
    how: Literal["new", "gone", "changed"]


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that differs between two exports, in their order."""

    messages_before: int
    messages_after: int
    memories_before: int
    memories_after: int
    memories: tuple[MemoryChange, ...]
    raw: tuple[MessageChange, ...]
    reordered: bool
    """Whether raw messages that are in both are in another order."""
    canned: tuple[str, ...]
    """Which of `opening` and `closing` have another text."""
    fields: tuple[Field, ...]

    @property
    def is_empty(self) -> bool:
        """Return whether the two say the same."""
        return not (self.memories or self.raw or self.reordered or self.canned or self.fields)


@dataclass(frozen=True, slots=True)
class _Shown:
    """The memories and folds that an export shows."""

    groups: Mapping[str, Group]
    shown_in: Mapping[str, str]
    """The id of everything that is shown, by itself or in a fold, with that of the outermost item
    that has it."""


def compare_exports(before: Side, after: Side, known: Sequence[Memory]) -> Difference:
    """Compare two exports of a chat; `known` are all its memories and folds in the archive."""
    was = _shown(before, known)
    now = _shown(after, known)
    alignment = align(_names(before), _names(after))
    under = {key: memory.memory_id for memory in memories_of_chunks(known) for key in memory.keys}
    canned: list[str] = []
    for kind in (OPENING, CLOSING):
        old, new = (
            {place.message.text for place in side.places if place.kind == kind}
            for side in (before, after)
        )
        if old and new and old != new:
            canned.append(kind)
    return Difference(
        messages_before=len(before.places),
        messages_after=len(after.places),
        memories_before=len(was.groups),
        memories_after=len(now.groups),
        memories=tuple(_memory_changes(was, now)),
        raw=tuple(_raw_changes(before, after, alignment, was, now, under)),
        reordered=any(at > following for at, following in pairwise(alignment.pairs.values())),
        canned=tuple(canned),
        fields=tuple(_field_changes(before.chat, after.chat)),
    )


def _shown(side: Side, known: Sequence[Memory]) -> _Shown:
    shown = group_by_memory(side.places)
    return _Shown(shown, shown_in(shown, known))


def _field_changes(before: Chat, after: Chat) -> Iterator[Field]:
    """Yield the fields of the chat that differ, without the messages, by name."""
    was = {member.key for member in before.members}
    now = {member.key for member in after.members}
    for name in sorted((was | now) - {"messages"}):
        if name not in now:
            yield Field(name, "gone")
        elif name not in was:
            yield Field(name, "new")
        elif before.field(name) != after.field(name):
            yield Field(name, "changed")


def _memory_changes(was: _Shown, now: _Shown) -> Iterator[MemoryChange]:
    """Yield the memories that are no longer shown, then the new ones, then those that changed.

    A fold whose memories are shown again does not count as gone: they count as unfolded.
    """
    opened = {was.shown_in.get(name) for name in now.groups if name not in was.groups}
    for name, group in was.groups.items():
        fold = now.shown_in.get(name, "")
        if name not in now.groups and (fold or name not in opened):
            yield MemoryChange("folded" if fold else "gone", name, _edition(group), 0, fold)
    for name, group in now.groups.items():
        if name not in was.groups:
            fold = was.shown_in.get(name, "")
            yield MemoryChange("unfolded" if fold else "new", name, 0, _edition(group), fold)
    for name, group in was.groups.items():
        later = now.groups.get(name)
        if later and (how := _change_in_both(group, later)):
            yield MemoryChange(how, name, _edition(group), _edition(later))


def _change_in_both(was: Group, now: Group) -> MemoryHow | None:
    """Return how a memory that both exports show has changed; None where it has not."""
    if _edition(was) != _edition(now):
        return "renewed"
    for slot in was.keys() & now.keys():
        if was[slot].message.text != now[slot].message.text:
            return "edited"
    if was.keys() == now.keys():
        return None
    return "completed" if now.keys() - was.keys() else "incomplete"


def _edition(group: Group) -> int:
    """Return the newest edition among a memory's messages, as one that came back may be older."""
    return max(place.ours.edition for place in group.values() if place.ours is not None)


def _names(side: Side) -> Named:
    """Return by index the names to align raw messages by: the key, then the digest.

    The key is the uuid if there is one.
    """
    raw = (place for place in side.places if place.ours is None)
    return {place.at: (place.key, place.message.digest) for place in raw}


def _raw_changes(
    before: Side,
    after: Side,
    alignment: Alignment,
    was: _Shown,
    now: _Shown,
    under: Mapping[str, str],
) -> Iterator[MessageChange]:
    """Yield the changes of the first export's raw messages, then those only in the second.

    `under` has the id of the memory that each message is under, by the message's key.
    """
    for place in before.places:
        if place.at in alignment.pairs:
            yield from _changes_in_both(place, after.places[alignment.pairs[place.at]])
        elif place.ours is None:
            memory = under.get(place.key, "")
            yield _message_change("compressed" if memory in now.shown_in else "gone", place, memory)
    for at in alignment.new:
        place = after.places[at]
        memory = under.get(place.key, "")
        yield _message_change("come back" if memory in was.shown_in else "new", place, memory)


def _changes_in_both(before: Place, after: Place) -> Iterator[MessageChange]:
    """Yield the changes of a message that both have.

    An original kept with its memory counts as compressed.
    """
    if after.original and not before.original:
        yield _message_change("compressed", after, after.original)
    elif before.original and not after.original:
        yield _message_change("come back", after, before.original)
    fields: tuple[str, ...] = ()
    if before.message.raw != after.message.raw:
        was, now = fields_of(before.message), fields_of(after.message)
        names = sorted(was.keys() | now.keys())
        fields = tuple(key for key in names if was.get(key, _ABSENT) != now.get(key, _ABSENT))
    if before.message.digest != after.message.digest:
        yield _message_change("edited", after, was=_first_words(before.message), fields=fields)
    elif fields:
        yield _message_change("changed", after, fields=fields)


def _message_change(
    how: How, place: Place, memory: str = "", was: str = "", fields: tuple[str, ...] = ()
) -> MessageChange:
    message = place.message
    return MessageChange(
        how,
        uuid=message.uuid or "",
        role=message.role or "",
        date=message.created_at or "",
        begins=_first_words(message),
        memory=memory,
        was=was,
        fields=fields,
    )


def _first_words(message: Message) -> str:
    words = " ".join(message.text.split())
    if len(words) <= _FIRST_CHARACTERS:
        return words
    return words[: _FIRST_CHARACTERS - 3].rstrip() + "..."
