"""Whether an export has suddenly lost what the chat held: then it is skipped, not mirrored.

    last time   [memories] m5 m6 m7 ... m60
    ordinary    [memories] m5 m6 m7 ... m60 m61     some edited, inserted, deleted or regenerated
    lost        [memories] m61, with m5 ... m60 in another branch; or most or the newest gone

What the chat's own list of deletions names is what the person wanted. What is lost here is still
in the archive.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rules.conversation.history import Place
from rules.conversation.marker import MEMORY, read_marker
from rules.recognize.absent import Absent, KnownMessage, TakenBranch
from rules.typingmind.dates import day_of
from rules.typingmind.message import is_finished_answer

_FEW = 10
_FEW_IN_BRANCHES = 8
_FEW_AT_THE_END, _FEW_BEFORE_NEW_ONES = 2, 8

_GO_BACK = (
    "Use the arrows at that message in TypingMind to go back to the other branch, and export the "
    "chat again; or, to go on from here, fork the chat there and export the fork."
)
_OR_FORK = (
    "or, to go on from here, fork the chat in TypingMind, so that it has an id of its own, "
    "and export the fork."
)
_EXPORT_WHOLE = f"Export the chat again from the device where it is whole; {_OR_FORK}"


@dataclass(frozen=True, slots=True)
class Lost:
    """Why the export is skipped, and what to do: numbers and dates, never what was said."""

    reason: str
    next_step: str
    import_again: bool = False
    """The newest updated or the newest read export has what is missing."""

    def with_file(self, file: str) -> str:
        """Return the next step where `file` has what is missing; it is empty where no file has."""
        if not (self.import_again and file):
            return self.next_step
        return (
            f"Import {file} into TypingMind, which has them, talk on there and export the chat; "
            f"{_OR_FORK}"
        )


def lost(
    absent: Absent,
    memories: Mapping[str, bool],
    places: Sequence[Place],
    willed: Collection[str] = (),
) -> Lost | None:
    """Return why this export is skipped until the person accepts it; None if nothing is lost.

    `memories` says of each memory whether the export shows it or still has raw messages of it;
    `willed` are those that the person deleted, which are not among them. Without memories there is
    little to lose.
    """
    if not (memories or willed or absent.went_back):
        return None
    return (
        _lost_in_a_branch(absent, memories, places)
        or _lost_by_going_back(absent)
        or _lost_most_messages(absent, memories)
        or _lost_most_memories(memories, willed)
        or _lost_the_newest(absent)
    )


def _lost_in_a_branch(
    absent: Absent, memories: Mapping[str, bool], places: Sequence[Place]
) -> Lost | None:
    taken = [branch for branch in absent.branches if _is_a_loss(branch, memories)]
    if not taken or _is_ordinary(absent, places):
        return None
    at = min(branch.branch.at for branch in taken)
    moved = [known for branch in taken for known in branch.moved.values()]
    count = len(moved) + sum(branch.ours for branch in taken)
    whose = ", which is one of memproc's own," if places[at].ours else ""
    return Lost(
        f"Everything after message {at + 1} of the chat{whose} went into another branch of it "
        f"({_counted(count, moved)}), since that message was regenerated, or edited and sent "
        "again.",
        _GO_BACK,
    )


def _is_ordinary(absent: Absent, places: Sequence[Place]) -> bool:
    """Return whether the person has regenerated an answer a few turns back, or used the arrows.

    Then all new branches together hold few messages, none of them ours, under a memory or with a pin,
    and the conversation goes on to a finished answer in their place.
    """
    new = [taken for taken in absent.branches if taken.is_new]
    kept = any(taken.ours or taken.has_compressed or taken.branch.has_pin for taken in new)
    many = sum(len(taken.branch.messages) for taken in new) > _FEW_IN_BRANCHES
    if not new or kept or many:
        return False
    lived = [place.message for place in places if place.lived]
    at = max(taken.branch.at for taken in new)
    return bool(lived) and places[-1].at > at and is_finished_answer(lived[-1])


def _is_a_loss(taken: TakenBranch, memories: Mapping[str, bool]) -> bool:
    """Return whether a branch has taken more than a regenerated answer.

    Such an answer leaves itself there, never a question, and nothing of ours. A branch that has
    nothing of what is missing was there before: a fork keeps the branches of its origin.
    """
    if taken.moved:
        return taken.ours > 0 or taken.has_question
    markers = (read_marker(message.marker) for message in taken.branch.messages)
    # A memory that is False here is neither shown nor has any raw message in the export.
    names = [marker.memory for marker in markers if marker and marker.kind == MEMORY]
    return any(memories.get(name) is False for name in names)


def _lost_by_going_back(absent: Absent) -> Lost | None:
    """Return the loss of an export that went back, however little is missing."""
    if not absent.went_back:
        return None
    count = len(absent.missing) + len(absent.under - absent.known)
    return _older(count, absent.missing, absent.new)


def _lost_most_messages(absent: Absent, memories: Mapping[str, bool]) -> Lost | None:
    count = len(absent.gone)
    nothing_left = count == absent.expected > 0 and not any(memories.values())
    if not (nothing_left or (count > _FEW and count * 2 > absent.expected)):
        return None
    numbers = f"{_counted(count, absent.gone)}, of {absent.expected:,}"
    return Lost(
        f"Most of what stood under no memory the last time is gone ({numbers}).", _EXPORT_WHOLE
    )


def _lost_most_memories(memories: Mapping[str, bool], willed: Collection[str]) -> Lost | None:
    """Return the loss of most memories, deleted or not: at once, it is most often a mistake."""
    hidden = sum(not shown for shown in memories.values()) + len(willed)
    total = len(memories) + len(willed)
    if total < 2 or hidden * 2 <= total:
        return None
    return Lost(f"Most of the chat's memories are gone ({hidden} of {total}).", _EXPORT_WHOLE)


def _lost_the_newest(absent: Absent) -> Lost | None:
    """Return the loss of the newest messages.

    Where TypingMind could not note all that the person has deleted, the newest may be among it.
    """
    few = _FEW_BEFORE_NEW_ONES if absent.new else _FEW_AT_THE_END
    if absent.sure == "the list was full" or len(absent.newest_gone) <= few:
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
    """Return the number of messages in words, with the day of the oldest where one has a date."""
    days = [day for known in gone if (day := day_of(known.created_at))]
    number = "1 message" if count == 1 else f"{count:,} messages"
    return f"{number}, the oldest from {min(days)}" if days else number
