"""What an export lacks that was in the chat before: deleted, branched, replaced or missing.

TypingMind notes what the person deletes in `syncMetadata.deletedMessageUUIDs`: the last 100 uuids,
including those that we noted when memories took the place of messages. Older builds note nothing.
So a message that an export lacks is one of these:

    deleted     the list names it: the person has deleted it
    branched    it moved into another branch of the chat, where the export still has it
    replaced    an answer in whose place a new one was generated, as older builds did
    missing     any other; where the list is complete, the person has not deleted it

An export went back if it lacks everything that came after some earlier moment: it continues an
older state of the chat.

An example: the last export had q1 a1 q2 a2 q3 a3 q4 under no memory. This one has q1 x1 q2 n1, with
q3 a3 in a branch at q2, and its list names a2. `Absent` says of the messages under no memory:

    branches       q3 a3         moved into a branch, which explains more than the list does
    deleted        a2            named in the list
    gone           a1 q4         did not come back, and are neither in a branch nor named
      replaced     a1            of these, the answer with another one in its place: x1
      missing      q4            of these, all others
      newest_gone  q4            of these, what came after everything that came back
    expected       q1 q2 a1 q4   came back or are gone
    new            x1 n1         the archive has never seen them

`left_out` and `under` are missing messages, too: those that no memory is made of, and those under
memories.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from rules.conversation.history import Place
from rules.conversation.marker import uuid_stem
from rules.conversation.memory import memories_of_chunks, with_members
from rules.recognize.align import align
from rules.recognize.known import Known, KnownMessage, Recognized
from rules.typingmind.dates import parse_date
from rules.typingmind.message import Branch, find_branches
from rules.typingmind.originals import MOST_NAMED, NAMED_SINCE

Evidence = Literal["deletions are named", "the list was full", "nothing is named"]
"""What the list of deletions tells about a message that it does not name.

An old build writes no list: `nothing is named`.
"""

Numbered = Mapping[int, KnownMessage]
"""Messages by their numbers: positions in the last export, or in a branch."""


@dataclass(frozen=True, slots=True)
class Deletions:
    """The list of deletions in the chat, and how far it can be trusted."""

    named: frozenset[str] = frozenset()
    new: int = 0
    """The number of entries that were added since our last output."""
    is_there: bool = False
    are_noted: bool = False
    """Whether this build of TypingMind notes what the person deletes."""

    @property
    def evidence(self) -> Evidence:
        """Return what the list tells about a message that it does not name."""
        if self.new >= MOST_NAMED:
            return "the list was full"
        return "deletions are named" if self.are_noted else "nothing is named"


@dataclass(frozen=True, slots=True)
class TakenBranch:
    """A branch of the export, and the live messages that moved into it, by their numbers."""

    branch: Branch
    moved: Numbered

    @property
    def has_question(self) -> bool:
        """Return whether one of the messages that moved into it is the person's."""
        return any(known.role == "user" for known in self.moved.values())


@dataclass(frozen=True, slots=True)
class Absent:
    """The messages that the archive has seen and that an export lacks, by reason."""

    missing: tuple[KnownMessage, ...] = ()
    """Messages that were live the last time and whose absence nothing explains; oldest first."""
    replaced: int = 0
    """The number of answers that were regenerated in their place."""
    deleted: int = 0
    """The number of messages that were live the last time and that the list names."""
    left_out: frozenset[str] = frozenset()
    """Keys of missing messages of which no memory is made."""
    explained: frozenset[str] = frozenset()
    """The uuids that the list names, or that are in a branch."""
    under: frozenset[str] = frozenset()
    """Keys of missing messages under memories, where the person did not delete them."""
    evidence: Evidence = "nothing is named"
    went_back: bool = False
    """Whether the export lacks everything that came after some earlier moment."""
    branches: tuple[TakenBranch, ...] = ()
    gone: Numbered = field(default_factory=dict)
    """The missing messages and replaced answers: no branch or deletion explains them."""
    newest_back: int = -1
    """The number of the newest message that came back, a sure one if possible; -1 if none."""
    expected: int = 0
    """The number of live messages that should have come back."""
    new: int = 0
    """The number of messages in the export's conversation that the archive has never seen."""
    excused: frozenset[str] = frozenset()
    """Keys of the messages whose absence is no news; see `Known.excused`."""

    @property
    def branched(self) -> int:
        """Count the once live messages that are now in a branch with a question of the person's."""
        return sum(len(taken.moved) for taken in self.branches if taken.has_question)

    @property
    def newest_gone(self) -> tuple[KnownMessage, ...]:
        """Return the messages of `gone` that came after everything that came back."""
        return tuple(old for number, old in self.gone.items() if number > self.newest_back)

    @property
    def newly_missing(self) -> int:
        """Count the missing messages that the person has not been told about."""
        live = sum(known.key not in self.excused for known in self.missing)
        return live + len(self.under - self.excused)

    @property
    def keys(self) -> frozenset[str]:
        """Return the keys of the missing messages that stay in the conversation.

        In an export of an old build they count as deleted, as most are, unless it went back.
        """
        if self.evidence == "nothing is named" and not self.went_back:
            return self.under
        return self.under | self.left_out | {known.key for known in self.missing}


