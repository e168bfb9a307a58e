"""What an export lacks that stood in the chat before: deleted, in another branch, missing, or lost all at once.

TypingMind notes the person's deletions in `syncMetadata.deletedMessageUUIDs`: the last 100, among them those that we
noted when memories took the place of messages. Older builds note nothing. So of what an export lacks:

    named       the person has deleted it
    branched    it went into another branch of the chat, and is still in the export there
    replaced    an answer that was regenerated in its place, as older builds did
    missing     all others. Where the list is complete, the person has not deleted them; else nobody can tell

An export went back where it lacks all that came since some earlier moment: it goes on from an older state.

An export that has suddenly lost what the chat held the last time is skipped, not mirrored:

    last time   [memories] m5 m6 m7 ... m60
    ordinary    [memories] m5 m6 m7 ... m60 m61     some edited, inserted or deleted, the newest answer regenerated
    lost        [memories] m61, with m5 ... m60 in another branch; or most of it is gone; or the newest are

What the chat's own list of deletions names was the person's will. What is lost here is still in the archive.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from rules.conversation.marker import MEMORY, read_marker
from rules.conversation.place import Place
from rules.typingmind.message import Branch, Message, branches, parse_date
from rules.typingmind.originals import MOST_NAMED

Sure = Literal["deletions are named", "the list was full", "nothing is named"]
"""The conclusion that the list of deletions allows. An old build writes none: `nothing is named`."""


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """A raw message that stood in this chat's export the last time, and stands under no memory."""

    key: str
    uuid: str | None
    digest: str
    role: str | None
    created_at: str | None
    seen_at: str = ""
    """The time when an export first held it; empty where nobody knows."""


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
        """The conclusion about a message that it does not name."""
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
    """Whether it lacks all that came since some earlier moment."""
    branches: tuple[TakenBranch, ...] = ()
    gone: tuple[KnownMessage, ...] = ()
    """Messages of the last time that neither a branch nor a deletion explains; `missing`, and replaced answers."""
    newest_gone: tuple[KnownMessage, ...] = ()
    """The messages of `gone` that stood behind all that came back."""
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
    keys = {place.key for place in places if place.ours is None}
    back, by_uuid = _came_back(standing, places)
    lacking = {number: known for number, known in enumerate(standing) if number not in back}
    lacking_under = [known for known in under if known.key not in keys]
    lacking_others = [
        known for known in left_out if known.key not in keys and known.uuid is not None
    ]
    all_branches = branches([place.message for place in places])
    taken = [_taken(branch, lacking, ours, same_uuids=bool(by_uuid)) for branch in all_branches]
    branched = {number for branch in taken for number in branch.moved}
    in_branches = {
        message.uuid for branch in all_branches for message in branch.messages if message.uuid
    }
    is_whole = not (lacking or lacking_under or lacking_others or deletions.is_there)
    named = frozenset() if is_whole else deletions.named | in_branches
    deleted = {
        number for number, known in lacking.items() if known.uuid in deletions.named
    } - branched
    unexplained = {
        number: known for number, known in lacking.items() if number not in branched | deleted
    }
    replaced = _replaced(standing, unexplained, back, places, seen)
    missing = [known for number, known in unexplained.items() if number not in replaced]
    missing_under = [known for known in lacking_under if known.uuid not in named]
    newest_here = max((seen[key] for key in keys if key in seen), default="")
    could_be_ours = deletions.is_there or any(place.ours is not None for place in places)
    newest_back = max(by_uuid or back, default=-1)
    return Absent(
        missing=tuple(missing),
        replaced=len(replaced),
        deleted=len(deleted),
        left_out=frozenset(known.key for known in lacking_others if known.uuid not in named),
        named=named,
        under=frozenset(
            known.key
            for known in missing_under
            if deletions.sure == "deletions are named"
            or known.key in accepted
            or _is_newer(known, newest_here)
        ),
        sure=deletions.sure,
        went_back=could_be_ours
        and _went_back([*missing, *missing_under], newest_here, deletions.sure),
        branches=tuple(taken),
        gone=tuple(unexplained.values()),
        newest_gone=tuple(known for number, known in unexplained.items() if number > newest_back),
        expected=len(back) + len(unexplained),
        new=sum(
            place.lived and place.at not in back.values() and place.key not in seen
            for place in places
        ),
    )


def _came_back(
    standing: Sequence[KnownMessage], places: Sequence[Place]
) -> tuple[dict[int, int], list[int]]:
    """The standing messages that the export holds: their numbers, each with its index there.

    The second value has the numbers of those with the same key or uuid; the others say the same, which "ok" does by
    chance.
    """
    here = {place.at: as_known(place.message, place.key) for place in places if place.ours is None}
    back = _paired(dict(enumerate(standing)), here, "key", "uuid", "digest")
    sure = [
        number
        for number, at in back.items()
        if (uuid := standing[number].uuid)
        and (uuid == here[at].uuid or standing[number].key == here[at].key)
    ]
    return back, sure


def _went_back(missing: Sequence[KnownMessage], newest_here: str, sure: Sure) -> bool:
    """Whether all that is missing came after everything that is there: then the export goes on from an older state."""
    return (
        bool(missing)
        and sure != "the list was full"
        and all(_is_newer(known, newest_here) for known in missing)
    )


