"""What happened to each raw message between two exports of a chat: compressed, come back, edited, new or gone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rules.export import spans
from rules.export.message import Message
from rules.history.hand import groups
from rules.history.recognise import Place
from rules.memory.memory import Memory
from rules.output.changed_memories import folded_into

_FIRST_CHARACTERS = 60
_CUT = "..."

How = Literal["compressed", "come back", "new", "gone", "edited", "changed"]


@dataclass(frozen=True, slots=True)
class Raw:
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
) -> Iterator[Raw]:
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


def _in_both(before: Place, after: Place) -> Iterator[Raw]:
    """An original that is kept beside its memory counts as compressed: it is no longer sent."""
    if bool(before.original) != bool(after.original):
        how: How = "compressed" if after.original else "come back"
        yield _told(how, after, before.original or after.original)
    names = _other_fields(before.message, after.message)
    if before.message.digest != after.message.digest:
        yield _told("edited", after, was=_first_words(before.message), fields=names)
    elif names:
        yield _told("changed", after, fields=names)


def _told(how: How, place: Place, memory: str = "", was: str = "", fields: tuple[str, ...] = ()) -> Raw:
    message = place.message
    return Raw(
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
    was, now = _fields(before), _fields(after)
    return tuple(
        sorted(key for key in was.keys() | now.keys() if (key in was, was.get(key)) != (key in now, now.get(key)))
    )


def _fields(message: Message) -> Mapping[str, object]:
    found, _ = spans.value(spans.decoded(message.raw), 0)
    return found if isinstance(found, dict) else {}
