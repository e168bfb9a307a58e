"""What is different between two exports of one chat: memories, raw messages, and the chat's own fields.

Messages are matched by uuid, then by what they say. A raw message that is missing may stand under a memory, and a
memory that is missing in a fold: what the archive knows of them tells these from what is gone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from rules.export.chat import Chat
from rules.history.hand import groups
from rules.history.marker import CLOSING, OPENING
from rules.history.opening import Opening
from rules.history.opening_edits import NO_EDITS, OpeningEdits, edits
from rules.history.recognise import Place
from rules.memory.memory import Memory
from rules.output.changed_memories import Remembered, changed_memories
from rules.output.changed_messages import Raw, changed_messages, pairs

_OWN_LIST = "messages"

Read = Callable[[str], Opening]


def _plain(text: str) -> Opening:
    """An opening in which nothing but a preface is looked for."""
    return Opening(text, {}, (), headed=False)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two exports, recognised."""

    chat: Chat
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the chat that was added, is gone, or has another value."""

    name: str
    how: Literal["new", "gone", "changed"]


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that is different, in the order of the exports. Nothing at all where it is empty."""

    messages_before: int
    messages_after: int
    memories_before: int
    memories_after: int
    memories: tuple[Remembered, ...]
    raw: tuple[Raw, ...]
    reordered: bool
    """Raw messages that stand in both stand in another order."""
    canned: tuple[str, ...]
    """`opening`, `closing`: that canned message reads otherwise."""
    fields: tuple[Field, ...]
    layers: OpeningEdits = NO_EDITS
    """What is different in the core memory's sections and in the facts, as the openings show them."""

    @property
    def is_empty(self) -> bool:
        """They say the same."""
        return not (self.memories or self.raw or self.reordered or self.canned or self.fields)


def difference(before: Side, after: Side, known: Sequence[Memory], read: Read = _plain) -> Difference:
    """Compare two exports of a chat; `known` are all memories and folds that the archive has of it.

    `read` says how the text of an opening reads.
    """
    was, now = groups(before.places), groups(after.places)
    same = pairs(before.places, after.places)
    return Difference(
        messages_before=len(before.places),
        messages_after=len(after.places),
        memories_before=len(was),
        memories_after=len(now),
        memories=tuple(changed_memories(was, now, known)),
        raw=tuple(changed_messages(before.places, after.places, same, known)),
        reordered=any(one > other for one, other in pairwise(same.values())),
        canned=tuple(kind for kind in (OPENING, CLOSING) if _reads_otherwise(before, after, kind)),
        fields=tuple(_fields(before.chat, after.chat)),
        layers=_in_openings(before, after, read),
    )


def _reads_otherwise(before: Side, after: Side, kind: str) -> bool:
    """The canned message stands in both, with other words."""
    one, other = (set(_canned(side, kind)) for side in (before, after))
    return bool(one and other) and one != other


def _canned(side: Side, kind: str) -> list[str]:
    return [place.message.text for place in side.places if place.ours is not None and place.ours.kind == kind]


def _in_openings(before: Side, after: Side, read: Read) -> OpeningEdits:
    """What stands in one opening and not in the other; nothing where one of the two exports has none."""
    one, other = (_canned(side, OPENING) for side in (before, after))
    found = edits(read(one[0]), replace(read(other[0]), headed=True)) if one and other else NO_EDITS
    return found if isinstance(found, OpeningEdits) else NO_EDITS


def _fields(before: Chat, after: Chat) -> list[Field]:
    was, now = ({member.key for member in chat.members} - {_OWN_LIST} for chat in (before, after))
    found = [Field(name, "gone") for name in was - now] + [Field(name, "new") for name in now - was]
    found += [Field(name, "changed") for name in was & now if before.field(name) != after.field(name)]
    return sorted(found, key=lambda field: field.name)