def _taken(
    branch: Branch, missing: _Numbered, ours: Collection[str], *, same_uuids: bool
) -> TakenBranch:
    """Find what a branch has taken. Where uuids came back, they decide: an old branch holds an "ok" of its own, too."""
    inside = {at: as_known(message) for at, message in enumerate(branch.messages)}
    moved = _paired(missing, inside, "uuid")
    unsure = {
        number: known
        for number, known in missing.items()
        if number not in moved and (known.uuid is None or not same_uuids)
    }
    moved |= _paired(
        unsure, {at: known for at, known in inside.items() if at not in moved.values()}, "digest"
    )
    own = sum(
        message.uuid in ours or read_marker(message.marker) is not None
        for message in branch.messages
    )
    return TakenBranch(branch, {number: missing[number] for number in moved}, own)


def as_known(message: Message, key: str = "") -> KnownMessage:
    """A message of an export, to be compared with those that the archive knows."""
    return KnownMessage(key, message.uuid, message.digest, message.role, message.created_at)


def _is_newer(known: KnownMessage, moment: str) -> bool:
    """Whether it came later than everything that was first seen until then."""
    return known.seen_at > moment > ""


def _replaced(
    standing: Sequence[KnownMessage],
    lacking: _Numbered,
    back: Mapping[int, int],
    places: Sequence[Place],
    seen: Mapping[str, str],
) -> set[int]:
    """Numbers of the answers in whose place a new answer stands, behind the same question."""
    behind = {
        place.at: following
        for place, following in pairwise(place for place in places if place.lived)
    }
    replaced: set[int] = set()
    for number, known in enumerate(standing):
        if number not in lacking or known.role == "user":
            continue
        new = behind.get(back.get(number - 1, -1))
        if number - 1 in replaced or (
            new and new.message.role == "assistant" and new.key not in seen
        ):
            replaced.add(number)
    return replaced


def _paired(
    old: _Numbered, here: _Numbered, *names: Literal["key", "uuid", "digest"]
) -> dict[int, int]:
    """The index in `here` of each of `old`, matched by the first name that both have; each is used once, in order."""
    pairs: dict[int, int] = {}
    for name in names:
        used = set(pairs.values())
        free: defaultdict[str | None, deque[int]] = defaultdict(deque)
        for at, known in here.items():
            if at not in used:
                free[getattr(known, name)].append(at)
        for number, known in old.items():
            value = getattr(known, name)
            if number not in pairs and value is not None and free[value]:
                pairs[number] = free[value].popleft()
    return pairs


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
    absent: Absent,
    memories: Mapping[str, bool],
    places: Sequence[Place],
    willed: Collection[str] = (),
) -> Lost | None:
    """Why this export of a chat is skipped until the person accepts it, or None where nothing is lost.

    `memories` are the chat's memories without those that the person deleted, which are `willed`; true where the export
    shows one or still has raw messages of it. Without memories there is little to lose.
    """
    if not (memories or willed or absent.went_back):
        return None
    if taken := [branch for branch in absent.branches if _is_a_loss(branch, memories)]:
        return _into_a_branch(taken, places)
    if absent.went_back:  # however little is missing
        return _older(len(absent.missing) + len(absent.under), absent.missing, absent.new)
    count = len(absent.gone)
    nothing_left = count == absent.expected > 0 and not any(memories.values())
    if nothing_left or (count > _FEW and count * 2 > absent.expected):
        numbers = f"{_counted(count, absent.gone)}, of {absent.expected:,}"
        return Lost(
            f"Most of what stood under no memory the last time is gone ({numbers}).", _EXPORT_WHOLE
        )
    # Whether the person deleted them or not: all at once, that is a mistake of the hand more often than not.
    hidden, total = (
        sum(not shown for shown in memories.values()) + len(willed),
        len(memories) + len(willed),
    )
    if total >= 2 and hidden * 2 > total:
        return Lost(f"Most of the chat's memories are gone ({hidden} of {total}).", _EXPORT_WHOLE)
    # Where the person has deleted so much that TypingMind could not note it all, the newest may be among it.
    few = _FEW_BEFORE_NEW_ONES if absent.new else _FEW_AT_THE_END
    if len(absent.newest_gone) > few and absent.sure != "the list was full":
        return _older(len(absent.newest_gone), absent.newest_gone, absent.new)
    return None


def _is_a_loss(taken: TakenBranch, memories: Mapping[str, bool]) -> bool:
    """An answer that was regenerated leaves itself behind, never a question, and nothing of ours.

    A branch that has nothing of what is missing was there before: a fork keeps the branches of its origin.
    """
    if taken.moved:
        return taken.ours > 0 or any(known.role == "user" for known in taken.moved.values())
    markers = (read_marker(message.marker) for message in taken.branch.messages)
    return any(
        marker and marker.kind == MEMORY and not memories.get(marker.memory, True)
        for marker in markers
    )


def _into_a_branch(taken: Sequence[TakenBranch], places: Sequence[Place]) -> Lost:
    at = min(branch.branch.at for branch in taken)
    moved = [known for branch in taken for known in branch.moved.values()]
    count = len(moved) + sum(branch.ours for branch in taken)
    whose = ", which is one of memproc's own," if places[at].ours else ""
    return Lost(
        f"Everything after message {at + 1} of the chat{whose} went into another branch of it "
        f"({_counted(count, moved)}), since that message was regenerated, or edited and sent again.",
        _GO_BACK,
    )


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