NOTHING_ABSENT = Absent()


def find_absent(export: Recognized) -> Absent:
    """Return the messages of the chat that the archive has and the export lacks.

    A message under a memory is expected where the export has others under that memory in full: as
    its originals, or as raw messages while it shows neither the memory nor a fold of it. One that
    stays only for its attachment says nothing about the others: our output took these out of the
    chat, even if TypingMind has cut their names from its list since.
    """
    known = export.known
    whole = [place for place in export.places if place.ours is None and not place.for_attachment]
    raw = {place.key for place in whole}
    begun = {old.memory for old in known.past if old.key in raw}
    with_originals = {place.original for place in whole}
    covered, expected = with_members(export.shown, known.memories), set()
    for memory in memories_of_chunks(known.memories):
        is_begun = memory.number in begun and memory.memory_id not in covered
        if is_begun or memory.memory_id in with_originals:
            expected.add(memory.number)
    under = []
    for old in known.past:
        if old.memory in expected and old.newest is not None:
            said, seen_at = old.message, known.seen.get(old.key, "")
            under.append(
                KnownMessage(old.key, said.uuid, said.digest, said.role, said.created_at, seen_at)
            )
    return sort_absent(known, export.places, _read_deletions(export), under)


def _read_deletions(export: Recognized) -> Deletions:
    """Return the chat's list of deletions, with what is new in it.

    New are the entries that are neither memproc's nor in the last export's list.
    """
    listed = export.listed.uuids
    under = {old.message.uuid for old in export.known.past}
    others = {uuid for uuid in listed - under if uuid_stem(uuid) not in export.ours}
    dates = (parse_date(place.message.created_at) for place in export.places if not place.ours)
    is_of_new_build = any(date is not None and date >= NAMED_SINCE for date in dates)
    are_noted = export.listed.by_new_build or bool(others) or is_of_new_build
    return Deletions(listed, len(others - export.known.deleted), export.listed.is_there, are_noted)


def sort_absent(
    known: Known, places: Sequence[Place], deletions: Deletions, under: Sequence[KnownMessage]
) -> Absent:
    """Sort the messages that the archive has seen and the export lacks, by reason.

    `under` are the messages that are expected under memories.
    """
    of_live = _sort_live(known, places, deletions)
    keys = {place.key for place in places if place.ours is None}
    newest_here = max((known.seen[key] for key in keys & known.seen.keys()), default="")
    inside = (message for taken in of_live.branches for message in taken.branch.messages)
    explained = deletions.named.union(message.uuid for message in inside if message.uuid)
    under = [old for old in under if old.key not in keys and old.uuid not in explained]
    excused = known.excused
    news = [old for old in (*of_live.missing, *under) if old.key not in excused]
    return replace(
        of_live,
        left_out=frozenset(
            old.key
            for old in known.left_out
            if old.uuid is not None and old.uuid not in explained and old.key not in keys
        ),
        explained=explained,
        under=_find_missing_under(known, under, deletions, newest_here),
        evidence=deletions.evidence,
        went_back=_has_gone_back(news, newest_here, deletions, places),
        excused=excused,
    )


