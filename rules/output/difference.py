"""The difference between two exports of a chat: its memories, its raw messages, its opening and its fields."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal

from rules.conversation.marker import CLOSING, OPENING
from rules.conversation.memory import Memory
from rules.conversation.memory_title import called, dates
from rules.conversation.place import Place
from rules.recognize.user_edits import Group, groups
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message, fields_of

MemoryHow = Literal[
    "new", "gone", "renewed", "edited", "completed", "incomplete", "folded", "unfolded"
]
How = Literal["compressed", "come back", "new", "gone", "edited", "changed"]
_ENDS = 4
_IN_A_LINE = 16
Mark = Literal["+", "-", "~", " "]
"""The mark of a line: in the second export alone, in the first alone, in both and different, neither."""
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
class MemoryChange:
    """The change of a memory or a fold that is shown in one of the exports, or in both."""

    how: MemoryHow
    """`edited`: other texts in the same edition. `completed`, `incomplete`: more or fewer of its six messages."""
    memory: str
    before: int
    """The number of its edition in the first export; 0 where that does not show it."""
    after: int
    fold: str = ""
    """Id of the fold that it went into, or came out of."""


@dataclass(frozen=True, slots=True)
class MessageChange:
    """The change of one raw message."""

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
    """The first words before, of a message that was edited."""
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
    """Raw messages that stand in both stand in another order."""
    canned: tuple[str, ...]
    """`opening`, `closing`: that canned message reads otherwise."""
    fields: tuple[Field, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the two say the same."""
        return not (self.memories or self.raw or self.reordered or self.canned or self.fields)


_FIRST_CHARACTERS = 45  # a line of the difference then fits into 80 columns


def difference(before: Side, after: Side, known: Sequence[Memory]) -> Difference:
    """Compare two exports of a chat; `known` are all memories and folds that the archive has of it."""
    was, now = groups(before.places), groups(after.places)
    same = _pairs(before.places, after.places)
    openings, closings = (
        [
            {place.message.text for place in side.places if place.ours and place.ours.kind == kind}
            for side in (before, after)
        ]
        for kind in (OPENING, CLOSING)
    )
    reworded = [
        kind
        for kind, (old, new) in ((OPENING, openings), (CLOSING, closings))
        if old and new and old != new
    ]
    return Difference(
        messages_before=len(before.places),
        messages_after=len(after.places),
        memories_before=len(was),
        memories_after=len(now),
        memories=tuple(_memory_changes(was, now, known)),
        raw=tuple(_message_changes(before.places, after.places, same, known)),
        reordered=any(at > following for at, following in pairwise(same.values())),
        canned=tuple(reworded),
        fields=tuple(_field_changes(before.chat, after.chat)),
    )


def _field_changes(before: Chat, after: Chat) -> list[Field]:
    was, now = ({member.key for member in chat.members} - {"messages"} for chat in (before, after))
    changes = [Field(name, "gone") for name in was - now] + [
        Field(name, "new") for name in now - was
    ]
    changes += [
        Field(name, "changed") for name in was & now if before.field(name) != after.field(name)
    ]
    return sorted(changes, key=lambda field: field.name)


def _memory_changes(
    was: Mapping[str, Group], now: Mapping[str, Group], known: Sequence[Memory]
) -> list[MemoryChange]:
    into, out_of = folded_into(now, known), folded_into(was, known)
    opened = {out_of[name] for name in now if name not in was and name in out_of}
    changes: list[MemoryChange] = []
    for name, group in was.items():
        # A fold whose memories are shown again is not gone: they have come out of it.
        if name not in now and (name in into or name not in opened):
            changes.append(
                MemoryChange(
                    "folded" if name in into else "gone",
                    name,
                    _edition(group),
                    0,
                    into.get(name, ""),
                )
            )
    for name, group in now.items():
        if name not in was:
            fold = out_of.get(name, "")
            changes.append(
                MemoryChange("unfolded" if fold else "new", name, 0, _edition(group), fold)
            )
    for name in was:
        if name in now and (how := _change_in_both(was[name], now[name])):
            changes.append(MemoryChange(how, name, _edition(was[name]), _edition(now[name])))
    return changes


def _change_in_both(was: Group, now: Group) -> MemoryHow | None:
    if _edition(was) != _edition(now):
        return "renewed"
    if any(was[slot].message.text != now[slot].message.text for slot in was.keys() & now.keys()):
        return "edited"
    if was.keys() == now.keys():
        return None
    return "completed" if now.keys() - was.keys() else "incomplete"


def _edition(group: Group) -> int:
    """The newest that any of its messages is of: one that was deleted and came back can be of another."""
    return max(place.ours.edition for place in group.values() if place.ours is not None)


def folded_into(shown: Iterable[str], known: Sequence[Memory]) -> dict[str, str]:
    """The shown fold that stands for each memory or fold, by the latter's id."""
    members = {memory.memory_id: memory.members for memory in known}
    folds: dict[str, str] = {}
    waiting = [(name, name) for name in shown]
    while waiting:
        name, fold = waiting.pop()
        inside = members.get(name, ())
        folds |= dict.fromkeys(inside, fold)
        waiting += [(member, fold) for member in inside]
    return folds


def _pairs(before: Sequence[Place], after: Sequence[Place]) -> dict[int, int]:
    """The index in the second export of each raw message of the first, in order of the first.

    They are matched by their keys, which are uuids where they have any; then by what they say, the first "ok" with
    the first one.
    """
    pairs: dict[int, int] = {}
    names: tuple[Callable[[Place], str], ...] = (
        lambda place: place.key,
        lambda place: place.message.digest,
    )
    for name in names:
        taken = set(pairs.values())
        waiting: dict[str, list[int]] = {}
        for place in reversed(after):
            if place.ours is None and place.at not in taken:
                waiting.setdefault(name(place), []).append(place.at)
        for place in before:
            if place.ours is None and place.at not in pairs and waiting.get(name(place)):
                pairs[place.at] = waiting[name(place)].pop()
    return dict(sorted(pairs.items()))


