"""What an export lacks that was in the chat before: deleted, branched, replaced or missing.

TypingMind notes the person's deletions in `syncMetadata.deletedMessageUUIDs`: the last 100, among
them those that we noted when memories took the place of messages. Older builds note nothing. So
of what an export lacks:

    named       the person has deleted it
    branched    it went into another branch of the chat, and is still in the export there
    replaced    an answer that was regenerated in its place, as older builds did
    missing     all others; where the list is complete, the person has not deleted them

An export went back where it lacks all that came since some earlier moment: it continues an older
state.

An example: the last export had q1 a1 q2 a2 q3 a3 q4 under no memory. This one has q1 x1 q2 n1, with
q3 a3 in a branch at q2, and its list names a2. What `Absent` says of the messages under no memory:

    branches       q3 a3         moved into a branch, which explains more than the list does
    deleted        a2            named
    gone           a1 q4         neither came back, nor is branched or named
      replaced     a1            of these, the answers in whose place another one is: x1
      missing      q4            of these, all others
      newest_gone  q4            of these, what came after all that came back
    expected       q1 q2 a1 q4   what came back or is gone
    new            x1 n1         what the archive has never seen

`left_out` and `under` are the missing of the messages that are left out of memories, and of those
under them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from rules.conversation.history import Place
from rules.recognize.align import align
from rules.typingmind.message import Branch, branches
from rules.typingmind.originals import MOST_NAMED

Sure = Literal["deletions are named", "the list was full", "nothing is named"]
"""The conclusion that the list of deletions allows.

An old build writes none: `nothing is named`.
"""


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """A raw message that the archive has seen in the chat."""

    key: str
    uuid: str | None
    digest: str
    role: str | None
    created_at: str | None
    seen_at: str = ""
    """The time when an export first held it; empty where it is unknown."""


Numbered = Mapping[int, KnownMessage]
"""Messages by their numbers: positions in the last export, or in a branch."""


@dataclass(frozen=True, slots=True)
class LastTime:
    """What the archive has seen of a chat, to be compared with its next export."""

    live: Sequence[KnownMessage]
    """The messages under no memory, oldest first."""
    left_out: Sequence[KnownMessage]
    """Those left out of memories. A deletion cannot name one without a uuid, as a divider is."""
    under: Sequence[KnownMessage]
    """Messages under memories, of which the export holds others of the same memory."""
    seen: Mapping[str, str]
    """The time when each message was first seen, by its key."""
    missing: Collection[str] = ()
    """Keys of the messages that were missing before."""


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
        """Return the conclusion about a message that it does not name."""
        if self.new >= MOST_NAMED:
            return "the list was full"
        return "deletions are named" if self.by_person else "nothing is named"


@dataclass(frozen=True, slots=True)
class TakenBranch:
    """A branch of the export, and the live messages that moved into it, by their numbers."""

    branch: Branch
    moved: Numbered

    @property
    def has_question(self) -> bool:
        """Return whether a live message of the person's moved into it."""
        return any(known.role == "user" for known in self.moved.values())


