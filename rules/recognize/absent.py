"""What an export lacks that stood in the chat before: deleted, in another branch, missing, or lost all at once.

TypingMind notes the person's deletions in `syncMetadata.deletedMessageUUIDs`: the last 100, among them those that we
noted when memories took the place of messages. Older builds note nothing. So of what an export lacks:

    named       the person has deleted it
    branched    it went into another branch of the chat, and is still in the export there
    replaced    an answer that was regenerated in its place, as older builds did
    missing     all others. Where the list is complete, the person has not deleted them; else nobody can tell

An export went back where it lacks all that came since some earlier moment: it goes on from an older state.

Whether an export has suddenly lost what the chat held the last time: then it is skipped, not mirrored.

    last time   [memories] m5 m6 m7 ... m60
    ordinary    [memories] m5 m6 m7 ... m60 m61     some edited, inserted or deleted, the newest answer regenerated
    lost        [memories] m61, with m5 ... m60 in another branch; or most of it is gone; or the newest are

What the chat's own list of deletions names was the person's will. What is lost here is still in the archive.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from rules.conversation.marker import MEMORY, read_marker
from rules.recognize.recognize import Place
from rules.typingmind.message import Branch, Message, branches, parse_date
from rules.typingmind.originals import MOST_NAMED

Sure = Literal["deletions are named", "the list was full", "nothing is named"]
"""How much can be concluded from the list of deletions. An old build writes none: `nothing is named`."""


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """A raw message that stood in this chat's export the last time, and stands under no memory."""

    key: str
    uuid: str | None
    digest: str
    role: str | None
    created_at: str | None
    seen_at: str = ""
    """When an export first held it; empty where nobody knows."""


@dataclass(frozen=True, slots=True)
class Deletions:
    """The chat's own list of deletions, and how far it can be trusted."""

    named: frozenset[str] = frozenset()
    new: int = 0
    """The number of entries that were added since our last output."""
    is_there: bool = False
    by_person: bool = False
    """This build of TypingMind notes what the person deletes."""

    @property
    def sure(self) -> Sure:
        """What follows for a message that it does not name."""
        if self.new >= MOST_NAMED:
            return "the list was full"
        return "deletions are named" if self.by_person else "nothing is named"


@dataclass(frozen=True, slots=True)
class TakenBranch:
    """A branch of the export, and the standing messages that it has taken, by their numbers."""

    branch: Branch
    moved: Mapping[int, KnownMessage]
    ours: int
    """The number of its messages that are ours."""


@dataclass(frozen=True, slots=True)
class Absent:
    """The messages that the archive has seen and that an export lacks, sorted by the reason."""

    missing: tuple[KnownMessage, ...] = ()
    """Messages that stood in the chat the last time, and that nothing explains; oldest first."""
    replaced: int = 0
    """The number of answers that were regenerated in their place."""
    deleted: int = 0
    """The number of messages of the last time that the chat names as deleted."""
    left_out: frozenset[str] = frozenset()
    """Keys of missing messages that are no part of the agent's experience."""
    named: frozenset[str] = frozenset()
    """uuids that the chat names as deleted, or holds in a branch."""
    under: frozenset[str] = frozenset()
    """Keys of messages under memories that the export should hold and lacks, and that the person did not delete."""
    sure: Sure = "nothing is named"
    went_back: bool = False
    """It lacks all that came since some earlier moment."""
    branches: tuple[TakenBranch, ...] = ()
    gone: tuple[KnownMessage, ...] = ()
    """Messages of the last time that neither a branch nor a deletion explains; `missing`, and replaced answers."""
    newest_gone: tuple[KnownMessage, ...] = ()
    """Those of `gone` that stood behind all messages that came back."""
    expected: int = 0
    """The number of messages that should have come back."""
    new: int = 0
    """The number of lived messages of the export that the archive has never seen."""

    @property
    def keys(self) -> frozenset[str]:
        """Keys of the missing messages that stay in the conversation: nothing says that the person deleted them.

        In an old build they are taken for deleted, as most are, unless the whole export went back.
        """
        if self.sure == "nothing is named" and not self.went_back:
            return self.under
        return self.under | self.left_out | {known.key for known in self.missing}


