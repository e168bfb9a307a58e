"""What happened to each memory and fold between two exports of a chat: new, renewed, folded, unfolded, gone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rules.history.recognise import Place
from rules.memory.memory import Memory

Group = Mapping[int, Place]
"""The messages of a memory that an export shows, by slot."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What happened to a memory or a fold that is shown in one of the exports, or in both."""

    how: Literal["new", "gone", "renewed", "edited", "completed", "incomplete", "folded", "unfolded"]
    """`edited`: other texts in the same edition. `completed`, `incomplete`: more or fewer of its six messages."""
    memory: str
    before: int
    """The number of its edition in the first export; 0 where that does not show it."""
    after: int
    fold: str = ""
    """Id of the fold that it went into, or came out of."""


def changed_memories(was: Mapping[str, Group], now: Mapping[str, Group], known: Sequence[Memory]) -> list[Remembered]:
    """What happened, in the order of the exports. `known` are all memories and folds of the chat."""
    into, out_of = folded_into(now, known), folded_into(was, known)
    found = [_left(name, group, into.get(name, "")) for name, group in was.items() if name not in now]
    found += [_came(name, group, out_of.get(name, "")) for name, group in now.items() if name not in was]
    opened = {one.fold for one in found if one.how == "unfolded"}
    # A fold whose memories are shown again is not gone: they have come out of it.
    found = [one for one in found if not (one.how == "gone" and one.memory in opened)]
    return [*found, *(one for name in was if name in now for one in _in_both(name, was[name], now[name]))]


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


def _left(name: str, group: Group, fold: str) -> Remembered:
    return Remembered("folded" if fold else "gone", name, _edition(group), 0, fold)


def _came(name: str, group: Group, fold: str) -> Remembered:
    return Remembered("unfolded" if fold else "new", name, 0, _edition(group), fold)


def _in_both(name: str, was: Group, now: Group) -> list[Remembered]:
    before, after = _edition(was), _edition(now)
    if before != after:
        return [Remembered("renewed", name, before, after)]
    if any(was[slot].message.text != now[slot].message.text for slot in was.keys() & now.keys()):
        return [Remembered("edited", name, before, after)]
    if was.keys() == now.keys():
        return []
    return [Remembered("completed" if now.keys() - was.keys() else "incomplete", name, before, after)]


def _edition(group: Group) -> int:
    """The newest that any of its messages is of: one that was deleted and came back can be of another."""
    return max(place.ours.edition for place in group.values() if place.ours is not None)
