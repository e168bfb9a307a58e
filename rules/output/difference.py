"""The difference between two exports of a chat: memories, raw messages, opening and fields."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal

from rules.conversation.history import Place
from rules.conversation.marker import CLOSING, OPENING
from rules.conversation.memory import Memory
from rules.conversation.memory_title import called, dates
from rules.recognize.user_edits import Group, groups
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message, fields_of
from rules.wording import counted

MemoryHow = Literal[
    "new", "gone", "renewed", "edited", "completed", "incomplete", "folded", "unfolded"
]
How = Literal["compressed", "come back", "new", "gone", "edited", "changed"]
_ENDS = 4
_IN_A_LINE = 16
_FIRST_CHARACTERS = 45  # a line of the difference then fits into 80 columns
Mark = Literal["+", "-", "~", " "]
"""The mark of a line: only in the second export, only in the first, different, or neither."""
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
    """`edited`: other texts, same edition. `completed`, `incomplete`: more or fewer of its six."""
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
    """`come back`: it was under a memory. `changed`: the same words, other `fields`."""
    uuid: str
    role: str
    date: str
    begins: str
    """Its first words, in one line."""
    memory: str = ""
    """Id of the memory that it is under, or was."""
    was: str = ""
    """The first words before, of a message that was edited."""
    fields: tuple[str, ...] = ()
    """Names of its fields that differ, where both have it."""


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
    """Everything that is different, in the order of the exports; nothing where it is empty."""

    messages_before: int
    messages_after: int
    memories_before: int
    memories_after: int
    memories: tuple[MemoryChange, ...]
    raw: tuple[MessageChange, ...]
    reordered: bool
    """Raw messages that are in both are in another order."""
    canned: tuple[str, ...]
    """`opening`, `closing`: that canned message reads otherwise."""
    fields: tuple[Field, ...]

    @property
    def is_empty(self) -> bool:
        """Return whether the two say the same."""
        return not (self.memories or self.raw or self.reordered or self.canned or self.fields)


def difference(before: Side, after: Side, known: Sequence[Memory]) -> Difference:
    """Compare two exports of a chat; `known` are all memories and folds of it in the archive."""
    was, now = groups(before.places), groups(after.places)
    same = _pairs(before.places, after.places)
    return Difference(
        messages_before=len(before.places),
        messages_after=len(after.places),
        memories_before=len(was),
        memories_after=len(now),
        memories=tuple(_memory_changes(was, now, known)),
        raw=tuple(_message_changes(before.places, after.places, same, known)),
        reordered=any(at > following for at, following in pairwise(same.values())),
        canned=tuple(kind for kind in (OPENING, CLOSING) if _reads_otherwise(before, after, kind)),
        fields=tuple(_field_changes(before.chat, after.chat)),
    )


def _reads_otherwise(before: Side, after: Side, kind: str) -> bool:
    """Return whether both have a canned message of this kind, and other texts in it."""
    old, new = (
        {place.message.text for place in side.places if place.ours and place.ours.kind == kind}
        for side in (before, after)
    )
    return bool(old and new) and old != new


def _field_changes(before: Chat, after: Chat) -> Iterator[Field]:
    was, now = ({member.key for member in chat.members} for chat in (before, after))
    for name in sorted((was | now) - {"messages"}):
        if name not in now:
            yield Field(name, "gone")
        elif name not in was:
            yield Field(name, "new")
        elif before.field(name) != after.field(name):
            yield Field(name, "changed")


def _memory_changes(
    was: Mapping[str, Group], now: Mapping[str, Group], known: Sequence[Memory]
) -> Iterator[MemoryChange]:
    """Yield the memories that are not shown any more, then those that are new, then the others."""
    yield from _memories_gone(was, now, known)
    out_of = folded_into(was, known)
    for name, group in now.items():
        if name not in was:
            fold = out_of.get(name, "")
            yield MemoryChange("unfolded" if fold else "new", name, 0, _edition(group), fold)
    for name, group in was.items():
        if name in now and (how := _change_in_both(group, now[name])):
            yield MemoryChange(how, name, _edition(group), _edition(now[name]))


def _memories_gone(
    was: Mapping[str, Group], now: Mapping[str, Group], known: Sequence[Memory]
) -> Iterator[MemoryChange]:
    """Yield the memories that are not shown any more.

    A fold whose memories are shown again is not gone: they have come out of it.
    """
    into, out_of = folded_into(now, known), folded_into(was, known)
    opened = {out_of[name] for name in now if name not in was and name in out_of}
    for name, group in was.items():
        if name not in now and name in into:
            yield MemoryChange("folded", name, _edition(group), 0, into[name])
        elif name not in now and name not in opened:
            yield MemoryChange("gone", name, _edition(group), 0)


def _change_in_both(was: Group, now: Group) -> MemoryHow | None:
    if _edition(was) != _edition(now):
        return "renewed"
    if any(was[slot].message.text != now[slot].message.text for slot in was.keys() & now.keys()):
        return "edited"
    if was.keys() == now.keys():
        return None
    return "completed" if now.keys() - was.keys() else "incomplete"


def _edition(group: Group) -> int:
    """Return the newest edition that any of its messages is of: one that came back may be older."""
    return max(place.ours.edition for place in group.values() if place.ours is not None)


def folded_into(shown: Iterable[str], known: Sequence[Memory]) -> dict[str, str]:
    """Return the shown fold of each memory or fold, by the latter's id."""
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
    """Return the index in the second export of each raw message of the first, in its order.

    They are matched by their keys, which are uuids where they have any; then by what they say, the
    first "ok" with the first one.
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
    """Yield the changes of messages in the first export, then of those only in the second."""
    under = _memories_by_key(known)
    covered = _covered(after, known)
    for place in before:
        memory = under.get(place.key, "")
        if place.at in same:
            yield from _changes_in_both(place, after[same[place.at]])
        elif place.ours is None:
            yield _message_change("compressed" if memory in covered else "gone", place, memory)
    paired, covered = set(same.values()), _covered(before, known)
    for place in after:
        if place.ours is None and place.at not in paired:
            memory = under.get(place.key, "")
            yield _message_change("come back" if memory in covered else "new", place, memory)


def _memories_by_key(known: Sequence[Memory]) -> dict[str, str]:
    return {key: memory.memory_id for memory in known if not memory.is_fold for key in memory.keys}


def _covered(places: Sequence[Place], known: Sequence[Memory]) -> Set[str]:
    """Return the ids of the memories that an export shows, by themselves or in folds."""
    shown = groups(places)
    return shown.keys() | folded_into(shown, known).keys()


def _changes_in_both(before: Place, after: Place) -> Iterator[MessageChange]:
    """Yield a message's changes. An original kept with its memory counts as compressed."""
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
    if len(words) <= _FIRST_CHARACTERS:
        return words
    return words[: _FIRST_CHARACTERS - 3].rstrip() + "..."


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    """A line; one without a mark is a heading."""

    mark: Mark
    text: str


