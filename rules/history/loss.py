"""Whether an export has suddenly lost what the chat held the last time: then it is set aside, not mirrored (D11).

    last time   [memories] m5 m6 m7 ... m60
    ordinary    [memories] m5 m6 m7 ... m60 m61     some edited, inserted or deleted, the newest answer regenerated
    lost        [memories] m61, with m5 ... m60 in another branch; or most of it is gone; or the newest are

What the chat's own list of deletions names was the person's will. What is lost here is still in the archive.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rules.export.dates import parse_date
from rules.export.message import Message
from rules.history.branches import Branch, branches
from rules.history.marker import MEMORY, read_marker
from rules.history.recognise import Place

_FEW, _FEW_AT_THE_END, _FEW_BEFORE_NEW_ONES = 10, 2, 8

_GO_BACK = (
    "Use the arrows at that message in TypingMind to go back to the other branch, and export the chat again; "
    "or, to go on from here, fork the chat there and export the fork."
)
_EXPORT_WHOLE = (
    "Export the chat again from the device where it is whole; or, to go on from here, fork the chat in TypingMind, "
    "so that it has an id of its own, and export the fork."
)


@dataclass(frozen=True, slots=True)
class Known:
    """A raw message that stood in this chat's export the last time, and stands under no memory."""

    key: str
    uuid: str | None
    digest: str
    role: str | None
    created_at: str | None


_Name = Callable[[Known], str | None]


@dataclass(frozen=True, slots=True)
class Lost:
    """Why the export is set aside, and what the person can do: numbers and dates, never what was said."""

    reason: str
    next_step: str


@dataclass(frozen=True, slots=True)
class _Back:
    """The standing messages that came back: the number of each, and the index in the export where it is now."""

    at: Mapping[int, int]
    by_uuid: frozenset[int]
    """Those with the same uuid; the others say the same, which "ok" does by chance."""

    @property
    def newest(self) -> int:
        """The number of the newest that surely came back; -1 where none did."""
        return max(self.by_uuid or self.at, default=-1)


@dataclass(frozen=True, slots=True)
class _Held:
    """A branch of the export, and the standing messages that it has taken, by their numbers."""

    branch: Branch
    moved: Mapping[int, Known]
    ours: int
    """How many of its messages are ours."""


@dataclass(frozen=True, slots=True)
class _Gone:
    """The standing messages that did not come back, where neither a branch nor a deletion explains it."""

    missing: Sequence[Known]
    newest: Sequence[Known]
    """Those of them that stood behind all that came back."""
    expected: int
    """How many messages should have come back."""
    new: int
    """How many lived messages of the export never stood in the chat before."""


def lost(
    standing: Sequence[Known],
    memories: Mapping[str, bool],
    places: Sequence[Place],
    deleted: Collection[str],
    ours: Collection[str],
    known: Collection[str],
) -> Lost | None:
    """Why this export of a chat may not be worked on, or None where nothing is lost (D11).

    `standing` is oldest first. `memories` are the chat's memories without those that the person deleted, true where
    the export shows one or still has raw messages of it. `deleted` are the uuids that the chat's own
    `syncMetadata.deletedMessageUUIDs` names, `ours` those of messages that we may have written into it, `known` the
    keys of all raw messages that the archive has of it. Without memories there is nothing to lose.
    """
    if not memories:
        return None
    back = _came_back(standing, places)
    missing = {number: one for number, one in enumerate(standing) if number not in back.at}
    if not missing and all(memories.values()):
        return None
    found, own, willed = branches([place.message for place in places]), frozenset(ours), frozenset(deleted)
    held = [_hold(branch, missing, own, same_uuids=bool(back.by_uuid)) for branch in found]
    if taken := [one for one in held if _is_a_loss(one, memories)]:
        return _into_a_branch(taken, places)
    explained = {number for one in held for number in one.moved}
    explained |= {number for number, one in missing.items() if one.uuid in willed}
    gone = _gone(back, {n: one for n, one in missing.items() if n not in explained}, places, known)
    return _most_is_gone(gone, memories) or _the_newest_are_gone(gone)


def _came_back(standing: Sequence[Known], places: Sequence[Place]) -> _Back:
    here = {place.at: _as_known(place.message, place.key) for place in places if place.ours is None}
    old = dict(enumerate(standing))
    named = _paired(old, here, (_key, _uuid))
    said = _paired(_without(old, named), _without(here, named.values()), (_digest,))
    return _Back({**named, **said}, frozenset(number for number in named if standing[number].uuid is not None))