@dataclass(frozen=True, slots=True)
class Absent:
    """The messages that the archive has seen and that an export lacks, sorted by the reason."""

    missing: tuple[KnownMessage, ...] = ()
    """Live messages of the last time that nothing explains; oldest first."""
    replaced: int = 0
    """The number of answers that were regenerated in their place."""
    deleted: int = 0
    """The number of messages of the last time that the chat names as deleted."""
    left_out: frozenset[str] = frozenset()
    """Keys of missing messages that are no part of the agent's experience."""
    named: frozenset[str] = frozenset()
    """uuids that the chat names as deleted, or holds in a branch."""
    under: frozenset[str] = frozenset()
    """Keys of missing messages under memories that the person did not delete."""
    sure: Sure = "nothing is named"
    went_back: bool = False
    """Whether it lacks all that came since some earlier moment."""
    branches: tuple[TakenBranch, ...] = ()
    gone: tuple[KnownMessage, ...] = ()
    """The missing messages and replaced answers: no branch or deletion explains them."""
    newest_gone: tuple[KnownMessage, ...] = ()
    """The messages of `gone` that came after all that came back."""
    expected: int = 0
    """The number of live messages that should have come back."""
    new: int = 0
    """The number of lived messages of the export that the archive has never seen."""
    known: frozenset[str] = frozenset()
    """Keys of the messages that were missing before, which the person was told then."""

    @property
    def branched(self) -> int:
        """Count the live messages of the last time that are in a branch with a question now."""
        return sum(len(taken.moved) for taken in self.branches if taken.has_question)

    @property
    def newly_missing(self) -> int:
        """Count the missing messages that the person has not been told of."""
        live = sum(known.key not in self.known for known in self.missing)
        return live + len(self.under - self.known)

    @property
    def keys(self) -> frozenset[str]:
        """Return the keys of the missing messages that stay in the conversation.

        In an old build they count as deleted, as most are, unless the whole export went back.
        """
        if self.sure == "nothing is named" and not self.went_back:
            return self.under
        return self.under | self.left_out | {known.key for known in self.missing}


@dataclass(frozen=True, slots=True)
class _Back:
    """The live messages that came back: the index in the export of each, by its number."""

    at: Mapping[int, int]
    surely: Sequence[int]
    """Numbers of those with the same key or uuid; others just say the same, as "ok" does."""

    @property
    def newest(self) -> int:
        """Return the number of the newest one, surely if any is sure; -1 where none came back."""
        return max(self.surely or self.at, default=-1)


@dataclass(frozen=True, slots=True)
class _Lacking:
    """The live messages that did not come back, sorted by what explains them."""

    taken: tuple[TakenBranch, ...]
    deleted: int
    unexplained: Numbered
    replaced: Collection[int]

    @property
    def missing(self) -> tuple[KnownMessage, ...]:
        """Return the messages that nothing explains."""
        return tuple(
            known for number, known in self.unexplained.items() if number not in self.replaced
        )

    @property
    def uuids_in_branches(self) -> frozenset[str]:
        """Return the uuids of all messages in branches."""
        messages = (message for taken in self.taken for message in taken.branch.messages)
        return frozenset(message.uuid for message in messages if message.uuid)

    def after(self, newest: int) -> tuple[KnownMessage, ...]:
        """Return the messages with a number above `newest` that no branch or deletion explains."""
        return tuple(known for number, known in self.unexplained.items() if number > newest)


NOTHING_ABSENT = Absent()


def absent(last: LastTime, places: Sequence[Place], deletions: Deletions) -> Absent:
    """Compare the export with what the archive has seen."""
    back = _find_back(last.live, places)
    lacking = _sort_lacking(last, back, places, deletions)
    named = deletions.named | lacking.uuids_in_branches
    keys = {place.key for place in places if place.ours is None}
    newest_here = max((last.seen[key] for key in keys & last.seen.keys()), default="")
    under = [known for known in last.under if known.key not in keys and known.uuid not in named]
    newly_missing = [*lacking.missing, *_newly(under, last.missing)]
    return Absent(
        missing=lacking.missing,
        replaced=len(lacking.replaced),
        deleted=lacking.deleted,
        left_out=_missing_left_out(last.left_out, keys, named),
        named=named,
        under=_missing_under(last, under, deletions, newest_here),
        sure=deletions.sure,
        went_back=_went_back(newly_missing, newest_here, deletions, places),
        branches=lacking.taken,
        gone=tuple(lacking.unexplained.values()),
        newest_gone=lacking.after(back.newest),
        expected=len(back.at) + len(lacking.unexplained),
        new=_count_new(last, back, places),
        known=frozenset(last.missing),
    )


def _newly(lacking: Iterable[KnownMessage], accepted: Collection[str]) -> Iterator[KnownMessage]:
    """Yield what was not missing before, which the person has accepted as missing."""
    return (known for known in lacking if known.key not in accepted)


