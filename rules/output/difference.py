"""The difference between two exports of a chat: its memories, its raw messages, its opening and its fields."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Literal

from rules.conversation.marker import CLOSING, OPENING
from rules.conversation.memory import Memory, called, dates
from rules.layers.opening import NO_EDITS, Opening, OpeningEdits, edits
from rules.recognize.recognize import Place
from rules.recognize.user_edits import Group, groups
from rules.typingmind import spans
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message

Read = Callable[[str], Opening]


How = Literal["compressed", "come back", "new", "gone", "edited", "changed"]


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """What happened to a memory or a fold that is shown in one of the exports, or in both."""

    how: Literal["new", "gone", "renewed", "edited", "completed", "incomplete", "folded", "unfolded"]
    """`edited`: other texts in the same edition. `completed`, `incomplete`: more or fewer of its six messages."""
    memory: str
    before: int
    """The number of its edition in the first export; 0 where that does not show it."""
    after: int
    fold: str = ""
    """Id of the fold that it went into, or came out of."""


@dataclass(frozen=True, slots=True)
class MessageChange:
    """What happened to one raw message."""

    how: How
    """`come back`: it stood under a memory. `changed`: it says the same, and its `fields` are others."""
    uuid: str
    role: str
    date: str
    begins: str
    """Its first words, in one line."""
    memory: str = ""
    """Id of the memory that it stands under, or stood."""
    was: str = ""
    """Of a message that was edited: its first words before."""
    fields: tuple[str, ...] = ()
    """Names of its fields that differ, where it stands in both."""


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
    memories: tuple[MemoryChange, ...]
    raw: tuple[MessageChange, ...]
    reordered: bool
    """MessageChange messages that stand in both stand in another order."""
    canned: tuple[str, ...]
    """`opening`, `closing`: that canned message reads otherwise."""
    fields: tuple[Field, ...]
    layers: OpeningEdits = NO_EDITS
    """What is different in the core memory's sections and in the facts, as the openings show them."""

    @property
    def is_empty(self) -> bool:
        """Whether the two say the same."""
        return not (self.memories or self.raw or self.reordered or self.canned or self.fields)


_OWN_LIST = "messages"


_FIRST_CHARACTERS = 60


_CUT = "..."


def _plain(text: str) -> Opening:
    """An opening in which nothing but a preface is looked for."""
    return Opening(text, {}, (), headed=False)


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


def changed_memories(was: Mapping[str, Group], now: Mapping[str, Group], known: Sequence[Memory]) -> list[MemoryChange]:
    """What happened, in the order of the exports. `known` are all memories and folds of the chat."""
    into, out_of = folded_into(now, known), folded_into(was, known)
    found = [_left(name, group, into.get(name, "")) for name, group in was.items() if name not in now]
    found += [_came(name, group, out_of.get(name, "")) for name, group in now.items() if name not in was]
    opened = {one.fold for one in found if one.how == "unfolded"}
    # A fold whose memories are shown again is not gone: they have come out of it.
    found = [one for one in found if not (one.how == "gone" and one.memory in opened)]
    return [*found, *(one for name in was if name in now for one in _shown_in_both(name, was[name], now[name]))]


def folded_into(shown: Iterable[str], known: Sequence[Memory]) -> dict[str, str]:
    """By the id of a memory or fold: the fold among those shown that stands for it."""
    members = {memory.memory_id: memory.members for memory in known}
    found: dict[str, str] = {}
    waiting = [(name, name) for name in shown]
    while waiting:
        name, fold = waiting.pop()
        inside = members.get(name, ())
        found |= dict.fromkeys(inside, fold)
        waiting += [(member, fold) for member in inside]
    return found


def _left(name: str, group: Group, fold: str) -> MemoryChange:
    return MemoryChange("folded" if fold else "gone", name, _edition(group), 0, fold)


def _came(name: str, group: Group, fold: str) -> MemoryChange:
    return MemoryChange("unfolded" if fold else "new", name, 0, _edition(group), fold)


def _shown_in_both(name: str, was: Group, now: Group) -> list[MemoryChange]:
    before, after = _edition(was), _edition(now)
    if before != after:
        return [MemoryChange("renewed", name, before, after)]
    if any(was[slot].message.text != now[slot].message.text for slot in was.keys() & now.keys()):
        return [MemoryChange("edited", name, before, after)]
    if was.keys() == now.keys():
        return []
    return [MemoryChange("completed" if now.keys() - was.keys() else "incomplete", name, before, after)]