def _hold(branch: Branch, missing: Mapping[int, Known], ours: Collection[str], *, same_uuids: bool) -> _Held:
    """What a branch has taken. Where uuids came back, what has one is known by it: an old branch has its "ok" too."""
    inside = {at: _as_known(message) for at, message in enumerate(branch.messages)}
    named = _paired(missing, inside, (_uuid,))
    unsure = {number: one for number, one in missing.items() if one.uuid is None or not same_uuids}
    said = _paired(_without(unsure, named), _without(inside, named.values()), (_digest,))
    own = sum(message.uuid in ours or read_marker(message.marker) is not None for message in branch.messages)
    return _Held(branch, {number: missing[number] for number in {**named, **said}}, own)


def _is_a_loss(held: _Held, memories: Mapping[str, bool]) -> bool:
    """An answer that was regenerated leaves itself behind, never a question, and nothing of ours.

    A branch that has nothing of what is missing was there before: a fork keeps the branches of its origin.
    """
    if held.moved:
        return held.ours > 0 or any(one.role == "user" for one in held.moved.values())
    markers = (read_marker(message.marker) for message in held.branch.messages)
    return any(one is not None and one.kind == MEMORY and not memories.get(one.memory, True) for one in markers)


def _gone(back: _Back, missing: Mapping[int, Known], places: Sequence[Place], known: Collection[str]) -> _Gone:
    keys, old = frozenset(known), frozenset(back.at.values())
    return _Gone(
        missing=tuple(missing.values()),
        newest=tuple(one for number, one in missing.items() if number > back.newest),
        expected=len(back.at) + len(missing),
        new=sum(place.lived and place.at not in old and place.key not in keys for place in places),
    )


def _into_a_branch(taken: Sequence[_Held], places: Sequence[Place]) -> Lost:
    at = min(one.branch.at for one in taken)
    moved = [one for held in taken for one in held.moved.values()]
    count = len(moved) + sum(held.ours for held in taken)
    whose = ", which is one of memproc's own," if places[at].ours else ""
    return Lost(
        f"Everything after message {at + 1} of the chat{whose} went into another branch of it "
        f"({_counted(count, moved)}), since that message was regenerated, or edited and sent again.",
        _GO_BACK,
    )


def _most_is_gone(gone: _Gone, memories: Mapping[str, bool]) -> Lost | None:
    count = len(gone.missing)
    nothing_left = count == gone.expected > 0 and not any(memories.values())
    if nothing_left or (count > _FEW and count * 2 > gone.expected):
        said = f"{_counted(count, gone.missing)}, of {gone.expected:,}"
        return Lost(f"Most of what stood under no memory the last time is gone ({said}).", _EXPORT_WHOLE)
    hidden = sum(not shown for shown in memories.values())
    if len(memories) > 1 and hidden * 2 > len(memories):
        return Lost(f"Most of the chat's memories are gone ({hidden} of {len(memories)}).", _EXPORT_WHOLE)
    return None


def _the_newest_are_gone(gone: _Gone) -> Lost | None:
    """An older copy of the chat; or one in which the talk went on from an older copy."""
    if len(gone.newest) <= (_FEW_BEFORE_NEW_ONES if gone.new else _FEW_AT_THE_END):
        return None
    said = f"the newest of the last time are missing ({_counted(len(gone.newest), gone.newest)})"
    if gone.new:
        return Lost(f"The chat went back, and on from there: {said}, and {_counted(gone.new)} came.", _EXPORT_WHOLE)
    return Lost(f"This is an older copy of the chat: {said}, and nothing new came.", _EXPORT_WHOLE)


def _paired(old: Mapping[int, Known], here: Mapping[int, Known], names: Iterable[_Name]) -> dict[int, int]:
    """Which of `here` each of `old` is, by the first name that both have; each is used once, in order."""
    found: dict[int, int] = {}
    used: set[int] = set()
    for name in names:
        free: defaultdict[str | None, deque[int]] = defaultdict(deque)
        for at, one in here.items():
            if at not in used:
                free[name(one)].append(at)
        for number, one in old.items():
            if number not in found and name(one) is not None and free[name(one)]:
                found[number] = free[name(one)].popleft()
                used.add(found[number])
    return found


def _without(them: Mapping[int, Known], found: Iterable[int]) -> dict[int, Known]:
    done = frozenset(found)
    return {number: one for number, one in them.items() if number not in done}


def _key(one: Known) -> str | None:
    return one.key


def _uuid(one: Known) -> str | None:
    return one.uuid


def _digest(one: Known) -> str | None:
    return one.digest


def _as_known(message: Message, key: str = "") -> Known:
    return Known(key, message.uuid, message.digest, message.role, message.created_at)


def _counted(count: int, gone: Iterable[Known] = ()) -> str:
    """So many messages, and the day of the oldest that is gone, where one of them has a date."""
    dates = [date for one in gone if (date := parse_date(one.created_at))]
    number = "1 message" if count == 1 else f"{count:,} messages"
    return f"{number}, the oldest from {min(dates).date().isoformat()}" if dates else number