def _find_back(live: Sequence[KnownMessage], places: Sequence[Place]) -> _Back:
    here = {
        place.at: (place.key, place.message.uuid, place.message.digest)
        for place in places
        if place.ours is None
    }
    old = {number: (known.key, known.uuid, known.digest) for number, known in enumerate(live)}
    back = align(old, here).pairs
    surely = [
        number
        for number, at in back.items()
        if live[number].uuid and not {live[number].uuid, live[number].key}.isdisjoint(here[at][:2])
    ]
    return _Back(back, surely)


def _sort_lacking(
    last: LastTime,
    back: _Back,
    places: Sequence[Place],
    deletions: Deletions,
) -> _Lacking:
    """Sort the live messages that did not come back; a branch explains more than a deletion."""
    lacking = {number: known for number, known in enumerate(last.live) if number not in back.at}
    same_uuids = bool(back.surely)
    taken = tuple(
        _match_branch(branch, lacking, same_uuids=same_uuids)
        for branch in branches([place.message for place in places])
    )
    branched = {number for branch in taken for number in branch.moved}
    unexplained = {
        number: known
        for number, known in lacking.items()
        if number not in branched and known.uuid not in deletions.named
    }
    return _Lacking(
        taken=taken,
        deleted=len(lacking) - len(branched) - len(unexplained),
        unexplained=unexplained,
        replaced=_find_replaced(last, unexplained, back, places),
    )


def _match_branch(branch: Branch, lacking: Numbered, *, same_uuids: bool) -> TakenBranch:
    """Find the lacking messages in a branch.

    Where uuids came back, they decide: an old branch may hold an "ok" of its own.
    """
    old = {
        number: (known.uuid, None if same_uuids and known.uuid else known.digest)
        for number, known in lacking.items()
    }
    inside = ((message.uuid, message.digest) for message in branch.messages)
    moved = align(old, dict(enumerate(inside))).pairs
    return TakenBranch(branch, {number: lacking[number] for number in moved})


def _find_replaced(
    last: LastTime, unexplained: Numbered, back: _Back, places: Sequence[Place]
) -> set[int]:
    """Return the numbers of the answers that gave way to a new answer to the same question."""
    lived = [place for place in places if place.lived]
    following = {place.at: after for place, after in pairwise(lived)}
    replaced: set[int] = set()
    for number, known in sorted(unexplained.items()):
        if known.role == "user":
            continue
        after = following.get(back.at.get(number - 1, -1))
        is_new = after and after.message.role == "assistant" and after.key not in last.seen
        if number - 1 in replaced or is_new:
            replaced.add(number)
    return replaced


def _missing_left_out(
    left_out: Sequence[KnownMessage], keys: Set[str], named: Set[str]
) -> frozenset[str]:
    """Return the keys of the missing messages of those that are left out of memories."""
    return frozenset(
        known.key
        for known in left_out
        if known.key not in keys and known.uuid is not None and known.uuid not in named
    )


def _missing_under(
    last: LastTime, under: Sequence[KnownMessage], deletions: Deletions, newest_here: str
) -> frozenset[str]:
    """Return the keys of those messages under memories that the person did not delete."""
    return frozenset(
        known.key
        for known in under
        if deletions.sure == "deletions are named"
        or known.key in last.missing
        or _is_newer(known, newest_here)
    )


def _count_new(last: LastTime, back: _Back, places: Sequence[Place]) -> int:
    """Count the lived messages of the export that the archive has never seen."""
    known = set(back.at.values())
    return sum(
        place.lived and place.at not in known and place.key not in last.seen for place in places
    )


def _went_back(
    missing: Sequence[KnownMessage],
    newest_here: str,
    deletions: Deletions,
    places: Sequence[Place],
) -> bool:
    """Return whether the export lacks all that came since some earlier moment.

    An export without a list of deletions and without messages of ours tells nothing.
    """
    is_told = deletions.is_there or any(place.ours is not None for place in places)
    if not missing or not is_told or deletions.sure == "the list was full":
        return False
    return all(_is_newer(known, newest_here) for known in missing)


def _is_newer(known: KnownMessage, moment: str) -> bool:
    """Return whether it came later than everything that was first seen until then."""
    return known.seen_at > moment > ""