def difference_lines(difference: Difference, known: Sequence[Memory]) -> Iterator[DifferenceLine]:
    """Yield the difference in words; `known` are the chat's memories and folds in the archive."""
    names = {memory.memory_id: memory for memory in known}
    for change in difference.memories:
        yield DifferenceLine(_MARKS.get(change.how, "~"), _of_memory(change, names))
    yield from _raw_lines(difference.raw, names)
    if difference.reordered:
        yield DifferenceLine("~", "messages that stand in both stand in another order")
    for kind in difference.canned:
        yield DifferenceLine("~", f"the {kind} reads otherwise")
    for change_of in ("changed", "new", "gone"):
        if fields := [field.name for field in difference.fields if field.how == change_of]:
            yield DifferenceLine("~", f"{change_of} fields of the chat: {', '.join(fields)}")


def _raw_lines(
    raw: Sequence[MessageChange], names: Mapping[str, Memory]
) -> Iterator[DifferenceLine]:
    for how in _GROUPS:
        changes = [change for change in raw if change.how == how]
        for memory, group in groupby(
            changes, key=lambda change: change.memory if "{memory}" in _GROUPS[change.how] else ""
        ):
            yield from _of_messages(how, names.get(memory), list(group))


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
    """Yield a group under its heading; the middle of a long one is only counted."""
    heading = _GROUPS[how].format(memory=called(memory) if memory else "a memory")
    yield DifferenceLine(" ", f"{heading}, {counted(len(group), 'message')}:")
    hidden = len(group) - 2 * _ENDS
    first, last = (group, ()) if hidden < 2 else (group[:_ENDS], group[-_ENDS:])
    for change in first:
        yield from _of_message(change)
    if last:
        yield DifferenceLine(" ", f"  ... {hidden:,} more ...")
    for change in last:
        yield from _of_message(change)


def _of_message(change: MessageChange) -> Iterator[DifferenceLine]:
    date = change.date[:_IN_A_LINE].replace("T", " ") or "no date"
    head = f"  {date} {change.role or 'no role'}: "
    if change.how == "edited" and change.was != change.begins:
        yield DifferenceLine("-", f"{head}{change.was}")
        yield DifferenceLine("+", f"{head}{change.begins}")
        return
    others = "further on" if change.how == "edited" else ", ".join(change.fields)
    more = f" ({others})" if others else ""
    yield DifferenceLine(_MARKS.get(change.how, "~"), f"{head}{change.begins}{more}")