NOTHING_ABSENT = Absent()
_Name = Callable[[KnownMessage], str | None]
_Numbered = Mapping[int, KnownMessage]


def absent(
    standing: Sequence[KnownMessage],
    left_out: Sequence[KnownMessage],
    under: Sequence[KnownMessage],
    seen: Mapping[str, str],
    places: Sequence[Place],
    deletions: Deletions,
    accepted: Collection[str] = (),
    ours: Collection[str] = (),
) -> Absent:
    """Compare the export with what the archive has seen. `standing` is oldest first; `seen` says by key when first.

    `left_out` are those of the last time that are left out of memories; one without a uuid, as a divider is, could not
    be named as deleted.

    `under` are the messages under memories that the export should hold, since it shows others of the same memory.
    `accepted` are keys of messages that were missing before, `ours` the uuids of messages that we may have written.
    """
    here = {place.key for place in places if place.ours is None}
    back = _came_back(standing, places)
    lacking = {number: known for number, known in enumerate(standing) if number not in back.at}
    lacking_under = [known for known in under if known.key not in here]
    lacking_others = [known for known in left_out if known.key not in here and known.uuid is not None]
    all_branches = branches([place.message for place in places])
    taken = [_hold(branch, lacking, ours, same_uuids=bool(back.by_uuid)) for branch in all_branches]
    branched = {number for branch in taken for number in branch.moved}
    in_branches = frozenset(message.uuid for branch in all_branches for message in branch.messages if message.uuid)
    is_whole = not (lacking or lacking_under or lacking_others or deletions.is_there)
    named = frozenset() if is_whole else deletions.named | in_branches
    deleted = {number for number, known in lacking.items() if known.uuid in deletions.named} - branched
    unexplained = {n: known for n, known in lacking.items() if n not in branched | deleted}
    replaced = _replaced(standing, unexplained, back, places, seen)
    missing = [known for number, known in unexplained.items() if number not in replaced]
    missing_under = [known for known in lacking_under if known.uuid not in named]
    newest_here = max((seen[key] for key in here if key in seen), default="")
    returned = frozenset(back.at.values())
    could_be_ours = deletions.is_there or any(place.ours is not None for place in places)
    return Absent(
        missing=tuple(missing),
        replaced=len(replaced),
        deleted=len(deleted),
        left_out=frozenset(known.key for known in lacking_others if known.uuid not in named),
        named=named,
        under=frozenset(
            known.key
            for known in missing_under
            if deletions.sure == "deletions are named" or known.key in accepted or _is_newer(known, newest_here)
        ),
        sure=deletions.sure,
        went_back=could_be_ours and _went_back([*missing, *missing_under], newest_here, deletions.sure),
        branches=tuple(taken),
        gone=tuple(unexplained.values()),
        newest_gone=tuple(known for number, known in unexplained.items() if number > back.newest),
        expected=len(back.at) + len(unexplained),
        new=sum(place.lived and place.at not in returned and place.key not in seen for place in places),
    )


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


def _went_back(missing: Sequence[KnownMessage], newest_here: str, sure: Sure) -> bool:
    """Whether all that is missing came after everything that is there: then the export goes on from an older state."""
    return bool(missing) and sure != "the list was full" and all(_is_newer(known, newest_here) for known in missing)


def _came_back(standing: Sequence[KnownMessage], places: Sequence[Place]) -> _Back:
    """Which of the standing messages the export holds: by key or uuid, and the others by what they say."""
    here = {place.at: as_known(place.message, place.key) for place in places if place.ours is None}
    old = dict(enumerate(standing))
    by_name = _paired(old, here, (_key, _uuid))
    by_text = _paired(_without(old, by_name), _without(here, by_name.values()), (_digest,))
    return _Back({**by_name, **by_text}, frozenset(number for number in by_name if standing[number].uuid is not None))