def _edition(group: Group) -> int:
    """The newest that any of its messages is of: one that was deleted and came back can be of another."""
    return max(place.ours.edition for place in group.values() if place.ours is not None)


def pairs(before: Sequence[Place], after: Sequence[Place]) -> dict[int, int]:
    """Which raw message of the second export each of the first is, by their indices, in order of the first.

    By their keys, which are uuids where they have any; then by what they say.
    """
    found: dict[int, int] = {}
    for name in (_key, _digest):
        found |= _same(name, [one for one in before if one.at not in found], after, frozenset(found.values()))
    return dict(sorted(found.items()))


def changed_messages(
    before: Sequence[Place], after: Sequence[Place], same: Mapping[int, int], known: Sequence[Memory]
) -> Iterator[MessageChange]:
    """What happened, in order: to those of the first export, then those that the second has alone."""
    under = {key: one.memory_id for one in known if not one.is_fold for key in one.keys}
    remembered_before, remembered_after = (_stood_for(places, known) for places in (before, after))
    for place in before:
        memory = under.get(place.key, "")
        if place.at in same:
            yield from _in_both(place, after[same[place.at]])
        elif place.ours is None:
            yield _told("compressed" if memory in remembered_after else "gone", place, memory)
    there = set(same.values())
    for place in after:
        if place.ours is None and place.at not in there:
            memory = under.get(place.key, "")
            yield _told("come back" if memory in remembered_before else "new", place, memory)


def _key(place: Place) -> str:
    return place.key


def _digest(place: Place) -> str:
    return place.message.digest


def _same(
    name: Callable[[Place], str], before: Sequence[Place], after: Sequence[Place], taken: frozenset[int]
) -> dict[int, int]:
    """The raw messages with the same name, in order: the first "ok" is the first one."""
    waiting: dict[str, list[int]] = {}
    for place in reversed(after):
        if place.ours is None and place.at not in taken:
            waiting.setdefault(name(place), []).append(place.at)
    return {place.at: waiting[name(place)].pop() for place in before if place.ours is None and waiting.get(name(place))}


def _stood_for(places: Sequence[Place], known: Sequence[Memory]) -> frozenset[str]:
    """Ids of the memories that stand in an export, by themselves or in a fold."""
    shown = groups(places)
    return frozenset(shown) | folded_into(shown, known).keys()


def _in_both(before: Place, after: Place) -> Iterator[MessageChange]:
    """An original that is kept beside its memory counts as compressed: it is no longer sent."""
    if bool(before.original) != bool(after.original):
        how: How = "compressed" if after.original else "come back"
        yield _told(how, after, before.original or after.original)
    names = _other_fields(before.message, after.message)
    if before.message.digest != after.message.digest:
        yield _told("edited", after, was=_first_words(before.message), fields=names)
    elif names:
        yield _told("changed", after, fields=names)


def _told(how: How, place: Place, memory: str = "", was: str = "", fields: tuple[str, ...] = ()) -> MessageChange:
    message = place.message
    return MessageChange(
        how,
        message.uuid or "",
        message.role or "",
        message.created_at or "",
        _first_words(message),
        memory,
        was,
        fields,
    )


def _first_words(message: Message) -> str:
    words = " ".join(message.text.split())
    if len(words) <= _FIRST_CHARACTERS:
        return words
    return words[: _FIRST_CHARACTERS - len(_CUT)].rstrip() + _CUT


def _other_fields(before: Message, after: Message) -> tuple[str, ...]:
    """Names of the message's fields that differ, whatever their order."""
    if before.raw == after.raw:
        return ()
    was, now = _message_fields(before), _message_fields(after)
    return tuple(
        sorted(key for key in was.keys() | now.keys() if (key in was, was.get(key)) != (key in now, now.get(key)))
    )


def _message_fields(message: Message) -> Mapping[str, object]:
    found, _ = spans.value(spans.decoded(message.raw), 0)
    return found if isinstance(found, dict) else {}


_ENDS = 4
_IN_A_LINE = 16

Mark = Literal["+", "-", "~", " "]
"""In the second export alone, in the first alone, in both and different, neither."""