def _message_changes(
    before: Sequence[Place],
    after: Sequence[Place],
    same: Mapping[int, int],
    known: Sequence[Memory],
) -> Iterator[MessageChange]:
    """The changes in order: of those of the first export, then of those that the second has alone."""
    under = {key: memory.memory_id for memory in known if not memory.is_fold for key in memory.keys}
    shown_before, shown_after = (
        groups(places).keys() | folded_into(groups(places), known).keys()
        for places in (before, after)
    )
    for place in before:
        memory = under.get(place.key, "")
        if place.at in same:
            yield from _changes_in_both(place, after[same[place.at]])
        elif place.ours is None:
            yield _message_change("compressed" if memory in shown_after else "gone", place, memory)
    paired = set(same.values())
    for place in after:
        if place.ours is None and place.at not in paired:
            memory = under.get(place.key, "")
            yield _message_change("come back" if memory in shown_before else "new", place, memory)


def _changes_in_both(before: Place, after: Place) -> Iterator[MessageChange]:
    """An original that is kept beside its memory counts as compressed: it is no longer sent."""
    if bool(before.original) != bool(after.original):
        how: How = "compressed" if after.original else "come back"
        yield _message_change(how, after, before.original or after.original)
    names: tuple[str, ...] = ()
    if before.message.raw != after.message.raw:
        was, now = fields_of(before.message), fields_of(after.message)
        differ = (
            key
            for key in was.keys() | now.keys()
            if (key in was, was.get(key)) != (key in now, now.get(key))
        )
        names = tuple(sorted(differ))
    if before.message.digest != after.message.digest:
        yield _message_change("edited", after, was=_first_words(before.message), fields=names)
    elif names:
        yield _message_change("changed", after, fields=names)


def _message_change(
    how: How, place: Place, memory: str = "", was: str = "", fields: tuple[str, ...] = ()
) -> MessageChange:
    message = place.message
    names = (message.uuid or "", message.role or "", message.created_at or "")
    return MessageChange(how, *names, _first_words(message), memory, was, fields)


def _first_words(message: Message) -> str:
    words = " ".join(message.text.split())
    return (
        words
        if len(words) <= _FIRST_CHARACTERS
        else words[: _FIRST_CHARACTERS - 3].rstrip() + "..."
    )


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    """A line; one without a mark says what stands below it."""

    mark: Mark
    text: str


def difference_lines(difference: Difference, known: Sequence[Memory]) -> Iterator[DifferenceLine]:
    """The difference in words; `known` are the memories and folds that the archive has of the chat."""
    names = {memory.memory_id: memory for memory in known}
    for change in difference.memories:
        yield DifferenceLine(_MARKS.get(change.how, "~"), _of_memory(change, names))
    for how in _GROUPS:
        changes = [change for change in difference.raw if change.how == how]
        for memory, group in groupby(
            changes, key=lambda change: change.memory if "{memory}" in _GROUPS[change.how] else ""
        ):
            yield from _of_messages(how, names.get(memory), list(group))
    if difference.reordered:
        yield DifferenceLine("~", "messages that stand in both stand in another order")
    for kind in difference.canned:
        yield DifferenceLine("~", f"the {kind} reads otherwise")
    for change_of in ("changed", "new", "gone"):
        if fields := [field.name for field in difference.fields if field.how == change_of]:
            yield DifferenceLine("~", f"{change_of} fields of the chat: {', '.join(fields)}")


def _of_memory(change: MemoryChange, names: Mapping[str, Memory]) -> str:
    memory = names.get(change.memory)
    name = f"{called(memory)}, {dates(memory)}" if memory else change.memory
    fold = called(names[change.fold]) if change.fold else ""
    words = {
        "new": f"new, in edition {change.after}",
        "gone": "forgotten" if memory and memory.forgotten else "gone",
        "renewed": f"edition {change.before} -> {change.after}",
        "edited": "its text was edited",
        "completed": "messages of it that were missing are back",
        "incomplete": "messages of it are missing",
        "folded": f"folded into {fold}",
        "unfolded": f"unfolded from {fold}",
    }
    return f"{name}: {words[change.how]}"


def _of_messages(
    how: str, memory: Memory | None, group: Sequence[MessageChange]
) -> Iterator[DifferenceLine]:
    """A group under its heading; the middle of a long one is only counted."""
    heading = _GROUPS[how].format(memory=called(memory) if memory else "a memory")
    yield DifferenceLine(
        " ", f"{heading}, {len(group):,} {'message' if len(group) == 1 else 'messages'}:"
    )
    hidden = len(group) - 2 * _ENDS
    for at, change in enumerate(group):
        if hidden > 1 and _ENDS <= at < len(group) - _ENDS:
            if at == _ENDS:
                yield DifferenceLine(" ", f"  ... {hidden:,} more ...")
            continue
        head = f"{change.date[:_IN_A_LINE].replace('T', ' ') or 'no date'} {change.role or 'no role'}: "
        if how == "edited" and change.was != change.begins:
            yield DifferenceLine("-", f"  {head}{change.was}")
            yield DifferenceLine("+", f"  {head}{change.begins}")
            continue
        others = "further on" if how == "edited" else ", ".join(change.fields)
        yield DifferenceLine(
            _MARKS.get(how, "~"), f"  {head}{change.begins}{f' ({others})' if others else ''}"
        )