def _hold(branch: Branch, missing: _Numbered, ours: Collection[str], *, same_uuids: bool) -> TakenBranch:
    """Find what a branch has taken. Where uuids came back, they decide: an old branch holds an "ok" of its own, too."""
    inside = {at: as_known(message) for at, message in enumerate(branch.messages)}
    by_name = _paired(missing, inside, (_uuid,))
    unsure = {number: known for number, known in missing.items() if known.uuid is None or not same_uuids}
    by_text = _paired(_without(unsure, by_name), _without(inside, by_name.values()), (_digest,))
    own = sum(message.uuid in ours or read_marker(message.marker) is not None for message in branch.messages)
    return TakenBranch(branch, {number: missing[number] for number in {**by_name, **by_text}}, own)


def as_known(message: Message, key: str = "") -> KnownMessage:
    """A message of an export, to be compared with those that the archive knows."""
    return KnownMessage(key, message.uuid, message.digest, message.role, message.created_at)


def _is_newer(known: KnownMessage, moment: str) -> bool:
    """Whether it came later than everything that was first seen until then."""
    return known.seen_at > moment > ""


def _replaced(
    standing: Sequence[KnownMessage],
    lacking: _Numbered,
    back: _Back,
    places: Sequence[Place],
    seen: Mapping[str, str],
) -> set[int]:
    """Numbers of the answers in whose place a new answer stands, behind the same question."""
    lived = [place for place in places if place.lived]
    behind = {place.at: following for place, following in pairwise(lived)}
    replaced: set[int] = set()
    run: list[int] = []
    for number in range(len(standing)):
        if number in lacking and standing[number].role != "user" and (run or number - 1 in back.at):
            run.append(number)
            continue
        replaced |= _if_replaced(run, back, behind, seen)
        run = []
    return replaced | _if_replaced(run, back, behind, seen)


def _if_replaced(run: Sequence[int], back: _Back, behind: Mapping[int, Place], seen: Mapping[str, str]) -> set[int]:
    following = behind.get(back.at[run[0] - 1]) if run else None
    is_new = following is not None and following.message.role == "assistant" and following.key not in seen
    return set(run) if is_new else set()


def _paired(old: _Numbered, here: _Numbered, names: Iterable[_Name]) -> dict[int, int]:
    """Which of `here` each of `old` is, by the first name that both have; each is used once, in order."""
    pairs: dict[int, int] = {}
    used: set[int] = set()
    for name in names:
        free: defaultdict[str | None, deque[int]] = defaultdict(deque)
        for at, known in here.items():
            if at not in used:
                free[name(known)].append(at)
        for number, known in old.items():
            if number not in pairs and name(known) is not None and free[name(known)]:
                pairs[number] = free[name(known)].popleft()
                used.add(pairs[number])
    return pairs


def _without(messages: _Numbered, numbers: Iterable[int]) -> _Numbered:
    out = frozenset(numbers)
    return {number: known for number, known in messages.items() if number not in out}


def _key(known: KnownMessage) -> str | None:
    return known.key


def _uuid(known: KnownMessage) -> str | None:
    return known.uuid


def _digest(known: KnownMessage) -> str | None:
    return known.digest


_FEW, _FEW_AT_THE_END, _FEW_BEFORE_NEW_ONES = 10, 2, 8

_GO_BACK = (
    "Use the arrows at that message in TypingMind to go back to the other branch, and export the chat again; "
    "or, to go on from here, fork the chat there and export the fork."
)
_OR_FORK = "or, to go on from here, fork the chat in TypingMind, so that it has an id of its own, and export the fork."
_EXPORT_WHOLE = f"Export the chat again from the device where it is whole; {_OR_FORK}"


@dataclass(frozen=True, slots=True)
class Lost:
    """Why the export is skipped, and what the person can do: numbers and dates, never what was said."""

    reason: str
    next_step: str
    import_again: bool = False
    """The newest updated export, or the newest export that memproc has read, has what is missing."""

    def with_file(self, file: str) -> str:
        """The next step, where what is missing stands in this file; empty where nobody knows of one."""
        if not (self.import_again and file):
            return self.next_step
        return f"Import {file} into TypingMind, which has them, talk on there and export the chat; {_OR_FORK}"