def _has_gone_back(
    missing: Sequence[KnownMessage], newest_here: str, deletions: Deletions, places: Sequence[Place]
) -> bool:
    """Return whether the export lacks everything that came after some earlier moment.

    An export with neither a list of deletions nor messages of ours does not tell.
    """
    is_told = deletions.is_there or any(place.ours is not None for place in places)
    if not missing or not is_told or deletions.evidence == "the list was full":
        return False
    return all(_is_newer(old, newest_here) for old in missing)


def _find_missing_under(
    known: Known, under: Sequence[KnownMessage], deletions: Deletions, newest_here: str
) -> frozenset[str]:
    """Return the keys of the messages in `under` that the person did not delete."""
    return frozenset(
        old.key
        for old in under
        if deletions.evidence == "deletions are named"
        or old.key in known.missing
        or _is_newer(old, newest_here)
    )


def _sort_live(known: Known, places: Sequence[Place], deletions: Deletions) -> Absent:
    """Sort the live messages that did not come back; a branch explains more than a deletion."""
    back, sure = _find_back(known.live, places)
    lacking = {number: old for number, old in enumerate(known.live) if number not in back}
    taken = _find_taken_branches(places, lacking, same_uuids=bool(sure))
    branched = {number for branch in taken for number in branch.moved}
    gone = {
        number: old
        for number, old in lacking.items()
        if number not in branched and old.uuid not in deletions.named
    }
    replaced = _find_replaced(known.seen, gone, back, places)
    new = (place.at for place in places if place.lived and place.key not in known.seen)
    return Absent(
        missing=tuple(old for number, old in gone.items() if number not in replaced),
        replaced=len(replaced),
        deleted=len(lacking) - len(branched) - len(gone),
        branches=taken,
        gone=gone,
        newest_back=max(sure or back, default=-1),
        expected=len(back) + len(gone),
        new=len({*new} - {*back.values()}),
    )


def _find_back(
    live: Sequence[KnownMessage], places: Sequence[Place]
) -> tuple[Mapping[int, int], list[int]]:
    """Return the index in the export of each live message that came back, by its number.

    Also return the numbers of those that surely did, with the same key or uuid; the others only
    say the same, as one "ok" does as another.
    """
    here = {
        place.at: (place.key, place.message.uuid, place.message.digest)
        for place in places
        if place.ours is None
    }
    old = {number: (known.key, known.uuid, known.digest) for number, known in enumerate(live)}
    back = align(old, here).pairs
    sure = [
        number
        for number, at in back.items()
        if live[number].uuid and not {live[number].uuid, live[number].key}.isdisjoint(here[at][:2])
    ]
    return back, sure


def _find_taken_branches(
    places: Sequence[Place], lacking: Numbered, *, same_uuids: bool
) -> tuple[TakenBranch, ...]:
    """Return the branches of the export, each with the lacking messages that are in it.

    Where uuids came back, they decide: an old branch may hold an "ok" of its own.
    """
    old = {
        number: (known.uuid, None if same_uuids and known.uuid else known.digest)
        for number, known in lacking.items()
    }
    taken = []
    for branch in find_branches([place.message for place in places]):
        inside = ((message.uuid, message.digest) for message in branch.messages)
        moved = align(old, dict(enumerate(inside))).pairs
        taken.append(TakenBranch(branch, {number: lacking[number] for number in moved}))
    return tuple(taken)


def _find_replaced(
    seen: Collection[str], gone: Numbered, back: Mapping[int, int], places: Sequence[Place]
) -> set[int]:
    """Return the numbers of the answers that a new answer to the same question replaced."""
    lived = [place for place in places if place.lived]
    following = {place.at: after for place, after in pairwise(lived)}
    replaced: set[int] = set()
    for number, known in sorted(gone.items()):
        if known.role == "user":
            continue
        after = following.get(back.get(number - 1, -1))
        is_new = after and after.message.role == "assistant" and after.key not in seen
        if number - 1 in replaced or is_new:
            replaced.add(number)
    return replaced


def _is_newer(known: KnownMessage, moment: str) -> bool:
    """Return whether the message was first seen after this moment; False if either is unknown."""
    return known.seen_at > moment > ""