_GROUPS = {
    "compressed": "Compressed into {memory}",
    "come back": "Come back from under {memory}",
    "edited": "Edited",
    "changed": "Changed, with the same words",
    "new": "New",
    "gone": "Gone",
}
_MARKS: Mapping[str, Mark] = {
    "compressed": "-", "gone": "-", "folded": "-", "come back": "+", "new": "+", "unfolded": "+",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    """A line; one without a mark says what stands below it."""

    mark: Mark
    text: str


def readable(found: Difference, known: Sequence[Memory]) -> Iterator[DifferenceLine]:
    """The difference in words; `known` are the memories and folds that the archive has of the chat."""
    names = {memory.memory_id: memory for memory in known}
    for one in found.memories:
        yield DifferenceLine(_MARKS.get(one.how, "~"), _of_memory(one, names))
    for how in _GROUPS:
        mine = [one for one in found.raw if one.how == how]
        for memory, group in groupby(mine, key=lambda one: one.memory if "{memory}" in _GROUPS[one.how] else ""):
            yield from _of_messages(how, names.get(memory), list(group))
    if found.reordered:
        yield DifferenceLine("~", "messages that stand in both stand in another order")
    for kind in found.canned:
        yield DifferenceLine("~", f"the {kind} reads otherwise")
    yield from _in_opening(found.layers)
    for how in ("changed", "new", "gone"):
        if fields := [field.name for field in found.fields if field.how == how]:
            yield DifferenceLine("~", f"{how} fields of the chat: {', '.join(fields)}")


def _in_opening(layers: OpeningEdits) -> Iterator[DifferenceLine]:
    """What the core memory and the facts say otherwise."""
    for name, text in layers.sections.items():
        yield DifferenceLine("~", f'the section "{name}" says now: {" ".join(text.split()) or "nothing"}')
    for old, new in layers.changed:
        yield DifferenceLine("-", f"  fact of {old.day or 'some day'}: {old.text}")
        yield DifferenceLine("+", f"  fact of {new.day or 'some day'}: {new.text}")
    yield from (DifferenceLine("-", f"  fact of {one.day or 'some day'}: {one.text}") for one in layers.removed)
    yield from (DifferenceLine("+", f"  fact of {one.day or 'some day'}: {one.text}") for one in layers.added)


def _of_memory(one: MemoryChange, names: Mapping[str, Memory]) -> str:
    memory = names.get(one.memory)
    name = f"{called(memory)}, {dates(memory)}" if memory else one.memory
    fold = called(names[one.fold]) if one.fold else ""
    said = {
        "new": f"new, in edition {one.after}",
        "gone": "forgotten" if memory and memory.forgotten else "gone",
        "renewed": f"edition {one.before} -> {one.after}",
        "edited": "its text was edited",
        "completed": "messages of it that were missing are back",
        "incomplete": "messages of it are missing",
        "folded": f"folded into {fold}",
        "unfolded": f"unfolded from {fold}",
    }
    return f"{name}: {said[one.how]}"


def _of_messages(how: str, memory: Memory | None, group: Sequence[MessageChange]) -> Iterator[DifferenceLine]:
    """A group under its heading; the middle of a long one is only counted."""
    heading = _GROUPS[how].format(memory=called(memory) if memory else "a memory")
    yield DifferenceLine(" ", f"{heading}, {len(group):,} {'message' if len(group) == 1 else 'messages'}:")
    hidden = len(group) - 2 * _ENDS
    for at, one in enumerate(group):
        if hidden <= 1 or at < _ENDS or at >= len(group) - _ENDS:
            yield from _of_message(one)
        elif at == _ENDS:
            yield DifferenceLine(" ", f"  ... {hidden:,} more ...")


def _of_message(one: MessageChange) -> Iterator[DifferenceLine]:
    head = f"{one.date[:_IN_A_LINE].replace('T', ' ') or 'no date'} {one.role or 'no role'}: "
    if one.how == "edited" and one.was != one.begins:
        yield DifferenceLine("-", f"  {head}{one.was}")
        yield DifferenceLine("+", f"  {head}{one.begins}")
        return
    others = "further on" if one.how == "edited" else ", ".join(one.fields)
    yield DifferenceLine(_MARKS.get(one.how, "~"), f"  {head}{one.begins}{f' ({others})' if others else ''}")