def lost(
    absent: Absent, memories: Mapping[str, bool], places: Sequence[Place], willed: Collection[str] = ()
) -> Lost | None:
    """Why this export of a chat is skipped until the person accepts it, or None where nothing is lost.

    `memories` are the chat's memories without those that the person deleted, which are `willed`; true where the export
    shows one or still has raw messages of it. Without memories there is little to lose.
    """
    if not (memories or willed or absent.went_back):
        return None
    if taken := [branch for branch in absent.branches if _is_a_loss(branch, memories)]:
        return _into_a_branch(taken, places)
    return (
        _loss_by_going_back(absent)
        or _most_is_gone(absent, memories)
        or _most_memories_are_gone(memories, willed)
        or _the_newest_are_gone(absent)
    )


def _is_a_loss(held: TakenBranch, memories: Mapping[str, bool]) -> bool:
    """An answer that was regenerated leaves itself behind, never a question, and nothing of ours.

    A branch that has nothing of what is missing was there before: a fork keeps the branches of its origin.
    """
    if held.moved:
        return held.ours > 0 or any(known.role == "user" for known in held.moved.values())
    markers = (read_marker(message.marker) for message in held.branch.messages)
    return any(marker and marker.kind == MEMORY and not memories.get(marker.memory, True) for marker in markers)


def _into_a_branch(taken: Sequence[TakenBranch], places: Sequence[Place]) -> Lost:
    at = min(held.branch.at for held in taken)
    moved = [known for held in taken for known in held.moved.values()]
    count = len(moved) + sum(held.ours for held in taken)
    whose = ", which is one of memproc's own," if places[at].ours else ""
    return Lost(
        f"Everything after message {at + 1} of the chat{whose} went into another branch of it "
        f"({_counted(count, moved)}), since that message was regenerated, or edited and sent again.",
        _GO_BACK,
    )


def _most_is_gone(absent: Absent, memories: Mapping[str, bool]) -> Lost | None:
    count = len(absent.gone)
    nothing_left = count == absent.expected > 0 and not any(memories.values())
    if nothing_left or (count > _FEW and count * 2 > absent.expected):
        numbers = f"{_counted(count, absent.gone)}, of {absent.expected:,}"
        return Lost(f"Most of what stood under no memory the last time is gone ({numbers}).", _EXPORT_WHOLE)
    return None


def _most_memories_are_gone(memories: Mapping[str, bool], willed: Collection[str]) -> Lost | None:
    """Whether the person deleted them or not: all at once, that is a mistake of the hand more often than not."""
    hidden, count = sum(not shown for shown in memories.values()) + len(willed), len(memories) + len(willed)
    if count < 2 or hidden * 2 <= count:
        return None
    return Lost(f"Most of the chat's memories are gone ({hidden} of {count}).", _EXPORT_WHOLE)


def _loss_by_going_back(absent: Absent) -> Lost | None:
    """It lacks all that came since some earlier moment, however little: it goes on from an older updated export."""
    if not absent.went_back:
        return None
    return _older(len(absent.missing) + len(absent.under), absent.missing, absent.new)


def _the_newest_are_gone(absent: Absent) -> Lost | None:
    """An older copy of the chat; or one in which the talk went on from an older copy.

    Where the person has deleted so much that TypingMind could not note it all, these may be among it.
    """
    few = _FEW_BEFORE_NEW_ONES if absent.new else _FEW_AT_THE_END
    if len(absent.newest_gone) <= few or absent.sure == "the list was full":
        return None
    return _older(len(absent.newest_gone), absent.newest_gone, absent.new)


def _older(count: int, newest: Sequence[KnownMessage], new: int) -> Lost:
    missing = f"the newest of the last time are missing ({_counted(count, newest)})"
    if new:
        reason = f"The chat went back, and on from there: {missing}, and {_counted(new)} came."
    else:
        reason = f"This is an older copy of the chat: {missing}, and nothing new came."
    return Lost(reason, _EXPORT_WHOLE, import_again=True)


def _counted(count: int, gone: Iterable[KnownMessage] = ()) -> str:
    """The number of messages in words, with the day of the oldest where one of them has a date."""
    dates = [date for known in gone if (date := parse_date(known.created_at))]
    number = "1 message" if count == 1 else f"{count:,} messages"
    return f"{number}, the oldest from {min(dates).date().isoformat()}" if dates else number
